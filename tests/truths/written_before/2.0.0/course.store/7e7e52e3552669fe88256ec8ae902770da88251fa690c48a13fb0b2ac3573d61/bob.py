"""Fails at its third turn."""

from agents import Agent


class Bob(Agent):
    def begin(self, state, seat):
        self.turns = 0

    def choose(self, state, clock):
        self.turns += 1
        if self.turns == 3:
            raise RuntimeError("bob forgot what to do")
        return state.moves()[-1]
