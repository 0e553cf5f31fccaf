"""The tree of calls of a trace: each visit of a node under its name, what it returned, and what that says about the
node's true value.

Made from the events of a finished search, so searches spend no time on it. Every value has a bound that is true: where
a child was left out, MAX's value is only a lower bound and MIN's an upper bound, and so up the tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import inf, isclose, isfinite
from typing import Any

from adsearch import terms
from adsearch.errors import BadSearch
from adsearch.result import Bound, Result
from adsearch.state import CHANCE, State
from adsearch.trace import Backup, Call, Trace, Value


@dataclass(slots=True)
class Visit:
    """One call, with the calls that it made."""

    call: Call
    state: State[Any] | None
    """The position; None where the trace does not say it (simulations with hidden information)."""
    mover: int
    """The seat to move; after the end of the game, and at chance nodes, the seat that would move."""
    value: Value | None = None
    """The returned value; for a root, which has no return, the value that its children give."""
    stand_pat: float | None = None
    bound: Bound | None = None
    """What `value` says about the node's true value; None if there is no value, or it is not a node's value."""
    children: list[Visit] = field(default_factory=list)
    low: float = -inf
    high: float = inf
    """The node's true value is between these, for the seat that `value` is for."""
    probed: bool = False
    """Whether star2 searched only the first move, for a bound of the node's value."""

    @property
    def path(self) -> tuple[str, ...]:
        """The node: labels from the root."""
        return self.call.path

    @property
    def cut(self) -> bool:
        """Whether the node was left by a cutoff, so that at least one child was left out."""
        return bool(self.children) and self.children[-1].call.cutoff

    def walk(self) -> Iterator[Visit]:
        """This visit and all below it, in the order of the calls."""
        yield self
        for child in self.children:
            yield from child.walk()


def visits(trace: Trace, result: Result[Any] | None = None) -> tuple[Visit, ...]:
    """The visits of the root, one for each iteration or repeated search, with all calls below them. The last one has
    the value of `result`, if it is given.

    In iterative deepening, "true" means the value to the depth of that iteration."""
    roots: list[Visit] = []
    path: list[Visit] = []
    for call in trace.calls():
        del path[len(call.path) - 1 :]
        if path:
            visit = _below(path[-1], call)
            path[-1].children.append(visit)
        else:
            turn = None if trace.state is None else trace.state.turn
            visit = Visit(call, trace.state, trace.seat if turn in (None, CHANCE) else turn, call.value)
            roots.append(visit)
        ended = call.began if call.ended is None else call.ended
        visit.stand_pat = trace.events[ended].stand_pat
        path.append(visit)
    for root in roots:
        for visit in reversed(list(root.walk())):
            _settle(visit, trace)
    if roots and result is not None:
        _conclude(roots[-1], trace, result)
    return tuple(roots)


def _below(parent: Visit, call: Call) -> Visit:
    """The visit of a child of `parent`."""
    state = None
    if parent.state is not None:
        moves = {parent.state.to_text(move): move for move in parent.state.moves()}
        if call.path[-1] in moves:
            state = parent.state.play(moves[call.path[-1]])
    return Visit(call, state, _mover(parent, state), call.value)


def _mover(parent: Visit, state: State[Any] | None) -> int:
    """The seat that moves at `state`, or would move."""
    if state is None or state.turn == CHANCE:
        return parent.mover
    if state.turn is not None:
        return state.turn
    return 1 - parent.mover if state.players == 2 else parent.mover


def _settle(visit: Visit, trace: Trace) -> None:
    """Set the bound of a visit whose children are settled, and the value of a root."""
    said = trace.events[visit.call.began if visit.call.ended is None else visit.call.ended].bound
    if trace.backup in (Backup.PROOF, Backup.SIMULATION) or visit.state is None:
        return
    parts = _parts(visit, trace)
    if visit.value is None:
        if len(visit.path) > 1 or any(child.value is None for child in visit.children):
            return
        visit.value = _root_value(visit, trace, parts)
    if visit.value is None:
        return
    if isinstance(visit.value, tuple) or trace.backup in (Backup.MODEL, Backup.MAXN):
        visit.bound = Bound.EXACT
        return
    value = float(visit.value)
    visit.probed = said is not None and bool(visit.children)
    if said is not None or not (visit.children or visit.stand_pat is not None):
        visit.bound = said or Bound.EXACT
        visit.low = -inf if said is Bound.UPPER else value
        visit.high = inf if said is Bound.LOWER else value
        return
    visit.low, visit.high = _interval(visit, trace, parts, value)
    visit.bound = _bound(value, visit.low, visit.high)


def of_root(trace: Trace, result: Result[Any]) -> tuple[Value, Bound]:
    """The value and the bound of `result`, for the seat that the values of the trace are for."""
    state = trace.state
    if result.values is not None:
        return result.values, Bound.EXACT
    if state is None or trace.backup is Backup.NEGAMAX or trace.seat == terms.root_seat(state) or not state.zero_sum:
        return result.value, result.bound
    mirrored = {Bound.LOWER: Bound.UPPER, Bound.UPPER: Bound.LOWER}
    return 0.0 - result.value, mirrored.get(result.bound, Bound.EXACT)


def _conclude(root: Visit, trace: Trace, result: Result[Any]) -> None:
    """Set the value and the bound of the last root from the result of the whole search."""
    root.value, bound = of_root(trace, result)
    if any(child.value is None for child in root.children):
        # The budget ended the search: the value is not the root's.
        root.bound = None
    elif bound is Bound.EXACT or isinstance(root.value, tuple) or (root.low == -inf and root.high == inf):
        root.bound = bound
    else:
        root.bound = _bound(root.value, root.low, root.high)


@dataclass(slots=True)
class _Part:
    """What is known of one child, for the seat of its parent's value."""

    value: float
    low: float = -inf
    high: float = inf


def _parts(visit: Visit, trace: Trace) -> dict[str, _Part]:
    """What all visits of each child say together."""
    parts: dict[str, _Part] = {}
    for child in visit.children:
        if not isinstance(child.value, int | float):
            continue
        value, low, high = float(child.value), child.low, child.high
        if trace.backup is Backup.NEGAMAX and child.mover != visit.mover:
            value, low, high = -value, -high, -low
        part = parts.setdefault(child.path[-1], _Part(value))
        part.value, part.low, part.high = value, max(part.low, low), min(part.high, high)
    return parts


def role(visit: Visit, trace: Trace) -> str:
    """How the node's value comes from its children: "max", "min", "chance", "own" (max-n), or "" at an end."""
    if visit.state is None or visit.state.turn is None:
        return ""
    if visit.state.turn == CHANCE:
        return "chance"
    if trace.backup is Backup.MAXN:
        return "own"
    if trace.backup is Backup.NEGAMAX or visit.state.turn == trace.seat:
        return "max"
    return "chance" if trace.backup is Backup.MODEL else "min"


def _interval(visit: Visit, trace: Trace, parts: dict[str, _Part], value: float) -> tuple[float, float]:
    """The interval of the node's true value."""
    kind = role(visit, trace)
    lows, highs = [part.low for part in parts.values()], [part.high for part in parts.values()]
    if kind == "chance":
        return _expected(visit, trace, parts, value)
    if visit.stand_pat is not None:
        lows.append(visit.stand_pat)
        highs.append(visit.stand_pat)
    if kind == "max":
        return max(lows), inf if visit.cut else max(highs)
    return -inf if visit.cut else min(lows), min(highs)


def _expected(visit: Visit, trace: Trace, parts: dict[str, _Part], value: float) -> tuple[float, float]:
    """The interval of an expected value: the game's bounds limit the outcomes that are not known."""
    assert visit.state is not None
    least, most = terms.bounds_for(visit.state, trace.seat)
    known = [parts.get(visit.state.to_text(outcome), _Part(0.0)) for outcome in visit.state.moves()]
    if all(part.low == part.high for part in known):
        # Not computed again: a sum in another order is rounded to another number.
        return value, value
    chances = [chance for _, chance in visit.state.chances()]
    low = sum(chance * max(part.low, least) for chance, part in zip(chances, known, strict=True))
    high = sum(chance * min(part.high, most) for chance, part in zip(chances, known, strict=True))
    return low, high


def _root_value(visit: Visit, trace: Trace, parts: dict[str, _Part]) -> Value | None:
    """The value of a root from the values of its children."""
    kind = role(visit, trace)
    if visit.state is None or not kind or trace.backup is Backup.MAXN:
        return None
    values = [part.value for part in parts.values()] + ([] if visit.stand_pat is None else [visit.stand_pat])
    if not values:
        return None
    if kind != "chance":
        return max(values) if kind == "max" else min(values)
    chances = {visit.state.to_text(outcome): chance for outcome, chance in visit.state.chances()}
    if chances.keys() != parts.keys():
        return None
    return sum(chance * parts[label].value for label, chance in chances.items())


def _bound(value: float, low: float, high: float) -> Bound:
    """What `value` says about a true value between `low` and `high`."""
    if isfinite(low) and _same(low, high) and _same(value, low):
        return Bound.EXACT
    if value <= low or _same(value, low):
        return Bound.LOWER
    return Bound.UPPER if value >= high or _same(value, high) else Bound.EXACT


def _same(one: float, other: float) -> bool:
    """Whether the numbers are equal but for rounding."""
    return one == other or isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def not_searched(visit: Visit) -> Sequence[str]:
    """The children that the visit did not search, in the order of the game."""
    if visit.state is None:
        return ()
    seen = {child.path[-1] for child in visit.children}
    return [text for text in map(visit.state.to_text, visit.state.moves()) if text not in seen]


# Node names: what the nodes of a tree, and the rows of a trace, show of their positions.


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
