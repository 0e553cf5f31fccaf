"""A whole agent. Try it: `arena play connect4 examples/greedy.py random`, then change it and play again."""

from agents import Agent


class Greedy(Agent):
    """Takes the move that looks best one step ahead."""

    def choose(self, state, clock):
        # state.moves() are the legal moves; state.play(move) is the position after one of them; and
        # evaluate(seat) says how good a position is for a seat: higher is better. state.turn is our seat.
        return max(state.moves(), key=lambda move: state.play(move).evaluate(state.turn))
