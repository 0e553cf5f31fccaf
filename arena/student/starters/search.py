"""An agent that plays connect4 by alpha-beta search.

    arena check my_agent.py --game connect4     is everything all right with it?
    arena play connect4 my_agent.py random      one game, shown as it goes
    arena climb my_agent.py --game connect4     how strong is it?
    arena games connect4                        the rules, and how moves are written

`worth` says how good a position is: the better it knows, the better the agent plays.
"""

import time

from adsearch import Budget, deepening
from agents import Agent

DEPTH = 5  # so many plies ahead it looks; a ply is one move of one player, or one throw of the dice
NODES = 50_000  # and at no more positions than these for one move


class MyAgent(Agent):
    """Looks ahead by alpha-beta search, one ply deeper each time."""

    def choose(self, state, clock):
        # clock.budget is what may be spent on this move, in seconds; whoever spends less never loses on time.
        budget = Budget.seconds(0.8 * clock.budget, time.monotonic, nodes=NODES)
        result = deepening.search(state, depth=DEPTH, budget=budget, evaluate=self.worth)
        self.tell(score=result.value, nodes=result.nodes, line=result.line)  # shown beside the move
        return result.move

    def worth(self, state, seat):
        """How good a position looks for a seat where the search stops: the more, the better, within state.bounds."""
        # The game's own estimate. What else makes a position good?
        return state.evaluate(seat)
