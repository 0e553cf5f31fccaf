"""The exercise `ucb1`: a node of Monte Carlo tree search, whose next child is chosen with the formula UCB1.

The numbers are drawn from the seed. `adsearch/mcts.py` makes both choices of the key.
"""

from __future__ import annotations

from math import log, sqrt
from random import Random
from typing import Final

from adsearch.mcts import Mcts, Node
from adsearch.trace import written
from arena.course.lecture import random_trees
from arena.course.lecture.worksheet import Worksheet, table, title_of
from arena.errors import ArenaError

_CHILDREN: Final = 4
_FEWEST: Final = 3
_MOST_VISITS: Final = 12
_EXPLORATION: Final = 1.4
_GAP: Final = 0.03
"""Smallest difference between the best value and the next one, so that rounding cannot change the answer."""
_COLUMNS: Final = ("child", "visits n", "sum of results", "mean", "bonus", "UCB1")
_BLANK: Final = "_____"
_TASK: Final = (
    "A node of Monte Carlo tree search has these children. A win counts 1, a loss 0, from the view of the player who "
    "moves at the node. UCB1 = mean + c sqrt(ln N / n), where n is the number of visits of the child, N the number of "
    "visits of the node, the sum of all n, and c = {c}. Fill in the table to 3 decimals. Which child is chosen next? "
    "The simulation through it ends with a loss. Which child is chosen after that?"
)

Tally = tuple[int, int]
"""A child's visits, and the sum of its results."""


def make(*, seed: int, student: str = "", width: int | None = None) -> Worksheet:
    """The exercise of this seed, for this student, with `width` children."""
    if width is not None and width < _FEWEST:
        # Of two children, the one with the lower mean is chosen only if it has fewer visits.
        raise ArenaError(f"expected {_FEWEST} or more children for ucb1, got {width}")
    random = Random(f"{seed} {student}")
    names = [chr(ord("a") + number) for number in range(width or _CHILDREN)]
    while True:
        children = {name: _tally(random) for name in names}
        first = chosen(children)
        later = after_loss(children, first)
        if _is_good(children, first) and _is_clear(later) and chosen(later) != first:
            break
    rows = [
        (name, str(visits), str(total), *(f"{part:.3f}" for part in parts(children, name)))
        for name, (visits, total) in children.items()
    ]
    blank = [(*row[:3], _BLANK, _BLANK, _BLANK) for row in rows]
    total = str(sum(visits for visits, _ in children.values()))
    return Worksheet(
        title=title_of("ucb1", seed, student, "table"),
        task=_TASK.format(c=written(_EXPLORATION)),
        sheet=(table([_COLUMNS, *blank]),),
        key=(table([_COLUMNS, *rows]),),
        answers=(
            ("Visits of the node, N", total),
            ("Child that is chosen next", first),
            ("Child that is chosen after a loss there", chosen(later)),
        ),
    )


def parts(children: dict[str, Tally], name: str) -> tuple[float, float, float]:
    """The child's mean, its bonus, and the sum of both: UCB1."""
    visits, total = children[name]
    mean = total / visits
    bonus = _EXPLORATION * sqrt(log(sum(n for n, _ in children.values())) / visits)
    return mean, bonus, mean + bonus


def chosen(children: dict[str, Tally]) -> str:
    """The child that Monte Carlo tree search chooses."""
    leaves = random_trees.Branch(0, (0,) * len(children))
    mcts = Mcts(
        random_trees.opened(random_trees.described(leaves, bounds=(-1, 1))),
        limit=1,
        budget=None,
        trace=None,
        evaluate=None,
        exploration=_EXPLORATION,
        random=Random(0),
        rollout=None,
    )
    mcts.lowest, mcts.highest = [0.0, 0.0], [1.0, 1.0]
    node: Node[str] = Node(0, None)
    node.untried = []
    for name, (visits, total) in children.items():
        child = node.children[name] = Node(0, None)
        for number in range(visits):
            child.add(1.0 if number < total else 0.0)
        node.visits += visits
    return mcts.choose(node, tuple(children), 0)


def after_loss(children: dict[str, Tally], name: str) -> dict[str, Tally]:
    """The children after one more visit of this child, which was lost."""
    visits, total = children[name]
    return children | {name: (visits + 1, total)}


def _tally(random: Random) -> Tally:
    visits = random.randint(1, _MOST_VISITS)
    return visits, random.randint(0, visits)


def _is_good(children: dict[str, Tally], first: str) -> bool:
    """Whether the answer is clear, and is neither the child with the best mean nor the one with the fewest visits."""
    best_mean = max(total / visits for visits, total in children.values())
    visits, total = children[first]
    fewest = min(visits for visits, _ in children.values())
    return _is_clear(children) and total / visits < best_mean and visits > fewest


def _is_clear(children: dict[str, Tally]) -> bool:
    """Whether one child's value is clearly the greatest."""
    *_, second, best = sorted(parts(children, name)[2] for name in children)
    return best - second >= _GAP
