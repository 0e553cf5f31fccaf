"""Takes the move whose text comes first, and says so."""

from agents import Agent


class Alice(Agent):
    def choose(self, state, clock):
        moves = sorted(state.moves(), key=state.to_text)
        print("of", len(moves), "moves the first")
        self.tell(text="the first", depth=1, nodes=len(moves), score=0.5)
        return moves[0]
