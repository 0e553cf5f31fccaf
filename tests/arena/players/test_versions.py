"""Recorded versions: what was entered is found again, and is the same submission as before."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.errors import BadPlayer
from arena.players import versions
from arena.players.player import PlayerKind, read_player
from arena.players.submissions import Store
from db import store as record
from db.database import Database
from db.records import PastSeat

NOW = datetime(2026, 5, 1, tzinfo=UTC)
SOURCE = """
from agents import Agent

class Mine(Agent):
    def choose(self, state, clock):
        return state.moves()[0]
"""


@pytest.fixture
def entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Database, Store]]:
    """A file and its class, a folder, commands with files and folders, two versions of alice, and an imported name."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(SOURCE)
    Path("team").mkdir()
    Path("team/agent.py").write_text(SOURCE)
    Path("team/book.txt").write_text("e4")
    database, store = Database(str(tmp_path / "arena.db")), Store(tmp_path / "arena.store")
    with database.writing() as connection:
        texts = {"mine": "mine.py:Mine", "team": "./team", "engine": "cmd:sh team/book.txt -x"}
        texts["classes"] = "cmd:sh -cp team:team/book.txt:none Main team/ ./team"
        for name, text in texts.items():
            record.version(connection, name, store.take(read_player(text)).hash, text, NOW)
        record.version(connection, "alice", "random", "random", NOW)
        record.version(connection, "alice", "pvs:depth=2", "pvs:depth=2", NOW)
        record.version(connection, "far", "imported", "imported", NOW)
    yield database, store
    database.close()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mine", PlayerKind.FILE),
        ("team", PlayerKind.FOLDER),
        ("engine", PlayerKind.COMMAND),
        ("classes", PlayerKind.COMMAND),
        ("alice@1", PlayerKind.BUILTIN),
    ],
)
def test_what_was_entered_is_the_same_again(entered: tuple[Database, Store], name: str, kind: PlayerKind) -> None:
    database, store = entered
    with database.reading() as connection:
        version = versions.find(connection, name)
    player = versions.player(version, store)
    assert player.kind is kind
    if kind is not PlayerKind.BUILTIN:
        assert store.take(player).hash == version.source
    assert player.class_name == ("Mine" if name == "mine" else "")


def test_a_name_alone_is_its_last_version(entered: tuple[Database, Store]) -> None:
    with entered[0].reading() as connection:
        assert versions.find(connection, "alice").number == 2
        assert versions.find(connection, "alice@1").source == "random"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("alise", "did you mean 'alice'"),
        ("alice@7", "there is alice@1 to alice@2"),
        ("alice@", "there is alice@1 to alice@2"),
        ("@", "no agent '@' in the database"),
        ("mal\x1b[31mlory@1", "no agent 'mal\\x1b[31mlory'"),
    ],
)
def test_who_is_not_there_is_one_error(entered: tuple[Database, Store], name: str, words: str) -> None:
    with entered[0].reading() as connection, pytest.raises(BadPlayer) as error:
        versions.find(connection, name)
    assert words in str(error.value)


def test_an_empty_database_is_likely_the_wrong_folder(tmp_path: Path) -> None:
    words = "no agent 'alice': the database has no agents; change to the folder where you played"
    with (
        Database(str(tmp_path / "new.db")) as database,
        database.reading() as connection,
        pytest.raises(BadPlayer, match=words),
    ):
        versions.find(connection, "alice@1")


def test_a_name_that_a_file_here_has_too_must_be_said_exactly(entered: tuple[Database, Store]) -> None:
    database, store = entered
    with database.reading() as connection:
        with pytest.raises(BadPlayer, match=r"'mine' is a file here and in the database: write mine\.py, or mine@1"):
            versions.named(connection, "mine", store)
        assert versions.named(connection, "mine.py:Mine", store)[1] is None
        _, version = versions.named(connection, "mine@1", store)
        assert version is not None
        assert version.agent == "mine"


def test_what_cannot_be_run_again_says_why(entered: tuple[Database, Store]) -> None:
    database, store = entered
    with database.reading() as connection:
        far, mine = (versions.find(connection, name) for name in ("far", "mine"))
    with pytest.raises(BadPlayer, match="its games were imported"):
        versions.player(far, store)
    with pytest.raises(BadPlayer, match="enter it again"):
        versions.player(mine, Store(Path("elsewhere")))


def test_the_player_of_a_seat_is_found_with_its_version(entered: tuple[Database, Store]) -> None:
    with entered[0].reading() as connection:
        assert versions.of_seat(connection, PastSeat(seat=0, player="alice", version=1)).source == "random"
        with pytest.raises(BadPlayer, match="no version 'alice@9' in the database; there is alice@1 to alice@2"):
            versions.of_seat(connection, PastSeat(seat=0, player="alice", version=9))
