"""A function that gets a board as lists, and the class that makes an agent of it; its game is connect4."""

from agents import Agent


def best_move(board, player):
    """The column nearest to the middle that is not full."""
    return min((column for column in range(7) if not board[0][column]), key=lambda column: abs(column - 3))


class PlainFunction(Agent):
    def choose(self, state, clock):
        return best_move(state.array(self.seat), self.seat)
