"""The call trace of a search: one indented block for each call, as in the lecture's walk through minimax.

A block says who is to move, the level, the successors, and what is reported with the numbers that it comes from. In a
search with windows it also says each change of alpha and beta, and where pruning takes place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from adsearch.result import Bound, Result
from adsearch.state import CHANCE
from adsearch.terms import bounds_for
from adsearch.trace import Backup, Trace, Value, ends, signed, written
from adsearch.trace_calls import Nodes, Visit, name_of, not_searched, role, visits

_INDENT: Final = "   "
_LARGER: Final = {"max": "larger", "min": "smaller"}
_PATHS: Final = (Backup.PROOF, Backup.SIMULATION)
"""Traces of single paths: the other children were not left out for good."""
_LARGEST: Final = {"max": "largest", "min": "smallest"}


def as_calls(trace: Trace, result: Result[Any] | None = None, *, nodes: Nodes = Nodes.MOVES) -> str:
    """The call trace. `result` gives the value of the last root; `nodes` says how positions are named."""
    return "\n".join(line for root in visits(trace, result) for line in _block(root, trace, nodes))


def _block(visit: Visit, trace: Trace, nodes: Nodes) -> Iterator[str]:
    """The lines of one call, with those of the calls that it made."""
    level = len(visit.path) - 1
    indent = _INDENT * level
    yield f"{indent}{_name(visit, nodes)}: {', '.join(filter(None, (_player(visit), f'level {level}')))}"
    indent += _INDENT
    if visit.call.alpha is not None:
        yield indent + "alpha = {}, beta = {}".format(*ends(visit.call.alpha, visit.call.beta))
    if visit.children and visit.state is not None:
        yield f"{indent}successors: {_named(visit, map(visit.state.to_text, visit.state.moves()), nodes)}"
    kind = role(visit, trace)
    window = (visit.call.alpha, visit.call.beta)
    if visit.stand_pat is not None:
        yield f"{indent}stand pat: {written(visit.stand_pat)}"
        if visit.children:
            line, window = _narrowed(kind, window, visit.stand_pat)
            yield indent + line
    for at, child in enumerate(visit.children):
        yield from _block(child, trace, nodes)
        value = None if child.value is None else _seen(child, visit, trace)
        if isinstance(value, tuple) or value is None or window[0] is None or kind not in _LARGER:
            continue
        if [following.path for following in visit.children[at + 1 : at + 2]] == [child.path]:
            between = "between {} and {}".format(*ends(*window))
            yield f"{indent}{_name(child, nodes)} is searched again: {written(value)} is {between}"
        else:
            line, window = _narrowed(kind, window, value)
            yield indent + line
    rest = not_searched(visit) if visit.children and trace.backup not in _PATHS else ()
    if rest and visit.value is not None:
        probed = "a probe searches only the first move; left out" if visit.probed else "not searched"
        why = "pruning takes place; left out" if visit.cut else probed
        yield f"{indent}{why}: {_named(visit, rest, nodes)}"
    if visit.value is not None:
        yield f"{indent}reports {_report(visit, trace)}"


def _name(visit: Visit, nodes: Nodes) -> str:
    return visit.path[-1] if visit.state is None else name_of(visit.state, nodes) or visit.path[-1]


def _named(visit: Visit, moves: Iterable[str], nodes: Nodes) -> str:
    """The successors after these moves, in one line."""
    state = visit.state
    if state is None or nodes in (Nodes.MOVES, Nodes.BOARDS):
        return ", ".join(moves)
    return ", ".join(name_of(state.play(state.from_text(move)), nodes) for move in moves)


def _player(visit: Visit) -> str:
    """Who is to move."""
    state = visit.state
    if state is None:
        return ""
    if state.turn is None:
        return "leaf"
    if state.turn == CHANCE:
        return "chance"
    if state.players == 1 or state.zero_sum:
        return "Player = Min" if state.turn else "Player = Max"
    return f"Player = seat {state.turn}"


_Window = tuple[float | None, float | None]


def _narrowed(kind: str, window: _Window, value: float) -> tuple[str, _Window]:
    """The line that says how `value` changes the window of MAX or MIN, and the new window."""
    alpha, beta = window
    assert alpha is not None
    assert beta is not None
    after = (max(alpha, value), beta) if kind == "max" else (alpha, min(beta, value))
    end = 0 if kind == "max" else 1
    change = f"{_LARGER[kind]} of ({ends(alpha, beta)[end]}, {written(value)}) = {ends(*after)[end]}"
    return f"{('alpha', 'beta')[end]} = {change}", after


def _report(visit: Visit, trace: Trace) -> str:
    """The returned value, with the numbers that it comes from."""
    assert visit.value is not None
    root = len(visit.path) == 1
    if trace.backup in _PATHS and root:
        return f"{_with_bound(visit)}, the result of the search"
    if trace.backup is Backup.PROOF:
        return f"proof number {written(visit.value)}"
    if trace.backup is Backup.SIMULATION:
        return f"{written(visit.value)}, the result of this simulated game"
    if visit.call.table:
        return f"{_with_bound(visit)}, found in the table"
    if trace.backup is Backup.ITERATION and not root:
        return f"{written(visit.value)}, its value after the last iteration"
    if visit.children:
        return _with_numbers(visit, trace)
    if visit.bound in (None, Bound.EXACT):
        return f"{written(visit.value)}, its static score"
    reason = "its static score is outside the window" if visit.stand_pat is None else "stand pat is enough"
    return f"{_with_bound(visit)}: {reason}"


def _with_bound(visit: Visit) -> str:
    """The value, with its sign if it is only a bound."""
    assert visit.value is not None
    return written(visit.value) if visit.bound in (None, Bound.EXACT) else signed(visit.value, visit.bound)


def _with_numbers(visit: Visit, trace: Trace) -> str:
    """The value and the children's values that it was computed from."""
    assert visit.value is not None
    reported = {child.path[-1]: _seen(child, visit, trace) for child in visit.children if child.value is not None}
    kind = role(visit, trace)
    sign = f"; the true value is {signed(visit.value, visit.bound)}" if visit.bound not in (None, Bound.EXACT) else ""
    if kind == "chance":
        return f"{_average(visit, trace, reported)} = {written(visit.value)}{sign}"
    values = list(reported.values()) if visit.stand_pat is None else [visit.stand_pat, *reported.values()]
    numbers = ", ".join(map(written, values))
    if kind == "own":
        return f"best for seat {visit.mover} of ({numbers}) = {written(visit.value)}"
    if visit.value in values:
        return f"{_LARGEST[kind]} of ({numbers}) = {written(visit.value)}{sign}"
    if len(visit.path) == 1:
        return f"{written(visit.value)}, the result of all searches{sign}"
    return f"{written(visit.value)}, the end of the window: {_LARGEST[kind]} of ({numbers}) is outside{sign}"


def _average(visit: Visit, trace: Trace, reported: dict[str, Value]) -> str:
    """The sum of an expected value; an outcome that was left out has the bound that was used for it."""
    state = visit.state
    known: dict[str, Value] = dict(reported)
    if state is not None and visit.bound in (Bound.LOWER, Bound.UPPER):
        bounds = bounds_for(state, trace.seat)
        for text in not_searched(visit):
            known[text] = bounds[0 if visit.bound is Bound.LOWER else 1]
    chances = {} if state is None else {state.to_text(outcome): chance for outcome, chance in state.chances()}
    if chances.keys() != known.keys():
        return f"average of ({', '.join(map(written, reported.values()))})"
    return f"sum of ({', '.join(f'{written(chances[text])} x {written(value)}' for text, value in known.items())})"


def _seen(child: Visit, parent: Visit, trace: Trace) -> Value:
    """The value of `child` in its parent's view."""
    assert child.value is not None
    if trace.backup is Backup.NEGAMAX and child.mover != parent.mover and isinstance(child.value, int | float):
        return -child.value
    return child.value
