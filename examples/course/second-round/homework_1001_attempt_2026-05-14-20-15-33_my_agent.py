from adsearch import alphabeta
from agents import Agent


class Careful(Agent):
    """Looks five plies ahead."""

    def choose(self, state, clock):
        return alphabeta.search(state, depth=5).move
