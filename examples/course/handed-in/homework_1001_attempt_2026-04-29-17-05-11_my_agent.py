from agents import Agent


class Careful(Agent):
    """Leaves its opponent the worst of answers."""

    def choose(self, state, clock):
        return max(state.moves(), key=lambda move: self.worst(state.play(move), state.turn))

    def worst(self, after, me):
        if after.turn is None:
            return after.evaluate(me)
        return min(after.play(answer).evaluate(me) for answer in after.moves())
