"""The settings with which a warden speaks to an engine. Values only."""

from __future__ import annotations

from msgspec import Struct


class Engine(Struct, frozen=True):
    """What a user has said about an engine, after its program: `uci:stockfish?Hash=16&nodes=10000`."""

    protocol: str
    """The name of its protocol (`arena/engines`)."""
    options: dict[str, str] = {}
    """What its protocol calls settings."""
    nodes: int | None = None
    """Nodes to search for each move; None: no limit of nodes. The next two likewise. Only for protocols with limits."""
    depth: int | None = None
    movetime: int | None = None
    """Milliseconds to think about each move."""
