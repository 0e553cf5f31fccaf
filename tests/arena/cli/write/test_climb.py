"""`arena climb`: real games up the ladder, on record, and what is said of them."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arena.cli.write.climb import by_pairs, percent
from arena.match.schedule import Entrant
from arena.student.climb import LadderStep
from arena.walls.usage import descendants
from tests.kit.arena_program import arena, environment
from tests.kit.effort import PATIENCE
from tests.kit.places import ROOT

FAILING = """
from agents import Agent

class Failing(Agent):
    def choose(self, state, clock):
        return state.moves()[99]
"""
ILLEGAL = """
from agents import Agent

class Illegal(Agent):
    def choose(self, state, clock):
        return "nowhere"
"""
FIRST = """
from agents import Agent

class First(Agent):
    def choose(self, state, clock):
        return state.moves()[0]
"""


@pytest.mark.journey
def test_a_step_a_line_and_then_what_it_came_to_and_what_to_look_at() -> None:
    ended = arena("climb", "random", "--game", "tictactoe", "--games", "16", "--seed", "1")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0] == "tictactoe   clock 5+0.05   7 steps, up to 16 games each"
    assert max(map(len, lines)) <= 80
    assert (
        sum("no clear lead (" in line or "clearly weaker (" in line for line in lines if line[:3] in (" 1 ", " 2 "))
        == 2
    )
    assert any(line.startswith("random: no clear lead over random#2 (") for line in lines)
    assert (
        "stopped after 2 opponents in a row that it did not beat; not played: minimax:depth=2, minimax:depth=3, "
        "alphabeta:depth=4, alphabeta:depth=6, pvs"
    ) in " ".join(ended.out.split())
    (look,) = [number for number, line in enumerate(lines) if line == "look at this game first:"]
    assert lines[look + 1].startswith("    game ")
    commands = [line.strip() for line in lines[look:] if line.startswith("    arena ")]
    assert lines[1] == "in brackets: the probability that random is the better player"
    assert not re.search("SPRT|Elo", ended.out)
    for command in commands:
        assert arena(*command.split()[1:]).code == 0, command
    assert [command.split()[1] for command in commands][:2] == ["replay", "replay"]
    assert commands[1].endswith("--mistakes")


def test_the_game_to_look_at_is_analysed_and_its_mistakes_are_marked_in_the_replay() -> None:
    words = ("random", "--game", "tictactoe", "--against", "minimax:depth=1", "--games", "16", "--seed", "3")
    ended = arena("climb", *words, "--format", "json")
    assert (ended.code, ended.err) == (0, "")
    look = json.loads(ended.out)["look"]
    game = str(look["game"])
    judged = json.loads(arena("data", "sql", f"select * from v_analysis where game = {game}", "--format", "json").out)
    plies = json.loads(arena("replay", "--show", game, "--format", "json").out)["plies"]
    assert sorted(row["ply"] for row in judged) == list(range(1, plies + 1))
    mistakes = [row for row in judged if row["mark"] and row["player"] == "random"]
    assert min((row["ply"] for row in mistakes), default=None) == look["ply"]
    replayed = arena("replay", game).out
    assert all(f"better was {row['better']}" in replayed for row in mistakes)


def test_slow_games_without_a_clock_are_explained_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.cli.write.climb.SLOW", -1)
    arguments = ("climb", "random", "--game", "nap", "--against", "random", "--games", "16", "--seed", "1")
    assert arena(*arguments, "--clock", "none").out.count("there is no clock, so a player may think this long") == 1
    assert "there is no clock" not in arena(*arguments).out


@pytest.mark.costly
def test_how_the_agent_is_confined_is_printed_once_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    Path("first.py").write_text(FIRST)
    words = ["climb", "first.py", "--game", "nap", "--against", "random", "--games", "16", "--clock", "none"]
    shown = ["is confined" in arena(*words).out for _ in range(2)]
    assert shown == [True, False]


@pytest.mark.costly
@pytest.mark.parametrize("columns", [60, 80])
def test_it_is_as_wide_as_the_terminal_and_breaks_between_words(columns: int) -> None:
    Path("failing_at_once_again.py").write_text(ILLEGAL)
    ended = arena(
        *("climb", "failing_at_once_again.py", "--game", "connect4", "--seed", "1", "--walls", "limits"),
        columns=columns,
    )
    lines = ended.out.splitlines()
    assert max(map(len, lines)) <= columns
    assert (
        "look at this game first: game 1 against random: failing_at_once_again played an illegal move: ply 5: expected "
        "a legal move (1, 2, 3, 4, 5, 6, 7; move 0 in Python is written 1)"
    ) in " ".join(ended.out.split())
    (brackets,) = [number for number, line in enumerate(lines) if line.startswith("in brackets: ")]
    assert "the probability that failing_at_once_again is the better player" in " ".join(
        " ".join(lines[brackets:]).split()
    )


def test_a_program_is_not_sent_to_a_debugger_that_cannot_look_into_it() -> None:
    ended = arena("climb", "cmd:false", "--game", "tictactoe", "--seed", "1", "--walls", "limits")
    assert ended.code == 1
    assert "    arena replay 1 --logs" in ended.out
    assert "arena replay --debug" not in ended.out


def test_where_the_arguments_are_wrong_nothing_is_made(tmp_path: Path) -> None:
    Path("mine.py").write_text(FIRST)
    for arguments in (
        ["nix.py", "--game", "connect4"],
        ["mine.py", "--game", "conect4"],
        ["mine.py", "--game", "connect4", "--against", "nix.py"],
        ["mine.py", "--game", "maze:ghosts=random"],
        ["mine.py", "--game", "kuhn", "--against", "minimax"],
    ):
        assert arena("climb", *arguments, "--walls", "limits").code == 2
        assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


@pytest.mark.costly
def test_json_tells_the_steps() -> None:
    ended = arena(
        *("climb", "alphabeta:depth=9", "--game", "tictactoe", "--against", "random", "--against", "minimax:depth=1"),
        *("--games", "16", "--seed", "3", "--format", "json"),
    )
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert [step["opponent"] for step in found["steps"]] == ["random", "minimax:depth=1"]
    assert found["games"] == sum(step["games"] for step in found["steps"])
    assert all(step["games"] == step["wins"] + step["draws"] + step["losses"] for step in found["steps"])
    assert [step["own"] for step in found["steps"]] == [False, False]
    losses = sum(step["losses"] for step in found["steps"])
    assert sum(found["lost"].values()) == losses
    assert (found["look"] is None) == (losses == 0)
    assert found["broken"] is False
    history = json.loads(arena("results", "history", "--format", "json").out)
    assert len(history) == found["games"]
    assert len({game["opening"] for game in history}) == max(step["games"] for step in found["steps"]) / 2


@pytest.mark.costly
def test_an_agent_that_fails_at_once_is_sent_to_be_checked() -> None:
    Path("failing.py").write_text(FAILING)
    ended = arena("climb", "failing.py", "--game", "tictactoe", "--seed", "1", "--walls", "limits")
    assert ended.code == 1
    assert "lost 3 of 3 games: 3 by a crash" in ended.out
    assert "    arena check failing.py --game tictactoe" in ended.out
    assert "failing crashed: exited with code 1: IndexError: tuple index out of range" in " ".join(ended.out.split())
    assert "    arena replay 1 --logs" in ended.out


@pytest.mark.costly
def test_against_yesterdays_version_of_itself() -> None:
    Path("mine.py").write_text(FIRST)
    arguments = ("--game", "tictactoe", "--games", "16", "--seed", "1", "--walls", "limits")
    assert arena("climb", "mine.py", "--against", "random", *arguments).code == 0
    Path("mine.py").write_text(FIRST.replace("[0]", "[-1]"))
    ended = arena("climb", "mine.py", "--against", "mine@1", *arguments)
    assert ended.code == 0, ended.err
    assert " 1  mine@1 " in ended.out
    shown = json.loads(arena("replay", "--show", "last", "--format", "json").out)
    assert [(seat["player"], seat["version"]) for seat in shown["seats"]] == [("mine@1", 1), ("mine", 2)]
    told = json.loads(arena("results", "versus", "mine@2", "mine@1", "--format", "json").out)
    history = json.loads(arena("results", "history", "--agent", "mine", "--opponent", "mine", "--format", "json").out)
    assert told["games"] == len(history)
    # The earlier one can be asked again, as itself.
    ply = next(move["ply"] for move in shown["moves"] if move["who"] == 0)
    assert "running mine@1 in seat 0" in arena("replay", "--debug", "last", "--turn", str(ply)).out


@pytest.mark.costly
def test_its_own_last_version_is_an_opponent_too() -> None:
    """Last, even where the agent climbs no higher; not one of another game, nor the very same source."""
    first, second, third = (FIRST.replace("[0]", place) for place in ("[0]", "[-1]", "[len(state.moves()) // 2]"))
    arguments = ("--game", "tictactoe", "--seed", "1", "--walls", "limits", "--games", "16")

    def own_opponents() -> list[str]:
        ended = arena("climb", "mine.py", *arguments, "--format", "json")
        assert ended.code == 0, ended.err
        return [step["opponent"] for step in json.loads(ended.out)["steps"] if step["own"]]

    Path("mine.py").write_text(first)
    assert arena("play", "nap", "mine.py", "random", "--walls", "limits", "--quiet").code == 0
    Path("mine.py").write_text(second)
    assert own_opponents() == []
    assert own_opponents() == []
    Path("mine.py").write_text(third)
    ended = arena("climb", "mine.py", *arguments)
    assert "16 games each; the last one is mine@2, its previous version" in " ".join(ended.out.split())
    assert "stopped after 2 opponents in a row that it did not beat; not played: " in " ".join(ended.out.split())
    assert re.search(r"^ 3  mine@2 +won ", ended.out, re.MULTILINE)
    shown = json.loads(arena("replay", "--show", "last", "--format", "json").out)
    assert sorted((seat["player"], seat["version"]) for seat in shown["seats"]) == [("mine", 3), ("mine@2", 2)]
    assert arena("climb", "mine.py", "--against", "random", *arguments).out.count("mine@") == 0


@pytest.mark.costly
def test_games_that_repeat_another_are_told() -> None:
    Path("mine.py").write_text(FIRST)
    arguments = ("--game", "grundy", "--seed", "1", "--walls", "limits", "--against", "minimax:depth=1")
    out = " ".join(arena("climb", "mine.py", *arguments).out.split())
    told = re.search(r"(\d+) of (\d+) games repeat another game move for move", out)
    assert told
    assert 0 < int(told[1]) < int(told[2])


@pytest.mark.costly
@pytest.mark.parametrize(
    ("game", "seats"), [("maze:ghosts=2,map=tiny,steps=4", 3), ("rps:rounds=1", 2), ("pig:goal=8", 2)]
)
def test_other_kinds_of_games_have_ladders_of_their_own(game: str, seats: int) -> None:
    ended = arena("climb", "random", "--game", game, "--games", str(8 * seats), "--seed", "2", "--format", "json")
    assert ended.code == 0, ended.err
    steps = json.loads(ended.out)["steps"]
    assert len(steps) == 2
    assert all(0 < step["games"] <= 8 * seats for step in steps)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nofile.py", "--game", "connect4"], "no file 'nofile.py'"),
        (["random", "--game", "conect4"], "did you mean 'connect4'"),
        (["random", "--game", "connect4", "--against", "nobody@1"], "no agent 'nobody': the database has no agents"),
        (["random", "--game", "connect4", "--against", "pvvs"], "did you mean 'pvs'"),
        (["human", "--game", "connect4"], "'human' can only play in `arena play`"),
        (["random", "--game", "maze:ghosts=random"], "has only one player"),
        (["minimax", "--game", "kuhn"], "minimax cannot play kuhn"),
        (["random", "--game", "connect4", "--clock", "soon"], "expected a clock such as"),
        (["random"], "'random' does not name its game: add --game GAME, such as --game connect4"),
        (["nofile.py"], "no file 'nofile.py'"),
        (["alice@2"], "alice@2 does not name its game: add --game GAME"),
        (["alice"], "; for a recorded agent add --game GAME"),
        (["random", "--game", "connect4", "--games", "15"], "--games: expected at least 16, got 15"),
        (["random", "--game", "maze:ghosts=2", "--games", "23"], "--games: expected at least 24, got 23"),
    ],
)
def test_a_wrong_argument_is_one_clear_error(arguments: list[str], words: str) -> None:
    ended = arena("climb", *arguments)
    assert ended.code == 2
    assert words in " ".join(ended.err.split())
    assert "Traceback" not in ended.err


@pytest.mark.journey
def test_ctrl_c_tells_what_was_found_so_far_and_leaves_no_process() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as temporary,
        subprocess.Popen(
            [
                *(sys.executable, "-m", "arena", "climb", "random", "--game", "tictactoe", "--seed", "1"),
                *("--against", "random", "--against", "random", "--games", "10000"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(80) | {"PYTHONUNBUFFERED": "1", "TMPDIR": temporary, "PYTHONPATH": str(ROOT)},
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(" 1  random#2"):
                break
        children = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err == "interrupted\n"
    assert re.search(r"^random: .*\brandom#2 \(", out, re.M)
    assert "to repeat" not in out
    assert not [child for child in children if Path(f"/proc/{child}").exists()]


def step_of(games: str) -> LadderStep:
    """A step with these pairs of games: "wl" is a pair of which the first game was won and the second lost."""
    step = LadderStep("minimax:depth=3", (Entrant("minimax:depth=3", "minimax:depth=3"),), over=True)
    names, points = {"w": "won", "d": "drawn", "l": "lost"}, {"w": 1.0, "d": 0.5, "l": 0.0}
    for pair in games.split():
        step.results.update(names[game] for game in pair)
        step.counts[round(2.0 * sum(points[game] for game in pair))] += 1
    return step


@pytest.mark.parametrize(
    ("games", "won", "lost", "level"),
    [("wd wl wl wl ll", 1, 1, 3), ("ww ww ll ld ld wd", 3, 3, 0), ("ll wd wd", 2, 1, 0), ("ww dl dl", 1, 2, 0)],
)
def test_odds_that_look_wrong_are_explained_by_pairs(games: str, won: int, lost: int, level: int) -> None:
    step = step_of(games)
    pairs = f"of {won + lost + level} pairs (same opening, seats swapped) it won {won}, lost {lost} and drew {level}"
    assert by_pairs(step) == f"{pairs}: {percent(step.likelihood)} follows from these"


@pytest.mark.parametrize("games", ["ww ww wd", "ll wl", "wl wl dd", "ww ll", ""])
def test_odds_that_look_right_need_no_words(games: str) -> None:
    assert by_pairs(step_of(games)) == ""


@pytest.mark.costly
def test_the_game_is_read_from_the_agents_file_and_a_mistyped_file_is_named() -> None:
    arena("new", "mine.py", "--game", "tictactoe")
    options = ("--games", "16", "--seed", "1", "--walls", "limits", "--against", "random")
    ended = arena("climb", "mine.py", *options)
    assert ended.code == 0, ended.err
    assert "tictactoe   clock 5+0.05   1 step, up to 16 games each" in ended.out
    ended = arena("climb", "minee.py", *options)
    assert (ended.code, ended.err) == (2, "arena: no file 'minee.py'; did you mean 'mine.py'?\n")
