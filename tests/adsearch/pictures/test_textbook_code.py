"""The textbook code is run: it visits the nodes of the real search, and runs the lines that the steps say."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from inspect import signature
from math import inf, nextafter
from random import Random
from types import FrameType
from typing import Any

import pytest

from adsearch import State, Trace, games, terms
from adsearch.games.tree import Tree, read
from adsearch.pictures.call_trace import as_calls
from adsearch.pictures.search_steps import Stepped, stepped
from adsearch.pictures.tree_picture import search_tree
from adsearch.registry import algorithms, dialects, searches
from adsearch.state import CHANCE
from adsearch.trace import EventKind
from tests.kit.every_game import AnyState
from tests.kit.random_trees import random_tree

MODULE = "<textbook>"

Calls = list[tuple[tuple[str, ...], Any]]
"""The path and the returned value of each call."""


class Values(tuple[float, ...]):
    """A value for each seat, with the sums of the textbook."""

    def __add__(self, other: Any) -> Values:
        return Values(one + two for one, two in zip(self, other, strict=True))

    def __rmul__(self, factor: float) -> Values:  # type: ignore[override]
        return Values(factor * one for one in self)


@dataclass(frozen=True)
class Position:
    """A node as the textbook sees it."""

    state: State[Any]
    path: tuple[str, ...]
    mover: int
    """The seat that moves here (in a finished game: would move)."""
    chance: float = 1.0
    later: float = 0.0
    first: bool = True


class Textbook:
    """Runs a textbook code at a position, and records its calls and how often each of its lines runs."""

    def __init__(self, search: Stepped, algorithm: str, state: State[Any], options: dict[str, Any]) -> None:
        assert search.code is not None
        self.calls: Calls = []
        self.ran: Counter[int] = Counter()
        self.algorithm = algorithm
        self.width = options.get("width", 4)
        self.me = terms.root_seat(state)
        self.depth = options.get("depth", inf)
        low, high = state.bounds
        self.words: dict[str, Any] = {
            "inf": inf,
            "LOWEST": low,
            "HIGHEST": high,
            "MAX": 0,
            "MIN": 1,
            "CHANCE": CHANCE,
            "ME": self.me,
            "guess": 0.0,
            "margin": 1.0,
            "width": options.get("width", 4),
            "is_leaf": lambda at: at.state.turn is None or len(at.path) - 1 >= self.depth,
            "utility": self.utility,
            "turn": lambda at: at.state.turn,
            "children": lambda at: [self.child(at, move) for move in at.state.moves()],
            "noisy_children": lambda at: [self.child(at, move) for move in at.state.noisy_moves()],
            "best_children": self.best_children,
            "probability": lambda at: at.chance,
            "probability_of_later": lambda at: at.later,
            "is_first": lambda at: at.first,
            "just_above": lambda number: nextafter(number, inf),
            "just_below": lambda number: nextafter(number, -inf),
            "clip": lambda value, low, high: min(max(value, low), high),
            "zeros": lambda: Values([0.0] * state.players),
        }
        source = "\n".join(search.code.lines)
        exec(compile(source, MODULE, "exec"), self.words)
        for name in [name for name, word in self.words.items() if hasattr(word, "__code__")]:
            if self.words[name].__code__.co_filename == MODULE and name not in DRIVERS and name != "average":
                self.words[name] = partial(self.call, self.words[name])

    def run(self, state: State[Any], *names: str) -> Any:
        """Run the function, or the driver, of the algorithm; return its value."""
        root = Position(state, (state.label,), terms.root_seat(state))
        driver = next((self.words[name] for name in DRIVERS if name in self.words), None)
        function = next(word for word in self.words.values() if isinstance(word, partial))
        with self.counted():
            if driver is not None:
                return driver(root)
            if function.args[0].__code__.co_argcount == 1:
                return function(root)
            return function(root, -inf, inf)

    def call(self, function: Any, at: Position, *window: float) -> Any:
        number = len(self.calls)
        self.calls.append((at.path, None))
        value = function(at, *window)
        self.calls[number] = (at.path, value)
        return value

    @contextmanager
    def counted(self) -> Iterator[None]:
        def local(frame: FrameType, event: str, arg: object) -> Any:
            if event == "line":
                self.ran[frame.f_lineno - 1] += 1
            return local

        before = sys.gettrace()
        sys.settrace(lambda frame, *_: local if frame.f_code.co_filename == MODULE else None)
        try:
            yield
        finally:
            sys.settrace(before)

    def utility(self, at: Position) -> Any:
        state = at.state
        if self.algorithm == "maxn":
            seats = range(state.players)
            return Values(state.utilities() if state.turn is None else (state.evaluate(seat) for seat in seats))
        seat = at.mover if "negamax" in self.algorithm else self.me if self.algorithm in FOR_ME else 0
        if state.turn is not None and self.algorithm == "winning":
            return 0.0
        return state.utilities()[seat] if state.turn is None else state.evaluate(seat)

    def child(self, at: Position, move: Any) -> Position:
        moves = at.state.moves()
        chances = dict(at.state.chances()) if at.state.turn == CHANCE else dict.fromkeys(moves, 1 / len(moves))
        state = at.state.play(move)
        return Position(
            state=state,
            path=(*at.path, at.state.to_text(move)),
            mover=1 - at.mover if state.turn is None else state.turn,
            chance=chances[move],
            later=sum(chances[other] for other in moves[moves.index(move) + 1 :]),
            first=move == moves[0],
        )

    def best_children(self, at: Position) -> list[Position]:
        children = [self.child(at, move) for move in at.state.moves()]
        return sorted(children, key=lambda child: -child.state.evaluate(at.state.turn or 0))[: self.width]


FOR_ME = ("winning", "expectimax", "paranoid")
DRIVERS = ("aspiration", "mtdf", "bisection")
"""Codes with a function that repeats a search."""

TWO_PLAYERS = {
    "minimax": "",
    "negamax": "",
    "alphabeta": "",
    "alphabeta:fail=hard": "",
    "pvs": "",
    "winning": "table=false",
    "quiescence": "",
    "selective:width=2": "",
    "aspiration:guess=0,margin=1": "",
    "mtdf:guess=0,table=false": "",
    "bisection:table=false": "",
    "expectiminimax": "",
    "expectiminimax:pruning=star1": "",
    "expectimax": "",
    "paranoid": "",
    "maxn": "",
}


def searched(algorithm: str, state: AnyState, **more: Any) -> tuple[Stepped, Trace, dict[str, Any]]:
    """A search in steps, with its trace and its options."""
    search, options = searches.configured(algorithm)
    options |= more
    trace = Trace()
    result = search(state, trace=trace, **options)
    return stepped(trace, search_tree(state, trace, result), algorithm.partition(":")[0], options), trace, options


def check(algorithm: str, state: AnyState, **more: Any) -> Counter[str]:
    """Check that the code visits the nodes of the search and runs the lines of its steps; count the executed tags."""
    search, trace, options = searched(algorithm, state, **more)
    assert search.code is not None
    textbook = Textbook(search, algorithm.partition(":")[0], state, options)
    textbook.run(state)
    wanted = [(call.path, call.value) for call in trace.calls()]
    found = textbook.calls
    if algorithm == "quiescence":  # a leaf is a call of the search and one of `quiet`
        found = [call for at, call in enumerate(found) if at == 0 or call[0] != found[at - 1][0]]
    if all(event.kind is not EventKind.INIT for event in trace.events[1:]):
        assert [path for path, _ in found] == [path for path, _ in wanted]
    for (path, value), (_, right) in zip(found, wanted, strict=True):
        assert right is None or value == pytest.approx(right), path
    said = Counter(line for step in search.steps for line in step.lines)
    tagged: Counter[str] = Counter()
    for tag, numbers in search.code.tags.items():
        for number in numbers:
            tagged[tag] += textbook.ran[number]
            if not search.code.lines[number].startswith("def "):
                assert said[number] == textbook.ran[number], search.code.lines[number]
    return tagged


@pytest.mark.parametrize("algorithm", [*TWO_PLAYERS])
def test_the_code_does_what_the_search_does(algorithm: str) -> None:
    algorithm = f"{algorithm}:{TWO_PLAYERS[algorithm]}".removesuffix(":")
    ran: Counter[str] = Counter()
    for seed in range(40):
        state = random_tree(Random(seed), alternate=True)
        if state.turn != 0 and algorithm.partition(":")[0] in DRIVERS:
            continue
        ran += check(algorithm, state)
    assert len(ran) >= 2


CHANCE_GAMES = ("expectiminimax", "expectiminimax:pruning=star1", "expectimax", "paranoid", "maxn")


@pytest.mark.parametrize("algorithm", CHANCE_GAMES)
def test_the_code_does_what_the_search_does_with_chance(algorithm: str) -> None:
    ran: Counter[str] = Counter()
    for seed in range(40):
        ran += check(algorithm, random_tree(Random(seed), alternate=True, chance=True))
    assert ran["chance call"] > 20
    assert "star1" not in algorithm or ran["chance stop"] > 0


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("algorithm", ["alphabeta", "pvs", "winning:table=false", "quiescence"])
def test_the_code_stops_at_the_depth_of_the_search(algorithm: str, depth: int) -> None:
    for seed in range(20):
        check(algorithm, random_tree(Random(seed), alternate=True), depth=depth)
    check(algorithm, games.start("tree:horizon"), depth=depth)


@pytest.mark.parametrize("algorithm", [*dialects])
def test_the_code_of_a_dialect_does_what_the_search_does(algorithm: str) -> None:
    ran: Counter[str] = Counter()
    for seed in range(40):
        ran += check(algorithm, random_tree(Random(seed), alternate=True, leaves=(-2, -1, 0, 1, 2)))
    assert min(ran[tag] for tag in ran if tag.endswith("stop")) > 0


def test_a_line_that_stops_runs_at_each_cut_off() -> None:
    search, _, _ = searched("alphabeta", games.start("tree:professors"))
    assert search.code is not None
    stops = {number for tag, numbers in search.code.tags.items() if tag.endswith("stop") for number in numbers}
    for step in search.steps:
        if step.event is not None and step.event.cutoff:
            assert stops & {*step.lines}


TRACED = sorted(name for name in algorithms | dialects if "trace" in signature(searches[name].search).parameters)


@pytest.mark.parametrize("algorithm", [*TRACED, "expectiminimax:pruning=star2", "deepening:algorithm=mtdf"])
def test_every_step_of_every_search_has_its_lines(algorithm: str) -> None:
    state = games.start("tree:bounded_below" if "star2" in algorithm else "tree:professors")
    more = {"simulations": 10} if algorithm == "mcts" else {}
    search, trace, _ = searched(algorithm, state, **more)
    assert search.code is not None
    assert len(search.steps) == len(trace.events) + 1
    for step in search.steps[:-1]:
        assert step.lines, step
        assert max(step.lines) < len(search.code.lines)
    assert {number for step in search.steps for number in step.appears} == {*range(len([*search.picture.root.walk()]))}


def test_lines_about_a_table_are_shown_where_a_value_came_from_one() -> None:
    lines = {}
    for table in ("false", "true"):
        search, trace, _ = searched(f"alphabeta:table={table}", games.start("grundy:9"))
        assert search.code is not None
        lines[table] = search.code.lines
        hits = sum(event.table for event in trace.events)
        (found,) = search.code.tags.get("table", ((),))[-1:] or [0]
        ran = sum(found in step.lines for step in search.steps)
        assert ran == hits
    assert len(lines["true"]) == len(lines["false"]) + 2


def test_a_cutoff_names_the_children_that_this_visit_leaves_out_though_a_later_one_looks_at_them() -> None:
    drawn = read({"tree": {"R": {"A": 3, "B": {"C": {"c1": 5, "c2": 4, "c3": 1}}}}})
    state, trace = Tree.at(drawn, drawn.root), Trace()
    result = algorithms["pvs"].search(state, trace=trace)
    steps = stepped(trace, search_tree(state, trace, result), "pvs", {}).steps
    (cut,) = [step for step in steps if step.event is not None and step.event.cutoff]
    assert "Cut-off: C leaves out c2, c3." in cut.says
    assert "c3" in [step.event.path[-1] for step in steps if step.event is not None]


def test_probes_of_all_outcomes_can_end_a_chance_node_without_a_cutoff() -> None:
    """MAX has 8. x is worth at most 7 and y at most 1, so their average is not searched; x2 and y2 are left out."""
    outcomes = {"x": {"@turn": "MIN", "x1": 7, "x2": 9}, "y": {"@turn": "MIN", "y1": 1, "y2": 9}}
    drawn = read({"bounds": [0, 10], "tree": {"R": {"S": 8, "C": {"@turn": "chance"} | outcomes}}})
    search, trace, _ = searched("expectiminimax:pruning=star2", Tree.at(drawn, drawn.root))
    assert not any(event.cutoff for event in trace.events)
    assert search.code is not None
    (returns,) = search.code.find("chance", "unprobed")
    assert [step.event.path for step in search.steps if step.event and returns in step.lines] == [("R", "C", "y")]
    assert [(node.label, node.cut) for node in search.picture.root.walk() if not node.visits] == [
        ("x2", True),
        ("y2", True),
    ]
    assert "a probe searches only the first move; left out: x2" in as_calls(trace)
