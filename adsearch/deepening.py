"""Iterative deepening: search to depth 1, 2, 3, ... until the time is up or the value is proven.

It has a move to play at any time, and costs little more than its last iteration, because the transposition table and
the move ordering are kept. The first iteration that proves a win or a loss also proves its distance. With the table,
ordering, null windows (pvs) and quiescence search together it is the search of a chess program such as Deep Blue.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from math import inf, nextafter
from typing import Any, Final, Literal

from adsearch import terms
from adsearch.alphabeta import AlphaBeta
from adsearch.budget import Budget, Effort, OutOfBudget
from adsearch.errors import BadSearch
from adsearch.form import in_either_form
from adsearch.mtdf import converge
from adsearch.ordering import Arrange, Ordering
from adsearch.pvs import Pvs
from adsearch.quiescence import Quiescence
from adsearch.result import Bound, Result
from adsearch.searcher import Evaluate, PlainSearch, Searcher
from adsearch.state import Move, State
from adsearch.table import Table
from adsearch.trace import Trace

Algorithm = Literal["alphabeta", "pvs", "mtdf"]

Iteration = Callable[[int, float], Result[Move]]
"""One iteration: a depth and a guess of the value -> the result."""

PATIENCE: Final = 20_000
"""Nodes after which a search without limits also tries a search to the end of the game."""


class QuiescentPvs(Quiescence[Move], Pvs[Move]):
    """Principal variation search that evaluates only quiet positions."""


_KINDS: Final[dict[tuple[bool, bool], type[AlphaBeta[Any]]]] = {
    (False, False): AlphaBeta,
    (False, True): Quiescence,
    (True, False): Pvs,
    (True, True): QuiescentPvs,
}
"""The search of an iteration, by whether it is pvs, and whether it is quiescence search."""


@in_either_form
def search(
    state: State[Move],
    *,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
    evaluate: Evaluate[Move] | None = None,
    algorithm: Algorithm = "pvs",
    quiescence: bool = False,
    table: bool | Table = True,
    ordering: bool | Ordering[Move] | Arrange[Move] = True,
) -> Result[Move]:
    """The value of `state`, searched up to `depth` or until the budget ends or the value is proven.

    `Result.depth` is the last depth that was completed. With `quiescence`, noisy moves are searched beyond it. Without,
    `Result.distance` is set for draws, and for wins and losses whose value is a bound of the game."""
    terms.zero_sum(state, "deepening")
    limit = terms.plies(state, "deepening", depth, budget)
    if algorithm not in ("alphabeta", "pvs", "mtdf"):
        raise BadSearch(f"deepening: expected alphabeta, pvs or mtdf as the algorithm, got {algorithm!r}")
    searcher = _KINDS[algorithm == "pvs", quiescence](
        budget=budget, trace=trace, evaluate=evaluate, table=table, ordering=ordering
    )

    def iteration(depth: int, guess: float) -> Result[Move]:
        if algorithm == "mtdf":
            return converge(searcher, state, depth, depth, guess)
        return searcher.run(state, depth=depth, limit=depth)

    if depth is None and budget is None:
        result = until_proven(searcher, state, iteration)
    else:
        result = deepen(searcher, state, limit, iteration)
    return with_distance(searcher, state, result) if result.exact and not quiescence else result


def deepened(
    searcher: Searcher[Move],
    state: State[Move],
    depth: int | None,
    limit: int,
    budget: Budget | None,
    *,
    alpha: float = -inf,
    beta: float = inf,
) -> Result[Move]:
    """The result of `searcher` at `depth`, or to the end; with a budget and no depth, by iterative deepening."""
    if depth is not None or budget is None:
        return searcher.run(state, depth=depth, limit=limit, alpha=alpha, beta=beta)

    def iteration(depth: int, _: float) -> Result[Move]:
        return searcher.run(state, depth=depth, limit=depth, alpha=alpha, beta=beta)

    return deepen(searcher, state, limit, iteration)


class SearchForSeveral(PlainSearch[Move]):
    """A search without options of its own, for any number of players and for chance. Chance events count as plies. With
    a budget and no depth it uses iterative deepening."""

    @classmethod
    def limit(cls, state: State[Move], depth: int | None, budget: Budget | None) -> int:
        return terms.plies(state, cls.name, depth, budget)

    def within(self, budget: Budget | None, state: State[Move], depth: int | None, limit: int) -> Result[Move]:
        return deepened(self, state, depth, limit, budget)


def deepen(searcher: Searcher[Move], state: State[Move], limit: int, iteration: Iteration[Move]) -> Result[Move]:
    """The result of the last completed iteration, or of the next one if it found a move that is at least as good."""
    if state.turn is None or limit == 0:
        return searcher.run(state, depth=0, limit=0)
    result = iteration(1, searcher.evaluate(state, terms.root_seat(state)))
    while result.depth is not None and 0 < result.depth < limit and not result.exact:
        deeper = iteration(result.depth + 1, result.value)
        if not searcher.was_cut():
            result = deeper
            continue
        if searcher.finished and searcher.tries_the_best_first and deeper.bound is Bound.EXACT:
            # The iteration was cut off, but it searched the best move so far first: its best move is at least as good.
            result = replace(deeper, depth=result.depth)
        break
    return replace(result, nodes=searcher.effort.nodes)


def until_proven(searcher: AlphaBeta[Move], state: State[Move], iteration: Iteration[Move]) -> Result[Move]:
    """The proven value of `state`, without limits.

    If that takes long, a second search tries to reach the end of the game, with as many nodes as all iterations so far.
    When it has found the value, only the distance of a win or a loss is missing; null windows find it."""
    if state.turn is None:
        return searcher.run(state, depth=0, limit=0)
    whole = Pvs[Move](table=True, ordering=True)
    known: Result[Move] | None = None
    result = iteration(1, searcher.evaluate(state, terms.root_seat(state)))
    depth = 1
    spent = 0
    while not result.exact:
        if known is None and searcher.effort.nodes > PATIENCE:
            whole.effort = Effort(Budget(nodes=searcher.effort.nodes))
            found = whole.run(state, depth=None, limit=terms.DEEPEST)
            spent += whole.effort.nodes
            known = None if whole.was_cut() else found
        if known is not None and not searcher.is_final(state, known.value):
            result = replace(known, depth=depth)
            break
        depth += 1
        if known is None:
            result = iteration(depth, result.value)
        else:
            result = _decided_within(searcher, state, known.value, depth)
    return replace(result, nodes=searcher.effort.nodes + spent)


def _decided_within(searcher: AlphaBeta[Move], state: State[Move], value: float, depth: int) -> Result[Move]:
    """The result of a null-window search at `depth` that tests whether the value is `value`, a bound of the game."""
    highest = value == max(terms.bounds_for(state, terms.root_seat(state)))
    alpha, beta = (nextafter(value, -inf), value) if highest else (value, nextafter(value, inf))
    result = searcher.run(state, depth=depth, limit=depth, alpha=alpha, beta=beta)
    return replace(result, exact=True, bound=Bound.EXACT) if result.value == value else result


def with_distance(searcher: AlphaBeta[Move], state: State[Move], result: Result[Move]) -> Result[Move]:
    """`result`, whose value is proven, with the distance to the end and a principal variation to it."""
    if not result.line:
        return result
    if result.value == 0:
        end = state
        for move in result.line:
            end = end.play(move)
        return replace(result, distance=len(result.line) if end.turn is None else None)
    if not searcher.is_final(state, result.value) or result.depth is None:
        return replace(result, distance=None)
    target = 0.0 - result.value if terms.root_seat(state) else result.value
    line: list[Move] = []
    before = searcher.effort.nodes
    with suppress(OutOfBudget), searcher.untraced():
        for left in range(result.depth, 0, -1):
            line.append(_on_the_way(searcher, state, target, left))
            state = state.play(line[-1])
    moves = tuple(line) or result.line
    nodes = result.nodes + searcher.effort.nodes - before
    return replace(result, distance=result.depth, move=moves[0], line=moves, nodes=nodes)


def _on_the_way(searcher: AlphaBeta[Move], state: State[Move], target: float, left: int) -> Move:
    """The first move on a shortest way to an end with the value `target`, which is `left` plies away."""
    for move in state.moves():
        child = state.play(move)
        if _ends_within(searcher, child, target, left - 1) and not _ends_within(searcher, child, target, left - 2):
            return move
    return state.moves()[0]


def _ends_within(searcher: AlphaBeta[Move], state: State[Move], target: float, plies: int) -> bool:
    """Whether one side can force an end with the value `target` (for MAX; a bound of the game) within `plies` plies."""
    if plies < 0:
        return False
    if target == searcher.bounds[1]:
        return searcher.value(state, plies, nextafter(target, -inf), target)[0] >= target
    return searcher.value(state, plies, target, nextafter(target, inf))[0] <= target
