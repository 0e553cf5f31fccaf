"""Winning: a search that only asks whether a seat can force a win, and stops at the first winning move.

A position is won for a seat if one of its own moves wins, or if all moves of the other side do (an AND-OR tree). The
search does not compute how high a win is, and so visits far fewer nodes. The winning moves are a winning strategy: a
tree with one move where the winner moves, and all moves where the loser moves.
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
    """A strategy of `seat` that wins, or that never loses: moves, each with the strategy after it.

    Where `seat` moves there is one move; elsewhere there are all legal moves; at the end there is none. Positions that
    are reached in several ways can share one object."""

    seat: int
    moves: Mapping[Move, Strategy[Move]]
    wins: bool = True
    """Whether it wins from here, against all moves of the other side; otherwise it never loses."""


def search(
    state: State[Move],
    *,
    seat: int | None = None,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
    table: bool | Table = True,
) -> Result[Move]:
    """Which seat can force a win from `state`, within `depth` plies or at all.

    The value r, for the seat to move, has the sign of the game's value v. If r > 0, then v >= r (a LOWER bound); if
    r < 0, then v <= r (an UPPER bound); if r is the game's largest or smallest utility, it is EXACT. If r = 0, no seat
    can force a win and v = 0. Positions at the depth limit have the value 0. With `seat`, only that seat's win is
    searched; if it cannot force one, r is a bound of 0 or better.
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
    # No seat can force a win: the value is a draw, and this move prevents the other side's win.
    return replace(result, value=0.0, bound=Bound.EXACT, exact=first.proven and second.proven)


def strategy(
    state: State[Move], *, seat: int | None = None, depth: int | None = None, table: Table | None = None
) -> Strategy[Move] | None:
    """The winning strategy of `seat` (default: the seat that has one); None if there is no win within `depth` plies.

    With the `table` of an earlier search, nothing is searched again."""
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


def defence(
    state: State[Move], *, seat: int | None = None, depth: int | None = None, budget: Budget | None = None
) -> Strategy[Move] | None:
    """The strategy with which `seat` (default: the seat to move) never loses, and wins if the other side lets it; None
    if the other side can force a win, or if the budget ended the search."""
    limit = _limit(state, seat, depth, budget)
    seat = terms.root_seat(state) if seat is None else seat
    ours, theirs = Winning[Move](seat, budget=budget), Winning[Move](1 - seat, budget=budget)
    known: dict[tuple[Hashable, int], Strategy[Move]] = {}

    def below(state: State[Move], depth: int) -> Strategy[Move]:
        """The defence from `state`, where the other side cannot force a win."""
        if ours.value(state, depth)[0] > 0:
            return ours.strategy(state, depth, known)
        key = (state.key, depth)
        if key not in known:
            # The search for the other side's win stopped at the first move that prevents it.
            moves = theirs.value(state, depth)[1][:1] if state.turn == seat else state.moves()
            known[key] = Strategy(seat, {move: below(state.play(move), depth - 1) for move in moves}, wins=False)
        return known[key]

    for searcher in (ours, theirs):
        searcher.run(state, depth=depth, limit=limit)
        if searcher.was_cut():
            return None
    return None if theirs.value(state, limit)[0] > 0 else below(state, limit)


class Winning(Searcher[Move]):
    """Searches whether `seat` can force a win. Its values are for that seat."""

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
        """The result for `state`, with its bound."""
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
        """r, for `seat`: if r > 0, the true value is >= r; if r <= 0, it is <= r."""
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
            if self.trace:
                self.trace.found(entry.value, entry.bound)
            return entry.value, (entry.move, ())
        estimates = effort.estimates
        best, line = self.expand(state, depth)
        # All estimates are 0, so any other value is proven.
        proven = best != 0 or effort.estimates == estimates
        bound = Bound.LOWER if best > 0 else Bound.UPPER
        self.table.put(key, Entry(best, bound, depth, proven, line[0] if line else None))
        return best, line

    def expand(self, state: State[Move], depth: int) -> tuple[float, Line[Move]]:
        """The same as `value`, from the children: `seat` stops at the first child that wins, the other side at the
        first that does not."""
        line: Line[Move] = ()
        mine = state.turn == self.seat
        trace = self.trace
        best = -inf if mine else inf
        moves = state.moves()
        for move in moves:
            if trace:
                trace.descend(state.to_text(move))
            value, rest = self.value(state.play(move), depth - 1)
            if value > best if mine else value < best:
                best, line = value, (move, rest)
                if depth == self.root_depth:
                    self.finished = Found(best, line)
            enough = best > 0 if mine else best <= 0
            if trace:
                trace.back(value, cutoff=enough and move != moves[-1])
            if enough:
                break
        return best, line

    def strategy(
        self, state: State[Move], depth: int, known: dict[tuple[Hashable, int], Strategy[Move]]
    ) -> Strategy[Move]:
        """The strategy of `seat` from `state`, which is won within `depth` plies."""
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
    """The depth to search to; BadSearch if this search does not support the game or the seat."""
    terms.zero_sum(state, "winning")
    terms.seat_of(state, "winning", seat)
    return terms.plies(state, "winning", depth, budget)
