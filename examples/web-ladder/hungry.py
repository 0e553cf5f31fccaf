"""One ply ahead: as many discs as possible. It is a beginner's mistake in Othello."""

from agents import Agent


class Hungry(Agent):
    """Plays the move after which it has the most discs."""

    def choose(self, state, clock):
        mark = "xo"[state.turn]
        return max(state.moves(), key=lambda move: sum(row.count(mark) for row in state.play(move).rows()))
