"""Forward pruning: it looks at the four best moves of each position only, and so sees farther."""

from agents.builtin.more import Selective


class Picky(Selective):
    """Selective search with four moves for each position."""
