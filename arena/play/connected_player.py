"""A player that is connected to the referee, and the game that it plays.

The referee finds it by its address, its token or its descriptor. A player is in one game; only between two games can it
also be in the one before, until it has reported.
"""

from __future__ import annotations

from agents import protocol
from arena.match.match import Match


class ConnectedPlayer:
    """A player whose hello was accepted."""

    __slots__ = ("address", "before", "descriptor", "match", "seat", "token", "wants")

    def __init__(self, address: bytes, descriptor: int, token: str, wants: tuple[protocol.Want, ...]) -> None:
        self.address = address
        self.descriptor = descriptor
        self.token = token
        self.wants = wants
        self.match: Match | None = None
        self.seat = 0
        # The match that has its verdict but not this player's report yet, and the seat there.
        self.before: tuple[Match, int] | None = None
