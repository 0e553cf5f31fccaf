"""An agent that plays connect4 by alpha-beta search.

    arena check my_agent.py --game connect4     check that it works
    arena play connect4 my_agent.py random      watch one game
    arena climb my_agent.py --game connect4     measure how strong it is
    arena games connect4                        show the rules and the notation of moves

`worth` estimates how good a position is: a better estimate makes a stronger agent.
"""

import time

from adsearch import Budget, deepening
from agents import Agent

DEPTH = 5  # greatest search depth in plies; a ply is one move of one player, or one throw of the dice
NODES = 50_000  # most positions searched for one move


class MyAgent(Agent):
    """Looks ahead by alpha-beta search, one ply deeper each time."""

    def choose(self, state, clock):
        # clock.budget is the time for this move, in seconds; an agent that uses less never loses on time.
        budget = Budget.seconds(0.8 * clock.budget, time.monotonic, nodes=NODES)
        result = deepening.search(state, depth=DEPTH, budget=budget, evaluate=self.worth)
        self.tell(score=result.value, nodes=result.nodes, line=result.line)  # shown beside the move
        return result.move

    def worth(self, state, seat):
        """How good a position is for a seat: a number within state.bounds, larger is better."""
        # The game's own estimate. Improve it: what else makes a position good?
        # `arena games connect4` shows what you can read in a position.
        return state.evaluate(seat)
