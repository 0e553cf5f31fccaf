"""The kinds of walls around an agent that is not ours, and what an agent is allowed to use behind them. Values only.

The director makes a `Walls` for each agent and sends it to the agent's warden, whose jail builds the walls.
`arena/walls/probe.py` tests which kinds hold.

    limits      anywhere: its own session, resource limits, a clean environment, polled by the warden
    sandbox     Linux: the same, and the kernel refuses access to other files, processes, sockets and signals
    container   Linux with bubblewrap: the same in its own namespaces, where it can start processes
"""

from __future__ import annotations

from enum import StrEnum
from math import inf

from msgspec import Struct

MEBIBYTE = 1024**2
GIBIBYTE = 1024**3
_LEAST_FILES = 64 * MEBIBYTE
_FULL_PROCESSES = 8
"""All processes together can have this many times the open files of one process."""


class WallKind(StrEnum):
    """The kinds of walls, the weakest first."""

    LIMITS = "limits"
    SANDBOX = "sandbox"
    CONTAINER = "container"


class Allowance(Struct, frozen=True):
    """The limits of one agent; a tournament's description sets them for all agents, or for one. None: no limit."""

    memory: int | None = 2 * GIBIBYTE
    """Bytes of writable memory of one process, its program's data included; and of memory in use by all together."""
    threads: int | None = 64
    """Threads and processes at the same time."""
    open_files: int | None = 64
    """Open files of one process."""
    disk: int = 0
    """Bytes of files in its own folder; 0: none in a sandbox, up to 64 MiB elsewhere."""
    start: int | None = None
    """Nanoseconds that its program can take to start; None: the default."""

    @property
    def open_in_all(self) -> float:
        """Sockets, pipes and epoll instances that all processes together can have open."""
        return inf if self.open_files is None else _FULL_PROCESSES * self.open_files

    @property
    def files(self) -> int:
        """Bytes of files that it can write, where it is allowed to write at all."""
        return self.disk or _LEAST_FILES


class Walls(Struct, frozen=True):
    """The walls of one agent: all that its jail needs to build them."""

    kind: WallKind = WallKind.LIMITS
    allowance: Allowance = Allowance()
    cpu: int | None = 24 * 3600
    """Seconds of processor time in the life of one process (RLIMIT_CPU); None: no limit."""
    environment: dict[str, str] = {}
    """Variables that are added to the clean environment."""
    readable: tuple[str, ...] = ()
    """Files and folders that it can read and execute, besides those of the system."""
    hidden: tuple[str, ...] = ()
    """Paths inside readable folders that it must not read."""
    filter: bytes = b""
    """The system call filter for this kind, from `seccomp.compiled`."""
