"""The analysis of a game: it is read as it was written, replaced by the next one, and belongs to one attempt."""

from __future__ import annotations

from math import inf
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import Connection, text

from db import games, store
from db.database import Database
from db.errors import DatabaseError
from db.records import JudgedPly, Mark, MoveRecord, PositionValue
from tests.kit.small_record import NOW, begun_game, record


def judged(move: MoveRecord, random: Random) -> JudgedPly:
    """A judgement of that ply, with any values."""

    def value() -> PositionValue:
        values = tuple(random.choice([random.uniform(-9, 9), 1.0, -0.0, inf, 1e-300]) for _ in range(2))
        distance = random.choice([None, 0, 7])
        return PositionValue(values, random.random() < 0.5, distance, known=random.random() < 0.7)

    return JudgedPly(
        ply=move.ply,
        who=move.who,
        move=move.move,
        before=value(),
        after=value(),
        depth=random.randrange(99),
        loss=random.choice([None, 0.0, random.random()]),
        mark=random.choice(list(Mark)),
        better=random.choice([(), ("a1",), ("a1", "b2", "pass")]),
    )


def played(connection: Connection, game: int, plies: int = 12) -> list[MoveRecord]:
    """Finish the game; its moves."""
    ended = record(game, plies=plies, letters=1)
    store.finish(connection, game, ended, host=None, now=NOW)
    return list(ended.moves)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_read_as_it_was_written_and_the_last_one_wins(where: str, seed: int) -> None:
    random = Random(seed)
    with Database(where) as database:
        game = begun_game(database)
        with database.writing() as connection:
            moves = played(connection, game)
            assert games.game(connection, game).analysis == ()
            for length in random.sample(range(1, 13), 3):
                plies = tuple(judged(move, random) for move in moves[:length])
                store.keep_analysis(connection, game, plies)
                assert games.game(connection, game).analysis == plies
                rows = connection.execute(text("SELECT ply, player, mark FROM v_analysis ORDER BY ply"))
                players = games.game(connection, game).players
                assert list(map(tuple, rows)) == [(one.ply, players[int(one.who)], one.mark) for one in plies]
            assert games.games(connection, [game])[0].analysis == ()


def test_a_new_attempt_has_no_analysis_of_the_old_one(tmp_path: Path) -> None:
    with Database(str(tmp_path / "arena.db")) as database:
        game = begun_game(database)
        with database.writing() as connection:
            plies = [judged(move, Random(1)) for move in played(connection, game)]
            store.keep_analysis(connection, game, plies)
            again = store.repeat(connection, game)
            assert games.game(connection, again).analysis == ()
            store.begin(connection, again, NOW)
            played(connection, again, plies=3)
            assert games.game(connection, again).analysis == ()
            assert len(games.game(connection, game).analysis) == 12


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("UPDATE analysis SET before_values = '1 x' WHERE ply = 2", "could not convert string to float: 'x'"),
        ("UPDATE analysis SET after_values = '' WHERE ply = 2", "expected 2 values, got 0"),
        ("UPDATE analysis SET mark = '!' WHERE ply = 2", "'!' is not a valid Mark"),
        ("DELETE FROM move WHERE ply = 2", "the game has no such ply"),
    ],
)
def test_a_broken_analysis_is_left_out_and_can_be_made_again(where: str, change: str, words: str) -> None:
    with Database(where) as database:
        game = begun_game(database)
        with database.writing() as connection:
            plies = [judged(move, Random(1)) for move in played(connection, game)]
            store.keep_analysis(connection, game, plies)
            assert games.broken_analyses(connection, [game]) == {}
            connection.execute(text(change))
            assert games.broken_analyses(connection, [game]) == {game: f"its analysis is broken at ply 2: {words}"}
            assert games.game(connection, game).analysis == ()
            store.keep_analysis(connection, game, plies[:1])
            assert games.game(connection, game).analysis == (plies[0],)
            assert games.broken_analyses(connection, [game]) == {}


def test_a_value_of_the_wrong_type_is_one_clear_error(tmp_path: Path) -> None:
    with Database(str(tmp_path / "arena.db")) as database:
        game = begun_game(database)
        with database.writing() as connection:
            store.keep_analysis(connection, game, [judged(move, Random(1)) for move in played(connection, game)])
            connection.execute(text("UPDATE analysis SET loss = 'much' WHERE ply = 2"))
            with pytest.raises(DatabaseError, match=r"game 1: the value of analysis\.loss does not"):
                games.game(connection, game)
