"""Other ways to walk a tree: what students often write instead of the algorithm, and what textbooks write as well.

The judge compares the leaves that a function looked at with those that each of these looks at, so that it can name what
is the matter in all trees at once. Values are for MAX, as in `adsearch/alphabeta.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf, nextafter
from typing import Final

from adsearch.games.tree import Tree
from arena.course.lecture.subjects import Subject

Path = tuple[str, ...]
"""A node, by the labels from the root."""


@dataclass(frozen=True, slots=True)
class Habit:
    """A way to cut off that is not quite alpha-beta's."""

    words: str
    strict: bool = False
    """It cuts off only when alpha is greater than beta, not at equality."""
    deep: bool = True
    """It hands its window down to its grandchildren."""
    shares_root: bool = True
    """What the root has found counts for its next child."""
    cuts: tuple[int, ...] = (0, 1)
    """Whose nodes are cut off."""
    hard: bool = False
    """Nothing comes back from outside the window."""


_ALPHABETA: Final = (
    Habit(
        "it cuts off only when strictly greater (alpha > beta); cut off at equality too: nothing can change",
        strict=True,
    ),
    Habit("it never hands a window on to grandchildren: there are no deep cut-offs", deep=False),
    Habit(
        "each child of the root is searched with a fresh window: hand on the best value found so far", shares_root=False
    ),
    Habit("it cuts off at the nodes of MAX alone", cuts=(0,)),
    Habit("it cuts off at the nodes of MIN alone", cuts=(1,)),
)
_NEVER: Final = Habit("it never cuts off: every leaf is looked at")
_REVERSED: Final = Habit("it tries moves from last to first; the order is that of state.moves()")
_NO_NULL_WINDOWS: Final = Habit(
    "it searches every child with the full window: that is alpha-beta, without null windows"
)


def known(subject: Subject, state: Tree, depth: int | None) -> dict[Habit, list[Path]]:
    """Habits, and for each the leaves that whoever has it looks at, in order."""
    if not subject.prunes:
        return {_REVERSED: everything(state, depth, backwards=True)}
    found = {_NEVER: everything(state, depth)}
    if subject.name in ("alphabeta", "pvs"):
        ways = [replace(habit, hard=hard) for habit in _ALPHABETA for hard in (False, True)]
        ways += [_NO_NULL_WINDOWS] if subject.name == "pvs" else []
        found |= {habit: _seen(_Walk(habit), state, depth) for habit in ways}
    return found


def as_good(subject: Subject, state: Tree, depth: int | None) -> list[list[Path]]:
    """The leaves that other textbooks' versions of the algorithm look at."""
    if subject.name != "pvs":
        return []
    return [_seen(_Pvs(*way), state, depth) for way in product((True, False), repeat=3)]


def everything(state: Tree, depth: int | None, *, backwards: bool = False) -> list[Path]:
    """All leaves, in order."""

    def walk(state: Tree, path: Path) -> Iterator[Path]:
        if state.turn is None or len(path) - 1 == depth:
            yield path
            return
        for move in _moves(state, backwards):
            yield from walk(state.play(move), (*path, move))

    return list(walk(state, (state.label,)))


def without_repeats(leaves: Sequence[Path]) -> list[Path]:
    """`leaves` without those that were looked at just before."""
    return [leaf for at, leaf in enumerate(leaves) if at == 0 or leaf != leaves[at - 1]]


def _moves(state: Tree, backwards: bool) -> Sequence[str]:
    return state.moves()[::-1] if backwards else state.moves()


class _Walk:
    """Alpha-beta with a habit."""

    def __init__(self, habit: Habit) -> None:
        self.habit = habit
        self.seen: list[Path] = []

    def value(self, state: Tree, path: Path, left: int, alpha: float, beta: float) -> float:
        """What `state` comes back with."""
        if state.turn is None or left == 0:
            self.seen.append(path)
            return _told(state.evaluate(0), (alpha, beta), self.habit.hard)
        given = alpha, beta
        best = -inf if state.turn == 0 else inf
        for move in state.moves():
            window = self.window(path, alpha, beta, best, state.turn)
            value = self.value(state.play(move), (*path, move), left - 1, *window)
            if state.turn == 0:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if state.turn in self.habit.cuts and (alpha > beta or (alpha == beta and not self.habit.strict)):
                break
        return _told(best, given, self.habit.hard)

    def window(self, path: Path, alpha: float, beta: float, best: float, turn: int) -> tuple[float, float]:
        """The next child's."""
        if len(path) == 1 and not self.habit.shares_root:
            return -inf, inf
        if not self.habit.deep:
            return (best, inf) if turn == 0 else (-inf, best)
        return alpha, beta


class _Pvs:
    """Principal variation search, in the ways that textbooks have it."""

    def __init__(self, narrow: bool, hard: bool, whole: bool) -> None:
        """`narrow`: the second search begins at what the first found; `hard`: it fails hard; `whole`: a null window is
        (alpha, alpha + 1), as values are whole numbers here."""
        self.narrow, self.hard, self.whole = narrow, hard, whole
        self.seen: list[Path] = []

    def value(self, state: Tree, path: Path, left: int, alpha: float, beta: float) -> float:
        """What `state` comes back with."""
        if state.turn is None or left == 0:
            self.seen.append(path)
            return _told(state.evaluate(0), (alpha, beta), self.hard)
        given = alpha, beta
        best = -inf if state.turn == 0 else inf
        for number, move in enumerate(state.moves()):
            child, below = state.play(move), (*path, move)
            if number == 0:
                value = self.value(child, below, left - 1, alpha, beta)
            else:
                null = (alpha, self.above(alpha)) if state.turn == 0 else (-self.above(-beta), beta)
                value = self.value(child, below, left - 1, *null)
                if alpha < value < beta:
                    low, high = (value, beta) if state.turn == 0 else (alpha, value)
                    value = self.value(child, below, left - 1, *((low, high) if self.narrow else (alpha, beta)))
            best = max(best, value) if state.turn == 0 else min(best, value)
            alpha, beta = (max(alpha, best), beta) if state.turn == 0 else (alpha, min(beta, best))
            if alpha >= beta:
                break
        return _told(best, given, self.hard)

    def above(self, value: float) -> float:
        """The next number."""
        return value + 1 if self.whole else nextafter(value, inf)


def _told(value: float, window: tuple[float, float], hard: bool) -> float:
    """`value`, failing hard or soft."""
    return min(max(value, window[0]), window[1]) if hard else value


def _seen(walk: _Walk | _Pvs, state: Tree, depth: int | None) -> list[Path]:
    walk.value(state, (state.label,), -1 if depth is None else depth, -inf, inf)
    return without_repeats(walk.seen)
