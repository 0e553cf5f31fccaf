from adsearch import alphabeta
from agents import Agent


class Deep(Agent):
    """Looks four moves ahead."""

    def choose(self, state, clock):
        return alphabeta.search(state, depth=4).best
