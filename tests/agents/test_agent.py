"""The Agent class: what it is given, what it can report with `tell`, and how its returned moves are handled."""

import math
from dataclasses import dataclass
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adsearch import State, games
from agents import Agent, Clock, hosting
from agents.protocol import CELL_LENGTH, INFO_BYTES, MOST_MARKS, MOVE_LENGTH, CellMark, Info


class First(Agent):
    """Plays the first move; has an __init__ of its own, which does not call Agent's."""

    def __init__(self) -> None:
        self.drawn = self.random.random()

    def choose(self, state: State[Any], clock: Clock) -> Any:
        return state.moves()[0]


def told(**what: Any) -> dict[str, Any]:
    """What is told of a first move of tic-tac-toe."""
    agent = First()
    agent.tell(**what)
    return hosting.reported(agent, games.start("tictactoe"))


def test_without_a_clock_the_time_is_infinite_and_a_move_has_a_second() -> None:
    clock = Clock()
    assert clock.left == clock.remaining() == math.inf
    assert clock.budget == 1.0


def test_the_time_that_remains_runs_down_to_nothing() -> None:
    now = iter([10.0, 10.25, 13.0])
    clock = Clock(2.0, 0.5, now=lambda: next(now))
    assert (clock.left, clock.budget) == (2.0, 0.5)
    assert clock.remaining() == 1.75
    assert clock.remaining() == 0.0


def test_the_turn_began_when_it_arrived() -> None:
    assert Clock(2.0, now=lambda: 5.0, since=4.5).elapsed() == 0.5


def test_an_agent_has_a_random_that_its_seed_decides() -> None:
    first, second = First(), First()
    assert first.drawn == second.drawn
    hosting.seat(first, "a", 0, 7)
    hosting.seat(second, "b", 1, 7)
    assert first.random.random() == second.random.random() == Random(7).random()
    assert (first.name, first.seat, second.name, second.seat) == ("a", 0, "b", 1)


def test_what_is_told_comes_out_in_the_protocols_types() -> None:
    assert told(depth=3, score=1, nodes=20, line=("b2", "a1"), text="so") == {
        "depth": 3,
        "score": 1.0,
        "nodes": 20,
        "line": ("b2", "a1"),
        "text": "so",
    }


def test_what_is_told_later_adds_to_what_was_told_before() -> None:
    agent = First()
    agent.tell(depth=1, score=0.5)
    agent.tell(depth=2)
    state = games.start("tictactoe")
    assert hosting.reported(agent, state) == {"depth": 2, "score": 0.5}
    assert hosting.reported(agent, state) == {}


def test_a_line_of_moves_is_told_as_texts() -> None:
    agent, state = First(), games.start("connect4")
    assert state.moves()[:2] == (0, 1)
    agent.tell(line=[3, 3, "4", 0, "so on", 9])
    assert hosting.reported(agent, state)["line"] == ("4", "4", "4", "1", "so on", "9")


def test_marked_cells_are_told_in_words_or_numbers_from_minus_one_to_one() -> None:
    marks = {"e4": "good", "d5": 0.5, "c6": -3, "b7": 9, "a8": True}
    assert told(marks=marks) == {"marks": {"e4": "good", "d5": 0.5, "c6": -1.0, "b7": 1.0, "a8": 1.0}}
    assert told(marks={f"c{number}": "note" for number in range(80)}) == {
        "marks": {f"c{number}": "note" for number in range(MOST_MARKS)}
    }
    for mark in get_args(CellMark):
        assert told(marks={"c" * CELL_LENGTH: mark}) == {"marks": {"c" * CELL_LENGTH: mark}}


def test_marks_that_cannot_be_sent_are_left_out() -> None:
    wrong = {"a1": "great", "a2": math.nan, "a3": None, "a4": Odd(), "": "good", "a\n": "good", "é": "good", 5: "good"}
    assert told(marks=wrong | {"c" * (CELL_LENGTH + 1): "good", "b1": "bad"}) == {"marks": {"b1": "bad"}}
    for marks in (["a1"], "a1", 5, Odd()):
        assert told(marks=marks) == {}


@pytest.mark.parametrize("score", [math.inf, -math.inf, math.nan, 1e301, "high", [1]])
def test_a_score_that_is_no_number_is_left_out(score: Any) -> None:
    assert told(score=score) == {}


def test_counts_are_kept_within_what_can_be_stored() -> None:
    assert told(depth=-1, nodes=10**30) == {"depth": 0, "nodes": 2**63 - 1}
    assert told(depth="deep", nodes=math.nan) == {}


class Odd:
    """Fails wherever it is looked at."""

    def __repr__(self) -> str:
        raise RuntimeError

    __str__ = __repr__
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __iter__(self) -> Any:
        raise RuntimeError


class EqualToAll:
    """Claims to be every move."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 12345


def test_what_cannot_be_told_is_no_error() -> None:
    odd = Odd()
    assert told(depth=odd, score=odd, nodes=odd, line=odd, text=odd, marks=odd) == {}


texts = st.text(st.characters(), max_size=3000)


marked = st.dictionaries(texts | st.text('"\\ee4', min_size=1, max_size=16), st.floats() | texts | st.integers())


@given(line=texts | st.lists(texts | st.integers()), text=texts, marks=marked)
@example(
    line=["\0" * 15] * 64,
    text="\0" * 3000,
    marks={f'"""""""""""""{number:03}': -0.1234567890123456 for number in range(99)},
)
def test_whatever_is_told_fits_into_the_protocol(line: Any, text: str, marks: Any) -> None:
    info = told(line=line, text=text, marks=marks, depth=1, score=1e299, nodes=2**80)
    assert len(msgspec.json.encode(msgspec.convert(info, Info))) <= INFO_BYTES


@dataclass(frozen=True)
class Looks:
    """Prints like a move."""

    def __repr__(self) -> str:
        return "4"


@pytest.mark.parametrize(
    "choice", ["4", None, 7, -1, 4.5, [4], (4,), Odd(), EqualToAll(), Looks(), object, b"4", 10**1000, "\ud800\n" * 99]
)
def test_what_is_no_legal_move_is_told_as_none(choice: Any) -> None:
    state = games.start("connect4")
    assert hosting.legal(choice, state) is None
    text = hosting.described(choice)
    assert text.startswith("choose returned ")
    assert len(text) <= MOVE_LENGTH
    assert text.isprintable()
    with pytest.raises(ValueError, match="expected a legal move"):
        state.from_text(text)


def test_a_choice_that_is_a_move_is_that_move() -> None:
    state = games.start("connect4")
    assert [hosting.legal(choice, state) for choice in (4, 4.0, True)] == [4, 4, 1]
    assert all(type(hosting.legal(choice, state)) is int for choice in (4.0, True))


def test_an_agent_must_choose() -> None:
    with pytest.raises(NotImplementedError, match=r"Agent must define choose\(self, state, clock\)"):
        Agent().choose(games.start("nap"), Clock())
