"""PVS: principal variation search, alpha-beta that tests every move after the first with a null window.

With a transposition table and good move ordering it is the strongest built-in agent in games without chance.
"""

from __future__ import annotations

from agents.builtin.alphabeta import AlphaBeta


class Pvs(AlphaBeta):
    """Alpha-beta with a null window for each move after the first; the strongest without chance."""

    algorithm = "pvs"
