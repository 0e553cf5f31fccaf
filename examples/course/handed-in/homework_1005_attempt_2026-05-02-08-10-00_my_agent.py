from agents import Agent


class Late(Agent):
    """Any move will do."""

    def choose(self, state, clock):
        return self.random.choice(state.moves())
