from adsearch import deepening
from agents import Agent


class Breakthrough(Agent):
    """Plays openspiel:breakthrough: looks three plies ahead, and counts pieces."""

    def choose(self, state, clock):
        return deepening.search(state, depth=3, evaluate=self.worth).move

    def worth(self, state, seat):
        if state.turn is None:  # the game is over: won 1, lost -1
            return state.utilities()[seat]
        rows = str(state.theirs).split()[:-1]  # such as "5bb.bbb": the number of the row, and its pieces
        black, white = (sum(row.count(piece) for row in rows) for piece in "bw")
        return (black - white if seat == 0 else white - black) / 100
