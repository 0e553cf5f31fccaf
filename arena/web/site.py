"""What every handler needs: the database and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from arena.web.cache import Cache
from arena.web.events import Streams
from arena.web.names import Names
from db.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One page server."""

    database: Database
    """Opened for reading; transactions are short, so that the write-ahead log can be emptied."""
    store: Path
    """The folder of the agents' files, which also has the locks of running tournaments."""
    served: str
    """The name of the ladder that the director serves."""
    threads: Executor
    """Where SQL runs and pages are drawn."""
    cache: Cache
    names: Names
    """What visitors see instead of agents' names."""
    streams: Streams
    """The streams of open pages."""
    complain: Callable[[str], None]
    """Reports what went wrong to the person who runs the server."""
