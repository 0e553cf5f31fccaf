"""An agent that plays connect4.

    arena check my_agent.py --game connect4     check that it works
    arena play connect4 my_agent.py random      watch one game
    arena climb my_agent.py --game connect4     measure how strong it is
    arena games connect4                        show the rules and the notation of moves

`worth` estimates how good a position is: a better estimate makes a stronger agent.
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
        return max(moves, key=lambda move: self.after_answer(state.play(move), state.turn))

    def after_answer(self, after, me):
        """The value of the position after our move, for us: larger is better."""
        if after.turn in (None, CHANCE, me):  # game over, a throw of the dice, or our move again
            return self.worth(after, me)
        # Another player moves now, and can choose the answer that is worst for us.
        return min(self.worth(after.play(answer), me) for answer in after.moves())

    def worth(self, state, seat):
        """How good a position is for a seat: a number within state.bounds, larger is better."""
        # The game's own estimate. Improve it: what else makes a position good?
        # `arena games connect4` shows what you can read in a position.
        return state.evaluate(seat)
