"""The kinds of exercise by name: trees to search by hand, the table of ucb1, proof numbers, and programs with an error.

Pure: the same kind, seed and student give the same worksheet.
"""

from __future__ import annotations

from adsearch.errors import meant, quote
from arena.course.lecture import error_exercise, exercise, proof_exercise, ucb1_exercise
from arena.course.lecture.worksheet import Worksheet
from arena.errors import ArenaError


def names() -> tuple[str, ...]:
    """The names of all kinds."""
    return (*exercise.names(), "ucb1", "proof", "errors")


def make(kind: str, *, seed: int, student: str = "", depth: int | None = None, width: int | None = None) -> Worksheet:
    """The exercise of this kind and seed, for this student; ArenaError if there is none."""
    if kind not in names():
        raise ArenaError(f"expected an exercise, got {quote(kind)}{meant(kind, names())}")
    if kind in exercise.names():
        return exercise.make(kind, seed=seed, student=student, depth=depth, width=width).worksheet()
    if depth is not None:
        raise ArenaError(f"the exercise {kind} has no depth to choose: leave out --depth")
    if kind == "ucb1":
        return ucb1_exercise.make(seed=seed, student=student, width=width)
    if width is not None:
        raise ArenaError(f"the exercise {kind} has no branching to choose: leave out --branching")
    if kind == "proof":
        return proof_exercise.make(seed=seed, student=student)
    return error_exercise.make(seed=seed, student=student)
