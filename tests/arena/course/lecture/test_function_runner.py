"""Whatever a student's file and function do, one line says what was expected and what came; visits are logged."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adsearch import CHANCE, State
from arena.course.lecture import function_runner, pacman_names
from arena.course.lecture.function_runner import BadFunction

TREE: dict[str, Any] = {"tree": {"A": {"B": {"b1": 3, "b2": 12}, "C": {"@turn": "chance", "c1": 2, "c2": 9}}}}


def examine(function: Callable[..., Any], depth: int | None = None) -> dict[str, Any]:
    return function_runner.run(function, __file__, {"tree": TREE, "depth": depth})


def failed(function: Callable[..., Any]) -> str:
    told = examine(function)["failed"]
    assert isinstance(told, str)
    return told


def test_visited_nodes_and_returned_values_are_logged() -> None:
    def search(state: Any) -> Any:
        if state.turn is None:
            return state.utilities()[0]
        return max([search(state.play(move)) for move in state.moves()])

    # A, B, b1, b2, C, c1, c2 are numbered in this order.
    assert examine(search) == {
        "value": 12.0,
        "move": None,
        "events": [
            *((2, None), (2, 3.0), (3, None), (3, 12.0), (1, 12.0)),
            *((5, None), (5, 2.0), (6, None), (6, 9.0), (4, 9.0), (0, 12.0)),
        ],
    }


def test_a_position_behaves_like_any_other() -> None:
    def look(state: Any) -> Any:
        assert isinstance(state, State)
        assert (state.turn, state.players, state.moves()) == (0, 2, ("B", "C"))
        assert (state.chance, state.hidden, state.zero_sum, state.max_plies) == (True, False, True, 2)
        assert state.play("C").turn == CHANCE
        assert state.play("C").chances() == (("c1", 0.5), ("c2", 0.5))
        assert state.bounds == (-12.0, 12.0)
        assert (str(state.play("B")), state.play("B").label, state.to_text("B")) == ("A B", "B", "B")
        assert state.play("B").key == state.play("B").key != state.play("C").key
        return state.play("B").evaluate(1)

    assert examine(look)["value"] == 0.0


def test_a_value_cached_for_one_tree_is_not_found_in_another() -> None:
    keys = set()

    def remember(state: Any) -> Any:
        keys.add(state.key)
        kept.append(state)
        return 0

    kept: list[Any] = []
    examine(remember)
    examine(remember)
    assert len(keys) == 2


@pytest.mark.parametrize(
    ("returned", "value", "move"),
    [
        (3, 3.0, None),
        ((3, "B"), 3.0, "B"),
        (("B", 3), 3.0, "B"),
        ((3, None), 3.0, None),
        ((None, 3), 3.0, None),
        ([1, 2], [1.0, 2.0], None),
        (((1, 2, 3), "B"), [1.0, 2.0, 3.0], "B"),
    ],
    ids=str,
)
def test_value_and_move_are_read_in_either_order(returned: Any, value: Any, move: str | None) -> None:
    told = examine(lambda _: returned)
    assert (told["value"], told["move"]) == (value, move)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (None, "expected a value, or (value, move), got None (is a return missing?)"),
        ("B", "expected a value, or (value, move), got 'B' (only a move: return the value as well)"),
        (True, "expected a value, or (value, move), got True"),
        ((3, 4j), "expected a value, or (value, move), got (3, 4j)"),
        ((), "expected a value, or (value, move), got ()"),
        (object(), "expected a value, or (value, move), got a object"),
        (float("nan"), "expected a number as value, got nan"),
        (float("inf"), "expected a number as value, got inf"),
        ("\x1b[31m" + "W" * 64, "expected a value, or (value, move), got '\\x1b[31m" + "W" * 48 + "..."),
    ],
    ids=["None", "move", "bool", "complex", "empty", "object", "nan", "inf", "long"],
)
def test_anything_but_a_value_is_an_error(returned: Any, words: str) -> None:
    assert failed(lambda _: returned).startswith(words)


class Unspeakable:
    """Its repr raises."""

    def __repr__(self) -> str:
        raise ValueError


def test_an_object_without_a_repr_is_shown_by_its_type() -> None:
    assert failed(lambda _: Unspeakable()) == "expected a value, or (value, move), got a Unspeakable"


def test_a_position_cannot_be_changed() -> None:
    def change(state: Any) -> Any:
        state.turn = 1

    assert "a position cannot be changed (state.turn = ...): state.play(move) returns a new one" in failed(change)


@pytest.mark.parametrize(
    ("does", "words"),
    [
        (lambda state: state.play("x"), "play('x') at A: expected one of its moves ('B', 'C')"),
        (lambda state: state.play(None), "play(None) at A: expected one of its moves ('B', 'C')"),
        (lambda state: state.utilities(), "utilities() is only for the end of the game (state.turn is None); at A"),
        (lambda _: exit(), "it ends the program (sys.exit)"),
        (lambda _: input(), "it reads from the keyboard"),
        (lambda state: state.nothing, "AttributeError: 'WatchedTree' object has no attribute 'nothing'"),
    ],
    ids=["no move", "no move at all", "not over", "exit", "input", "attribute"],
)
def test_errors_of_a_position_are_reported_with_the_line(
    does: Callable[[Any], Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agents.streams import NoKeyboard

    monkeypatch.setattr("sys.stdin", NoKeyboard())
    told = failed(does)
    assert words in told
    assert told.startswith(f"{Path(__file__).name}, line ")


def test_an_endless_recursion_is_reported() -> None:
    def again(state: Any) -> Any:
        return again(state)

    told = examine(again)
    assert "the recursion does not end; does it stop where the game is over?" in told["failed"]
    assert 1 <= len(told["traceback"]) <= 6


def test_endless_visits_are_reported() -> None:
    def look(state: Any) -> Any:
        while True:
            state.evaluate(0)

    assert failed(look) == "it visits more than 2,000 positions in a tree that has 7"


@pytest.mark.parametrize("turn", ["MAX", "MIN"])
def test_arguments_are_chosen_by_the_names_of_parameters(turn: str) -> None:
    tree = {"root": turn, "tree": {"A": {"B": 1}}}

    def search(
        node: Any, /, *rest: Any, max_depth: int, alpha: float, β: float, is_maximizing: bool, **more: Any
    ) -> Any:
        assert (rest, more, max_depth, alpha, β) == ((), {}, 1, float("-inf"), float("inf"))
        return 1 if is_maximizing else 0

    def signed(state: Any, colour: int, my_seat: int, depth: int = 0, table: Any = None) -> Any:
        assert (depth, table) == (0, None)
        return [colour, my_seat]

    is_max = turn == "MAX"
    assert function_runner.run(search, __file__, {"tree": tree, "depth": None})["value"] == is_max
    assert function_runner.run(signed, __file__, {"tree": tree, "depth": 1})["value"] == [
        1 if is_max else -1,
        not is_max,
    ]


def test_positional_only_parameters_get_arguments_too() -> None:
    def search(state: Any, depth: int, alpha: float, /, color: int) -> Any:
        return [depth, color]

    assert examine(search, depth=1)["value"] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda: 1, "expected a function whose first parameter is the position: (state, ...)"),
        (lambda *, _: 1, "expected a function whose first parameter is the position, got _"),
        (lambda _, foo: foo, "unknown parameter foo: expected state, depth, alpha"),
    ],
    ids=["none", "by name alone", "unknown"],
)
def test_a_function_that_cannot_be_called_is_an_error(function: Callable[..., Any], words: str) -> None:
    with pytest.raises(BadFunction) as refused:
        function_runner.parameters_of(function)
    assert str(refused.value).startswith(words)


try:
    compile("\0", "", "exec")
except (SyntaxError, ValueError) as error:
    NULL_BYTES = type(error)  # which of the two depends on the version of Python


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def minimax(state)\n", "homework.py, line 1: SyntaxError: expected ':'"),
        ("\0", f"homework.py: {NULL_BYTES.__name__}: source code string cannot contain null bytes"),
        ("\nimport nothing_like_it\n", "homework.py, line 2: there is no module 'nothing_like_it' here"),
        (
            "from adsearch import no_search\n",
            "cannot import name 'no_search' from 'adsearch': our searches are not available",
        ),
        ("import adsearch.no_search\n", "our searches are not available"),
        ("import sys\nsys.exit(1)\n", "homework.py, line 2: it ends the program (sys.exit)"),
        ("1 / 0\n", "homework.py, line 1: ZeroDivisionError: division by zero"),
        ("def minmax(state): pass\n", "expected a function minimax in homework.py; it has minmax"),
        ("", "expected a function minimax in homework.py; it has no functions"),
        ("minimax = 3\n", "expected a function minimax in homework.py, but it is of type int"),
    ],
    ids=["syntax", "binary", "module", "our search", "our module", "exit", "raises", "name", "empty", "no function"],
)
def test_a_file_that_cannot_be_used_is_an_error(source: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "homework.py"
    file.write_text(source)
    with pytest.raises(BadFunction) as refused:
        function_runner.load(str(file), "minimax")
    assert words in str(refused.value)


# The method of a class.

COUNT = """
import util
from game import Agent, Directions
from pacman import GameState

class Base(Agent):
    def __init__(self, evalFn="score", depth="2"):
        self.rounds = int(depth)

def score(state): pass
"""


def method(source: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str = "Mine.getAction") -> Any:
    for module in pacman_names.MODULES:
        monkeypatch.setitem(sys.modules, module, pacman_names)
    file = tmp_path / "homework.py"
    file.write_text(COUNT + source)
    return function_runner.load(str(file), name)


def asked(found: Any, agents: int = 2, depth: int | None = None) -> dict[str, Any]:
    return function_runner.run(found, "homework.py", {"tree": GHOSTS, "depth": depth, "agents": agents})


GHOSTS: dict[str, Any] = {"tree": {"A": {"B": {"@turn": "MIN", "b1": {"@turn": "MAX", "win": 3, "x": 0}, "lose": -2}}}}


def test_a_method_gets_a_game_state_and_its_object_what_the_course_gives_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = """
class Mine(Base):
    seen = []
    def getAction(self, gameState):
        ghosts = gameState.generateSuccessor(0, "B")
        over = [ghosts.generateSuccessor(1, action) for action in ghosts.getLegalActions(1)]
        Mine.seen.append((self.index, self.depth, self.rounds, gameState.getNumAgents(), gameState.getLegalActions()))
        Mine.seen.append([(state.isWin(), state.isLose(), state.getLegalActions()) for state in over])
        Mine.seen.append(self.evaluationFunction(over[1]))
        return "B"
"""
    found = method(source, monkeypatch, tmp_path)
    assert asked(found) == {"value": None, "move": "B", "events": [(5, None)], "created": [1, 2, 5]}
    assert sys.modules["homework"].Mine.seen == [
        (0, 2, 2, 2, ["B"]),
        [(False, False, ["win", "x"]), (False, True, [])],
        -2.0,
    ]


def test_names_in_snake_case_work_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = """
class Mine(Base):
    def get_action(self, state):
        below = state.generate_successor(0, state.get_legal_actions(0)[0])
        assert not (below.is_win() or below.is_lose()) and below.get_num_agents() == 2
        return "B" if self.evaluation_function(below) == below.get_score() else None
"""
    assert asked(method(source, monkeypatch, tmp_path, "Mine.get_action"))["move"] == "B"


def test_the_depth_of_an_object_is_in_rounds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = "class Mine(Base):\n    def getAction(self, state): return f'{self.depth} {self.rounds}'\n"
    found = method(source, monkeypatch, tmp_path)
    for agents, depth, rounds in ((2, 2, 1), (2, None, 2), (3, None, 1), (3, 6, 2)):
        assert asked(found, agents, depth)["move"] == f"{rounds} {rounds}"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("state.generateSuccessor(1, 'B')", "ValueError: generateSuccessor(1, 'B') at A: agent 0 moves here"),
        ("pass", "expected a move, got None (is a return missing?)"),
        ("return 3", "expected a move, got 3"),
        ("util.raiseNotDefined()", "NotImplementedError: this method is not written yet"),
        ("return self.getAction(state)", "RecursionError: the recursion does not end"),
    ],
    ids=["agent", "nothing", "number", "not written", "recursion"],
)
def test_what_a_method_does_wrong_is_one_line(
    body: str, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = method(f"class Mine(Base):\n    def getAction(self, state): {body}\n", monkeypatch, tmp_path)
    assert words in asked(found)["failed"]


@pytest.mark.parametrize(
    ("source", "name", "words"),
    [
        ("", "Bass.getAction", "expected a class Bass in homework.py; it has Base; did you mean 'Base'?"),
        ("", "score.getAction", "expected a class score in homework.py, but it is of type function"),
        ("", "Base.getAction", "expected a method getAction in class Base of homework.py; it has no method"),
        (
            "class Mine(Base):\n    def getAcion(self, state): pass\n",
            "Mine.getAction",
            "class Mine of homework.py; it has getAcion; did you mean 'getAcion'?",
        ),
        (
            "class Mine(Base):\n    def __init__(self, a): pass\n    def getAction(self, state): pass\n",
            "Mine.getAction",
            "Mine() failed: homework.py: TypeError: ",
        ),
        ("", "Base", "expected a function Base in homework.py, but it is a class: name its method, Base.METHOD"),
    ],
    ids=["class", "function", "no method", "method", "cannot be made", "no method named"],
)
def test_a_method_that_cannot_be_used_is_an_error(
    source: str, name: str, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(BadFunction) as refused:
        method(source, monkeypatch, tmp_path, name)
    assert words in str(refused.value)
