"""Node names: what the nodes of a tree, and the rows of a trace, show of their positions.

The default is the move that leads to a node. A trace itself always has moves; names replace them when it is shown.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Any

from adsearch.errors import BadSearch
from adsearch.state import State
from adsearch.trace import Trace

Known = tuple[State[Any], tuple[str, ...]]
"""A position, and the names of the positions on the way to it."""


class Nodes(StrEnum):
    """What the nodes of a tree show of their positions."""

    MOVES = "moves"
    """Only the move that leads to a node."""
    POSITIONS = "positions"
    """The short name of the position, such as 4-2-1+ in Grundy's game."""
    PROBLEMS = "problems"
    """The question whether the first player can win, such as W(4-2-1+). One child is enough at an OR, all are needed at
    an AND."""
    BOARDS = "boards"
    """The board."""


def check(state: State[Any], nodes: Nodes) -> None:
    """Raise BadSearch if the nodes of this game cannot be shown so."""
    if nodes is Nodes.PROBLEMS and (not state.zero_sum or state.chance):
        raise BadSearch("nodes as problems, OR and AND: expected a game of MAX and MIN without chance")


def name_of(state: State[Any], nodes: Nodes) -> str:
    """The name of the position that a node shows; empty if it shows only its move or its board."""
    if nodes is Nodes.PROBLEMS:
        return f"W({state.short_name})"
    return state.short_name if nodes is Nodes.POSITIONS else ""


def with_names(trace: Trace, nodes: Nodes) -> Trace:
    """The trace with the names of positions in place of moves, if `nodes` shows such names."""
    if trace.state is None or nodes in (Nodes.MOVES, Nodes.BOARDS):
        return trace
    first: Known = (trace.state, (name_of(trace.state, nodes),))
    known: dict[tuple[str, ...], Known] = {(trace.state.label,): first}
    named = Trace()
    named.state, named.left_out = trace.state, trace.left_out
    for event in trace.events:
        if event.path not in known:
            before, names = known[event.path[:-1]]
            state = before.play(before.from_text(event.path[-1]))
            known[event.path] = state, (*names, name_of(state, nodes))
        named.events.append(replace(event, path=known[event.path][1]))
    return named
