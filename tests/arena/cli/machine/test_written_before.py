"""A record and a bundle that an earlier version wrote are opened, verified, listed, replayed, exported and added to."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.kit.arena_program import Ended, arena
from tests.kit.places import WRITTEN_BEFORE

FILES = ("course.db", "alice.arena")
FORMATS = {
    "cs101": "round-robin",
    "swiss": "swiss",
    "cup": "knockout",
    "race": "gauntlet",
    "duel": "match",
    "tables": "tables",
    "killed": "round-robin",
    "void": "round-robin",
}


PLAYED_IN = "/tmp/course/arena.store"


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A folder with a copy of both: whoever opens a record may write to it.

    A record names the file of a game of one's own by its full path, so in the copy that is the copy's."""
    copy = Path(shutil.copytree(WRITTEN_BEFORE, tmp_path / "records"))
    with closing(sqlite3.connect(copy / "course.db")) as plain:
        for table in ("game", "tournament"):
            change = f"UPDATE {table} SET rules = replace(rules, ?, ?)"
            plain.execute(change, (PLAYED_IN, str(copy / "course.store")))
        plain.commit()
    return copy


def asked(file: Path, *arguments: str) -> Ended:
    ended = arena(*arguments, "--db", str(file))
    assert ended.code == 0, ended.err + ended.out
    return ended


def document(file: Path, *arguments: str) -> Any:
    return json.loads(asked(file, *arguments, "--format", "json").out)


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        ("course.db", "52 games with 605 plies and 18 versions checked: no errors\n"),
        ("alice.arena", "12 games with 142 plies and 5 versions checked: no errors\n"),
    ],
)
def test_all_of_it_can_be_true(records: Path, name: str, counted: str) -> None:
    refused = arena("db", "verify", "--db", str(records / name))  # it only reads
    assert (refused.code, "upgrade it with `arena db upgrade`" in refused.err) == (2, True)
    asked(records / name, "db", "upgrade")
    assert asked(records / name, "db", "verify", "--trust-rules").out == counted


def test_tournaments_of_every_format_are_listed_and_ranked(records: Path) -> None:
    file = records / "course.db"
    assert {one["name"]: one["format"] for one in document(file, "tournaments")} == FORMATS
    for tournament in FORMATS:
        assert document(file, "standings", tournament)
        assert document(file, "rank", tournament)
        asked(file, "crosstable", tournament)


def test_faults_rulings_and_versions_are_as_they_were(records: Path) -> None:
    file = records / "course.db"
    games = document(file, "history", "--tournament", "cs101", "--limit", "100")
    assert len(games) == 18
    assert sum(game["verdict"] == "crashed" for game in games) == 5
    assert sum(game["verdict"] == "forfeit" for game in games) == 3
    assert "a test game" in asked(file, "show", "cs101-1").out
    assert "not its own work" in asked(file, "show", "cs101-2").out
    assert "bob forgot what to do" in asked(file, "logs", "cs101-11").out
    assert {one["version"] for one in document(file, "progress", "alice")} == {"alice@1", "alice@2"}


@pytest.mark.parametrize("game", ["cs101-7", "swiss-1", "cup-1", "race-1", "tables-1", "52"])
def test_games_are_replayed(records: Path, tmp_path: Path, game: str) -> None:
    page = tmp_path / "game.html"
    asked(records / "course.db", "replay", game, "--trust-rules", "--html", str(page))
    assert page.stat().st_size > 1000


def test_a_game_of_a_bundle_is_replayed_by_the_rules_that_came_with_it(records: Path, tmp_path: Path) -> None:
    page = tmp_path / "game.html"
    asked(records / "alice.arena", "replay", "cs101-7", "--html", str(page))
    assert "There are no boards" in page.read_text("utf-8")
    asked(records / "alice.arena", "replay", "cs101-7", "--trust-rules", "--html", str(page))
    assert "There are no boards" not in page.read_text("utf-8")
    assert "of 3 moves the first" in asked(records / "alice.arena", "logs", "cs101-7").out


@pytest.mark.parametrize("name", FILES)
def test_what_is_exported_is_imported_again(records: Path, tmp_path: Path, name: str) -> None:
    file, again = records / name, tmp_path / "again.db"
    asked(file, "export", "--all", "-o", "all.ndjson")
    asked(again, "import", "all.ndjson")
    assert len(document(again, "history", "--limit", "100")) == len(document(file, "history", "--limit", "100"))
    asked(file, "export", "cs101", "--format", "pgn", "-o", "cs101.pgn")
    asked(file, "export", "cs101", "--format", "csv", "-o", "cs101.csv")


def test_new_games_go_on_the_old_record(records: Path) -> None:
    file = records / "course.db"
    asked(file, "play", "tictactoe", "random", "random", "--clock", "none", "--quiet")
    assert asked(file, "db", "verify", "--trust-rules").out.startswith("53 games ")
