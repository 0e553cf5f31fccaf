"""PVS: alpha-beta that expects the first move to be the best, and only asks whether any other is better.

With a table and a good order of moves it is the strongest of the built-in agents where there is no chance.
"""

from __future__ import annotations

from agents.builtin.alphabeta import AlphaBeta


class Pvs(AlphaBeta):
    """Alpha-beta that only asks of later moves whether they are better; the strongest without chance."""

    algorithm = "pvs"
