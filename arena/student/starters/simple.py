"""An agent that plays connect4.

    arena check my_agent.py --game connect4     check that it works
    arena play connect4 my_agent.py random      watch one game
    arena climb my_agent.py --game connect4     measure how strong it is
    arena games connect4                        show the rules and the notation of moves

To make it stronger, change `choose`.
"""

from adsearch import CHANCE
from agents import Agent


class MyAgent(Agent):
    """Looks one move ahead, and at the opponent's answers."""

    def choose(self, state, clock):
        # Return one of state.moves(), the legal moves. state.play(move) is the position after a move,
        # state.turn is the seat that moves (ours, now), print(state) writes the board to the agent's log.
        moves = list(state.moves())
        self.random.shuffle(moves)  # so that equally good moves are chosen at random
        return max(moves, key=lambda move: self.worth(state.play(move), state.turn))

    def worth(self, after, me):
        """The value of the position after our move, for us: larger is better."""
        if after.turn in (None, CHANCE, me):  # game over, a throw of the dice, or our move again
            return after.evaluate(me)
        # Another player moves now, and can choose the answer that is worst for us.
        return min(after.play(answer).evaluate(me) for answer in after.moves())
