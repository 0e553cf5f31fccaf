"""`arena course exercise` as its user sees it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arena.course.lecture import kinds
from tests.kit.arena_program import arena
from tests.kit.places import ROOT


def test_without_files_the_sheet_is_printed(tmp_path: Path) -> None:
    ended = arena("course", "exercise", "alphabeta", "--seed", "7", cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Exercise: alphabeta, tree 7\n\nMAX (triangle up)")
    assert "A MAX  = ____\n├─ B MIN  = ____\n" in ended.out
    assert ended.out.endswith("\nLeaves not visited: ________________________\n")
    assert "pruned" not in ended.out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", kinds.names())
def test_every_line_fits_a_terminal(kind: str) -> None:
    ended = arena("course", "exercise", kind, "--seed", "1", "--text", "--key")
    assert ended.code == 0
    assert max(map(len, ended.out.split("\n"))) <= 80
    assert ended.out.startswith(f"Exercise: {kind}, ")
    assert " 1, solved\n" in ended.out


def test_files_are_written_and_named(tmp_path: Path) -> None:
    ended = arena(
        *("exercise", "star1", "--seed", "2", "--svg", "sheet.svg", "--answers", "key.svg", "--tree", "tree.json"),
        cwd=tmp_path,
    )
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == "written: sheet.svg\nwritten: key.svg\nwritten: tree.json\n"
    assert "solved" in (tmp_path / "key.svg").read_text("utf-8")
    assert "solved" not in (tmp_path / "sheet.svg").read_text("utf-8")
    assert set(json.loads((tmp_path / "tree.json").read_text())) == {"players", "bounds", "tree"}
    traced = arena("search", "trace", "tree:file=tree.json", "expectiminimax:pruning=star1", cwd=tmp_path)
    assert traced.code == 0
    assert "cut-off" in traced.out


def test_without_a_seed_it_is_said_how_to_have_the_same_tree_again() -> None:
    ended = arena("course", "exercise", "minimax")
    assert ended.code == 0
    seed = ended.err.strip().rpartition(" ")[2]
    assert ended.err == f"to make the same exercise again: --seed {seed}\n"
    assert arena("course", "exercise", "minimax", "--seed", seed).out == ended.out


def test_a_class_gets_the_same_sheets_again_from_the_seed_that_is_printed(tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id,alias\n1,kestrel\n2,merlin\n")
    asked = ("exercise", "minimax", "--roster", "roster.csv", "--out")
    ended = arena(*asked, "week", cwd=tmp_path)
    assert (ended.code, ended.out) == (0, "week: 2 sheets, their keys, and index.csv with all answers\n")
    seed = ended.err.partition("--seed ")[2].split()[0]
    assert ended.err == f"to make the same exercises again: --seed {seed} (keep it secret: it makes the keys)\n"
    assert arena(*asked, "again", "--seed", seed, cwd=tmp_path).code == 0
    first, second = (
        {file.relative_to(tmp_path / folder): file.read_text() for file in (tmp_path / folder).rglob("*.*")}
        for folder in ("week", "again")
    )
    assert first == second
    assert len(first) == 7
    refused = arena(*asked, "week", "--seed", "1", cwd=tmp_path)
    assert (refused.code, refused.out) == (2, "")
    assert "'week' has files already; choose another name" in refused.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nim",), "expected an exercise, got 'nim'; did you mean 'minimax'?"),
        (("<script>\x1b[31m",), "expected an exercise, got '<script>\\x1b[31m'; there is minimax, alphabeta"),
        (("minimax", "--depth", "6", "--branching", "6"), "at most 64 leaves, got 46,656"),
        (("minimax", "--depth", "1"), "--depth: expected at least 2, got '1'"),
        (("minimax", "--svg", "nowhere/sheet.svg"), "there is no folder 'nowhere'"),
        (("minimax", "--svg", "x.svg", "--answers", "x.svg"), "'x.svg' is given for two files"),
        (("minimax", "--answers", "."), "it is a folder; name a file in it"),
        (("minimax", "--roster", "roster.csv"), "--roster needs --out FOLDER too"),
        (("minimax", "--out", "week"), "--out needs --roster FILE.csv too"),
        (("minimax", "--roster", "roster.csv", "--out", "week", "--key"), "leave out --text, --key, --svg"),
        (("minimax", "--roster", "roster.csv", "--out", "week"), "cannot read 'roster.csv': No such file"),
        (("ucb1", "--tree", "tree.json"), "the exercise ucb1 has no tree to write: leave out --tree"),
    ],
    ids=[
        "name",
        "awkward",
        "large",
        "flat",
        "folder",
        "twice",
        "directory",
        "roster",
        "out",
        "text",
        "missing",
        "no tree",
    ],
)
def test_what_cannot_be_done_is_told(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    ended = arena("course", "exercise", *arguments, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert "Traceback" not in ended.err


# `arena course judge` as its user sees it.


RIGHT = "examples/my_search.py:alphabeta"
PLAIN = "examples/my_search.py:minimax"


def without_times(text: str) -> str:
    return re.sub(r"\d\.\d{4} s", "TIME", text)


def test_a_right_search_is_told_so() -> None:
    ended = arena("course", "judge", RIGHT, "--trees", "6", cwd=ROOT)
    assert (ended.code, ended.err) == (0, "")
    first, *rows = ended.out.split("\n")
    assert first.split() == ["tree", "leaves", "what"]
    assert sum(" right " in row for row in rows) == 13
    assert re.search(
        r"\n13 of 13 trees are right\n"
        r"your function: 142 nodes in 0\.\d{4} s; our alphabeta: 142 nodes in 0\.\d{4} s\n\Z",
        ended.out,
    )


TOLD = """\
tree                     leaves  what
tree:four_leaves  WRONG       4  at c continues with g; alphabeta cuts off
                                 there: after f = 1, alpha 2 >= beta 1
tree:window       WRONG       6  at M continues with Y2; alphabeta cuts off
                                 there: after X2 = 2, alpha 3 >= beta 2
tree:binary       WRONG       8  at E continues with 4; alphabeta cuts off
                                 there: after 3 = 5, alpha 5 >= beta 4
tree:textbook     WRONG       9  at C continues with c2; alphabeta cuts off
                                 there: after c1 = 2, alpha 3 >= beta 2
tree:best_first   WRONG       9  at C continues with c2; alphabeta cuts off
                                 there: after c1 = 3, alpha 6 >= beta 3
tree:worst_first  right       9
tree:professors   WRONG      13  at J continues with R; alphabeta cuts off
                                 there: after Q = 15, alpha 15 >= beta -3

tree:four_leaves, as alphabeta searches it:

a MAX = 2  [-inf, +inf]
┝━ b MIN = 2  [-inf, +inf]
│  ┝━ d = 2
│  └─ e = 7
└─ c MIN ≤ 1  [2, +inf]
   ├─ f = 1
   └╌ g  pruned

visited    d e f g
expected   d e f
at c continues with g; alphabeta cuts off there: after f = 1, alpha 2 >= beta 1

1 of 7 trees are right
common cause: it never cuts off: it visits every leaf
your function: 93 nodes in TIME; our alphabeta: 79 nodes in TIME
"""


def test_a_wrong_one_is_told_where_and_why() -> None:
    ended = arena("course", "judge", PLAIN, "--as", "alphabeta", "--trees", "0", cwd=ROOT)
    assert (ended.code, ended.err) == (1, "")
    assert without_times(ended.out) == TOLD
    assert max(map(len, ended.out.split("\n"))) <= 80


def test_programs_get_a_row_a_tree() -> None:
    printed = arena("course", "judge", PLAIN, "--as", "alphabeta", "--trees", "1", "--format", "json", cwd=ROOT)
    rows = json.loads(printed.out)
    assert printed.code == 1
    assert len(rows) == 8
    for row in rows:
        assert 0 < row.pop("time") < 5000
        assert 0 < row.pop("expected_time") < 5000
    assert rows[0] == {
        "tree": "tree:four_leaves",
        "depth": None,
        "passed": False,
        "value": 2.0,
        "expected_value": 2.0,
        "move": None,
        "expected_moves": ["b"],
        "leaves": ["d", "e", "f", "g"],
        "expected_leaves": ["d", "e", "f"],
        "difference": "at c continues with g; alphabeta cuts off there: after f = 1, alpha 2 >= beta 1",
        "nodes": 7,
        "expected_nodes": 6,
    }
    listed = arena("course", "judge", PLAIN, "--as", "alphabeta", "--trees", "1", "--format", "csv", cwd=ROOT)
    table = list(csv.DictReader(io.StringIO(listed.out)))
    assert [row["passed"] == "yes" for row in table] == [row["passed"] for row in rows]


AWKWARD = '''
def minimax(state):
    """Fails in words that a terminal would obey."""
    print("<script>\\x1b[2J", "W" * 64, "研究")
    raise ValueError("<script>\\x1b[31m" + "W" * 64 + "\\n研究")
'''


def test_what_a_student_wrote_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    (tmp_path / "研究.py").write_text(AWKWARD, "utf-8")
    ended = arena("course", "judge", "研究.py:minimax", "--trees", "0", cwd=tmp_path)
    assert ended.code == 1
    assert "研究.py, line 5: ValueError: <script>\\x1b[31mWWW" in ended.out
    assert "the last line that it printed: <script>\\x1b[2J WWW" in ended.out
    assert "\x1b" not in ended.out
    assert "Traceback" not in ended.out


def test_what_cannot_be_loaded_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "homework.py").write_text("def minimax(state):\n    return 1\n\n1 / 0\n")
    ended = arena("course", "judge", "homework.py:minimax", cwd=tmp_path)
    assert (ended.code, ended.err) == (1, "")
    assert ended.out == (
        "the function cannot be judged: homework.py, line 4: ZeroDivisionError: division by zero\n"
        "  line 4, in <module>: 1 / 0\n"
    )
    rows = json.loads(arena("course", "judge", "homework.py:minimax", "--format", "json", cwd=tmp_path).out)
    assert {row["difference"] for row in rows} == {"homework.py, line 4: ZeroDivisionError: division by zero"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("homework",), "expected FILE.py:function, such as my_search.py:alphabeta, got 'homework'"),
        (("nowhere.py:minimax",), "expected a Python file, but 'nowhere.py' does not exist"),
        (("homework.py",), "expected --as ALGORITHM, or a function named after one (minimax, negamax"),
        (("homework.py:best",), "expected --as ALGORITHM, or a function named after one (minimax"),
        (("homework.py:minmax",), "expected an algorithm that can be judged, got 'minmax'; did you mean 'minimax'?"),
        (("homework.py:Best.move",), "expected --as ALGORITHM, or a function named after one (minimax"),
        (("homework.py:Best.move", "--as", "maxn"), "expected an algorithm for MAX and MIN, because a method is"),
        (("homework.py:best", "--questions", "q.toml"), "expected only FILE.py with --questions"),
        (("homework.py", "--questions", "q.toml", "--format", "json", "--limit", "1"), "has all questions: leave out"),
        (("homework.py", "--questions", "q.toml"), "cannot read an assignment from 'q.toml': No such file"),
        (("homework.py:best", "--as", "mcts"), "that can be judged, got 'mcts'; there is minimax"),
    ],
    ids=["word", "missing", "nothing", "name", "typo", "class", "method", "both", "limit", "no file", "algorithm"],
)
def test_what_cannot_be_asked_is_told(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    (tmp_path / "homework.py").write_text("def best(state): return 1\n")
    ended = arena("course", "judge", *arguments, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert ended.err.count("\n") == 1


PROJECT = "examples/multi-agent/project.toml"


def test_a_file_that_is_right_gets_all_points_of_an_assignment() -> None:
    ended = arena("course", "judge", "examples/multi-agent/right.py", "--questions", PROJECT, cwd=ROOT)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith("\n15 of 15 points\n")


@pytest.mark.costly
def test_gradescope_reads_what_is_wrong_with_a_file() -> None:
    given = ("--questions", PROJECT, "--trees", "12")
    ended = arena("course", "judge", "examples/multi-agent/wrong.py", *given, "--format", "json", cwd=ROOT)
    document = json.loads(ended.out)
    assert ended.code == 1
    assert [test["status"] for test in document["tests"]] == ["passed", "failed", "failed"]
    assert document["score"] == sum(test["score"] for test in document["tests"])
    assert "it cuts off where values are equal, too" in document["tests"][1]["output"]
    listed = arena("course", "judge", "examples/multi-agent/wrong.py", *given, "--format", "csv", cwd=ROOT)
    rows = list(csv.DictReader(io.StringIO(listed.out)))
    assert [float(row["points"]) for row in rows] == [test["score"] for test in document["tests"]]


HOSTILE = """
import os
class Agent:
    def getAction(self, gameState): return gameState.getLegalActions(0)[0]
class Loop(Agent):
    def getAction(self, gameState):
        while True: pass
class Exit(Agent):
    def getAction(self, gameState): os._exit(3)
class Boom(Agent):
    def __init__(self): raise RuntimeError("<script>\x1b[31m")
"""


@pytest.mark.costly
def test_whatever_a_method_does_its_question_has_one_line_and_the_next_is_asked(tmp_path: Path) -> None:
    (tmp_path / "agents.py").write_text(HOSTILE)
    names = ("Loop.getAction", "Exit.getAction", "Boom.getAction", "Lop.getAction", "Agent.getAcion")
    text = "".join(f'[[question]]\nfunction = "{name}"\nas = "minimax"\n' for name in names)
    (tmp_path / "project.toml").write_text(text)
    given = ("agents.py", "--questions", "project.toml", "--trees", "0", "--seconds", "0.2")
    ended = arena("course", "judge", *given, "--columns", "what", columns=300, cwd=tmp_path)
    assert (ended.code, ended.err) == (1, "")
    assert ended.out == (
        "what\n"
        "tree:four_leaves: no answer within 0.2 s: is there an endless loop?\n"
        "tree:four_leaves: its process exited with code 3\n"
        "Boom() failed: agents.py, line 11: RuntimeError: <script>\\x1b[31m\n"
        "expected a class Lop in agents.py; it has Agent, Loop, Exit, Boom; did you mean 'Loop'?\n"
        "expected a method getAcion in class Agent of agents.py; it has getAction; did you mean 'getAction'?\n"
        "\n0 of 5 points\n"
    )


@pytest.mark.costly
def test_it_can_be_interrupted(tmp_path: Path) -> None:
    """Somebody loses patience with an endless loop."""
    (tmp_path / "loop.py").write_text("def minimax(state):\n    while True: pass\n")
    with (
        tempfile.TemporaryDirectory(prefix="judge-") as folder,
        subprocess.Popen(
            [sys.executable, "-m", "arena", "judge", "loop.py:minimax", "--seconds", "60"],
            cwd=tmp_path,
            env=os.environ | {"TMPDIR": folder},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        # The note of the group is written when the function's process runs.
        while not list(Path(folder).glob("arena-run-*/scratch/group-*")):
            assert process.poll() is None
            os.sched_yield()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        assert (process.returncode, out, err) == (130, "", "")
        assert list(Path(folder).iterdir()) == []
