"""Winning: the search of a player who only wants to win, and stops at the first move that does.

A position is won for a seat if one of its moves wins, or if the other side moves and every move of theirs does. Nothing
is said about how high a win is; in return almost nothing is looked at twice, or at all. The winning moves, kept, are
the winning strategy: a tree with one move where the winner moves, and every move where the loser does.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Generic

from adsearch import terms
from adsearch.budget import Budget
from adsearch.result import Bound, Line, Result
from adsearch.searcher import Found, Searcher
from adsearch.state import Move, State
from adsearch.table import Entry, Table, table_for
from adsearch.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class Strategy(Generic[Move]):
    """How `seat` wins from a position: each move that matters, with the strategy after it.

    Where `seat` moves that is one move, elsewhere it is every move there is, at the end none. Positions that are
    reached on several ways may share one object."""

    seat: int
    moves: Mapping[Move, Strategy[Move]]


def search(
    state: State[Move],
    *,
    seat: int | None = None,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
    table: bool | Table = True,
) -> Result[Move]:
    """Who wins `state`, if anybody can force that within `depth` plies, or at all.

    The result's value r, for the seat to move, has the sign of the game's value v. If r > 0 the seat to move secures r
    or more (a LOWER bound), if r < 0 the other side keeps it to r or less (an UPPER bound), and where no utility is
    beyond r the bound is EXACT. If r = 0 nobody can force a win, and v is 0; what lies beyond `depth` counts as 0.
    With `seat` only one question is asked: can that seat force a win? The answer no is a bound of 0, or better.
    """
    limit = _limit(state, seat, depth, budget)
    mover = terms.root_seat(state)
    first = Winning[Move](mover if seat is None else seat, budget=budget, trace=trace, table=table)
    result = first.answer(state, depth=depth, limit=limit)
    if seat is not None or result.value or result.exact or first.was_cut() or state.players == 1:
        return result
    # The seat to move cannot win: is it because the other side can?
    second = Winning[Move](1 - mover, table=False if first.table is None else first.table)
    second.effort = first.effort
    result = second.answer(state, depth=depth, limit=limit)
    if second.was_cut() or result.value < 0:
        return result
    # The move keeps the other side from winning, and that is all that can be had.
    return replace(result, value=0.0, bound=Bound.EXACT, exact=first.proven and second.proven)


def strategy(
    state: State[Move], *, seat: int | None = None, depth: int | None = None, table: Table | None = None
) -> Strategy[Move] | None:
    """The winning strategy of `seat`, or of whichever seat has one; None where it cannot force a win within `depth`.

    With a `table` in which a search has left its answer nothing is searched again."""
    limit = _limit(state, seat, depth, None)
    known = Table() if table is None else table
    if seat is None:
        value = search(state, depth=depth, table=known).value
        if not value or (value < 0 and state.players == 1):
            return None
        seat = terms.root_seat(state) if value > 0 else 1 - terms.root_seat(state)
    searcher = Winning[Move](seat, table=known)
    searcher.run(state, depth=depth, limit=limit)
    return searcher.strategy(state, limit, {}) if searcher.value(state, limit)[0] > 0 else None


class Winning(Searcher[Move]):
    """One question: can `seat` force a win? Its values are for that seat."""

    prunes = False

    def __init__(
        self,
        seat: int,
        *,
        budget: Budget | None = None,
        trace: Trace | None = None,
        table: bool | Table = True,
    ) -> None:
        super().__init__(budget=budget, trace=trace)
        self.seat = seat
        self.table = table_for(table)

    def view(self, state: State[Move]) -> int:
        return self.seat

    def answer(self, state: State[Move], *, depth: int | None, limit: int) -> Result[Move]:
        """The result for `state`: the value as the bound that it is."""
        result = self.run(state, depth=depth, limit=limit)
        mover = terms.root_seat(state)
        if self.was_cut():
            return replace(result, value=state.evaluate(mover))
        if state.turn is None:
            return result
        self.proven = self.proven or result.value != 0
        wins = result.value > 0 if mover == self.seat else result.value < 0
        bound = Bound.LOWER if wins == (mover == self.seat) else Bound.UPPER
        low, high = terms.bounds_for(state, mover)
        final = self.proven and result.value == (high if bound is Bound.LOWER else low)
        return replace(result, bound=Bound.EXACT if final else bound, exact=final)

    def root(self, state: State[Move], depth: int, alpha: float, beta: float) -> Found[Move]:
        value, line = self.value(state, depth)
        return Found(value, line, 0 if state.turn is None else None)

    def value(self, state: State[Move], depth: int) -> tuple[float, Line[Move]]:
        """r > 0 if `seat` can force that much or more, r <= 0 if it can force no more than that."""
        effort = self.effort
        effort.nodes += 1
        if effort.limited:
            effort.check()
        if state.turn is None:
            return state.utilities()[self.seat], ()
        if depth == 0:
            effort.estimates += 1
            return 0.0, ()
        if self.table is None:
            return self.expand(state, depth)
        key = (self.seat, state.key)
        entry = self.table.get(key)
        if entry is not None and entry.serves(depth, to_the_end=self.to_the_end):
            effort.estimates += not entry.proven
            return entry.value, (entry.move, ())
        estimates = effort.estimates
        best, line = self.expand(state, depth)
        # No estimate is above or below 0, so a value that is was proven.
        proven = best != 0 or effort.estimates == estimates
        bound = Bound.LOWER if best > 0 else Bound.UPPER
        self.table.put(key, Entry(best, bound, depth, proven, line[0] if line else None))
        return best, line

    def expand(self, state: State[Move], depth: int) -> tuple[float, Line[Move]]:
        """The same as `value`, from the children: one that wins is enough for `seat`, one that does not for the
        other side."""
        line: Line[Move] = ()
        mine = state.turn == self.seat
        trace = self.trace
        best = -inf if mine else inf
        for move in state.moves():
            if trace:
                trace.descend(state.to_text(move))
            value, rest = self.value(state.play(move), depth - 1)
            if value > best if mine else value < best:
                best, line = value, (move, rest)
                if depth == self.root_depth:
                    self.finished = Found(best, line)
            enough = best > 0 if mine else best <= 0
            if trace:
                trace.back(value, cutoff=enough)
            if enough:
                break
        return best, line

    def strategy(
        self, state: State[Move], depth: int, known: dict[tuple[Hashable, int], Strategy[Move]]
    ) -> Strategy[Move]:
        """How `seat` wins `state`, which it can, within `depth` plies."""
        key = (state.key, depth)
        if key not in known:
            moves = state.moves()
            if state.turn == self.seat:
                line = self.value(state, depth)[1]
                moves = line[:1]
            after = {move: self.strategy(state.play(move), depth - 1, known) for move in moves}
            known[key] = Strategy(self.seat, after)
        return known[key]


def _limit(state: State[Move], seat: int | None, depth: int | None, budget: Budget | None) -> int:
    """The depth to search to; BadSearch where the game or the seat is none for this search."""
    terms.zero_sum(state, "winning")
    terms.seat_of(state, "winning", seat)
    return terms.plies(state, "winning", depth, budget)
