"""The questions to a student's function: which algorithms can be judged, and the trees to try them on.

An algorithm can be judged if it visits the leaves of a tree in one right order; `judging.py` compares the function with
our own search. The trees of lectures come first, from the smallest to the largest, then random ones in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Final

from adsearch.errors import meant, quote
from adsearch.games.tree import shipped
from arena.course.lecture import random_trees
from arena.errors import ArenaError

_PLAIN: Final = ("four_leaves", "window", "binary", "textbook", "best_first", "worst_first", "professors")
_CHANCE: Final = ("bounded_below", "coins")
_DEPTHS: Final = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class JudgedAlgorithm:
    """An algorithm that a student may have written."""

    name: str
    search: str
    """Ours, as `adsearch.algorithms` reads it."""
    lectures: tuple[str, ...] = _PLAIN
    """The trees of lectures on which it can be shown."""
    players: int = 2
    chance: bool = False
    for_mover: bool | None = None
    """Whether its value is for the side to move, rather than for MAX; None: as the student likes."""
    prunes: bool = False
    steady: bool = True
    """Whether a node comes back with its value or the nearest end of its window in every right search."""


_ALGORITHMS: Final = {
    algorithm.name: algorithm
    for algorithm in (
        JudgedAlgorithm("minimax", "minimax"),
        JudgedAlgorithm("negamax", "negamax"),
        JudgedAlgorithm("alphabeta", "alphabeta", prunes=True),
        JudgedAlgorithm("pvs", "pvs", prunes=True, steady=False),
        JudgedAlgorithm("expectiminimax", "expectiminimax", _CHANCE, chance=True),
        JudgedAlgorithm("star1", "expectiminimax:pruning=star1", _CHANCE, chance=True, prunes=True, steady=False),
        JudgedAlgorithm("expectimax", "expectimax", ("four_leaves", "textbook", "coins"), chance=True, for_mover=True),
        JudgedAlgorithm("maxn", "maxn", ("three",), players=3, for_mover=True),
        JudgedAlgorithm("paranoid", "paranoid", ("three",), players=3, for_mover=True, prunes=True),
    )
}


@dataclass(frozen=True, slots=True)
class Question:
    """A tree to be searched."""

    name: str
    description: dict[str, Any]
    depth: int | None = None
    """How many plies to look ahead; None: to the end."""


def algorithm_names() -> tuple[str, ...]:
    """The names of all that can be judged."""
    return tuple(_ALGORITHMS)


def find_algorithm(name: str) -> JudgedAlgorithm:
    """The algorithm of that name; ArenaError says which there are."""
    if name not in _ALGORITHMS:
        there = meant(name, algorithm_names())
        raise ArenaError(f"expected an algorithm that visits leaves in one right order, got {quote(name)}{there}")
    return _ALGORITHMS[name]


def ask_about(algorithm: JudgedAlgorithm, *, seed: int, count: int, with_depth: bool) -> list[Question]:
    """The trees of lectures, and `count` random ones of that seed; `with_depth`: every third is not searched to its
    end."""
    asked = [Question(f"tree:{name}", shipped()[name]) for name in algorithm.lectures]
    for number in range(1, count + 1):
        random = Random(f"{seed} {number}")
        depth = _DEPTHS[(number - 1) * len(_DEPTHS) // count]
        made = random_trees.irregular(random, depth=depth, players=algorithm.players, chance=algorithm.chance)
        asked.append(Question(f"random {number}", made, depth - 1 if with_depth and number % 3 == 0 else None))
    return asked
