"""Games of OpenSpiel as users see them: commas and parentheses in names, boards, records, and what is missing."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sqlite3
import sys
from contextlib import closing
from importlib import metadata
from pathlib import Path
from typing import Final

import pytest

from adsearch import openspiel
from arena import installation
from arena.errors import BadPlayer
from arena.walls import library
from tests.kit import needs
from tests.kit.arena_program import arena
from tests.kit.places import GREEDY

GAME: Final = "openspiel:goofspiel(imp_info=True,num_cards=3,points_order=descending)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a tournament of such a game was played, with an agent in a sandbox that can import little."""
    pytest.importorskip("pyspiel", reason=needs.extra("openspiel"))
    made = tmp_path_factory.mktemp("openspiel")
    agents = f'[[agent]]\nname = "mine"\nplayer = "{GREEDY}"\n[[agent]]\nname = "cfr"\nplayer = "cfr"\n'
    (made / "cards.toml").write_text(f'name = "cards"\ngame = "{GAME}"\nmodules = []\n{agents}', "utf-8")
    ended = arena("run", "cards.toml", cwd=made)
    assert (ended.code, ended.err) == (0, "")
    assert "cards is finished: 2 games" in ended.out
    return made


@pytest.mark.costly
def test_the_name_with_commas_and_parentheses_is_kept_in_every_list(folder: Path) -> None:
    history = json.loads(arena("results", "history", "--format", "json", cwd=folder).out)
    assert [row["game"] for row in history] == [GAME] * 2
    assert {row["verdict"] for row in history} == {"normal"}
    for name in (GAME, "openspiel:goofspiel", "openspiel"):
        assert len(arena("results", "history", "--format", "csv", "--game", name, cwd=folder).out.splitlines()) == 3
    assert (
        "no recorded game 'openspiel:gofspiel'; did you mean"
        in arena("results", "history", "--game", "openspiel:gofspiel", cwd=folder).err
    )
    assert arena("results", "history", cwd=folder, columns=60).out.split("\n")[1].split()[1] != "openspiel"
    exported = arena("data", "export", "cards", "--format", "csv", cwd=folder).out
    assert {row["game"] for row in csv.DictReader(io.StringIO(exported)) if row.get("game")} >= {GAME}


def changed(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "arena.db")) as connection, connection:
        connection.execute(statement)


def test_a_record_is_verified_with_the_version_that_played(folder: Path, tmp_path: Path) -> None:
    assert "2 games" in arena("data", "verify", cwd=folder).out
    version = f"{installation.software()}, open_spiel {metadata.version('open_spiel')}"
    assert json.loads(arena("results", "hosts", "--format", "json", cwd=folder).out)[0]["software"] == version
    copy = shutil.copytree(folder, tmp_path / "copy")
    changed(copy, "UPDATE game SET host = replace(host, 'open_spiel 2', 'open_spiel 1')")
    assert arena("data", "verify", cwd=copy).code == 0
    changed(copy, "UPDATE move SET move = '[P0]Bid:_9' WHERE ply = 1")
    ended = arena("data", "verify", cwd=copy, columns=1000)
    assert ended.code == 1
    assert f"it was played with {version.replace('open_spiel 2', 'open_spiel 1')}, and here is {version}" in ended.out


def test_a_foreign_record_cannot_crash_the_program_that_shows_it(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    changed(copy, "UPDATE game SET rules = 'openspiel:universal_poker(numHoleCards=9)'")
    why = "you have not played with the rules 'openspiel:universal_poker(numHoleCards=9)' on this account"
    assert why in " ".join(arena("replay", "--show", "last", cwd=copy).out.split())
    assert "OpenSpiel crashes (SIGSEGV)" in " ".join(
        arena("replay", "--show", "last", "--trust-rules", cwd=copy).out.split()
    )
    assert "2 not checked" in arena("data", "verify", cwd=copy).err


def test_a_game_is_replayed_on_its_board_of_text(folder: Path) -> None:
    assert "Point card sequence: 3 2 1" in arena("replay", "last", cwd=folder).out
    arena("replay", "--show", "last", "--svg", "board.svg", cwd=folder)
    assert "Point card sequence: 3 2 1" in (folder / "board.svg").read_text("utf-8")


@pytest.mark.costly
def test_games_lists_those_that_keep_the_promises_and_tests_the_one_that_is_named(folder: Path) -> None:
    listed = csv.DictReader(io.StringIO(arena("games", "openspiel", "--format", "csv").out))
    rows = {row["game"]: (row["players"], row["chance"], row["hidden"], row["title"]) for row in listed}
    assert list(rows) == [f"openspiel:{name}" for name in openspiel.KEEP_PROMISES]
    assert rows["openspiel:leduc_poker"] == ("2", "yes", "yes", "Leduc Poker")
    shown = arena("games", "openspiel:leduc_poker(players=3)").out
    assert shown.startswith("openspiel:leduc_poker(players=3)\n  Leduc Poker, with the rules of open_spiel ")
    assert "players=2" in shown
    assert "These rules were tested in" in shown
    refused = arena("games", "openspiel:bridge")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith(
        "arena: openspiel:bridge: this game cannot be played here: too much is hidden from seat 0"
    )


@pytest.mark.parametrize("command", ["solve", "play", "games"])
def test_a_typo_gets_one_line(folder: Path, command: str) -> None:
    players = ["random", "random"] if command == "play" else []
    ended = arena(command, "openspiel:leduc_poker(player=2)", *players)
    wanted = "arena: openspiel:leduc_poker: no parameter 'player'; did you mean 'players'?\n"
    assert (ended.code, ended.out, ended.err) == (2, "", wanted)


def test_without_openspiel_the_message_has_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    openspiel.rules_of.cache_clear()
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    ended = arena("games", "openspiel:hex")
    assert ended.code == 2
    assert ended.err.startswith("arena: openspiel:hex: OpenSpiel is not installed: ")
    assert "open-spiel" in ended.err


def test_a_python_for_agents_without_openspiel_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyspiel.py").write_text("raise ImportError('a test')", "utf-8")
    (tmp_path / "library").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(
        BadPlayer, match=r"cannot play the game: openspiel:hex: OpenSpiel cannot be imported \(a test\)"
    ):
        library.lay_out(tmp_path / "library", rules="openspiel:hex")
