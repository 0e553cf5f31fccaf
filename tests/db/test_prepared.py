"""Statements that the driver runs write and fail as those that SQLAlchemy runs."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from sqlalchemy import event, select

from db import store
from db.database import Database
from db.errors import DatabaseError
from db.records import SEAT_RESULT, GameRecord, storable
from db.schema import Game, Move, Seat
from tests.db.test_store import HOSTILE
from tests.kit.postgres_server import Server
from tests.kit.small_record import NOW, begun_game, record


def hostile(game: int) -> GameRecord:
    """A game with all these texts in its moves; in some rows other values are unknown."""
    played = record(game, plies=len(HOSTILE))
    moves = tuple(
        replace(move, move=text, text=text, line=text if place % 2 else None, score=None if place % 3 else 0.25)
        for place, (move, text) in enumerate(zip(played.moves, HOSTILE, strict=True))
    )
    seats = (replace(played.seats[0], stderr=HOSTILE[3], points=None), replace(played.seats[1], stderr=None))
    return replace(played, moves=moves, seats=seats, detail=HOSTILE[4])


def test_every_value_comes_back_as_it_was(where: str) -> None:
    with Database(where) as database:
        played = hostile(begun_game(database))
        host = {"cpu": HOSTILE[3], HOSTILE[4]: [1, None, {"walls": HOSTILE[8]}]}
        with database.writing() as connection:
            store.finish(connection, played.game, played, host=host, now=NOW)
        with database.reading() as connection:
            game = connection.execute(select(Game.__table__)).mappings().one()
            seats = connection.execute(select(Seat.__table__).order_by(Seat.seat)).mappings().all()
            moves = connection.execute(select(Move.__table__).order_by(Move.ply)).mappings().all()
    assert (game["status"], game["verdict"], game["detail"]) == ("finished", "time", storable(HOSTILE[4]))
    assert game["host"] == {"cpu": storable(HOSTILE[3]), storable(HOSTILE[4]): [1, None, {"walls": HOSTILE[8]}]}

    def stored(value: object) -> object:
        return storable(value) if isinstance(value, str) else value

    for seat, row in zip(played.seats, seats, strict=True):
        assert {name: stored(getattr(seat, name)) for name in SEAT_RESULT} == {name: row[name] for name in SEAT_RESULT}
    for move, row in zip(played.moves, moves, strict=True):
        names = move.__struct_fields__
        expected = {name: stored(getattr(move, name)) for name in names} | {"who": str(move.who)}
        assert expected == {name: row[name] for name in names}


def test_a_game_is_over_once(where: str) -> None:
    with Database(where) as database:
        played = record(begun_game(database))
        with database.writing() as connection:
            store.finish(connection, played.game, played, host=None, now=NOW)
        with pytest.raises(DatabaseError, match="never changed"), database.writing() as connection:
            store.finish(connection, played.game, played, host=None, now=NOW)


@pytest.mark.parametrize("wrong", [{"ply": 2**70}, {"ply": 2}], ids=["more than 64 bits", "the same ply twice"])
def test_after_a_value_that_is_refused_nothing_is_stored_and_the_next_transaction_is_whole(
    where: str, wrong: dict[str, int]
) -> None:
    with Database(where) as database:
        played = record(begun_game(database))
        refused = replace(played, moves=(*played.moves[:-1], replace(played.moves[-1], **wrong)))
        with pytest.raises(DatabaseError), database.writing() as connection:
            store.finish(connection, played.game, refused, host=None, now=NOW)
        with database.reading() as connection:
            assert connection.execute(select(Game.status)).scalar_one() == "playing"
            assert connection.execute(select(Move.ply)).all() == []
        with database.writing() as connection:
            store.finish(connection, played.game, played, host=None, now=NOW)
        with database.reading() as connection:
            assert len(connection.execute(select(Move.ply)).all()) == len(played.moves)


def test_after_ctrl_c_within_a_transaction_the_next_one_is_whole(where: str) -> None:
    with Database(where) as database:
        played = record(begun_game(database))
        with pytest.raises(KeyboardInterrupt), database.writing() as connection:  # noqa: PT012
            store.finish(connection, played.game, played, host=None, now=NOW)
            raise KeyboardInterrupt
        with database.writing() as connection:
            store.finish(connection, played.game, played, host=None, now=NOW)
        with database.reading() as connection:
            assert len(connection.execute(select(Move.ply)).all()) == len(played.moves)


def test_after_ctrl_c_at_the_beginning_of_a_transaction_the_next_one_is_whole(where: str) -> None:
    with Database(where) as database:
        played = record(begun_game(database))

        @event.listens_for(database._engine, "begin", once=True)
        def interrupt(_: object) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt), database.writing():
            pass
        with database.writing() as connection:
            store.finish(connection, played.game, played, host=None, now=NOW)


def test_a_connection_that_the_server_has_ended_is_replaced(postgres: Server) -> None:
    where = postgres.new_database()
    with Database(where) as database:
        played = record(begun_game(database))
        name = postgres.name_of(where)
        postgres.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        with pytest.raises(DatabaseError), database.writing() as connection:
            store.finish(connection, played.game, played, host=None, now=NOW)
        with database.writing() as connection:
            store.finish(connection, played.game, played, host=None, now=NOW)
