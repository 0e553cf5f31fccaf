from agents import Agent


class Middle(Agent):
    """Takes the column in the middle, if it can."""

    def choose(self, state, clock):
        if 3 in state.moves():
            return 3
        return self.random.choice(state.moves())
