"""`arena data copy`: a tournament goes on in the copy, with its own game, its agents and its rules."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.kit.arena_program import arena
from tests.kit.places import EXAMPLES

AGENT = """
from agents import Agent


class Mine(Agent):
    def choose(self, state, clock):
        return state.moves()[0]
"""
DESCRIPTION = """
name = "cup"
game = "countdown.py:Countdown:n=8"
clock = "none"
walls = "limits"
rounds = {rounds}
[[agent]]
name = "mine"
player = "mine.py"
[[agent]]
name = "random"
player = "random"
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a tournament of two games, and the folder of another machine."""
    folder = tmp_path / "home"
    folder.mkdir()
    shutil.copy(EXAMPLES / "countdown.py", folder)
    (folder / "mine.py").write_text(AGENT)
    (folder / "cup.toml").write_text(DESCRIPTION.format(rounds=1))
    monkeypatch.setenv("ARENA_STORE", str(tmp_path / "far.store"))
    monkeypatch.delenv("ARENA_DB", raising=False)
    ended = arena("run", "cup.toml", cwd=folder)
    assert ended.code == 0, ended.err
    return folder


@pytest.mark.costly
def test_a_tournament_goes_on_in_the_copy(home: Path, where: str, tmp_path: Path) -> None:
    copied = arena("data", "copy", "arena.db", where, cwd=home)
    assert copied.code == 0, copied.err
    assert " rows and 2 sources copied to " in copied.out
    (home / "arena.db").rename(tmp_path / "away.db")
    (home / "arena.store").rename(tmp_path / "away.store")
    (home / "cup.toml").write_text(DESCRIPTION.format(rounds=2))
    more = arena("run", "cup.toml", "--db", where, cwd=home)
    assert more.code == 0, more.err
    verified = arena("data", "verify", "--db", where, cwd=home)
    assert (verified.code, verified.err) == (0, ""), verified.out
    assert verified.out.startswith("4 games with ")
    back = arena("data", "copy", where, "arena.db", cwd=home)
    assert back.code == 0, back.err
    assert arena("data", "verify", cwd=home).out.startswith("4 games with ")
    assert arena("results", "--format", "csv", cwd=home).out.count("mine") == 1


HAS_POSTGRES = find_spec("psycopg") is not None


@pytest.mark.costly
@pytest.mark.sees_extras
def test_what_cannot_be_copied_is_said_in_a_line(home: Path, where: str) -> None:
    assert arena("data", "copy", "arena.db", where, cwd=home).code == 0
    again = arena("data", "copy", "arena.db", where, cwd=home)
    assert (again.code, again.out.endswith(" rows already\n")) == (0, True)
    arena("run", "tictactoe", "random", "greedy", "--db", where, "--clock", "none", cwd=home)
    for arguments, words in {
        ("arena.db", where): "the new database has another record already: it differs in the table",
        ("absent.db", where): "there is no database absent.db",
        ("cup.toml", "new.db"): "cup.toml is not a database of arena",
        ("arena.db", "cup.toml"): "cup.toml is not a database of arena",
        ("arena.db", "postgresql://nobody@127.0.0.1:9/none"): "127.0.0.1" if HAS_POSTGRES else "needs psycopg",
        ("arena.db", ""): "expected a database file, or a URL",
        ("arena.db", ":memory:"): "expected databases that stay",
        ("arena.db",): "missing TO",
    }.items():
        ended = arena("data", "copy", *arguments, cwd=home)
        assert (ended.code, ended.out) == (2, ""), arguments
        assert words in ended.err
        assert ended.err.count("\n") == 1


@pytest.mark.costly
def test_a_copy_that_is_refused_leaves_the_other_store_as_it_was(home: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    arena("run", "tictactoe", "random", "greedy", "--clock", "none", cwd=away)
    before = sorted(away.rglob("*"))
    ended = arena("data", "copy", "arena.db", str(away / "arena.db"), cwd=home)
    assert ended.code == 2
    assert "the new database has another record already" in ended.err
    assert sorted(away.rglob("*")) == before


@pytest.mark.parametrize(("lost", "count"), [("*.py", 2), ("countdown.py", 1)])
def test_a_record_is_not_copied_without_its_sources(home: Path, where: str, lost: str, count: int) -> None:
    for number, found in enumerate(list((home / "arena.store").glob(f"*/{lost}"))):
        found.parent.chmod(0o700)
        found.parent.rename(home / f"elsewhere{number}")
    ended = arena("data", "copy", "arena.db", where, cwd=home)
    assert (ended.code, ended.out) == (2, "")
    assert f"arena.store does not have {count} of the submissions of this database" in ended.err
    assert "ARENA_STORE" in ended.err
    assert arena("data", "info", "--db", where).out.count("tournaments  0") == 1


def test_a_source_that_was_changed_is_not_copied(home: Path, where: str) -> None:
    source = next((home / "arena.store").glob("*/mine.py"))
    source.parent.chmod(0o755)
    source.chmod(0o644)
    source.write_text("changed")
    ended = arena("data", "copy", "arena.db", where, cwd=home)
    assert ended.code == 2
    assert "the stored submission was changed" in ended.err
    assert arena("data", "info", "--db", where).out.count("tournaments  0") == 1
