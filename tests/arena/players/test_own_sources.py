"""Only this user can write to the list of own sources; if it cannot be written, it is empty."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.players import own_sources
from arena.players.own_sources import OwnSource
from arena.players.player import read_player
from arena.players.submissions import Store
from tests.kit.places import COUNTDOWN

HASH = "0a" * 32
AGENT = "from agents import Agent\nclass Mine(Agent): ...\n"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's state folder, which does not exist yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "arena"


def test_a_noted_source_is_listed_only_for_that_use(state: Path) -> None:
    assert not own_sources.is_noted(OwnSource.RULES, HASH)
    assert own_sources.why_not_kept() == ""
    for _ in range(2):
        own_sources.note(OwnSource.RULES, HASH)
    assert own_sources.is_noted(OwnSource.RULES, HASH)
    assert not own_sources.is_noted(OwnSource.AGENT, HASH)
    assert not own_sources.is_noted(OwnSource.RULES, "0b" * 32)
    assert [folder.stat().st_mode & 0o777 for folder in (state, state / "rules")] == [0o700, 0o700]


def test_without_a_folder_in_the_environment_it_is_in_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for value in ("", "relative"):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        own_sources.note(OwnSource.AGENT, HASH)
        assert own_sources.is_noted(OwnSource.AGENT, HASH)
    assert (tmp_path / ".local" / "state" / "arena" / "agents" / HASH).is_file()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda state: (state.mkdir(parents=True), (state / "rules").write_text("a file")),
        lambda state: ((state / "rules").mkdir(parents=True), (state / "rules").chmod(0o777)),
        lambda state: ((state / "rules").mkdir(parents=True), state.chmod(0o770)),
        lambda state: (state.mkdir(parents=True), (state / "rules").symlink_to("/tmp")),
        lambda state: state.parent.write_text("a file"),
        lambda state: (state.parent.mkdir(), state.symlink_to("/nowhere/at/all")),
    ],
    ids=["a file", "others may write", "others may write above", "a link", "no folder", "a link to nothing"],
)
def test_a_list_that_others_could_write_is_neither_written_nor_believed(
    state: Path, spoil: Callable[[Path], object]
) -> None:
    spoil(state)
    own_sources.note(OwnSource.RULES, HASH)
    assert not own_sources.is_noted(OwnSource.RULES, HASH)
    assert own_sources.why_not_kept()
    if (state / "rules").is_dir():
        if not (state / "rules").is_symlink():
            (state / "rules" / HASH).touch()
        assert not own_sources.is_noted(OwnSource.RULES, HASH)


def test_nobody_else_owns_the_list(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_sources.note(OwnSource.RULES, HASH)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert not own_sources.is_noted(OwnSource.RULES, HASH)


def test_the_store_notes_what_it_freezes(state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my_agent.py").write_text(AGENT)
    store = Store(tmp_path / "arena.store")
    rules = Path(store.take_game(f"{COUNTDOWN}:Countdown").partition(":")[0]).parent.name
    assert own_sources.is_noted(OwnSource.RULES, rules)
    assert not own_sources.is_noted(OwnSource.AGENT, rules)
    taken = store.take(read_player("my_agent.py"))
    assert own_sources.is_noted(OwnSource.AGENT, taken.hash)
    assert not own_sources.is_noted(OwnSource.RULES, taken.hash)


def test_what_is_taken_from_a_store_is_not_noted(state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recorded version ("alice@2") may come from another user's store."""
    monkeypatch.chdir(tmp_path)
    Path("my_agent.py").write_text(AGENT)
    taken = Store(tmp_path / "theirs.store").take(read_player("my_agent.py"))
    (state / "agents" / taken.hash).unlink()
    again = Store(tmp_path / "arena.store").take(read_player(str(taken.source / "my_agent.py")))
    assert again.hash == taken.hash
    assert not own_sources.is_noted(OwnSource.AGENT, taken.hash)
