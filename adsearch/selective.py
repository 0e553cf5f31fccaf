"""Selective search (Shannon's type B, forward pruning): alpha-beta with only the best few moves of each position.

The best moves are those with the best evaluation after the move. With the same number of nodes it searches deeper, but
it can miss good moves: its values are estimates, unless no move was left out."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from adsearch import terms
from adsearch.alphabeta import AlphaBeta
from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.form import in_either_form
from adsearch.result import Result
from adsearch.searcher import Evaluate
from adsearch.state import Move, State
from adsearch.table import Table
from adsearch.trace import Trace


@in_either_form
def search(
    state: State[Move],
    *,
    depth: int | None = None,
    budget: Budget | None = None,
    trace: Trace | None = None,
    evaluate: Evaluate[Move] | None = None,
    alpha: float = -inf,
    beta: float = inf,
    table: bool | Table = False,
    width: int = 4,
) -> Result[Move]:
    """The minimax value of the tree that has only the best `width` moves of each position."""
    terms.zero_sum(state, "selective")
    terms.window(alpha, beta)
    if width < 1:
        raise BadSearch(f"selective: expected a width of 1 or more moves, got {width}")
    limit = terms.plies(state, "selective", depth, budget)
    searcher = Selective(width, budget=budget, trace=trace, evaluate=evaluate, table=table)
    return searcher.run(state, depth=depth, limit=limit, alpha=alpha, beta=beta)


class Selective(AlphaBeta[Move]):
    """One search."""

    sound = False

    def __init__(
        self,
        width: int,
        *,
        budget: Budget | None = None,
        trace: Trace | None = None,
        evaluate: Evaluate[Move] | None = None,
        table: bool | Table = False,
    ) -> None:
        super().__init__(budget=budget, trace=trace, evaluate=evaluate, table=table)
        self.width = width

    def moves(self, state: State[Move], depth: int, remembered: Move | None) -> Sequence[Move]:
        """The best `width` moves, best first; ties in the game's order."""
        moves = state.moves()
        seat = state.turn or 0
        worth = {move: self.evaluate(state.play(move), seat) for move in moves}
        best = sorted(moves, key=worth.__getitem__, reverse=True)[: self.width]
        # If a move was left out, it could have been better: the value is then an estimate.
        self.effort.estimates += len(best) < len(moves)
        return best
