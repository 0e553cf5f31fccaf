"""A worksheet, which is one exercise on paper with its key; and the kinds of exercise with a tree to search by hand.

A worksheet is a value: `exercise_sheet.py` draws it. The tree is computed from the seed: random trees are drawn until
one is good, that is, something is cut off, and no choice depends on two equal values. The sheet shows only the leaves;
the key shows the result of our own search.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from random import Random
from typing import Any, Final

from adsearch import Result, Trace, algorithms, searches
from adsearch.errors import meant, quote
from adsearch.games.tree import Tree
from adsearch.pictures.tree_picture import Node, Picture, Shape, game_tree, search_tree
from adsearch.state import CHANCE
from adsearch.trace import window_text, written
from adsearch.wrapped import backwards
from arena.course.lecture import questions, random_trees
from arena.course.lecture.questions import find_algorithm
from arena.errors import ArenaError

Figure = Picture | str
"""A tree, or lines of a table or a program, which are drawn with letters of one width."""


@dataclass(frozen=True, slots=True)
class Worksheet:
    """One exercise and its key."""

    title: str
    task: str
    """The task in a few sentences."""
    sheet: tuple[Figure, ...]
    """The figures without the solution."""
    key: tuple[Figure, ...]
    answers: tuple[tuple[str, str], ...]
    """Each question with its answer."""
    note: str = ""
    """A note on how to read the key; may be empty."""
    description: dict[str, Any] | None = None
    """The tree, as `tree:file=...` reads it; None for an exercise without a tree."""


def title_of(kind: str, seed: int, student: str, what: str = "tree") -> str:
    """The title on one line: with the student, or with the seed."""
    return f"Exercise: {kind}, {student or f'{what} {seed}'}"


# Trees to search by hand.


_TRIES: Final = 400
"""Number of random trees drawn to find a good one."""
_MOST_LEAVES: Final = 64
_BLANK: Final = "= ____"
_LONG_BLANK: Final = "= __________"
"""Room for several values."""


@dataclass(frozen=True, slots=True)
class _Task:
    """The task for the student, and the shape of its tree."""

    words: str
    depth: int
    width: int
    players: int = 2
    search: str = ""
    """Our own search, if its name is not that of the exercise."""
    bounds: tuple[float, float | None] | None = None
    """Bounds of the leaves' values, if they matter; None is infinite."""
    prunes: bool = False
    plain: str = ""
    """A search that looks at other leaves than `search` in a good tree, so that the two are not mixed up."""
    backwards: bool = False
    """Whether children are searched from right to left."""
    window: bool = False
    """Whether the search starts with a window."""


_NOTE: Final = (
    "Beside each node is its window [alpha, beta]. A value with ≥ or ≤ is only a bound of the true value, because a "
    "branch below was cut off. A fail-hard search returns the end of the window instead."
)
_NOTE_OF_NEGASCOUT: Final = (
    "Beside each node is the window of its last visit, [alpha, beta]. A value with ≥ or ≤ is only a bound of the true "
    "value, because a branch below was cut off or the true value is outside the window."
)
_MINIMAX: Final = "MAX (triangle up) maximizes the value, MIN (triangle down) minimizes it."
_CHANCE: Final = "A circle is a chance node; the numbers on its branches are probabilities."
_CUT: Final = "Search from left to right, and cross out every branch that can no longer change the value of the root."
_TASKS: Final = {
    "minimax": _Task(f"{_MINIMAX} Write the value of every node beside it.", 3, 2),
    "alphabeta": _Task(
        f"{_MINIMAX} Search from left to right with alpha-beta. Write the returned value beside every visited node, "
        "and cross out every branch that is cut off.",
        4,
        2,
        prunes=True,
    ),
    "window": _Task(
        f"{_MINIMAX} Search from left to right with alpha-beta, fail-soft, and with the window {{window}} at the root. "
        "Write the returned value beside every visited node, and cross out every branch that is cut off. What does the "
        "result say about the true value of the root?",
        4,
        2,
        search="alphabeta",
        prunes=True,
        plain="alphabeta",
        window=True,
    ),
    "right-to-left": _Task(
        f"{_MINIMAX} Search with alpha-beta, but look at the children of every node from right to left. Write the "
        "returned value beside every visited node, and cross out every branch that is cut off.",
        4,
        2,
        search="alphabeta",
        prunes=True,
        backwards=True,
    ),
    "negascout": _Task(
        f"{_MINIMAX} All values are whole numbers. Search from left to right with NegaScout: after the first child, "
        "MAX asks with the window [alpha, alpha + 1], MIN with [beta - 1, beta]; only if the answer v is strictly "
        "between alpha and beta, the child is searched again, with [v, beta] or [alpha, v]. A node returns alpha (MAX) "
        "or beta (MIN). Mark every node that is searched again, and cross out every branch that is cut off.",
        4,
        2,
        prunes=True,
        plain="alphabeta",
    ),
    "expectiminimax": _Task(f"{_MINIMAX} {_CHANCE} Write the value of every node beside it.", 3, 2),
    "star1": _Task(
        f"{_CHANCE} Every leaf has a value from 0 to 10. {_CUT}",
        2,
        4,
        search="expectiminimax:pruning=star1",
        bounds=(0, 10),
        prunes=True,
    ),
    "bounds": _Task(
        f"{_CHANCE} No leaf has a value below 0; there is no known upper bound. {_CUT}",
        2,
        4,
        search="expectiminimax:pruning=star1",
        bounds=(0, None),
        prunes=True,
    ),
    "maxn": _Task(
        "Three players, 0, 1 and 2: the square shows who moves, and every leaf has a value for each player. Each "
        "player maximizes its own value. Write the three values beside every node.",
        3,
        2,
        players=3,
    ),
}


@dataclass(frozen=True, slots=True)
class Exercise:
    """One tree to search by hand."""

    name: str
    seed: int
    task: str
    """The task in a few sentences."""
    description: dict[str, Any]
    """The tree, as `tree:file=...` reads it."""
    state: Tree
    result: Result[str]
    trace: Trace
    window: tuple[float, float] = (-inf, inf)
    """The window at the root."""
    student: str = ""
    """The student whose exercise it is; may be empty."""

    @property
    def title(self) -> str:
        """The title, on one line."""
        return title_of(self.name, self.seed, self.student)

    def worksheet(self) -> Worksheet:
        """The exercise as it is drawn."""
        answers = tuple(self.answers())
        return Worksheet(self.title, self.task, (self.sheet(),), (self.key(),), answers, self.note, self.description)

    def sheet(self) -> Picture:
        """The tree with only the values of its leaves, and room beside the other nodes."""
        return Picture(_emptied(game_tree(self.state).root), self.title)

    def key(self) -> Picture:
        """The tree with every value, window and cut-off."""
        return search_tree(self.state, self.trace, self.result, title=f"{self.title}, solved")

    @property
    def note(self) -> str:
        """A note on how to read the key; may be empty."""
        if self.name == "negascout":
            return _NOTE_OF_NEGASCOUT
        return _NOTE if _prunes(self.name) else ""

    def answers(self) -> list[tuple[str, str]]:
        """Each question with its answer."""
        value = self.result.values or (-self.result.value if self.state.turn == 1 else self.result.value)
        answers = [("Value of the root", written(value)), ("Best move", self.result.move or "none")]
        if _TASKS[self.name].window:
            (alpha, beta), returned = self.window, self.result.value
            sign = "at most" if returned <= alpha else "at least" if returned >= beta else "exactly"
            answers = [("Returned value", written(returned)), ("True value", f"{sign} {written(returned)}")]
        if self.name == "negascout":
            answers.append(("Nodes searched again", " ".join(questions.searched_again(self.trace))))
        if _prunes(self.name):
            seen = questions.leaves_seen(self.trace)
            left_out = [leaf[-1] for leaf in questions.all_leaves(self.state, None) if leaf not in seen]
            answers.append(("Leaves not visited", " ".join(left_out)))
        return answers


def names() -> tuple[str, ...]:
    """The names of all exercises."""
    return tuple(_TASKS)


def make(name: str, *, seed: int, student: str = "", depth: int | None = None, width: int | None = None) -> Exercise:
    """The exercise of this name and seed, for this student; ArenaError if there is none, or if its tree would be too
    large."""
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
        random = Random(f"{seed} {student} {number}" if student else f"{seed} {number}")
        made = replace(_made(name, task, seed, random, depth, width), student=student)
        quality = _quality(made)
        if (best is not None and quality <= best[0]) or not _is_clear(made):
            continue
        best = quality, made
        if quality == _BEST:
            break
    if best is None:
        raise ArenaError(
            f"found no tree of depth {depth} and branching {width} with a unique answer; try smaller numbers"
        )
    return best[1]


def _made(name: str, task: _Task, seed: int, random: Random, depth: int, width: int) -> Exercise:
    description = _description(name, task, random, depth, width)
    state = random_trees.opened(description)
    window = (-inf, inf)
    if task.window:
        # No leaf has the value of an end, so the result is either inside the window or outside.
        leaves = (random_trees.below(state, path) for path in questions.all_leaves(state, None))
        free = sorted({*range(-(width**depth), width**depth)} - {int(leaf.utilities()[0]) for leaf in leaves})
        middle = len(free) // 2
        window = (random.choice(free[:middle]), random.choice(free[middle:]))
    result, trace = _searched(name, state, window)
    words = task.words.replace("{window}", window_text(*window))
    return Exercise(name, seed, words, description, state, result, trace, window)


def _searched(name: str, state: Tree, window: tuple[float, float]) -> tuple[Result[str], Trace]:
    """Our own search of `state`, with its trace."""
    task = _TASKS[name]
    search, options = _configured(task.search or name)
    if task.window:
        options = options | {"alpha": window[0], "beta": window[1]}
    trace = Trace()
    return search(backwards(state) if task.backwards else state, trace=trace, **options), trace


# Hundreds of trees are searched for one exercise.
_configured = cache(searches.configured)


def _description(name: str, task: _Task, random: Random, depth: int, width: int) -> dict[str, Any]:
    """A tree with different leaves; if leaves have bounds, only those below one node are different."""
    count = width**depth
    if task.players > 2:
        columns = [_sampled(random, 1, max(9, count), count) for _ in range(task.players)]
        leaves: list[random_trees.Value] = list(zip(*columns, strict=True))
    elif task.bounds is not None:
        leaves = [leaf for _ in range(count // width) for leaf in _sampled(random, 0, 10, width)]
    elif task.window:
        leaves = list(_sampled(random, -count, count - 1, count))
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
    """`count` different numbers."""
    return random.sample(range(low, high + 1), count)


# The quality of a tree.

_BEST: Final = 6
"""Highest quality."""
_DEEP: Final = 4
"""Depth in plies from which a tree can have deep cut-offs."""


def _quality(exercise: Exercise) -> int:
    """The quality: cut-offs, deep cut-offs or what is special in this kind, and a best move that is not the first."""
    task = _TASKS[exercise.name]
    first = exercise.state.moves()[-1 if task.backwards else 0]
    later = task.window or exercise.result.move != first
    if not _prunes(exercise.name):
        return _BEST if later else 0
    cuts = sum(event.cutoff for event in exercise.trace.events)
    deep = True
    if exercise.name == "alphabeta" and exercise.state.max_plies >= _DEEP:
        variants = questions.wrong_variants(find_algorithm("alphabeta"), exercise.state, None)
        seen = questions.leaves_seen(exercise.trace)
        deep = all(leaves != seen for variant, leaves in variants.items() if not variant.deep)
    elif exercise.name == "negascout" and _most_visits(exercise.trace) != 2:
        # Nothing is searched again, or there is a second search inside a second search: too much work on paper.
        deep = False
    elif task.plain:
        _, plain = _searched(task.plain, exercise.state, (-inf, inf))
        deep = set(questions.leaves_seen(plain)) != set(questions.leaves_seen(exercise.trace))
    return min(cuts, 2) * 2 + later + deep if cuts else 0


def _most_visits(trace: Trace) -> int:
    """How often the search visited the node that it visited most often."""
    return max(Counter(call.path for call in trace.calls()).values())


def _prunes(name: str) -> bool:
    return _TASKS[name].prunes


def _is_clear(exercise: Exercise) -> bool:
    """Whether the answer is unique: no choice between equal values, no cut-off that depends on an equality."""
    plain, _ = algorithms.configured("maxn" if exercise.state.players > 2 else "expectiminimax")
    return not any(_has_equals(state, plain) for state in _inner(exercise.state)) and not _depends_on_exact_bounds(
        exercise
    )


def _inner(state: Tree) -> Iterator[Tree]:
    if state.turn is not None:
        yield state
        for move in state.moves():
            yield from _inner(state.play(move))


def _has_equals(state: Tree, plain: Any) -> bool:
    """Whether two moves have the same value for the player that moves."""
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


def _depends_on_exact_bounds(exercise: Exercise) -> bool:
    """Whether the cut-offs at chance nodes would be others if the bounds were slightly wider or narrower. Where an
    expected value can just reach the window, rounding would decide."""
    task = _TASKS[exercise.name]
    if task.bounds is None:
        return False
    search, options = _configured(task.search)
    drawn = exercise.state.tree
    low, high = drawn.bounds
    for more in (1e-6, -1e-6):
        # Not read again: there the leaves must be inside the bounds.
        wider = replace(drawn, bounds=(low - more, high + more))
        trace = Trace()
        search(Tree.at(wider, wider.root), trace=trace, **options)
        if [event.path for event in trace.events] != [event.path for event in exercise.trace.events]:
            return True
    return False


# Sheet and key.


def _emptied(node: Node) -> Node:
    """`node` and all below, without the solution."""
    if node.shape is Shape.END:
        return replace(node, best=False)
    children = tuple(map(_emptied, node.children))
    blank = _LONG_BLANK if node.shape is Shape.SEAT else _BLANK
    return replace(node, value=None, window=blank, best=False, children=children)
