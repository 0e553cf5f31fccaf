"""The questions for a student's function: the algorithms that can be judged, the trees to test them on, and the
variants of a search that a wrong answer may come from.

An algorithm can be judged if there is only one correct order in which it visits the leaves of a tree; `judging.py`
compares the function with our own search. The lecture trees come first, then random ones, each from small to large.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import inf, isinf, nextafter
from random import Random
from typing import Any, Final

from adsearch.errors import meant, quote
from adsearch.games.tree import Tree, shipped
from adsearch.pictures.tree_picture import Path
from adsearch.trace import EventKind, Trace
from arena.course.lecture import random_trees
from arena.errors import ArenaError

_LECTURE_TREES: Final = ("four_leaves", "window", "binary", "textbook", "best_first", "worst_first", "professors")
_CHANCE_TREES: Final = ("bounded_below", "coins")
_DEPTHS: Final = (2, 3, 4)
"""Depths of the random trees."""


@dataclass(frozen=True, slots=True)
class JudgedAlgorithm:
    """An algorithm that can be judged."""

    name: str
    search: str
    """Our own search, written as for `adsearch.searches`."""
    lectures: tuple[str, ...] = _LECTURE_TREES
    """The lecture trees that suit the algorithm."""
    players: int = 2
    chance: bool = False
    for_mover: bool | None = None
    """Whether its value is for the side to move (True) or for MAX (False); None: both are accepted."""
    prunes: bool = False
    steady: bool = True
    """Whether in every correct search a node returns its value or the nearest end of its window."""
    also: tuple[str, ...] = ()
    """Other algorithms that lectures call by this name: a function that is right as one of them is right."""
    similar: tuple[str, ...] = ()
    """Algorithms that a function may be by mistake; the judge then names them."""

    @property
    def judges_methods(self) -> bool:
        """Whether it can be asked of a method, whose trees have MAX and others, and no chance nodes."""
        return self.players == 2 and self.lectures != _CHANCE_TREES


_ALGORITHMS: Final = {
    algorithm.name: algorithm
    for algorithm in (
        JudgedAlgorithm("minimax", "minimax"),
        JudgedAlgorithm("negamax", "negamax", also=("negamax_bounds",)),
        JudgedAlgorithm("negamax_bounds", "negamax_bounds", prunes=True),
        JudgedAlgorithm("alphabeta", "alphabeta", prunes=True, similar=("alphabeta_strict",)),
        JudgedAlgorithm(
            "alphabeta_strict",
            "alphabeta_strict",
            prunes=True,
            steady=False,
            also=("alphabeta_strict_soft",),
            similar=("alphabeta",),
        ),
        JudgedAlgorithm("alphabeta_strict_soft", "alphabeta_strict_soft", prunes=True),
        JudgedAlgorithm("pvs", "pvs", prunes=True, steady=False),
        JudgedAlgorithm("negascout", "negascout", prunes=True, steady=False, similar=("pvs",)),
        JudgedAlgorithm("expectiminimax", "expectiminimax", _CHANCE_TREES, chance=True),
        JudgedAlgorithm("star1", "expectiminimax:pruning=star1", _CHANCE_TREES, chance=True, prunes=True, steady=False),
        JudgedAlgorithm("expectimax", "expectimax", ("four_leaves", "textbook", "coins"), chance=True, for_mover=True),
        JudgedAlgorithm("maxn", "maxn", ("three",), players=3, for_mover=True),
        JudgedAlgorithm("paranoid", "paranoid", ("three",), players=3, for_mover=True, prunes=True),
    )
}


_CLASSES: Final = {"minimax": "minimax", "alphabeta": "alphabeta_strict_soft", "expectimax": "expectimax"}
"""The algorithms of Berkeley's project, by the names of its classes without Agent."""


@dataclass(frozen=True, slots=True)
class Question:
    """A tree to search."""

    name: str
    description: dict[str, Any]
    depth: int | None = None
    """Search depth in plies; None: to the end of the game."""
    agents: int = 0
    """For a method of a class: the number of agents that move in turn. Agent 0 is MAX, all others are MIN."""


def algorithm_names() -> tuple[str, ...]:
    """The names of the algorithms that can be judged."""
    return tuple(_ALGORITHMS)


def find_algorithm(name: str) -> JudgedAlgorithm:
    """The algorithm of this name; the ArenaError lists all names."""
    if name not in _ALGORITHMS:
        there = meant(name, algorithm_names())
        raise ArenaError(f"expected an algorithm that can be judged, got {quote(name)}{there}")
    return _ALGORITHMS[name]


def named_after(function: str) -> str:
    """The algorithm that a function, or the class of a method, is named after; empty if it is none."""
    name, _, method = function.partition(".")
    if method:
        return _CLASSES.get(name.lower().removesuffix("agent"), "")
    return name if name in _ALGORITHMS else ""


def is_function_or_method(text: str) -> bool:
    """Whether the text is written as a function's name, or as Class.method."""
    parts = text.split(".")
    return len(parts) <= 2 and all(map(str.isidentifier, parts))


def questions_for_method(algorithm: JudgedAlgorithm, *, seed: int, count: int) -> list[Question]:
    """The same for the method of a class: MAX moves first, then one or two others. Every third random tree is searched
    fewer rounds deep than it is."""
    if not algorithm.judges_methods:
        raise ArenaError(f"expected an algorithm for MAX and MIN, because a method is judged, got {algorithm.name}")
    asked = [Question(f"tree:{name}", shipped()[name], agents=2) for name in _LECTURE_TREES]
    for number in range(1, count + 1):
        random = Random(f"{seed} {number}")
        agents = 2 + number % 2
        depth = _DEPTHS[(number - 1) * len(_DEPTHS) // count] + agents - 2
        made = random_trees.irregular(random, depth=depth, players=2, chance=False, agents=agents)
        limit = (depth - 1) // agents * agents
        asked.append(Question(f"random {number}", made, limit if limit and number % 3 == 0 else None, agents))
    return asked


def questions_for(algorithm: JudgedAlgorithm, *, seed: int, count: int, with_depth: bool) -> list[Question]:
    """The lecture trees, and `count` random ones from this seed; `with_depth`: every third random tree is searched one
    ply less deep than it is."""
    asked = [Question(f"tree:{name}", shipped()[name]) for name in algorithm.lectures]
    for number in range(1, count + 1):
        random = Random(f"{seed} {number}")
        depth = _DEPTHS[(number - 1) * len(_DEPTHS) // count]
        made = random_trees.irregular(random, depth=depth, players=algorithm.players, chance=algorithm.chance)
        asked.append(Question(f"random {number}", made, depth - 1 if with_depth and number % 3 == 0 else None))
    return asked


# Variants of a search: common mistakes of students, and correct versions from other textbooks.


@dataclass(frozen=True, slots=True)
class SearchVariant:
    """A search that differs from the algorithm."""

    words: str
    strict: bool = False
    """Whether it cuts off only if alpha > beta, not if they are equal."""
    deep: bool = True
    """Whether it passes its window to its grandchildren."""
    shares_root: bool = True
    """Whether the root passes its best value so far to its next child."""
    cuts: tuple[int, ...] = (0, 1)
    """The seats whose nodes are cut off."""
    hard: bool = False
    """Whether it fails hard, that is, returns no value outside the window."""


_ALPHABETA: Final = (
    SearchVariant(
        "it cuts off only if alpha > beta: cut off if they are equal too, because the result cannot change",
        strict=True,
    ),
    SearchVariant("it never passes a window to grandchildren, so there are no deep cut-offs", deep=False),
    SearchVariant(
        "it searches each child of the root with a fresh window: pass the best value so far", shares_root=False
    ),
    SearchVariant("it cuts off only at the nodes of MAX", cuts=(0,)),
    SearchVariant("it cuts off only at the nodes of MIN", cuts=(1,)),
)
_CUTS_EQUAL: Final = SearchVariant("it cuts off where values are equal, too: cut off only if v > beta or v < alpha")
_RETURNS_WINDOW: Final = SearchVariant(
    "it returns alpha or beta: return the best value that it found", strict=True, hard=True
)
_NEVER_CUTS: Final = SearchVariant("it never cuts off: it visits every leaf")
_REVERSED: Final = SearchVariant("it tries moves from last to first: use the order of state.moves()")
_NO_NULL_WINDOWS: Final = SearchVariant(
    "it searches every child with the full window: that is alpha-beta, without null windows"
)


def wrong_variants(algorithm: JudgedAlgorithm, state: Tree, depth: int | None) -> dict[SearchVariant, list[Path]]:
    """The wrong variants of the algorithm, each with the leaves that it visits, in order."""
    if not algorithm.prunes:
        return {_REVERSED: all_leaves(state, depth, backwards=True)}
    found = {_NEVER_CUTS: all_leaves(state, depth)}
    if algorithm.name == "alphabeta_strict_soft":
        variants = [_CUTS_EQUAL, _RETURNS_WINDOW, *(replace(variant, strict=True) for variant in _ALPHABETA[1:])]
        found |= {variant: _AlphaBeta(variant).leaves(state, depth) for variant in variants}
    elif algorithm.name in ("alphabeta", "negamax_bounds", "pvs", "negascout"):
        # First the whole mistake: on some trees alpha-beta without deep cut-offs visits the same leaves.
        variants = [_NO_NULL_WINDOWS] if algorithm.name in ("pvs", "negascout") else []
        variants += [replace(variant, hard=hard) for variant in _ALPHABETA for hard in (False, True)]
        found |= {variant: _AlphaBeta(variant).leaves(state, depth) for variant in variants}
    return found


def accepted_variants(algorithm: JudgedAlgorithm, state: Tree, depth: int | None) -> list[list[Path]]:
    """The leaves that other textbooks' versions of the algorithm visit."""
    searches: list[_AlphaBeta] = []
    if algorithm.name == "negascout":
        searches = [_Pvs(hard=hard, narrow=True, whole=True) for hard in (True, False)]
    elif algorithm.name == "pvs":
        searches = [
            _Pvs(hard=hard, narrow=narrow, whole=whole) for narrow, hard, whole in product((True, False), repeat=3)
        ]
    return [search.leaves(state, depth) for search in searches]


def all_leaves(state: Tree, depth: int | None, *, backwards: bool = False) -> list[Path]:
    """All leaves, in order."""

    def walk(state: Tree, path: Path) -> Iterator[Path]:
        if state.turn is None or len(path) - 1 == depth:
            yield path
            return
        for move in state.moves()[::-1] if backwards else state.moves():
            yield from walk(state.play(move), (*path, move))

    return list(walk(state, (state.label,)))


def leaves_seen(trace: Trace) -> list[Path]:
    """The leaves that our own search visited, in order."""
    return without_repeats([event.path for event in trace.events if event.kind is EventKind.LEAF])


def searched_again(trace: Trace) -> list[str]:
    """The nodes that the search visited a second time directly after the first, in order."""
    back = (EventKind.LEAF, EventKind.RETURN)
    again = [
        event.path[-1]
        for before, event in pairwise(trace.events)
        if before.path == event.path and before.kind in back and event.kind is not EventKind.RETURN
    ]
    return list(dict.fromkeys(again))


def without_repeats(leaves: Sequence[Path]) -> list[Path]:
    """`leaves` without immediate repetitions."""
    return [leaf for at, leaf in enumerate(leaves) if at == 0 or leaf != leaves[at - 1]]


class _AlphaBeta:
    """Alpha-beta with the changes of a variant."""

    def __init__(self, variant: SearchVariant) -> None:
        self.variant = variant
        self.seen: list[Path] = []

    def leaves(self, state: Tree, depth: int | None) -> list[Path]:
        """The leaves that the search visits, in order."""
        self.value(state, (state.label,), -1 if depth is None else depth, -inf, inf)
        return without_repeats(self.seen)

    def value(self, state: Tree, path: Path, left: int, alpha: float, beta: float) -> float:
        """The value that the search of `state` returns."""
        if state.turn is None or left == 0:
            self.seen.append(path)
            return self.returned(state.evaluate(0), alpha, beta)
        window = alpha, beta
        best = -inf if state.turn == 0 else inf
        for move in state.moves():
            value = self.child_value(state, move, path, left, alpha, beta, best)
            if state.turn == 0:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if state.turn in self.variant.cuts and (alpha > beta or (alpha == beta and not self.variant.strict)):
                break
        return self.returned(best, *window)

    def child_value(
        self, state: Tree, move: str, path: Path, left: int, alpha: float, beta: float, best: float
    ) -> float:
        """The value that the search of the child by this move returns; `best` is the best value so far."""
        if len(path) == 1 and not self.variant.shares_root:
            alpha, beta = -inf, inf
        elif not self.variant.deep:
            alpha, beta = (best, inf) if state.turn == 0 else (-inf, best)
        return self.value(state.play(move), (*path, move), left - 1, alpha, beta)

    def returned(self, value: float, alpha: float, beta: float) -> float:
        """`value`, failing hard or soft."""
        return min(max(value, alpha), beta) if self.variant.hard else value


class _Pvs(_AlphaBeta):
    """Principal variation search, in the versions of several textbooks."""

    def __init__(self, *, hard: bool, narrow: bool, whole: bool) -> None:
        """`hard`: it fails hard; `narrow`: the second search starts with the value of the first; `whole`: a null window
        is (alpha, alpha + 1), because the values are integers."""
        super().__init__(SearchVariant("", hard=hard))
        self.narrow = narrow
        self.whole = whole

    def child_value(
        self, state: Tree, move: str, path: Path, left: int, alpha: float, beta: float, best: float
    ) -> float:
        child, below = state.play(move), (*path, move)
        if isinf(best):
            return self.value(child, below, left - 1, alpha, beta)
        null_window = (alpha, self.above(alpha)) if state.turn == 0 else (-self.above(-beta), beta)
        value = self.value(child, below, left - 1, *null_window)
        if alpha < value < beta:
            if self.narrow:
                alpha, beta = (value, beta) if state.turn == 0 else (alpha, value)
            value = self.value(child, below, left - 1, alpha, beta)
        return value

    def above(self, value: float) -> float:
        """The next greater number."""
        return value + 1 if self.whole else nextafter(value, inf)
