"""A tree to be searched by hand, and its key.

The seed says which tree: it is drawn again until it is a good one, in which something is cut off and no two values are
equal that a choice depends on. The sheet shows the leaves alone, the key what a search of ours found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from random import Random
from typing import Any, Final

from adsearch import Result, Trace, algorithms
from adsearch.errors import meant, quote
from adsearch.games.tree import Tree
from adsearch.pictures.tree_picture import Node, Picture, Shape, game_tree, search_tree
from adsearch.state import CHANCE
from adsearch.trace import written
from arena.course.lecture import random_trees, search_variants
from arena.course.lecture.questions import find_algorithm
from arena.errors import ArenaError

_TRIES: Final = 400
_MOST_LEAVES: Final = 64
_BLANK: Final = "= ____"
_LONG_BLANK: Final = "= __________"
"""Where several values are to be written."""


@dataclass(frozen=True, slots=True)
class _Task:
    """What the student who solves it is asked."""

    words: str
    depth: int
    width: int
    players: int = 2
    search: str = ""
    bounds: tuple[float, float | None] | None = None
    """Of the leaves, where they matter; None is infinite."""


_NOTE: Final = (
    "Beside a node stands its window [alpha, beta], and with <= or >= what is known of its value where something below "
    "it was cut off. Failing hard, the end of the window comes back instead."
)
_MINIMAX: Final = "MAX (triangle up) wants a high value, MIN (triangle down) a low one."
_CHANCE: Final = "A circle is chance, the numbers on its branches are probabilities."
_CUT: Final = "Search from left to right, and cross out every branch that can no longer change the value of the root."
_TASKS: Final = {
    "minimax": _Task(f"{_MINIMAX} Write its value beside every node.", 3, 2),
    "alphabeta": _Task(
        f"{_MINIMAX} Search from left to right with alpha-beta. Write the value that comes back beside every node that "
        "is visited, and cross out every branch that is cut off.",
        4,
        2,
    ),
    "expectiminimax": _Task(f"{_MINIMAX} {_CHANCE} Write its value beside every node.", 3, 2),
    "star1": _Task(
        f"{_CHANCE} Every leaf is worth 0 to 10. {_CUT}", 2, 4, search="expectiminimax:pruning=star1", bounds=(0, 10)
    ),
    "bounds": _Task(
        f"{_CHANCE} No leaf is worth less than 0; how much one may be worth is not known. {_CUT}",
        2,
        4,
        search="expectiminimax:pruning=star1",
        bounds=(0, None),
    ),
    "maxn": _Task(
        "Three players, 0, 1 and 2: the square says who moves, and every leaf what it is worth to each of them. Each "
        "wants the most for itself. Write the three values beside every node.",
        3,
        2,
        players=3,
    ),
}


@dataclass(frozen=True, slots=True)
class Exercise:
    """One tree to be searched by hand."""

    name: str
    seed: int
    task: str
    """In a few sentences."""
    description: dict[str, Any]
    """The tree, as `tree:file=...` reads it."""
    state: Tree
    result: Result[str]
    trace: Trace

    @property
    def title(self) -> str:
        """What it is, on a line."""
        return f"Exercise: {self.name}, tree {self.seed}"

    def sheet(self) -> Picture:
        """The tree with the values of its leaves alone, and room beside the other nodes."""
        return Picture(_emptied(game_tree(self.state).root), self.title)

    def key(self) -> Picture:
        """The tree with every value, window and cut-off."""
        picture = search_tree(self.state, self.trace, self.result)
        return Picture(_with_bounds(picture.root, self._windows()), f"{self.title}, solved")

    @property
    def note(self) -> str:
        """What there is to say about the key; mostly nothing."""
        return _NOTE if _prunes(self.name) else ""

    def answers(self) -> list[tuple[str, str]]:
        """What is asked for, and the answer to it."""
        value = self.result.values or (-self.result.value if self.state.turn == 1 else self.result.value)
        answers = [("Value of the root", written(value)), ("Best move", self.result.move or "none")]
        if _prunes(self.name):
            seen = search_variants.leaves_seen(self.trace)
            left_out = [leaf[-1] for leaf in search_variants.all_leaves(self.state, None) if leaf not in seen]
            answers.append(("Leaves not looked at", " ".join(left_out)))
        return answers

    def _windows(self) -> dict[tuple[str, ...], tuple[float, float]]:
        """The window that each node was given last."""
        return {
            call.path: (call.alpha, call.beta)
            for call in self.trace.calls()
            if call.alpha is not None and call.beta is not None
        }


def names() -> tuple[str, ...]:
    """Of all exercises."""
    return tuple(_TASKS)


def make(name: str, *, seed: int, depth: int | None = None, width: int | None = None) -> Exercise:
    """The exercise of that name and seed; ArenaError where there is none, or where its tree would be too large."""
    if name not in _TASKS:
        raise ArenaError(f"expected an exercise, got {quote(name)}{meant(name, names())}")
    task = _TASKS[name]
    depth, width = depth or task.depth, width or task.width
    if width**depth > _MOST_LEAVES:
        raise ArenaError(
            f"expected a tree of at most {_MOST_LEAVES} leaves, got {width**depth:,} (branching {width}, depth {depth})"
        )
    best: tuple[int, Exercise] | None = None
    for number in range(_TRIES):
        made = _made(name, task, seed, Random(f"{seed} {number}"), depth, width)
        if not _is_clear(made):
            continue
        quality = _quality(made)
        if best is None or quality > best[0]:
            best = quality, made
        if quality == _BEST:
            break
    if best is None:
        raise ArenaError(f"no tree of depth {depth} and branching {width} has one clear answer; try smaller ones")
    return best[1]


def _made(name: str, task: _Task, seed: int, random: Random, depth: int, width: int) -> Exercise:
    description = _description(name, task, random, depth, width)
    state = random_trees.opened(description)
    search, options = algorithms.configured(task.search or name)
    trace = Trace()
    result = search(state, trace=trace, **options)
    return Exercise(name, seed, task.words, description, state, result, trace)


def _description(name: str, task: _Task, random: Random, depth: int, width: int) -> dict[str, Any]:
    """A tree with leaves that are all different; of a game whose leaves have bounds, those of one node."""
    count = width**depth
    if task.players > 2:
        columns = [_sampled(random, 1, max(9, count), count) for _ in range(task.players)]
        leaves: list[random_trees.Value] = list(zip(*columns, strict=True))
    elif task.bounds is not None:
        leaves = [leaf for _ in range(count // width) for leaf in _sampled(random, 0, 10, width)]
    else:
        leaves = list(_sampled(random, -9, max(9, count - 9), count))
    chance = name in ("expectiminimax", "star1", "bounds")
    first = int(name == "bounds")

    def turn(ply: int) -> int:
        if chance:
            return CHANCE if ply % 2 else (first + ply // 2) % 2
        return ply % task.players

    made = random_trees.regular(depth, width, turn, lambda: random_trees.probabilities(random, width), leaves)
    bounds = task.bounds or (-_MOST_LEAVES, _MOST_LEAVES)
    return random_trees.described(made, players=task.players, bounds=bounds)


def _sampled(random: Random, low: int, high: int, count: int) -> list[int]:
    """So many different numbers."""
    return random.sample(range(low, high + 1), count)


# What makes a tree a good one.

_BEST: Final = 6
_DEEP: Final = 4
"""No cut-off of a lower tree is deep."""


def _quality(exercise: Exercise) -> int:
    """How much there is to find in it: cut-offs, deep ones most, and a best move that is not the first."""
    later = exercise.result.move != exercise.state.moves()[0]
    if not _prunes(exercise.name):
        return _BEST if later else 0
    cuts = _real_cuts(exercise)
    deep = True
    if exercise.name == "alphabeta" and exercise.state.max_plies >= _DEEP:
        variants = search_variants.wrong_variants(find_algorithm("alphabeta"), exercise.state, None)
        seen = search_variants.leaves_seen(exercise.trace)
        deep = all(leaves != seen for variant, leaves in variants.items() if not variant.deep)
    return min(cuts, 2) * 2 + later + deep if cuts else 0


def _real_cuts(exercise: Exercise) -> int:
    """How many cut-offs leave something out."""
    cuts = [event.path for event in exercise.trace.events if event.cutoff]
    return sum(path[-1] != random_trees.below(exercise.state, path[:-1]).moves()[-1] for path in cuts)


def _prunes(name: str) -> bool:
    return name in ("alphabeta", "star1", "bounds")


def _is_clear(exercise: Exercise) -> bool:
    """Whether there is one answer: no choice between equals, and no cut-off that hangs on an equality."""
    plain, _ = algorithms.configured("maxn" if exercise.state.players > 2 else "expectiminimax")
    return not any(_has_equals(state, plain) for state in _inner(exercise.state)) and not _hangs(exercise)


def _inner(state: Tree) -> Iterator[Tree]:
    if state.turn is not None:
        yield state
        for move in state.moves():
            yield from _inner(state.play(move))


def _has_equals(state: Tree, plain: Any) -> bool:
    """Whether two moves of a player are worth the same to it."""
    if state.turn is None or state.turn == CHANCE:
        return False
    worths = []
    for move in state.moves():
        child = state.play(move)
        if child.turn is None:
            worths.append(child.utilities()[state.turn])
        else:
            result = plain(child)
            values = result.values or ((1, -1) if child.turn != 1 else (-1, 1))
            worths.append(values[state.turn] if result.values else values[state.turn] * result.value)
    return len({round(worth, 9) for worth in worths}) < len(worths)


def _hangs(exercise: Exercise) -> bool:
    """Whether a cut-off at a chance node would be none if the bounds were a little wider."""
    task = _TASKS[exercise.name]
    if task.bounds is None:
        return False
    low, high = task.bounds
    wider = exercise.description | {"bounds": [low - 1e-6, None if high is None else high + 1e-6]}
    search, options = algorithms.configured(task.search)
    trace = Trace()
    search(random_trees.opened(wider), trace=trace, **options)
    return [event.path for event in trace.events] != [event.path for event in exercise.trace.events]


# Sheet and key.


def _emptied(node: Node) -> Node:
    """`node` and all below without what is to be found out."""
    if node.shape is Shape.END:
        return replace(node, best=False)
    children = tuple(map(_emptied, node.children))
    blank = _LONG_BLANK if node.shape is Shape.SEAT else _BLANK
    return replace(node, value=None, window=blank, best=False, children=children)


def _with_bounds(node: Node, windows: dict[Any, tuple[float, float]], above: Sequence[str] = ()) -> Node:
    """`node` and all below, with what came back from outside a window shown as the bound that it is."""
    path = (*above, node.label)
    children = tuple(_with_bounds(child, windows, path) for child in node.children)
    alpha, beta = windows.get(path, (-inf, inf))
    window = node.window
    if isinstance(node.value, int | float) and any(not each.visits for each in node.walk()):
        sign = "<=" if node.value <= alpha else ">=" if node.value >= beta else ""
        window = f"{window} {sign} {written(node.value, digits=3)}".strip() if sign else window
    return replace(node, window=window, children=children)
