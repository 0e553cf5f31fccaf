"""A game tree, whole where it is not too large: what was played is bold, and ends at the position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from adsearch.games.tree import Node, Tree
from adsearch.pictures import tree_drawing, tree_picture
from adsearch.pictures.boards import text
from adsearch.pictures.boards.paper import next_event
from adsearch.state import CHANCE

_MOST: Final = 120
"""Largest number of nodes drawn."""


@dataclass(frozen=True, slots=True)
class Position(tree_picture.Picture):
    """A tree with the way to one node of it."""

    @property
    def description(self) -> str:
        way = " ".join(node.label for node in self.root.walk() if node.best)
        nodes = list(self.root.walk())
        return f"{len(nodes)} nodes. Position: {way}."


def draw(state: Tree, _last: object = None) -> str:
    """The position as a picture; of a large tree, what is below it, and of what is still large its text."""
    for root in (state.tree.root, state.node):
        shown = _node(state, root, root.label, None, room=[_MOST])
        if shown is not None:
            break
    else:
        return text.draw(state)
    names = ("MAX", "MIN") if state.zero_sum or state.players == 1 else tuple(f"seat {s}" for s in range(state.players))
    if state.turn is None:
        values = state.utilities()
        event = f"over: {', '.join(f'{v:g}' for v in (values[:1] if state.zero_sum else values))}"
    else:
        event = next_event(state, names, at_chance="chance")
    return tree_drawing.as_svg(Position(shown, f"Tree, {state.position()}: {event}"))


def _node(state: Tree, node: Node, label: str, chance: float | None, *, room: list[int]) -> tree_picture.Node | None:
    """The node and its subtree; None if it has more than `room` nodes."""
    room[0] -= 1
    chances = dict(node.chances)
    children = []
    for name, below in node.children.items():
        child = _node(state, below, name, chances.get(name), room=room) if room[0] > 0 else None
        if child is None:
            return None
        children.append(child)
    has_max = state.players == 1 or state.zero_sum
    if node.turn is None or node.turn == CHANCE:
        shape = tree_picture.Shape.END if node.turn is None else tree_picture.Shape.CHANCE
    else:
        shape = (
            (tree_picture.Shape.MIN if node.turn else tree_picture.Shape.MAX) if has_max else tree_picture.Shape.SEAT
        )
    return tree_picture.Node(
        label=label,
        shape=shape,
        seat=None if node.turn == CHANCE else node.turn,
        value=(node.value[0] if has_max else node.value) if node.value else None,
        probability=chance,
        best=f"{state.node.path} ".startswith(f"{node.path} "),
        children=tuple(children),
    )
