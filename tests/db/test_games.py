"""Repeated games (the same moves) are found by a hash of their moves; and the hosts of games."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs
from sqlalchemy import text

from db import bundles, games, store
from db.database import Database
from db.records import MoveRecord, moves_hash
from tests.kit.random_record import Record
from tests.kit.small_record import NOW, planned, tournament
from tests.kit.small_record import record as small_game


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with Database(str(tmp_path / "arena.db")) as database, database.writing() as connection:
        yield Record(connection)


def test_the_hash_depends_on_moves_only() -> None:
    played = [MoveRecord(1, "opening", "a1"), MoveRecord(2, "chance", "6"), MoveRecord(3, 0, "b2")]
    again = [MoveRecord(1, "opening", "a1"), MoveRecord(2, "chance", "6"), MoveRecord(3, 0, "b2", spent=7, text="hm")]
    assert moves_hash(played) == moves_hash(again)
    others = (
        [MoveRecord(1, "opening", "a1"), MoveRecord(2, "chance", "5"), MoveRecord(3, 0, "b2")],  # other dice
        [MoveRecord(1, "opening", "a1"), MoveRecord(2, "chance", "6"), MoveRecord(3, 1, "b2")],  # another seat
        [MoveRecord(1, 0, "a1"), MoveRecord(2, "chance", "6"), MoveRecord(3, 0, "b2")],  # a move of its own
        [MoveRecord(1, "opening", "a1"), MoveRecord(2, "chance", "6"), MoveRecord(3, 0, "b"), MoveRecord(4, 0, "2")],
        played[:2],
    )
    assert len({moves_hash(played), *(moves_hash(other) for other in others)}) == 6
    assert moves_hash([]) is None


def test_the_hash_fits_into_a_column() -> None:
    found = [moves_hash([MoveRecord(1, 0, str(move))]) for move in range(100)]
    assert all(one is not None and -(2**63) <= one < 2**63 for one in found)
    assert {one is not None and one < 0 for one in found} == {True, False}


def test_repeated_games_are_counted(record: Record) -> None:
    cup = record.tournament("ann", "bob", "cleo")
    record.play(cup, "ann", "bob", 1.0, pair="1", moves="abc")
    record.play(cup, "ann", "bob", 1.0, pair="2", moves="abc")
    record.play(cup, "ann", "bob", 1.0, pair="3", moves="abc")
    record.play(cup, "ann", "bob", 1.0, pair="4", moves="abd")
    record.play(cup, "bob", "ann", 1.0, pair="5", moves="abc")  # seats swapped
    record.play(cup, "ann", "cleo", 1.0, pair="6", moves="abc")  # somebody else
    assert games.repeated_games(record.connection, cup) == 2
    record.enter(cup, "bob", 2)
    record.play(cup, "ann", "bob", 1.0, pair="7", moves="abc")  # another version
    assert games.repeated_games(record.connection, cup) == 2


def test_games_that_are_not_finished_or_have_no_moves_repeat_nothing(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    record.play(cup, "ann", "bob", 1.0, pair="1", moves="abc")
    record.finish(record.plan(cup, "ann", "bob", pair="2"), moves="abc")  # void
    record.plan(cup, "ann", "bob", pair="3")
    for pair in "45":
        record.play(cup, "ann", "bob", 1.0, pair=pair)  # lost before the first move
    for pair in "67":
        record.forfeit(record.plan(cup, "ann", "bob", pair=pair), 0)
    assert games.repeated_games(record.connection, cup) == 0


def test_casual_games_are_counted_apart_from_tournaments(record: Record) -> None:
    cup = record.tournament("ann", "bob")
    record.play(cup, "ann", "bob", 1.0, moves="abc")
    for pair in "12":
        record.play(None, "ann", "bob", 1.0, pair=pair, moves="abc")
    assert games.repeated_games(record.connection, cup) == 0


def test_imported_games_can_repeat_those_that_were_played_here(record: Record) -> None:
    played = record.play(record.tournament("ann", "bob"), "ann", "bob", 1.0, moves="abc")
    (game,) = games.games(record.connection, [played.id], whole=True)
    bundles.add_imported(record.connection, [structs.replace(game, tournament="elsewhere")], record.tick())
    hashes = record.connection.execute(text("SELECT moves_hash FROM game")).scalars().all()
    assert len(hashes) == 2
    assert len({*hashes}) == 1


def _durations(record: Record, rules: str, clock: str, most: int = 9) -> list[float]:
    return [end - begin for begin, end in games.latest_times(record.connection, rules, clock, most=most)]


def test_latest_times_are_those_of_the_last_games(record: Record) -> None:
    """A game of this record takes a minute; forfeits and games under other conditions do not count."""
    cup = record.tournament("ann", "bob")
    for pair in "123":
        record.play(cup, "ann", "bob", 1.0, pair=pair, moves="abc")
    record.finish(record.plan(cup, "ann", "bob", pair="4"), 1.0, 0.0, verdict="forfeit")
    assert _durations(record, "connect4", "10", most=2) == [60.0, 60.0]
    assert _durations(record, "connect4", "10") == [60.0] * 3
    assert _durations(record, "connect4", "5") == []
    assert _durations(record, "othello", "10") == []


def test_games_without_readable_times_are_left_out(record: Record) -> None:
    """Earlier versions imported such games."""
    cup = record.tournament("ann", "bob")
    played = [record.play(cup, "ann", "bob", 1.0, pair=pair, moves="abc").id for pair in "1234"]
    for id, finished in zip(played, ("x", "9999-99-99T", "2026-05-01T18:30:00"), strict=False):
        record.connection.execute(text("UPDATE game SET finished = :text WHERE id = :id"), {"text": finished, "id": id})
    assert _durations(record, "connect4", "10") == [60.0]


def test_hosts_are_listed_from_the_first_that_played(where: str) -> None:
    slow, fast = {"name": "slow", "speed": 100.0}, {"name": "fast", "speed": 200.5}
    with Database(where) as database, database.writing() as connection:
        cup = tournament(connection)
        ann, bob = (store.version(connection, name, "random", "random", NOW) for name in ("ann", "bob"))
        played = store.schedule(connection, cup, [planned((ann, bob), f"pair {pair}") for pair in range(5)])
        for id, host in zip(played, (fast, slow, None, fast), strict=False):
            store.begin(connection, id, NOW)
            store.finish(connection, id, small_game(id, plies=1), host=host, now=NOW)
        assert games.hosts(connection, cup) == [(fast, 2), (slow, 1)]
