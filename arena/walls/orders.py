"""What a warden is told when it begins."""

from __future__ import annotations

from msgspec import Struct

from arena.match.clock import SECOND
from arena.walls.kinds import Walls


class Orders(Struct, frozen=True):
    """Of one warden, for all the games of its agent."""

    address: str
    """Where the referee receives players."""
    token: str
    name: str
    command: tuple[str, ...]
    scratch: str
    """A directory in which agents get their working directories."""
    fresh: bool = True
    """A new process for each game."""
    start: int = 10 * SECOND
    """How long an agent that says no hello has to be ready, from its start."""
    ready: int = 5 * SECOND
    """How long it has from its hello, or from `start` if that is later."""
    walls: Walls = Walls()
    ponder: bool = False
    """Whether the agent may think while it is not its turn."""
