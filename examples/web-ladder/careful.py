"""Alpha-beta to depth 4, however much time is left."""

from agents.builtin.alphabeta import AlphaBeta


class Careful(AlphaBeta):
    """Searches every line of four plies, never more."""

    def __init__(self) -> None:
        super().__init__(depth=4)
