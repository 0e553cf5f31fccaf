"""`arena replay --debug`: the agent answers as it did in the game, here, where a debugger and print work."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.kit.arena_program import Ended, arena, environment
from tests.kit.effort import PATIENCE
from tests.kit.engines import need
from tests.kit.places import ROOT

DRAWING = """
from agents import Agent

class Drawing(Agent):
    \"\"\"Draws its moves, and remembers how many.\"\"\"
    def begin(self, state, seat):
        self.turns = 0
    def choose(self, state, clock):
        self.turns += 1
        print("turn", self.turns, "with", clock.left)
        return self.random.choice(state.moves())
"""
FAILING = """
from agents import Agent

class Failing(Agent):
    def choose(self, state, clock):
        return self.look(3)
    def look(self, depth):
        return [][depth]
"""
STOPPING = DRAWING.replace('print("turn"', 'breakpoint(); print("turn"')


def play(game: str, *players: str, clock: str = "10+0.1") -> None:
    ended = arena("play", game, *players, "--quiet", "--seed", "8", "--clock", clock, "--walls", "limits")
    assert ended.code == 0, ended.err


def own_plies(seat: int) -> list[int]:
    ended = arena("data", "sql", f"select ply from v_move where who = '{seat}' order by ply", "--format", "csv")
    assert ended.code == 0, ended.err
    return [int(line) for line in ended.out.splitlines()[1:]]


@pytest.mark.parametrize("game", ["tictactoe", "pig:goal=12", "kuhn"])
def test_an_agent_that_draws_from_its_seed_answers_at_every_ply_as_in_the_game(game: str) -> None:
    Path("drawing.py").write_text(DRAWING)
    play(game, "random", "drawing.py")
    for turn, ply in enumerate(own_plies(1), 1):
        ended = arena("replay", "--debug", "last", "--turn", str(ply))
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.splitlines()[-1] == "the same move"
        assert "on the way" not in ended.out
        # It knows what it knew then; of its earlier turns nothing is shown.
        assert [line.split()[1] for line in ended.out.splitlines() if line.startswith("turn ")] == [str(turn)]
        assert max(map(len, ended.out.splitlines())) <= 80


def test_an_agent_of_ours_is_asked_too_and_tells_what_it_thinks() -> None:
    play("tictactoe", "alphabeta:depth=3", "random")
    ended = arena("replay", "--debug", "last", "--turn", "1")
    assert ended.code == 0
    now, then, said = ended.out.splitlines()[-3:]
    assert now.startswith("now     b2")
    assert then.startswith("then    b2")
    assert "depth 3" in now
    assert said == "the same move"


def test_a_crash_is_asked_again_and_shows_its_own_lines_and_the_mended_file_answers() -> None:
    Path("failing.py").write_text(FAILING)
    play("tictactoe", "random", "failing.py")
    ended = arena("replay", "--debug", "last", "--turn", "2")
    assert ended.code == 1
    assert "IndexError: list index out of range" in ended.err
    assert "in look" in ended.err
    assert "cli/debug.py" not in ended.err
    assert "agents/player.py" not in ended.err
    assert "arena replay 1 --debug --turn 2 --file FILE\n" in ended.err
    ended = arena("replay", "--debug", "last", "--turn", "2", "--file", "failing.py", "--db", "arena.db")
    assert "arena replay 1 --debug --turn 2 --file failing.py --db arena.db\n" in ended.err
    Path("failing.py").write_text(DRAWING)
    mended = arena("replay", "--debug", "last", "--turn", "2", "--file", "failing.py")
    assert mended.code == 0
    assert "then    no move: failing crashed" in mended.out
    # What played is still what was entered.
    assert arena("replay", "--debug", "last", "--turn", "2").code == 1


def test_another_agent_on_the_way_is_said_to_answer_otherwise() -> None:
    Path("drawing.py").write_text(DRAWING)
    play("connect4", "alphabeta:depth=2", "random")
    last = own_plies(0)[-1]
    ended = arena("replay", "--debug", "last", "--turn", str(last), "--file", "drawing.py")
    assert ended.code == 0
    assert "earlier answers differ from the game, at ply " in ended.out


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("None", "now     not a legal move: choose returned None"),
        ("'z9'", "now     not a legal move: choose returned 'z9'"),
        ("print('\\x1b[31m')", "now     not a legal move: choose returned None"),
    ],
)
def test_an_illegal_answer_is_one(answer: str, words: str) -> None:
    Path("wrong.py").write_text(FAILING.replace("self.look(3)", answer))
    play("tictactoe", "random", "random")
    ended = arena("replay", "--debug", "last", "--turn", "1", "--file", "wrong.py")
    assert ended.code == 1
    assert words in ended.out


def test_who_resigns_is_said_to() -> None:
    source = FAILING.replace("return self.look(3)", "raise Resign").replace("import Agent", "import Agent, Resign")
    Path("meek.py").write_text(source)
    play("tictactoe", "meek.py", "random")
    ended = arena("replay", "--debug", "last", "--turn", "1")
    assert ended.code == 0
    assert "now     resigns" in ended.out
    assert "then    no move: meek resigned" in ended.out


def test_without_a_ply_the_last_turn_of_ones_own_agent_is_taken_and_said() -> None:
    Path("drawing.py").write_text(DRAWING)
    play("tictactoe", "random", "drawing.py")
    last = own_plies(1)[-1]
    ended = arena("replay", "--debug", "last")
    assert (ended.code, ended.err) == (0, "")
    assert f"ply {last}: running drawing@1 in seat 1" in ended.out
    assert "This is its last turn; --turn N chooses another turn." in ended.out
    assert "That is" not in arena("replay", "--debug", "last", "--turn", str(last)).out


@pytest.mark.costly
def test_an_engine_is_not_ones_own_agent_and_cannot_be_debugged() -> None:
    need("stockfish")
    Path("drawing.py").write_text(DRAWING)
    play("chess", "drawing.py", "uci:stockfish?nodes=1", "--max-plies", "4")
    ended = arena("replay", "--debug", "last")
    assert ended.code == 0, ended.err
    assert "ply 3: running drawing@1 in seat 0" in ended.out
    assert "is an engine (uci:stockfish?nodes=1), which Python's debugger cannot enter; --turn N" in refused(
        "--turn", "4"
    )


def test_without_a_ply_a_fault_comes_first() -> None:
    Path("failing.py").write_text(FAILING)
    play("tictactoe", "random", "failing.py")
    ended = arena("replay", "--debug", "last")
    assert ended.code == 1
    assert "ply 2: running failing@1 in seat 1" in ended.out
    assert "This is the turn in which it failed; --turn N chooses another turn." in ended.out
    assert "arena replay 1 --debug --turn 2 --file FILE" in ended.err


@pytest.mark.parametrize("columns", [80, 40])
def test_who_prints_nothing_leaves_no_gap_and_no_line_is_too_long(columns: int) -> None:
    play("ludo:players=3,tokens=1", "random", "maxn:depth=1", "random")
    ended = arena("replay", "--debug", "last", columns=columns)
    assert ended.code == 0, ended.err
    assert "\n\n\n" not in ended.out
    lines = ended.out.splitlines()
    told = lines[next(number for number, line in enumerate(lines) if line.startswith("ply ")) :]
    assert max(map(len, told)) <= columns


def refused(*arguments: str) -> str:
    ended: Ended = arena("replay", "--debug", "last", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 1
    return ended.err


def test_what_cannot_be_asked_says_why() -> None:
    Path("broken.py").write_text("from agents import Agent\nnumber = 1 / 0\n")
    play("tictactoe", "random", "random")
    assert "the game has" in refused("--turn", "99")
    assert "no file 'nothing.py'" in refused("--turn", "1", "--file", "nothing.py")
    assert "expected an agent's file, a folder or a built-in, got 'human'" in refused("--turn", "1", "--file", "human")
    assert "which Python's debugger cannot enter" in refused("--turn", "1", "--file", "cmd:cat")
    assert "no game 7" in arena("replay", "--debug", "7").err
    broken = arena("replay", "--debug", "last", "--turn", "1", "--file", "broken.py")
    assert broken.code == 2
    assert "number = 1 / 0" in broken.err
    assert "broken.py, line 2: ZeroDivisionError" in broken.err.splitlines()[-1]


@pytest.mark.costly
def test_a_breakpoint_stops_in_a_terminal_at_that_turn_alone(tmp_path: Path) -> None:
    (tmp_path / "stopping.py").write_text(STOPPING)
    (tmp_path / "drawing.py").write_text(DRAWING)
    play("tictactoe", "drawing.py", "random")
    keyboard, screen = pty.openpty()
    termios.tcsetwinsize(screen, (24, 80))
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", "replay", "last", "--debug", "--turn", "3", "--file", "stopping.py"],
        stdin=screen,
        stdout=screen,
        stderr=screen,
        env=environment(80) | {"TERM": "dumb", "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    os.close(screen)
    seen = b""
    for wanted, typed in (
        (b"(Pdb) ", b"self.turns * 1000\n"),
        (b"2000", b""),
        (b"(Pdb) ", b"c\n"),
        (b"the same move", b""),
    ):
        while wanted not in seen:
            assert select.select([keyboard], [], [], 60)[0], seen
            seen += os.read(keyboard, 4096)
        seen = seen.partition(wanted)[2]
        os.write(keyboard, typed)
    assert process.wait(PATIENCE) == 0
    os.close(keyboard)


FORGETFUL = """
from agents import Agent

class Forgetful(Agent):
    def choose(self, state, clock):
        for move in state.moves():
            state.play(move)
        return state.moves()[0]
"""


def test_mistakes_with_positions_are_named_after_the_answer() -> None:
    Path("forgetful.py").write_text(FORGETFUL)
    play("tictactoe", "random", "forgetful.py")
    ended = arena("replay", "--debug", "last", "--turn", "4")
    assert (ended.code, ended.err) == (1, "")
    answer, mistake = ended.out.split("the same move\n")
    assert "mistake" not in answer
    assert " ".join(mistake.split()) == (
        "mistake forgetful.py, line 7: the result of state.play(move) is thrown away advice state.play(m) makes a new "
        "position and leaves this one as it is: write state = state.play(move), or child = state.play(move) to keep "
        "both positions"
    )
    # If the agent stops with an error, they follow the traceback.
    Path("forgetful.py").write_text(FORGETFUL.replace("return state.moves()[0]", "return state.moves[0]"))
    failed = arena("replay", "--debug", "last", "--turn", "4", "--file", "forgetful.py")
    assert failed.code == 1
    assert "TypeError" in failed.err.partition("mistake forgetful.py, line 7: ")[0]
    assert "agents/strict.py" not in failed.err


BY_BUDGET = """
from agents import Agent

class ByBudget(Agent):
    def choose(self, state, clock):
        moves = state.moves()
        return moves[int(clock.budget * 1000) % len(moves)]
"""


def test_a_limit_of_moves_is_in_the_budget_as_in_the_game() -> None:
    Path("by_budget.py").write_text(BY_BUDGET)
    limited = ("--max-plies", "9", "--clock", "7+0.3", "--seed", "3", "--quiet", "--walls", "limits")
    ended = arena("play", "connect4", "by_budget.py", "random", *limited)
    assert ended.code == 0, ended.err
    for ply in own_plies(0):
        ended = arena("replay", "--debug", "last", "--turn", str(ply))
        assert (ended.code, ended.out.splitlines()[-1]) == (0, "the same move")
