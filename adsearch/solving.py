"""Solving a game: which search finds its value, by the kind of game."""

from typing import Final

from adsearch import deepening, expectiminimax, iteration, maxn
from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.result import Result
from adsearch.state import Move, State
from adsearch.terms import DEEPEST

_FEW: Final = 200_000
"""Largest number of positions of a game without chance that is solved by iteration, if it can last very long."""
_QUICK: Final = 20_000
"""Number of nodes of the search that comes first in a game that can last very long: it finds mates and short ends."""
_TOO_LARGE: Final = "solve: this game is too large; --seconds 10 prints the best result found in 10 seconds"


def solved(state: State[Move], *, limit: Budget | None, budget: Budget) -> Result[Move]:
    """The result of the search for this kind of game. `limit`: None if the value must be found; `budget`: the limit, or
    one that never ends."""
    if state.hidden:
        raise BadSearch("solve: this game has hidden information: use --equilibrium")
    endless = state.max_plies is None or state.max_plies > DEEPEST
    if state.players > 2 or (state.players == 2 and not state.zero_sum):
        if endless and limit is None:
            raise BadSearch(_TOO_LARGE)
        return maxn.search(state, budget=budget)
    if state.chance or state.max_plies is None or (endless and limit is None):
        if not state.chance and limit is None:
            found = deepening.search(state, budget=Budget(nodes=_QUICK))
            if found.exact:
                return found
        try:
            return iteration.search(state, budget=budget, most=iteration.MOST if state.chance else _FEW)
        except BadSearch:
            if endless and limit is None:
                raise BadSearch(_TOO_LARGE) from None
    return expectiminimax.search(state, budget=budget) if state.chance else deepening.search(state, budget=budget)
