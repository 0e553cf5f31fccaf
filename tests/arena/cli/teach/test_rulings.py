"""Rulings are recorded with their reason, standings follow them, and what happened stays as it was."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from db import store
from db.database import Database
from tests.kit.arena_program import Ended, arena
from tests.kit.judged_records import NOW, store_tournament


@pytest.fixture(scope="module")
def true_record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a tournament of six games, and one whose name needs some care."""
    file = tmp_path_factory.mktemp("record") / "arena.db"
    with Database(str(file)) as database:
        store_tournament(database, "tictactoe", name="finals-2", names=("ann", "1"), openings=0)
        store_tournament(database)
    return file


@pytest.fixture
def record(true_record: Path, tmp_path: Path) -> Path:
    """A copy of it, to be ruled on."""
    return Path(shutil.copy(true_record, tmp_path / "arena.db"))


def rule(record: Path, *arguments: str) -> Ended:
    return arena(*arguments, "--db", str(record))


def rows(record: Path, query: str) -> list[tuple[Any, ...]]:
    with Database(str(record), read_only=True) as database, database.reading() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def rulings(record: Path) -> list[tuple[Any, ...]]:
    return rows(record, "SELECT game, entry, what, seat, reason FROM ruling ORDER BY id")


@pytest.mark.parametrize(("id", "game"), [("4", 4), ("cs101-2", 4), ("finals-2-1", 1), ("last", 8)])
def test_a_game_is_named_by_its_id_its_number_or_as_the_last(record: Path, id: str, game: int) -> None:
    ended = rule(record, "void", id, "--reason", "the machine was busy")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"game {game} (")
    assert ended.out.endswith(") counts for nothing: the machine was busy\n")
    assert rulings(record) == [(game, None, "void", None, "the machine was busy")]


def test_of_several_attempts_the_last_is_meant(record: Path) -> None:
    with Database(str(record)) as database, database.writing() as connection:
        again = store.repeat(connection, 4)
        store.forfeit(connection, again, 0, "withdrawn", NOW)
    assert rule(record, "void", "cs101-2", "--reason", "x").out.startswith(f"game {again} (")


def test_an_annulled_game_counts_for_nothing_and_stays_what_it_was(record: Path) -> None:
    played = rows(record, "SELECT * FROM seat WHERE game = 3")
    before = rows(record, "SELECT SUM(games) FROM v_standing WHERE tournament = 'cs101'")
    assert rule(record, "void", "3", "--reason", "x").code == 0
    assert rows(record, "SELECT SUM(games) FROM v_standing WHERE tournament = 'cs101'") == [(before[0][0] - 2,)]
    assert rows(record, "SELECT points FROM v_seat WHERE game = 3") == [(None,), (None,)]
    assert rows(record, "SELECT * FROM seat WHERE game = 3") == played
    assert rows(record, "SELECT status, verdict FROM game WHERE id = 3") == [("finished", "normal")]


@pytest.mark.parametrize(("to", "seat"), [("ann", 0), ("bob", 1), ("0", 0), ("1", 1)])
def test_a_game_is_awarded_to_a_name_or_a_seat(record: Path, to: str, seat: int) -> None:
    ended = rule(record, "award", "cs101-1", "--to", to, "--reason", "not his own work")
    name = ("ann", "bob")[seat]
    assert ended.out == f"game 3 (ann - bob) is awarded to {name}: not his own work\n"
    assert rows(record, "SELECT points FROM v_seat WHERE game = 3 ORDER BY seat") == [(1.0 - seat,), (0.0 + seat,)]


def test_a_player_called_like_a_seat_is_meant_by_its_name(record: Path) -> None:
    """In the second game of the final, "1" sits in seat 0."""
    assert rows(record, "SELECT name FROM seat WHERE game = 2 ORDER BY seat") == [("1",), ("ann",)]
    assert rule(record, "award", "finals-2-2", "--to", "1", "--reason", "x").code == 0
    assert rulings(record)[0][3] == 0


def test_the_last_ruling_holds_and_none_is_removed(record: Path) -> None:
    for arguments in (("void", "3"), ("award", "3", "--to", "bob"), ("award", "3", "--to", "ann")):
        assert rule(record, *arguments, "--reason", "x").code == 0
    assert [row[2:4] for row in rulings(record)] == [("void", None), ("award", 1), ("award", 0)]
    assert rows(record, "SELECT points FROM v_seat WHERE game = 3 ORDER BY seat") == [(1.0,), (0.0,)]


def test_who_is_withdrawn_can_be_released(record: Path) -> None:
    ended = rule(record, "withdraw", "ann", "--tournament", "finals-2", "--reason", "asked to")
    assert ended.code == 0
    assert ended.out.startswith("ann is withdrawn: asked to\n")
    status = "SELECT tournament, name, status FROM entry WHERE name = 'ann' ORDER BY tournament"
    assert rows(record, status) == [(1, "ann", "withdrawn"), (2, "ann", "active")]
    assert rule(record, "release", "ann", "--tournament", "finals-2", "--reason", "came back").code == 0
    assert rows(record, status) == [(1, "ann", "active"), (2, "ann", "active")]
    assert [row[2] for row in rulings(record)] == ["withdraw", "release"]


def test_without_a_name_the_tournament_that_was_made_last_is_meant(record: Path) -> None:
    assert rule(record, "withdraw", "cid", "--reason", "x").code == 0
    assert rows(record, "SELECT tournament FROM entry WHERE status = 'withdrawn'") == [(2,)]


def test_who_is_quarantined_can_be_withdrawn_or_released(record: Path) -> None:
    with Database(str(record)) as database, database.writing() as connection:
        for name in ("ann", "bob"):
            store.set_entry_status(connection, 2, name, "quarantined")
    assert rule(record, "withdraw", "ann", "--reason", "x").code == 0
    assert rule(record, "release", "bob", "--reason", "x").code == 0
    assert rows(record, "SELECT name, status FROM entry WHERE tournament = 2 ORDER BY name") == [
        ("ann", "withdrawn"),
        ("bob", "active"),
        ("cid", "active"),
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("void", "99"), "there is no game 99; `arena history` lists those that there are"),
        (
            ("void", "9" * 30),
            "expected a game's id, 'last', or a tournament and a number such as 'cs101-812', got '999",
        ),
        (
            ("void", "cs101"),
            "expected a game's id, 'last', or a tournament and a number such as 'cs101-812', got 'cs10",
        ),
        (
            ("void", "cs101-x"),
            "expected a game's id, 'last', or a tournament and a number such as 'cs101-812', got 'cs",
        ),
        (("void", "cs101-"), "expected a game's id, 'last', or a tournament and a number such as 'cs101-812', got 'cs"),
        (("void", "cs102-1"), "there is no tournament 'cs102'; `arena tournaments` lists those that there are"),
        (("void", "cs101-7"), "the tournament 'cs101' has no game 7"),
        (("award", "3", "--to", "cid"), "expected a seat of game 3 or who sits there, 0 (ann), 1 (bob); got 'cid'"),
        (("award", "3", "--to", "2"), "expected a seat of game 3 or who sits there, 0 (ann), 1 (bob); got '2'"),
        (("withdraw", "zoe"), "nobody called 'zoe' takes part in 'cs101'; `arena standings` lists who does"),
        (("withdraw", "ann", "--tournament", "x"), "there is no tournament 'x'; `arena tournaments` lists those"),
        (("release", "ann"), "'ann' is active already"),
    ],
)
def test_what_cannot_be_ruled_is_told_in_one_line(record: Path, arguments: tuple[str, ...], told: str) -> None:
    command, *rest = arguments
    ended = rule(
        record, command, *[word for word in rest if word != "-7"], "--reason", "x", *(["--", "-7"] * ("-7" in rest))
    )
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"arena: {told}")
    assert ended.err.count("\n") == 1
    assert rulings(record) == []


def test_only_a_finished_game_can_be_ruled_on(record: Path) -> None:
    with Database(str(record)) as database, database.writing() as connection:
        again = store.repeat(connection, 3)
    ended = rule(record, "award", str(again), "--to", "ann", "--reason", "x")
    assert ended.err == f"arena: expected a finished game, game {again} is scheduled\n"
    assert ended.code == 2


@pytest.mark.parametrize(
    "command", [("void", "3"), ("award", "3", "--to", "0"), ("withdraw", "ann"), ("release", "ann")]
)
def test_every_ruling_needs_a_reason(record: Path, command: tuple[str, ...]) -> None:
    ended = rule(record, *command)
    assert ended.code == 2
    assert "--reason" in ended.err
    ended = rule(record, *command, "--reason", "  ")
    assert (ended.code, ended.err) == (2, "arena: expected a reason after --reason, got an empty one\n")
    assert rulings(record) == []


def test_a_reason_is_kept_as_it_is_and_printed_without_escapes(record: Path) -> None:
    reason = 'he said "no"\n\x1b[31mRobert\'); DROP TABLE ruling;--'
    ended = rule(record, "void", "3", "--reason", reason)
    assert "\x1b" not in ended.out
    assert ended.out.count("\n") == 1
    assert rulings(record)[0][4] == reason


def test_the_record_is_still_well_after_rulings(record: Path) -> None:
    rule(record, "void", "3", "--reason", "x")
    rule(record, "award", "4", "--to", "0", "--reason", "x")
    rule(record, "withdraw", "ann", "--reason", "x")
    assert arena("db", "verify", "--db", str(record)).code == 0


@pytest.mark.parametrize("command", ["void", "award", "withdraw", "release"])
def test_help_shows_an_example(command: str) -> None:
    assert f"Example: arena {command} " in arena(command, "--help").out
