"""Records and bundles that earlier versions wrote are opened, verified, listed, replayed, exported and added to.

One folder a version; what is to be found in it is in its facts.json. docs/install.md says what an upgrade promises."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from arena import installation
from tests.kit.arena_program import Ended, arena
from tests.kit.places import WRITTEN_BEFORE

FILES = ("course.db", "alice.arena")
OLD_TABLES: Final = "0.1.0"
"""A version whose tables were others."""
VERSIONS: Final = sorted(path.name for path in WRITTEN_BEFORE.iterdir() if path.is_dir())
FACTS: Final[dict[str, Any]] = {
    version: json.loads((WRITTEN_BEFORE / version / "facts.json").read_text("utf-8")) for version in VERSIONS
}


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def records(version: str, tmp_path: Path) -> Path:
    """A folder with a copy of all: opening a record may write to it.

    A record names the file of a user-supplied game by its full path, so in the copy that is the copy's."""
    copy = Path(shutil.copytree(WRITTEN_BEFORE / version, tmp_path / "records"))
    with closing(sqlite3.connect(copy / "course.db")) as plain:
        for table in ("game", "tournament"):
            change = f"UPDATE {table} SET rules = replace(rules, ?, ?)"
            plain.execute(change, (FACTS[version]["played_in"], str(copy / "course.store")))
        plain.commit()
    return copy


def asked(file: Path, *arguments: str) -> Ended:
    ended = arena(*arguments, "--db", str(file))
    assert ended.code == 0, ended.err + ended.out
    return ended


def document(file: Path, *arguments: str) -> Any:
    return json.loads(asked(file, *arguments, "--format", "json").out)


def test_there_is_a_record_of_this_version() -> None:
    assert installation.version() in VERSIONS, "write it: python -m tests.kit.write_record"


@pytest.mark.parametrize("name", FILES)
def test_all_of_it_can_be_true(records: Path, version: str, name: str) -> None:
    if version == OLD_TABLES:
        refused = arena("data", "verify", "--db", str(records / name))  # it only reads
        assert (refused.code, "upgrade it with `arena data upgrade`" in refused.err) == (2, True)
    asked(records / name, "db", "upgrade")
    assert asked(records / name, "db", "verify", "--trust-rules").out.strip() == FACTS[version]["verified"][name]


def test_tournaments_of_every_format_are_listed_and_ranked(records: Path, version: str) -> None:
    file = records / "course.db"
    formats = FACTS[version]["formats"]
    assert {one["name"]: one["format"] for one in document(file, "tournaments")} == formats
    for tournament in formats:
        assert document(file, "standings", tournament)
        assert document(file, "rank", tournament)
        asked(file, "crosstable", tournament)


def test_faults_rulings_and_versions_are_as_they_were(records: Path, version: str) -> None:
    file = records / "course.db"
    verdicts = [game["verdict"] for game in document(file, "history", "--tournament", "cs101", "--limit", "100")]
    assert {verdict: verdicts.count(verdict) for verdict in verdicts} == FACTS[version]["cs101"]
    for command, game, words in FACTS[version]["printed"]:
        assert words in asked(file, command, game).out
    assert {one["version"] for one in document(file, "progress", "alice")} == {"alice@1", "alice@2"}


@pytest.mark.parametrize("game", ["cs101-7", "swiss-1", "cup-1", "race-1", "tables-1", "1"])
def test_games_are_replayed(records: Path, tmp_path: Path, game: str) -> None:
    page = tmp_path / "game.html"
    asked(records / "course.db", "replay", game, "--trust-rules", "--html", str(page))
    assert page.stat().st_size > 1000


def test_a_game_of_a_bundle_is_replayed_by_the_rules_that_came_with_it(
    records: Path, version: str, tmp_path: Path
) -> None:
    game = FACTS[version]["game_of_alice"]
    page = tmp_path / "game.html"
    asked(records / "alice.arena", "replay", game, "--html", str(page))
    assert "There are no boards" in page.read_text("utf-8")
    asked(records / "alice.arena", "replay", game, "--trust-rules", "--html", str(page))
    assert "There are no boards" not in page.read_text("utf-8")
    assert "of 3 moves the first" in asked(records / "alice.arena", "logs", game).out


@pytest.mark.parametrize("name", FILES)
def test_what_is_exported_is_imported_again(records: Path, tmp_path: Path, name: str) -> None:
    file, again = records / name, tmp_path / "again.db"
    asked(file, "export", "--all", "-o", "all.ndjson")
    asked(again, "import", "all.ndjson")
    assert len(document(again, "history", "--limit", "100")) == len(document(file, "history", "--limit", "100"))
    asked(file, "export", "cs101", "--format", "pgn", "-o", "cs101.pgn")
    asked(file, "export", "cs101", "--format", "csv", "-o", "cs101.csv")


def test_new_games_go_on_the_old_record(records: Path, version: str) -> None:
    file = records / "course.db"
    before = int(FACTS[version]["verified"]["course.db"].split()[0])
    asked(file, "play", "tictactoe", "random", "random", "--clock", "none", "--quiet")
    assert asked(file, "db", "verify", "--trust-rules").out.startswith(f"{before + 1} games ")
