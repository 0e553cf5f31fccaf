"""An agent that plays connect4.

    arena check my_agent.py --game connect4     is everything all right with it?
    arena play connect4 my_agent.py random      one game, shown as it goes
    arena climb my_agent.py --game connect4     how strong is it?
    arena games connect4                        the rules, and how moves are written

Only `choose` has to be changed to make it better.
"""

from adsearch import CHANCE
from agents import Agent


class MyAgent(Agent):
    """Looks at each of its moves, and at the answers to it."""

    def choose(self, state, clock):
        # Return one of state.moves(), the legal moves. state.play(move) is the position after a move,
        # state.turn whose turn it is (ours, now), print(state) shows the board in the agent's log.
        moves = list(state.moves())
        self.random.shuffle(moves)  # of moves that look equally good take any
        return max(moves, key=lambda move: self.worth(state.play(move), state.turn))

    def worth(self, after, me):
        """What the position after our move is worth to us: the more, the better."""
        if after.turn in (None, CHANCE, me):  # the game is over, dice are thrown, or we move again
            return after.evaluate(me)
        # Another player moves now, and may take what is worst for us.
        return min(after.play(answer).evaluate(me) for answer in after.moves())
