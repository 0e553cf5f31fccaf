"""`arena ladder final`, and what the commands about tournaments say of a ladder."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.players.submissions import Store
from arena.serve.dated import DatedTournaments
from arena.serve.opened import OpenLadder, close, extend, opened
from arena.walls.run_folder import RunFolder
from db import ladder as rows
from db.database import Database
from db.ladder import SubmissionState
from tests.arena.serve.test_dated import play_all
from tests.kit.arena_program import Ended, arena
from tests.kit.ladder_record import DESCRIPTION, store_ladder

NOW = datetime.now(UTC)
OPEN = DESCRIPTION.replace("closes = 2026-12-12T08:00:00Z", f"closes = {NOW + timedelta(days=9):%Y-%m-%dT%H:%M:%SZ}")


@pytest.fixture
def ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenLadder:
    """A ladder that is open, in the database of the working directory."""
    monkeypatch.chdir(tmp_path)
    with Database("arena.db") as database:
        return store_ladder(database, tmp_path, OPEN)


def closed(ladder: OpenLadder) -> OpenLadder:
    """The ladder, closed an hour ago."""
    with Database("arena.db") as database, database.writing() as connection:
        return close(connection, ladder, NOW - timedelta(hours=1))


def refused(*arguments: str) -> str:
    """What the command says before it ends with exit code 2."""
    ended: Ended = arena(*arguments)
    assert (ended.code, ended.out) == (2, "")
    return ended.err


def test_the_final_is_refused_before_the_close(ladder: OpenLadder) -> None:
    said = refused("ladder", "final")
    assert said.startswith("arena: the final of 'cs101' begins when the ladder closes, ")
    assert said.endswith("; to close it now: arena ladder close cs101\n")


def test_what_the_final_waits_for_is_said(ladder: OpenLadder) -> None:
    ladder = closed(ladder)
    begun = "arena: the ladder 'cs101' is closed, but its final has not begun"
    assert refused("ladder", "final") == f"{begun}; start `arena serve FILE.toml`, which plays it\n"
    with Database("arena.db") as database, database.writing() as connection:
        rows.add_submission(
            connection,
            ladder.id,
            "bob",
            label="bob.py",
            source="random",
            state=SubmissionState.RECEIVED,
            words="",
            now=NOW,
        )
    assert refused("ladder", "final").startswith(f"{begun}: it waits for the check of 1 submission; start")
    with Database("arena.db") as database, database.writing() as connection:
        extend(connection, ladder, "bob", NOW + timedelta(days=2), reason="ill", now=NOW)
    assert refused("ladder", "final").startswith(f"{begun}: it waits for the extension until ")


def test_the_final_shows_its_standings_and_how_to_grade(ladder: OpenLadder, tmp_path: Path) -> None:
    ladder = closed(ladder)
    with Database("arena.db") as database, RunFolder() as folder:
        store = tmp_path / "arena.store"
        dated = DatedTournaments(
            *(ladder, database, Store(store), folder, pytest.fail, lambda: NOW),
            ladder_is_over=lambda: True,
            say=lambda _: None,
        )
        assert dated.next() is not None
        dated.interrupted()
        assert "cs101 final: round-robin, 0 of 6 games are over, running" in arena("ladder", "final").out
        play_all(dated)
        dated.close()
    shown = arena("ladder", "final", "cs101").out
    assert shown.startswith("cs101 final: round-robin, 6 of 6 games are over, finished\n")
    assert [line.split()[1] for line in shown.splitlines()[3:6]] == ["alice", "bob", "carol"]
    assert shown.endswith("\ngrade list: arena course grades 'cs101 final'\n")
    grades = arena("course", "grades", "cs101 final", "--format", "csv").out
    assert [line.split(",")[0] for line in grades.splitlines()] == ["agent", "alice", "bob", "carol"]


def test_show_says_whether_the_final_is_over_and_a_swiss_final_counts_the_games_of_all_rounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Database("arena.db") as database, RunFolder() as folder:
        store_ladder(database, tmp_path, f'{OPEN}\n[ladder.final]\nformat = "swiss"\nrounds = 3\n')
        with database.writing() as connection:
            ladder = close(connection, opened(connection), NOW - timedelta(hours=1))
        assert "the final" not in arena("ladder", "show").out
        dated = DatedTournaments(
            *(ladder, database, Store(tmp_path / "arena.store"), folder, pytest.fail, lambda: NOW),
            ladder_is_over=lambda: True,
            say=lambda _: None,
        )
        assert dated.next() is not None
        dated.interrupted()
        assert "; the final has begun; its standings: arena ladder final cs101\n" in arena("ladder", "show").out
        assert "cs101 final: swiss, 0 of 6 games are over, running" in arena("ladder", "final").out
        play_all(dated)
        dated.close()
    shown = arena("ladder", "show").out.splitlines()[1]
    assert shown.startswith("closed since ")
    assert shown.endswith("; the final is over; its results: arena ladder final cs101")
    assert "cs101 final: swiss, 6 of 6 games are over, finished" in arena("ladder", "final").out


def test_a_ladder_is_not_graded(ladder: OpenLadder) -> None:
    assert refused("grades", "cs101") == (
        "arena: 'cs101' is a ladder, in which agents meet different opponents; grade its final, with the command that "
        "`arena ladder final` prints\n"
    )


def test_standings_of_a_ladder_say_where_its_ratings_are(ladder: OpenLadder) -> None:
    shown = arena("results").out
    assert shown.endswith(
        "\n\ncs101 is a ladder: agents meet different opponents. Compare their ratings: arena ladder show cs101\n"
    )
    assert "is a ladder" not in arena("results", "--format", "csv").out


def test_a_bundle_has_games_of_the_ladder_and_is_not_one(ladder: OpenLadder) -> None:
    assert arena("course", "bundle", "alice", "alice.arena").code == 0
    assert arena("data", "verify", "--db", "alice.arena").code == 0
    assert arena("results", "cs101", "--db", "alice.arena").out.splitlines()[1].split()[1] == "alice"
    assert refused("ladder", "show", "--db", "alice.arena").startswith("arena: there is no ladder in this database")
