"""A complete agent. Try it: `arena play connect4 examples/greedy.py random`, then change it and play again."""

from agents import Agent


class Greedy(Agent):
    """Plays the move that looks best one step ahead."""

    def choose(self, state, clock):
        # state.moves() are the legal moves; state.play(move) is the position after a move;
        # evaluate(seat) estimates a position for a seat: larger is better. state.turn is our seat.
        return max(state.moves(), key=lambda move: state.play(move).evaluate(state.turn))
