"""The kinds of walls around an agent that is not ours, and what an agent is allowed to use behind them. Values only.

`arena/walls/` builds the walls, and tests which kinds hold.

    limits      anywhere: its own session, resource limits, a clean environment, polled by the warden
    sandbox     Linux: the same, and the kernel refuses access to other files, processes, sockets and signals
    container   Linux with bubblewrap: the same in its own namespaces, where it can start processes
"""

from __future__ import annotations

from enum import StrEnum
from math import inf
from typing import Annotated, NamedTuple

from msgspec import Struct

# What a field can be, said beside its type: `Annotated[int, Whole(1, 100)]`. Descriptions are read by it.


class Whole(NamedTuple):
    """A whole number."""

    least: int
    most: int
    unlimited: int | None = None
    """The number that stands for no limit, for which the field is None."""


class Seconds(NamedTuple):
    """A time in seconds; the field has nanoseconds."""

    least: float
    most: float


class Share(NamedTuple):
    """A number of at least 0, as a part of something."""


class Size(NamedTuple):
    """A number of bytes, such as "512M"; 0 is None where the field can be None."""

    least: int
    zero: str
    """What 0 means, for messages."""


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

    memory: Annotated[int | None, Size(16 * MEBIBYTE, "no limit")] = 2 * GIBIBYTE
    """Bytes of writable memory of one process, its program's data included; and of memory in use by all together."""
    threads: Annotated[int | None, Whole(0, 100_000, 0)] = 64
    """Threads and processes at the same time."""
    open_files: Annotated[int | None, Whole(16, 100_000)] = 64
    """Open files of one process."""
    disk: Annotated[int, Size(MEBIBYTE, "no files")] = 0
    """Bytes of files in its own folder; 0: none in a sandbox, up to 64 MiB elsewhere."""
    start: Annotated[int | None, Seconds(0.1, 24 * 3600)] = None
    """Nanoseconds that its program can take to start; None: the default."""

    @property
    def open_in_all(self) -> float:
        """Sockets, pipes and epoll instances that all processes together can have open."""
        return inf if self.open_files is None else _FULL_PROCESSES * self.open_files

    @property
    def files(self) -> int:
        """Bytes of files that it can write, where it is allowed to write at all."""
        return self.disk or _LEAST_FILES
