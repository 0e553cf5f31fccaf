"""`arena check`, as its user meets it: steps, tables, exit codes, and nothing left behind."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.walls.usage import descendants
from tests.kit import needs
from tests.kit.arena_program import arena, environment
from tests.kit.effort import PATIENCE
from tests.kit.places import EXAMPLES, ROOT

GREEDY = """from agents import Agent


class Greedy(Agent):
    def choose(self, state, clock):
        return max(state.moves(), key=lambda move: state.play(move).evaluate(state.turn))
"""
FORGOT = GREEDY.replace("return", "best =")


@pytest.fixture(autouse=True)
def _agents() -> None:
    Path("greedy.py").write_text(GREEDY)
    Path("forgot.py").write_text(FORGOT)


def test_a_good_agent_is_told_so_in_ten_steps() -> None:
    ended = arena("check", "greedy.py", "--game", "tictactoe", "--positions", "6")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0] == "Checking greedy.py: tictactoe, clock 10+0.1"
    assert [line.split()[:2] for line in lines if line[:2].strip().isdigit()] == [[str(n), "✓"] for n in range(1, 11)]
    assert lines[-1].startswith("Ready to play: no problems found (")
    assert max(map(len, lines)) <= 80
    assert not list(Path.cwd().glob("arena*")), "something went on record"


def test_one_that_fails_is_told_what_where_and_how_to_see_it_again() -> None:
    ended = arena("check", "forgot.py", "--game", "tictactoe", "--positions", "2")
    assert ended.code == 1
    assert "✗ legal moves" in ended.out
    assert "choose returned None" in ended.out
    assert "advice    every path through choose must end" in ended.out
    assert "          a b c\n        1 . . ." in ended.out
    assert "repeat    arena check forgot.py --game tictactoe --position 1" in ended.out
    assert "Not ready to play: 1 step failed, 6 could not be run" in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80


@pytest.mark.costly
def test_one_position_alone_is_told_as_such_and_found_again_among_more() -> None:
    ended = arena("check", "greedy.py", "--game", "tictactoe", "--position", "7")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[-1].startswith("Position 7: no problems found (")
    Path("late.py").write_text(GREEDY.replace("return max", "return None if len(state.moves()) == 1 else max"))
    ended = arena("check", "late.py", "--game", "tictactoe", "--positions", "60", "--seed", "1")
    assert ended.code == 1
    again = re.search(r"repeat +arena (check late.py .* --positions 60 --position \d+)$", ended.out, re.M)
    assert again
    ended = arena(*again[1].split())
    assert ended.code == 1
    assert "choose returned None" in ended.out


@pytest.mark.costly
def test_steps_keep_their_numbers_where_one_is_left_out() -> None:
    Path("hangs.py").write_text(GREEDY.replace("        return", "        while True: pass\n        return"))
    ended = arena("check", "hangs.py", "--game", "tictactoe", "--clock", "0.2")
    assert ended.code == 1
    numbered = [line for line in ended.out.splitlines() if line[:2].strip().isdigit()]
    assert [int(line[:2]) for line in numbered] == [1, 2, 3, 4, 6]
    assert numbered[-1][3:].startswith("✗ keeps its clock")
    assert "no move in time" in numbered[-2]
    Path("changes.py").write_text(
        GREEDY.replace("        return", "        state.turn = 1 - state.turn\n        return")
    )
    ended = arena("check", "changes.py", "--game", "tictactoe", "--positions", "2")
    assert re.search(r"^10 ✓ what it used.*\n(?: .*\n)?   ✗ what no game noticed", ended.out, re.M), ended.out
    assert ended.out.splitlines()[-1].startswith("Plays legal games, but with 1 mistake to correct (")
    assert ended.code == 1


@pytest.mark.costly
def test_every_step_tells_its_time_and_a_narrow_terminal_cuts_no_word() -> None:
    ended = arena("check", "greedy.py", "--game", "tictactoe", "--positions", "2", columns=44)
    steps = [line for line in ended.out.splitlines() if line[:2].strip().isdigit()]
    assert all(re.fullmatch(r"[ \d]\d ✓ [a-z, ]+ +[0-9.]+ s", step) for step in steps)
    assert "      5 s are allowed\n" in ended.out
    assert max(map(len, ended.out.splitlines())) <= 44


@pytest.mark.costly
def test_programs_read_it_as_json_and_as_csv() -> None:
    ended = arena("check", "greedy.py", "--game", "nap", "--positions", "2", "--format", "json")
    (found,) = json.loads(ended.out)
    assert (ended.code, found["agent"], found["light"], found["wrong"]) == (0, "greedy", "good", None)
    assert [step["step"] for step in found["steps"]][:3] == ["found and importable", "starts in time", "says ready"]
    Path("empty.py").write_text("")
    ended = arena("check", "empty.py", "--game", "nap", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    assert (ended.code, rows[0]["light"], {row["light"] for row in rows[1:]}) == (1, "failed", {"skipped"})


@pytest.mark.costly
def test_a_folder_of_submissions_is_a_table_of_lights() -> None:
    folder = Path("in")
    (folder / "bob").mkdir(parents=True)
    (folder / "bob" / "agent.py").write_text(FORGOT)
    (folder / "eve").mkdir()
    (folder / "<b>\x1b[2J日本.py").write_text(GREEDY)
    ended = arena("check", "--all", "in", "--game", "nap", "--positions", "2")
    assert ended.code == 1
    title, first, *_ = lines = ended.out.splitlines()
    assert title.split() == ["agent", "light", "step", "what", "is", "wrong"]
    assert first.startswith("<b>\\x1b[2J日本  ✓ good")
    told = " ".join(ended.out.split())
    assert "bob ✗ failed legal moves choose returned None" in told
    assert "eve ✗ failed found and importable the folder 'eve' has no" in told
    assert lines[-1] == "1 good, 2 failed"
    assert "\x1b" not in ended.out


@pytest.mark.costly
def test_a_tournament_says_under_which_conditions_and_who() -> None:
    Path("cs.toml").write_text(
        'game = "tictactoe"\nclock = "move=2"\nplayers = ["greedy.py", "forgot.py"]\n'
        '[[agent]]\nname = "yard"\nplayer = "random"\n'
    )
    ended = arena("check", "greedy.py", "--tournament", "cs.toml", "--positions", "2")
    assert (ended.code, ended.err) == (0, "")
    assert "Checking greedy.py for cs.toml: tictactoe, clock move=2" in ended.out
    ended = arena("check", "--tournament", "cs.toml", "--positions", "1", "--format", "csv")
    assert ended.code == 1
    assert [row.split(",")[:2] for row in ended.out.splitlines()[1:]] == [["forgot", "failed"], ["greedy", "good"]]


def test_the_conditions_of_a_tournament_without_agents_are_enough_for_an_agent() -> None:
    Path("cs.toml").write_text('game = "tictactoe"\nclock = "move=2"\n')
    ended = arena("check", "greedy.py", "--tournament", "cs.toml", "--positions", "1", "--position", "1")
    assert (ended.code, ended.err) == (0, "")
    assert "Checking greedy.py for cs.toml: tictactoe, clock move=2" in ended.out
    ended = arena("check", "--tournament", "cs.toml")
    assert (ended.code, ended.out) == (2, "")
    assert "expected at least 2 agents to play tictactoe, got 0" in ended.err


@pytest.mark.costly
def test_one_on_record_is_found_by_name() -> None:
    assert arena("play", "nap:4", "greedy.py", "random", "--quiet").code == 0
    Path("greedy.py").unlink()
    ended = arena("check", "greedy@1", "--game", "nap", "--positions", "1")
    assert (ended.code, ended.err) == (0, "")
    assert "no problems found" in ended.out
    for text, words in (
        ("gredy", "no player 'gredy'"),
        ("gredy@1", "no agent 'gredy' in the database; did you mean 'greedy"),
    ):
        ended = arena("check", text, "--game", "nap", columns=200)
        assert (ended.code, ended.out) == (2, "")
        assert words in ended.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("greedy.py",), "add --game GAME"),
        (("greedy.py", "--game", "nap", "--tournament", "x.toml"), "or --tournament FILE, got both"),
        (("greedy.py", "--game", "conect4"), "did you mean 'connect4'?"),
        (("greedy.py", "--game", "nap", "--clock", "soon"), "expected a clock"),
        (("greedy.py", "--all", ".", "--game", "nap"), "expected an agent, such as my_agent.py"),
        (("--game", "nap"), "expected an agent, such as my_agent.py"),
        ((), "expected an agent, such as my_agent.py"),
        (("--all", "nowhere", "--game", "nap"), "expected a folder of submissions"),
        (("pvs", "--game", "nap"), "'pvs' is built in"),
        (("human", "--game", "nap"), "nothing to check"),
        (("wait", "--game", "nap"), "nothing to check"),
        (("greedy.py", "--tournament", "gone.toml"), "gone.toml"),
        (("gredy.py", "--game", "nap"), "no file 'gredy.py'; did you mean 'greedy.py'?"),
        (("gredy.py:Greedy", "--game", "nap"), "no file 'gredy.py'; did you mean 'greedy.py'?"),
        (("gredy", "--game", "nap"), "no player 'gredy'; did you mean 'greedy'?"),
        (("./gredy", "--game", "nap"), "no file or folder './gredy'; did you mean './greedy.py'?"),
        (("teams/../gredy.py", "--game", "nap"), "did you mean 'teams/../greedy.py'?"),
        (("zzz.py", "--game", "nap"), "no file 'zzz.py': expected an agent's Python file (looked in /"),
        (("temas/zzz.py", "--game", "nap"), "temas; did you mean 'teams'?"),
        (("cmd:", "--game", "nap"), "expected a program after 'cmd:'"),
        (("pvs:depht=3", "--game", "nap"), "depth"),
        (("greedy.py", "--game", "nap", "--position", "999"), "no position 999: expected a number from 1 to 50"),
        (("greedy.py", "--game", "tree", "--position", "12"), "this game has few, with the numbers 1, 2, 3, 4"),
    ],
)
def test_what_cannot_be_checked_is_refused_in_words(arguments: tuple[str, ...], words: str) -> None:
    Path("teams").mkdir()
    Path("\x1b[2Jgredy.py").write_text(GREEDY)
    ended = arena("check", *arguments, columns=200)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert len(ended.err.splitlines()) == 1
    assert "Traceback" not in ended.err


@pytest.mark.journey
def test_ctrl_c_ends_it_and_everything_it_started() -> None:
    Path("slow.py").write_text(GREEDY.replace("        return", "        while True: pass\n        return"))
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", "check", "slow.py", "--game", "nap", "--clock", "60"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(80),
        start_new_session=True,
    )
    give_up = time.monotonic() + PATIENCE
    while len(descendants(process.pid)) < 4 and time.monotonic() < give_up:
        os.sched_yield()
    started = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, "\ninterrupted\n")
    assert "Traceback" not in out
    assert started, "nothing had been started"
    assert not [pid for pid in started if Path(f"/proc/{pid}").exists()]


@pytest.mark.costly
def test_the_game_is_read_from_the_agents_file() -> None:
    arena("new", "mine.py", "--game", "tictactoe")
    ended = arena("check", "mine.py", "--positions", "1")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Checking mine.py: tictactoe, clock 10+0.1\n")
    arena("new", "bot.js", "--game", "nap")
    for words, what in (
        ("minee.py", "no file 'minee.py'; did you mean 'mine.py'?"),
        ("greedy.py", "'greedy.py' does not name its game: add --game GAME, such as --game connect4"),
        ("bott.js", "no file 'bott.js'; did you mean 'bot.js'?"),
        ("pvs", "'pvs' is built in and needs no check"),
        ("nobody", "no player 'nobody'"),
    ):
        ended = arena("check", words)
        assert (ended.code, ended.out) == (2, "")
        assert what in ended.err
    assert not list(Path.cwd().glob("arena*")), "something went on record"


@pytest.mark.costly
def test_a_module_with_the_name_of_a_library_is_warned_of() -> None:
    Path("team").mkdir()
    Path("team/agent.py").write_text(GREEDY)
    Path("team/numpy.py").write_text("")
    Path("msgspec.py").write_text(GREEDY)
    Path("beside.py").write_text(f"from heapq import heappop\nimport queue\n{GREEDY}")
    Path("heapq.py").write_text("")
    for player, file, what in (
        ("team", "numpy.py", "the library numpy"),
        ("msgspec.py", "msgspec.py", "the library msgspec"),
        ("beside.py", "heapq.py", "the module heapq of Python"),
    ):
        (found,) = json.loads(arena("check", player, "-g", "nap", "--positions", "1", "--format", "json").out)
        module = file.removesuffix(".py")
        words = f"{file} has the same name as {what}; 'import {module}' can load the wrong one"
        assert (found["light"], found["wrong"], found["told"]) == ("warning", "found and importable", words)
    (found,) = json.loads(arena("check", "greedy.py", "-g", "nap", "--positions", "1", "--format", "json").out)
    assert found["light"] == "good", "heapq.py is beside greedy.py, which does not import it"


def test_a_program_whose_language_the_tournament_does_not_have_needs_the_table(tmp_path: Path) -> None:
    """As a command it would pass, and then not be collected."""
    (tmp_path / "cs101.toml").write_text('game = "nap"\n', "utf-8")
    (tmp_path / "bot.js").write_text("", "utf-8")
    ended = arena("check", "bot.js", "--tournament", "cs101.toml", "--format", "json", cwd=tmp_path)
    (checked,) = json.loads(ended.out)
    step = checked["steps"][0]
    assert (ended.code, step["told"]) == (1, "bot.js is a JavaScript program")
    assert step["advice"] == ("to collect such programs, the tournament's description needs the table [languages.js]")


@pytest.mark.costly
def test_the_first_line_says_that_it_is_a_function_of_kaggle(tmp_path: Path) -> None:
    file = tmp_path / "submission.py"
    file.write_text("def agent(observation, configuration):\n    return observation.board.index(0)\n")
    ended = arena("check", str(file), "--game", "connect4", "--positions", "1", columns=300)
    assert ended.out.splitlines()[0] == f"Checking {file}, a function as Kaggle's agents are: connect4, clock 10+0.1"


@pytest.mark.costly
@pytest.mark.parametrize(
    ("file", "game"),
    [("chess_function.py", "chess"), ("plain_function.py", "connect4"), ("pettingzoo_policy.py", "connect4")],
)
def test_what_the_page_makes_agents_of_passes(file: str, game: str) -> None:
    if file.startswith("pettingzoo"):
        pytest.importorskip("pettingzoo", reason=needs.extra("pettingzoo"))
    assert f"examples/{file}" in (ROOT / "docs" / "languages.md").read_text("utf-8")
    ended = arena("check", str(EXAMPLES / file), "--game", game, "--positions", "4", columns=300)
    assert ended.code == 0
    assert "Ready to play: no problems found" in ended.out


@pytest.mark.costly
def test_a_program_without_its_neighbours_is_told_that_the_folder_can_be_given(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "helper.py").write_text("")
    (folder / "bot.py").write_text("import helper\n")
    ended = arena("check", f"cmd:{sys.executable} bot/bot.py", "--game", "tictactoe", cwd=tmp_path)
    said = " ".join(ended.out.split())
    assert "copied: rename bot.py to __main__.py, and name the folder:" in said
    assert f"'cmd:{sys.executable} bot/'" in said
