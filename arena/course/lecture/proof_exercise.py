"""The exercise `proof`: the proof and disproof numbers of a small AND-OR tree, and its most-proving node.

The tree is drawn from the seed. `adsearch/proof.py` computes the numbers: it expands exactly the nodes that the sheet
shows as expanded.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from random import Random
from typing import Final

from adsearch.games.tree import Tree
from adsearch.pictures import tree_picture
from adsearch.pictures.tree_picture import Picture, Shape
from adsearch.proof import NEVER, Node, Prover
from arena.course.lecture import random_trees
from arena.course.lecture.random_trees import Branch
from arena.course.lecture.worksheet import Worksheet, title_of

_PLIES: Final = 3
"""Depth of the drawn tree."""
_DECIDED: Final = 0.35
"""Probability that a node of the last ply is decided."""
_ENDS_EARLY: Final = 0.15
_LARGEST: Final = 14
"""Largest number of nodes of the last ply, so that the tree fits a page."""
_TASK: Final = (
    "MAX moves at the root and wants to prove that it wins. A node where MAX moves is an OR node (triangle up), a node "
    "where MIN moves an AND node (triangle down). A leaf is won or lost for MAX, or not yet expanded (?). Write the "
    "proof number (pn) and the disproof number (dn) of every node. Which node is the most-proving one, which "
    "proof-number search expands next?"
)
_BLANK: Final = "pn ___ dn ___"


def make(*, seed: int, student: str = "") -> Worksheet:
    """The exercise of this seed, for this student."""
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
        task=_TASK,
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
