"""Real confined processes: each question gets one answer, whatever the function does to its process."""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest import mock

import pytest

from arena.course.lecture import questions, student_process
from arena.course.lecture.student_process import StudentProcess, file_and_function
from arena.errors import BadPlayer
from arena.match.allowance import WallKind
from tests.kit.behind_walls import need, needs_linux
from tests.kit.student_searches import minimax

HOSTILE = """
import os, sys
def minimax(state):
    name = state.moves()[0]
    print("at", name)
    if name == "b":
        return 1
    if name == "L":
        while True:
            pass
    if name == "E":
        os._exit(7)
    if name == "b1":
        for descriptor in range(3, 20):
            try:
                os.write(descriptor, b'{"value": 3, "events": [[99, null]]}\\n')
            except OSError:
                pass
    return 2
"""


@pytest.mark.costly
def test_a_process_that_is_lost_costs_its_question_and_three_cost_the_rest(tmp_path: Path) -> None:
    file = tmp_path / "hostile.py"
    file.write_text(HOSTILE.replace('"E"', '"B"'))
    asked = questions.questions_for(questions.find_algorithm("minimax"), seed=1, count=0, with_depth=False)
    with StudentProcess(file, "minimax", seconds=0.5) as process:
        answers = {question.name: process.ask(question) for question in asked}
    assert answers["tree:four_leaves"].value == 1.0
    assert answers["tree:window"].failed == "no answer within 0.5 s: is there an endless loop?"
    assert answers["tree:binary"].failed == "its process exited with code 7: at B"
    assert answers["tree:textbook"].failed == "its process exited with code 7: at B"
    assert answers["tree:best_first"].failed == "not tried: its process was lost 3 times"
    assert [answer.tried for answer in answers.values()] == [True] * 4 + [False] * 3
    assert process.printed.endswith("at B\n")


def test_a_function_cannot_forge_answers(tmp_path: Path) -> None:
    file = tmp_path / "forger.py"
    file.write_text(HOSTILE.replace('"b1"', '"b"').replace("return 1", "pass"))
    (question, *_) = questions.questions_for(questions.find_algorithm("minimax"), seed=1, count=0, with_depth=False)
    with StudentProcess(file, "minimax") as process:
        assert process.ask(question).failed == "it wrote into the channel for answers; use only print for output"


@needs_linux
def test_a_function_sees_neither_files_nor_our_searches(tmp_path: Path) -> None:
    need(WallKind.SANDBOX)
    secret = tmp_path / "roster.csv"
    secret.write_text("secret")
    file = tmp_path / "curious.py"
    file.write_text(
        f"def minimax(state):\n    open({str(secret)!r})\n"
        "def alphabeta(state):\n    import adsearch.alphabeta\n"
        "def pvs(state):\n    return [0] * 10**9\n"
    )
    (question, *_) = questions.questions_for(questions.find_algorithm("minimax"), seed=1, count=0, with_depth=False)
    told = {}
    for name in ("minimax", "alphabeta", "pvs"):
        with StudentProcess(file, name, walls=WallKind.SANDBOX) as process:
            told[name] = process.ask(question).failed
    assert "curious.py, line 2: PermissionError: [Errno 13]" in told["minimax"]
    assert (
        told["alphabeta"]
        == "curious.py, line 4: No module named 'adsearch.alphabeta': our searches are not available, write your own"
    )
    assert told["pvs"] == "curious.py, line 6: MemoryError: it needs more memory than allowed"


@pytest.mark.costly
def test_a_file_that_never_finishes_loading_is_reported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(student_process, "_LOADS_WITHIN", 0.5)
    file = tmp_path / "loop.py"
    file.write_text("while True: pass\n")
    (question, *_) = questions.questions_for(questions.find_algorithm("minimax"), seed=1, count=0, with_depth=False)
    with StudentProcess(file, "minimax") as process:
        assert not process.takes_depth
        for _ in range(2):
            assert process.ask(question).failed == (
                "while the file is loaded: no answer within 0.5 s: is there an endless loop?"
            )


def test_no_process_or_folder_is_left() -> None:
    file = Path(minimax.__code__.co_filename)

    def interrupted() -> None:
        with StudentProcess(file, "minimax", walls=WallKind.LIMITS) as process:
            process.loaded()
            assert list(place.iterdir()) != []
            raise KeyboardInterrupt

    with tempfile.TemporaryDirectory(prefix="judge-") as folder, mock.patch("tempfile.tempdir", folder):
        place = Path(folder)
        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("homework", "expected FILE.py:function, such as my_search.py:alphabeta, got 'homework'"),
        ("", "expected FILE.py:function, such as my_search.py:alphabeta, got ''"),
        (
            "a.py:not a name",
            "expected FILE.py:function or FILE.py:Class.method, got 'a.py:not a name' ('not a name' is neither)",
        ),
        ("nowhere.py:f", "expected a Python file, but 'nowhere.py' does not exist (looked for "),
        ("folder.py:f", "expected a Python file, but 'folder.py' is a folder (looked for "),
    ],
    ids=["word", "empty", "name", "missing", "folder"],
)
def test_anything_but_a_file_and_a_function_is_an_error(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(BadPlayer) as refused:
        file_and_function(text)
    assert str(refused.value).startswith(words)


def test_file_and_function_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "研究 <script>.py").write_text("")
    assert file_and_function("研究 <script>.py:探索") == (tmp_path / "研究 <script>.py", "探索")
    assert file_and_function("研究 <script>.py:Agent.探索") == (tmp_path / "研究 <script>.py", "Agent.探索")
    assert file_and_function("研究 <script>.py") == (tmp_path / "研究 <script>.py", "")


COUNTING = """
calls = 0
def minimax(state):
    global calls
    calls += state.label == "a"
    if calls > 1 and state.label == "a":
        import os
        os._exit(3)
    if state.turn is None:
        return state.utilities()[0]
    return (max if state.turn == 0 else min)(minimax(state.play(move)) for move in state.moves())
"""


def test_the_cost_of_a_function_is_its_nodes_and_seconds_or_none_if_its_process_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "counting.py"
    file.write_text(COUNTING)
    small, window = questions.questions_for(questions.find_algorithm("minimax"), seed=1, count=0, with_depth=False)[:2]
    with StudentProcess(file, "minimax") as process:
        assert process.ask(window).value == 3.0
        cost = process.cost(window)
        assert cost is not None
        assert (cost.nodes, cost.failed) == (10, "")
        assert 0 < cost.seconds < 5
        assert process.ask(small).value == 2.0
        assert process.cost(small) is None
        assert process.cost(window) is None
