"""The settings that a warden gets when it starts."""

from __future__ import annotations

from msgspec import Struct

from arena.engines import Engine
from arena.match.clock import SECOND
from arena.walls.jail import Walls


class WardenSettings(Struct, frozen=True):
    """The settings of one warden, for all the games of its agent. Times are in nanoseconds."""

    address: str
    """The referee's ZeroMQ address for players."""
    token: str
    name: str
    command: tuple[str, ...]
    scratch: str
    """The directory in which the agent's working directory is made."""
    fresh: bool = True
    """Whether each game gets a new process."""
    start: int = 10 * SECOND
    """Time from its start until an agent that sends no hello must be ready."""
    ready: int = 5 * SECOND
    """Time from its hello, or from the message `start` if that is later, until an agent must be ready."""
    walls: Walls = Walls()
    ponder: bool = False
    """Whether the agent also runs when it is not its turn."""
    engine: Engine | None = None
    """If the agent is an engine: its protocol and options. None: it speaks our own protocol."""
    traffic: str = ""
    """The folder for the whole traffic with an engine; empty: it is not kept."""
