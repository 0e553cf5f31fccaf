from agents import Agent


class Named(Agent):
    """Knows its columns by name."""

    def choose(self, state, clock):
        return state.to_text(state.moves()[0])
