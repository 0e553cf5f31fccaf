"""`arena games`, `arena agents` and `arena demo`, as a user sees them."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from adsearch import CHANCE, games
from agents import builtin
from arena.players import engines
from tests.kit.arena_program import arena, arena_process
from tests.kit.engines import need
from tests.kit.every_game import EVERY
from tests.kit.places import COUNTDOWN


def test_it_is_a_program() -> None:
    assert arena_process("games") == arena("games")
    assert arena_process("games", "conect4") == arena("games", "conect4")


def test_it_lists_every_game() -> None:
    ended = arena("games")
    assert ended.code == 0
    assert [line.split()[0] for line in ended.out.splitlines()] == ["game", *games.names()]
    assert "rows=6,columns=7,line=4" in ended.out


def test_as_json_it_is_one_array_with_fixed_fields() -> None:
    rows = json.loads(arena("games", "--format", "json").out)
    assert [row["name"] for row in rows] == list(games.names())
    assert all(set(row) == {"name", "options", "seats", "chance", "hidden"} for row in rows)
    by_name = {row["name"]: row for row in rows}
    assert by_name["connect4"]["options"]["rows"] == {
        "value": 6,
        "default": 6,
        "low": 4,
        "high": 12,
        "choices": [],
        "about": "height of the board",
    }
    assert by_name["ludo"]["seats"] == [2, 3, 4]
    chance = {"pig", "ludo", "backgammon", "kuhn", "leduc", "words"}
    assert {name for name, row in by_name.items() if row["chance"]} == chance
    assert {name for name, row in by_name.items() if row["hidden"]} == {"kuhn", "leduc", "rps", "words"}


def test_as_csv_it_has_a_row_a_game() -> None:
    rows = list(csv.DictReader(io.StringIO(arena("games", "--format", "csv").out)))
    assert [row["game"] for row in rows] == list(games.names())
    assert rows[3]["options"] == "rows=6,columns=7,line=4"


@pytest.mark.parametrize("name", games.names())
def test_it_explains_every_game_in_eighty_columns(name: str) -> None:
    ended = arena("games", name)
    assert ended.code == 0
    assert ended.out.startswith(f"{name}\n")
    assert "Moves: " in ended.out
    assert all(option.about in " ".join(ended.out.split()) for option in games.names()[name].options)
    texts = {f"  {position.text}" for position in shown_positions(ended.out)}
    lines = [line for line in ended.out.splitlines() if line not in texts and not line.endswith(" sees)")]
    assert max(map(len, lines)) <= 80


class ShownPosition(NamedTuple):
    """A position that `arena games NAME` shows."""

    moves: list[str]
    turn: str
    text: str
    board: list[str]
    """The lines below the text: the views if the game has hidden information, and the board."""


def shown_positions(out: str) -> list[ShownPosition]:
    """The start, and the later position."""
    found = []
    heading, lines = r"^(Start|After [^:]*?),\s([^,:]*):\n", r"((?:  .*\n?|\n(?=  ))+)"
    for moves, turn, below in re.findall(heading + lines, out, re.MULTILINE):
        text, *board = below.rstrip("\n").split("\n")
        found.append(ShownPosition(moves.split()[1:], " ".join(turn.split()), text[2:], [line[2:] for line in board]))
    return found


@pytest.mark.parametrize("spec", EVERY)
def test_the_text_of_a_position_that_it_shows_loads_to_the_board_below_it(spec: str) -> None:
    start, *later = shown_positions(arena("games", spec).out)
    assert len(later) == 1 or spec.startswith(("tictactoe:m=2", "tree:", "grundy", "dots:rows=1", "maze:map=tiny"))
    for shown in (start, *later):
        state = games.start(spec)
        for move in shown.moves:
            state = state.play(state.from_text(move))
        assert shown.text == state.position()
        loaded = games.load(spec, shown.text)
        views = [f"{state.view(seat)}   (what seat {seat} sees)" for seat in range(state.players)] * state.hidden
        board = str(loaded).splitlines() if str(loaded) != shown.text else []
        assert [line.rstrip() for line in shown.board] == [line.rstrip() for line in [*views, *board]]
        assert shown.turn == ("chance is next" if state.turn == CHANCE else f"seat {state.turn} is to move")


@pytest.mark.parametrize("name", games.names())
def test_it_explains_a_position_in_python_and_as_text(name: str) -> None:
    kind = games.names()[name].state
    out = " ".join(arena("games", name).out.split())
    for code, meaning in kind.attributes:
        assert f"state.{code} {meaning}" in out
    for part, meaning in kind.position_notation:
        assert f"{part} {meaning}" in out
    assert kind.attributes
    assert kind.position_notation


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("connect4", "Move 0 in Python is written 1."),
        ("othello", "Move 19 in Python is written d3."),
        ("checkers", "Move (9, 13) in Python is written 9-13."),
        ("ludo", "Move 0 in Python is written enter."),
        ("nap", ""),
        ("pig", ""),
        ("kuhn", ""),
    ],
)
def test_it_says_how_a_move_in_python_and_its_text_differ(name: str, sentence: str) -> None:
    out = " ".join(arena("games", name).out.split())
    assert sentence in out
    assert ("in Python is written" in out) == bool(sentence)


def test_it_shows_the_board_that_the_options_give() -> None:
    assert " 1 2 3 4 5\n" in arena("games", "connect4:rows=4,columns=5").out + "\n"


def test_the_options_that_are_given_count() -> None:
    (row,) = json.loads(arena("games", "maze:ghosts=random", "--format", "json").out)
    assert (row["chance"], row["options"]["ghosts"]["value"]) == (True, "random")
    assert "Players: 3 (of 2-4)" in arena("games", "ludo:players=3").out


def test_a_terminal_without_unicode_gets_what_it_can_show() -> None:
    ended = arena_process("games", "tree", encoding="ascii")
    assert (ended.code, ended.err) == (0, "")
    assert "?? B MIN" in ended.out


def test_a_narrow_terminal_breaks_the_last_column_only() -> None:
    lines = arena("games", columns=60).out.splitlines()
    assert lines[1].split()[0] == "backgammon"


def test_a_full_disk_is_one_clear_error() -> None:
    with open("/dev/full", "w") as full:
        code = subprocess.run(
            [sys.executable, "-m", "arena", "games"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert code.returncode != 0
    assert b"Traceback" not in code.stderr


def test_the_version_is_told() -> None:
    assert arena("--version").out.startswith("arena-referee ")


def test_a_game_of_ones_own_that_fails_is_one_clear_error(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text("from adsearch import State\nclass Own(State):\n    turn = 0\n    def moves(self): return (1,)\n")
    ended = arena("games", str(file))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"arena: {file}:Own: Own must define position()\n"


def test_one_game_as_json_tells_its_rules_and_start_too() -> None:
    (row,) = json.loads(arena("games", "kuhn", "--format", "json").out)
    assert row["position"] == "--"
    assert row["rules"].startswith("Poker for two")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["games", "conect4"], "no game 'conect4'; did you mean 'connect4'?"),
        (["games", "connect4:rows=2"], "connect4: rows must be 4..12, got 2"),
        (["games", "nowhere.py:Game"], "no game in 'nowhere.py': No such file or directory"),
        (["games", "--format", "xml"], "--format: expected one of table, csv, json, markdown, got 'xml'"),
        (["games", "--svg", "board.svg"], "expected a game to draw"),
        (["gmes"], "no command 'gmes'; did you mean 'games'"),
        (["games", "a", "b"], "unexpected argument 'b'; for example: arena games"),
    ],
)
def test_bad_input_gets_one_clear_error(arguments: list[str], message: str) -> None:
    ended = arena(*arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert message in ended.err
    assert "Traceback" not in ended.err


def test_a_game_draws_its_first_position() -> None:
    ended = arena("games", "othello:6", "--svg", "board.svg")
    assert (ended.code, ended.out, ended.err) == (0, "", "written: board.svg\n")
    assert Path("board.svg").read_text("utf-8") == games.start("othello:6").svg()


def test_a_game_of_ones_own_is_tried_and_what_is_wrong_is_said(tmp_path: Path) -> None:
    countdown = COUNTDOWN.read_text("utf-8")
    right = arena("games", f"{COUNTDOWN}:Countdown")
    assert "These rules were tested in 235 positions: no error found." in right.out
    (tmp_path / "wrong.py").write_text(countdown.replace("return (-1.0, 1.0) if", "return -1.0 if"), "utf-8")
    wrong = arena("games", f"{tmp_path / 'wrong.py'}:Countdown:n=2")
    assert wrong.code == 2
    assert "expected utilities() to be 2 numbers, one per seat, got -1.0" in wrong.err


def test_a_position_is_shown_with_the_features_of_its_evaluation() -> None:
    ended = arena("games", "connect4", "--moves", "4 4 5", columns=120)
    assert ended.code == 0
    assert ended.out.splitlines()[0] == "connect4, seat 1 is to move:"
    table = ended.out.partition("evaluation for seat 1: -0.0566\n")[2].splitlines()
    assert table[0] == "This is the sum of the products, -0.06, scaled to stay between a loss and a win."
    assert [line.split()[:4] for line in table[2:]] == [
        ["feature", "value", "weight", "product"],
        ["threats", "0", "0.4", "0"],
        ["centre", "-2", "0.03", "-0.06"],
    ]


@pytest.mark.parametrize("spec", ["tictactoe", "dots", "othello", "checkers", "maze:1", "maze:random2", "nap", "pig"])
def test_a_position_as_text_and_as_moves_shows_the_same(spec: str) -> None:
    start = games.start(spec)
    move = start.moves()[0]
    after = start.play(move)
    (row,) = json.loads(arena("games", spec, "--moves", start.to_text(move), "--format", "json").out)
    (same,) = json.loads(arena("games", spec, "--position", after.position(), "--format", "json").out)
    assert row == same
    seat = after.turn if after.turn not in (None, CHANCE) else 0
    assert (row["position"], row["seat"]) == (after.position(), seat)
    assert row["value"] == pytest.approx(after.evaluate(seat))
    assert [one["feature"] for one in row["features"]] == [feature.name for feature in start.evaluation]
    if row["features"]:
        assert row["value"] == pytest.approx(after.scaled(sum(one["product"] for one in row["features"])))


def test_a_finished_position_shows_its_utility() -> None:
    ended = arena("games", "tictactoe", "--moves", "a1 b1 a2 b2 a3")
    assert ended.code == 0
    assert ended.out.splitlines()[-1] == "utility for seat 0: 1"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["connect4", "--position", "x"], "arena: --position: connect4: expected 6 rows of 7 cells"),
        (["connect4", "--moves", "9"], "arena: --moves, ply 1: expected a legal move (1, 2, 3, 4, 5, 6, 7;"),
        (["--moves", "4"], "arena: expected a game before --position or --moves: arena games connect4 --moves 4"),
    ],
)
def test_a_wrong_position_is_one_clear_error(arguments: list[str], words: str) -> None:
    ended = arena("games", *arguments)
    assert ended.code == 2
    assert ended.err.startswith(words)
    assert ended.out == ""


def test_a_game_lists_the_features_of_its_evaluation_if_it_has_them() -> None:
    heading = "The evaluation is a sum of features, each times its weight:"
    for name, game in games.names().items():
        out = arena("games", name, columns=120).out
        assert (heading in out) == bool(game.state.evaluation)
        for feature in game.state.evaluation:
            assert f"  {feature.name} ({feature.weight:g})" in out


# `arena agents`.


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
