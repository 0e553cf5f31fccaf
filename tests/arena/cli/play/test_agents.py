"""`arena agents`, as a user sees it."""

import json
from pathlib import Path

import pytest

from adsearch import games
from agents import builtin
from arena.players import engines
from tests.kit.arena_program import arena
from tests.kit.engines import need


def test_every_agent_is_listed_with_what_it_does() -> None:
    listed = [row for row in json.loads(arena("agents", "--format", "json").out) if row["program"] is None]
    assert [row["name"] for row in listed] == list(builtin.names())
    assert all(row["about"] for row in listed)
    table = arena("agents", columns=80).out.splitlines()
    assert table[0].split() == ["agent", "chance", "hidden", "several", "about"]
    assert max(map(len, table)) <= 80


def test_the_engines_on_this_machine_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_FOLDERS", (str(tmp_path),))
    monkeypatch.setenv("PATH", "")
    for name in ("stockfish", "gnugo"):
        (tmp_path / name).touch(mode=0o755)
    listed = json.loads(arena("agents", "--format", "json").out)
    found = [(row["name"], row["program"]) for row in listed if row["program"]]
    assert found == [("uci:stockfish", str(tmp_path / "stockfish")), ("gtp:gnugo", str(tmp_path / "gnugo"))]
    for game, last in (("chess", "uci:stockfish"), ("go:size=5", "gtp:gnugo"), ("nap", "mcts")):
        assert arena("agents", "--game", game, columns=200).out.splitlines()[-1].split()[0] == last


def test_one_agent_tells_its_options() -> None:
    lines = arena("agents", "mcts").out.splitlines()
    assert {"simulations", "depth", "seconds", "seed"} <= {line.split()[0] for line in lines if line}


def test_a_chess_engine_tells_its_options() -> None:
    need("stockfish")
    options = json.loads(arena("agents", "uci:stockfish?Hash=64", "--format", "json").out)
    assert {"name": "Skill Level", "default": "20", "expected": "an integer from 0 to 20", "about": ""} in options
    assert "Ponder" not in [option["name"] for option in options]


@pytest.mark.parametrize("game", [*games.names(), "ludo:players=3"])
def test_the_agents_for_a_game_are_those_that_are_not_refused(game: str) -> None:
    able = [row["name"] for row in json.loads(arena("agents", "--game", game, "--format", "json").out)]
    assert "random" in able
    start = games.start(game)
    assert ("minimax" in able) == (start.players == 2 and not start.chance and not start.hidden)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["alphabta"], "did you mean 'alphabeta'"),
        (["--game", "pigg"], "did you mean 'pig'"),
        (["stockfish"], "no agent 'stockfish'; did you mean 'uci:stockfish'?"),
        (["uci:stokfish"], "no engine 'stokfish' on this machine; did you mean 'stockfish'?"),
        (["gnubg:gnubg"], "GNU Backgammon has one setting here, plies=0 to plies=3, such as 'gnubg:gnubg?plies=0'"),
        (["gtp:gnugo"], "only UCI engines list their options"),
        (["uci:stockfish", "--game", "go"], "'uci:stockfish' is an engine for chess: it cannot play go"),
    ],
)
def test_a_wrong_name_is_one_clear_error(arguments: list[str], words: str) -> None:
    ended = arena("agents", *arguments)
    assert ended.code == 2
    assert words in ended.err
