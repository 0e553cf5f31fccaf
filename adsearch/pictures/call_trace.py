"""The call trace of a search: one indented block for each call, as in the lecture's walk through minimax.

A block says who is to move, the level, the successors, and what is reported with the numbers that it comes from. In a
search with windows it also says each change of alpha and beta, and where pruning takes place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from adsearch.node_names import Nodes, name_of
from adsearch.result import Bound, Result
from adsearch.state import CHANCE
from adsearch.terms import bounds_for
from adsearch.trace import Backup, Trace, Value, ends, signed, written
from adsearch.trace_calls import Visit, left_out, role, visits

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
    alpha, beta = visit.call.alpha, visit.call.beta
    if alpha is not None and beta is not None:
        yield indent + "alpha = {}, beta = {}".format(*ends(alpha, beta))
    if visit.children and visit.state is not None:
        yield f"{indent}successors: {_named(visit, map(visit.state.to_text, visit.state.moves()), nodes)}"
    if visit.stand_pat is not None:
        yield f"{indent}stand pat: {written(visit.stand_pat)}"
    for at, child in enumerate(visit.children):
        yield from _block(child, trace, nodes)
        again = any(other.path == child.path for other in visit.children[at + 1 : at + 2])
        if child.call.ended is not None:
            after = trace.events[child.call.ended]
            yield from (indent + line for line in _change(visit, child, trace, nodes, (alpha, beta), again=again))
            alpha, beta = after.alpha, after.beta
    rest = left_out(visit) if visit.children and trace.backup not in _PATHS else ()
    if rest and visit.value is not None:
        why = "pruning takes place; left out" if visit.cut else "not searched"
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


def _change(
    visit: Visit, child: Visit, trace: Trace, nodes: Nodes, before: tuple[float | None, float | None], *, again: bool
) -> Iterator[str]:
    """How the value of `child` changed the window of its parent."""
    kind = role(visit, trace)
    if child.call.ended is None or child.value is None:
        return
    event = trace.events[child.call.ended]
    if again and kind in _LARGER:
        low, high = ends(*before)
        yield f"{_name(child, nodes)} is searched again: {written(child.value)} is between {low} and {high}"
        return
    if kind in _LARGER and None not in (*before, event.alpha, event.beta):
        end = 0 if kind == "max" else 1
        old, new = ends(*before)[end], ends(event.alpha, event.beta)[end]
        value = written(_seen(child, visit, trace))
        yield f"{'beta' if end else 'alpha'} = {_LARGER[kind]} of ({old}, {value}) = {new}"


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
    if not visit.children:
        return f"{_with_bound(visit)}, its static score"
    return _with_numbers(visit, trace)


def _with_bound(visit: Visit) -> str:
    """The value, with its sign if it is only a bound."""
    assert visit.value is not None
    return written(visit.value) if visit.bound in (None, Bound.EXACT) else signed(visit.value, visit.bound)


def _with_numbers(visit: Visit, trace: Trace) -> str:
    """The value and the children's values that it was chosen from."""
    assert visit.value is not None
    values = {child.path[-1]: _seen(child, visit, trace) for child in visit.children if child.value is not None}
    kind = role(visit, trace)
    value = written(visit.value)
    sign = f"; the true value is {signed(visit.value, visit.bound)}" if visit.bound not in (None, Bound.EXACT) else ""
    if kind == "chance":
        return f"{_average(visit, trace, values)} = {value}{sign}"
    stand_pat = [] if visit.stand_pat is None else [written(visit.stand_pat)]
    numbers = ", ".join([*stand_pat, *map(written, values.values())])
    if visit.value not in (*values.values(), visit.stand_pat) and visit.value in (visit.call.alpha, visit.call.beta):
        end = "alpha" if visit.value == visit.call.alpha else "beta"
        return f"{end} = {value}, the end of its window{sign}"
    if kind == "own":
        return f"best for seat {visit.mover} of ({numbers}) = {value}"
    return f"{_LARGEST[kind]} of ({numbers}) = {value}{sign}"


def _average(visit: Visit, trace: Trace, values: dict[str, Value]) -> str:
    """The sum of an expected value; a left out outcome has the bound of the utilities that was used for it."""
    state = visit.state
    known: dict[str, Value] = dict(values)
    if state is not None and visit.bound in (Bound.LOWER, Bound.UPPER):
        bounds = bounds_for(state, trace.seat)
        for text in left_out(visit):
            known[text] = bounds[0 if visit.bound is Bound.LOWER else 1]
    chances = {} if state is None else {state.to_text(outcome): chance for outcome, chance in state.chances()}
    if chances.keys() != known.keys():
        return f"average of ({', '.join(map(written, values.values()))})"
    return f"sum of ({', '.join(f'{written(chances[text])} x {written(value)}' for text, value in known.items())})"


def _seen(child: Visit, parent: Visit, trace: Trace) -> Value:
    """The value of `child` in its parent's view."""
    assert child.value is not None
    if trace.backup is Backup.NEGAMAX and child.mover != parent.mover and isinstance(child.value, int | float):
        return -child.value
    return child.value
