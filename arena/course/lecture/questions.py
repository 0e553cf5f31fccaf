"""The questions for a student's function: the algorithms that can be judged, and the trees to test them on.

An algorithm can be judged if there is only one correct order in which it visits the leaves of a tree; `judging.py`
compares the function with our own search. The lecture trees come first, then random ones, each from small to large.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Final

from adsearch.errors import meant, quote
from adsearch.games.tree import shipped
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
