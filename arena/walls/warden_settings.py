"""The settings that a warden gets when it starts."""

from __future__ import annotations

from msgspec import Struct

from arena.walls.kinds import Walls
from arena.walls.translation.engine import Engine


class WardenSettings(Struct, frozen=True):
    """The settings of one warden, for all the games of its agent. Times are in nanoseconds."""

    address: str
    """The referee's ZeroMQ address for players."""
    token: str
    name: str
    command: tuple[str, ...]
    scratch: str
    """The directory in which the agent's working directory is made."""
    start: int
    """Time from its start until an agent that sends no hello must be ready."""
    ready: int
    """Time from its hello, or from the message `start` if that is later, until an agent must be ready."""
    fresh: bool = True
    """Whether each game gets a new process."""
    walls: Walls = Walls()
    ponder: bool = False
    """Whether the agent also runs when it is not its turn."""
    engine: Engine | None = None
    """If the agent is an engine: its protocol and options. None: it speaks our own protocol."""
