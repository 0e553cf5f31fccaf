"""The kinds of exercise by name. Trees to search by hand and programs with an error have modules of their own; the
table of ucb1 and the tree with proof numbers are made here.

Pure: the same kind, seed and student give the same worksheet. Searches of ours compute the keys: `adsearch/mcts.py`
makes both choices of ucb1, `adsearch/proof.py` expands exactly the nodes that the sheet shows as expanded.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from math import log, sqrt
from random import Random
from typing import Final

from adsearch import mcts
from adsearch.errors import meant, quote
from adsearch.games.tree import Tree
from adsearch.pictures import tree_picture
from adsearch.pictures.tree_picture import Picture, Shape
from adsearch.proof import NEVER, Node, Prover
from adsearch.trace import written
from arena.course.lecture import error_exercise, exercise, random_trees
from arena.course.lecture.exercise import Worksheet, title_of
from arena.course.lecture.random_trees import Branch
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
        return _ucb1(seed=seed, student=student, width=width)
    if width is not None:
        raise ArenaError(f"the exercise {kind} has no branching to choose: leave out --branching")
    if kind == "proof":
        return _proof(seed=seed, student=student)
    return error_exercise.make(seed=seed, student=student)


# The exercise `ucb1`: a node of Monte Carlo tree search, whose next child is chosen with the formula UCB1.


_CHILDREN: Final = 4
_FEWEST: Final = 3
_MOST_VISITS: Final = 12
_EXPLORATION: Final = 1.4
_GAP: Final = 0.03
"""Smallest difference between the best value and the next one, so that rounding cannot change the answer."""
_COLUMNS: Final = ("child", "visits n", "sum of results", "mean", "bonus", "UCB1")
_CELL: Final = "_____"
_UCB1_TASK: Final = (
    "A node of Monte Carlo tree search has these children. A win counts 1, a loss 0, from the view of the player who "
    "moves at the node. UCB1 = mean + c sqrt(ln N / n), where n is the number of visits of the child, N the number of "
    "visits of the node, the sum of all n, and c = {c}. Fill in the table to 3 decimals. Which child is chosen next? "
    "The simulation through it ends with a loss. Which child is chosen after that?"
)

Tally = tuple[int, int]
"""A child's visits, and the sum of its results."""


def _ucb1(*, seed: int, student: str, width: int | None) -> Worksheet:
    if width is not None and width < _FEWEST:
        # Of two children, the one with the lower mean is chosen only if it has fewer visits.
        raise ArenaError(f"expected {_FEWEST} or more children for ucb1, got {width}")
    random = Random(f"{seed} {student}")
    names = [chr(ord("a") + number) for number in range(width or _CHILDREN)]
    while True:
        children = {name: _tally(random) for name in names}
        first = chosen(children)
        later = after_loss(children, first)
        if _shows_both(children, first) and _is_clear(later) and chosen(later) != first:
            break
    rows = [
        (name, str(visits), str(total), *(f"{part:.3f}" for part in parts(children, name)))
        for name, (visits, total) in children.items()
    ]
    blank = [(*row[:3], _CELL, _CELL, _CELL) for row in rows]
    total = str(sum(visits for visits, _ in children.values()))
    return Worksheet(
        title=title_of("ucb1", seed, student, "table"),
        task=_UCB1_TASK.format(c=written(_EXPLORATION)),
        sheet=(table([_COLUMNS, *blank]),),
        key=(table([_COLUMNS, *rows]),),
        answers=(
            ("Visits of the node, N", total),
            ("Child that is chosen next", first),
            ("Child that is chosen after a loss there", chosen(later)),
        ),
    )


def table(rows: list[tuple[str, ...]]) -> str:
    """The rows as lines, in columns that are aligned right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows)


def parts(children: dict[str, Tally], name: str) -> tuple[float, float, float]:
    """The child's mean, its bonus, and the sum of both: UCB1."""
    visits, total = children[name]
    mean = total / visits
    bonus = _EXPLORATION * sqrt(log(sum(n for n, _ in children.values())) / visits)
    return mean, bonus, mean + bonus


def chosen(children: dict[str, Tally]) -> str:
    """The child that Monte Carlo tree search chooses."""
    leaves = random_trees.Branch(0, (0,) * len(children))
    search = mcts.Mcts(
        random_trees.opened(random_trees.described(leaves, bounds=(-1, 1))),
        limit=1,
        budget=None,
        trace=None,
        evaluate=None,
        exploration=_EXPLORATION,
        random=Random(0),
        rollout=None,
    )
    search.lowest, search.highest = [0.0, 0.0], [1.0, 1.0]
    node: mcts.Node[str] = mcts.Node(0, None)
    node.untried = []
    for name, (visits, total) in children.items():
        child = node.children[name] = mcts.Node(0, None)
        for number in range(visits):
            child.add(1.0 if number < total else 0.0)
        node.visits += visits
    return search.choose(node, tuple(children), 0)


def after_loss(children: dict[str, Tally], name: str) -> dict[str, Tally]:
    """The children after one more visit of this child, which was lost."""
    visits, total = children[name]
    return children | {name: (visits + 1, total)}


def _tally(random: Random) -> Tally:
    visits = random.randint(1, _MOST_VISITS)
    return visits, random.randint(0, visits)


def _shows_both(children: dict[str, Tally], first: str) -> bool:
    """Whether the answer is clear, and is neither the child with the best mean nor the one with the fewest visits."""
    best_mean = max(total / visits for visits, total in children.values())
    visits, total = children[first]
    fewest = min(visits for visits, _ in children.values())
    return _is_clear(children) and total / visits < best_mean and visits > fewest


def _is_clear(children: dict[str, Tally]) -> bool:
    """Whether one child's value is clearly the greatest."""
    *_, second, best = sorted(parts(children, name)[2] for name in children)
    return best - second >= _GAP


# The exercise `proof`: the proof and disproof numbers of a small AND-OR tree, and its most-proving node.


_PLIES: Final = 3
"""Depth of the drawn tree."""
_DECIDED: Final = 0.35
"""Probability that a node of the last ply is decided."""
_ENDS_EARLY: Final = 0.15
_LARGEST: Final = 14
"""Largest number of nodes of the last ply, so that the tree fits a page."""
_PROOF_TASK: Final = (
    "MAX moves at the root and wants to prove that it wins. A node where MAX moves is an OR node (triangle up), a node "
    "where MIN moves an AND node (triangle down). A leaf is won or lost for MAX, or not yet expanded (?). Write the "
    "proof number (pn) and the disproof number (dn) of every node. Which node is the most-proving one, which "
    "proof-number search expands next?"
)
_BLANK: Final = "pn ___ dn ___"


def _proof(*, seed: int, student: str) -> Worksheet:
    random = Random(f"{seed} {student}")
    while True:
        description = random_trees.described(_branch(random, 0), bounds=(-1, 1))
        state = random_trees.opened(description)
        root, path = numbered(state)
        if not root.decided and _is_good(root, path):
            break
    title = title_of("proof", seed, student)
    key = _picture(root, state.label, {id(node) for node in path})
    return Worksheet(
        title=title,
        task=_PROOF_TASK,
        sheet=(Picture(_blanked(key), title),),
        key=(Picture(key, f"{title}, solved"),),
        answers=(
            ("Proof number of the root", _written(root.proof)),
            ("Disproof number of the root", _written(root.disproof)),
            ("Most-proving node", path[-1].state.label),
        ),
        description=description,
    )


def numbered(state: Tree) -> tuple[Node[str], list[Node[str]]]:
    """The root with the numbers of all drawn nodes, and the path to the most-proving node."""
    prover = Prover[str](0, "win", state.max_plies, None, None)
    root = Node(state, 0)
    waiting = deque([root])
    while waiting:
        node = waiting.popleft()
        if node.state.turn is not None and node.ply < _PLIES:
            prover.open(node)
            prover.update(node)
            waiting.extend(node.children)
    return root, prover.most_proving(root)


def _branch(random: Random, ply: int) -> Branch:
    """A random tree. A node of the last ply that is not decided has two leaves, which are not drawn."""
    if ply == _PLIES:
        return Branch(ply % 2, (1, -1))
    children: list[Branch | random_trees.Value] = []
    for _ in range(random.choice((2, 2, 3))):
        ends = _DECIDED if ply == _PLIES - 1 else _ENDS_EARLY if ply else 0.0
        children.append(random.choice((1, -1)) if random.random() < ends else _branch(random, ply + 1))
    return Branch(ply % 2, tuple(children))


def _is_good(root: Node[str], path: list[Node[str]]) -> bool:
    """Whether the most-proving node is unique and not the first one, and the numbers say more than the shape."""
    drawn = [root]
    for node in drawn:
        drawn += node.children
    last = [node for node in drawn if not node.children]
    unknown = [node for node in last if not node.decided]
    return (
        len(last) <= _LARGEST
        and len(unknown) < len(last)
        and path[-1] is not unknown[0]
        and min(root.proof, root.disproof) > 1
        and all(_is_only(node) for node in path[:-1])
    )


def _is_only(node: Node[str]) -> bool:
    """Whether one child alone has the number for which it is chosen."""
    if node.state.turn == 0:
        return [child.proof for child in node.children].count(node.proof) == 1
    return [child.disproof for child in node.children].count(node.disproof) == 1


def _picture(node: Node[str], label: str, path: set[int]) -> tree_picture.Node:
    """The node and all below, with their numbers."""
    state = node.state
    moves = state.moves() if node.children else ()
    if node.children:
        beside = f"pn {_written(node.proof)} dn {_written(node.disproof)}"
    else:
        beside = "?" if not node.decided else "won" if node.proof == 0 else "lost"
    shape = Shape.END if not node.children else Shape.MIN if state.turn else Shape.MAX
    return tree_picture.Node(
        label=label,
        shape=shape,
        seat=None if shape is Shape.END else state.turn,
        window=beside,
        best=id(node) in path,
        children=tuple(_picture(child, move, path) for child, move in zip(node.children, moves, strict=True)),
    )


def _blanked(node: tree_picture.Node) -> tree_picture.Node:
    """The node and all below, without the solution."""
    children = tuple(map(_blanked, node.children))
    return replace(node, window=_BLANK if children else node.window, best=False, children=children)


def _written(number: int) -> str:
    return "inf" if number == NEVER else str(number)
