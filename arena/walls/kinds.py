"""The walls around an agent that is not ours: which kinds there are, and what an agent may have behind them.

The director decides what an agent gets and makes a `Walls` of it; a plain value travels to the agent's warden, whose
jail puts the walls up; `arena/walls/probe.py` tries which kinds hold. Nothing here does anything.

    limits      anywhere: a session of its own, limits on resources, a clean environment, the warden's eyes
    sandbox     Linux: the same, and the kernel refuses it other files, processes, sockets and signals
    container   Linux with bubblewrap: the same in namespaces of its own, where it may start processes
"""

from __future__ import annotations

from enum import StrEnum
from math import inf

from msgspec import Struct

MEBIBYTE = 1024**2
GIBIBYTE = 1024**3
_LEAST_FILES = 64 * MEBIBYTE
_PROCESSES_FULL = 8


class WallKind(StrEnum):
    """How strong the walls are, the weakest first."""

    LIMITS = "limits"
    SANDBOX = "sandbox"
    CONTAINER = "container"


class Allowance(Struct, frozen=True):
    """What one agent may use; a tournament's description sets it for all, or for one. None: no limit."""

    memory: int | None = 2 * GIBIBYTE
    """Bytes that one process may write to, its program's own data included, and that all may hold together."""
    threads: int | None = 64
    """Threads and processes at one time."""
    open_files: int | None = 64
    """Of one process."""
    disk: int = 0
    """Bytes that its own folder may hold; 0: in a sandbox it writes no file, elsewhere a little."""
    start: int | None = None
    """Nanoseconds that its program may take to start; None: as long as usual."""

    @property
    def open_in_all(self) -> float:
        """Sockets, pipes and watchers (epoll) that all processes may have open together."""
        return inf if self.open_files is None else _PROCESSES_FULL * self.open_files

    @property
    def files(self) -> int:
        """Bytes in files that it may write, wherever nothing keeps it from writing at all."""
        return self.disk or _LEAST_FILES


class Walls(Struct, frozen=True):
    """The walls of one agent, whole: what its jail needs to know."""

    kind: WallKind = WallKind.LIMITS
    allowance: Allowance = Allowance()
    cpu: int | None = 24 * 3600
    """Seconds of processor time in the life of one process: a backstop."""
    environment: dict[str, str] = {}
    """Variables to set on top of the clean environment."""
    readable: tuple[str, ...] = ()
    """Files and folders that it may read and run, besides those of the system."""
    hidden: tuple[str, ...] = ()
    """What it may not read, though it lies in something readable."""
    filter: bytes = b""
    """What `seccomp.compiled` made for this kind."""
