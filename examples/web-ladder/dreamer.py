"""Monte Carlo tree search: it plays thousands of random games and prefers the moves that won."""

from agents.builtin.mcts import Mcts


class Dreamer(Mcts):
    """Knows the rules, and nothing about good positions."""
