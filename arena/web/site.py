"""What every handler needs: the database and what is kept of it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.serve.open_ladders import opened
from arena.serve.spool import Spool
from arena.serve.submissions import Buckets
from arena.web.analyses import Analyses
from arena.web.cache import Cache
from arena.web.events import Streams
from arena.web.identity import SignIns
from arena.web.page_values import Asked
from arena.web.permissions import Names, SeenNames
from arena.web.persons_game import PersonsGames
from db import ladder
from db.database import Connection, Database
from db.records import JudgedPly


@dataclass(slots=True)
class Uploading:
    """An upload in progress."""

    size: int
    """The bytes of its body."""
    body: asyncio.Future[Any] | None = None
    """What reads its body; None before that."""
    is_read: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when its body is read, or never will be."""
    is_replaced: bool = False
    is_over: asyncio.Event = field(default_factory=asyncio.Event)

    async def ended(self) -> bool:
        """Ends it, if its body is still being read: its author has begun another one, because a line was lost perhaps.
        Whether it has ended."""
        await self.is_read.wait()
        if self.body is not None:
            if not self.body.cancel():
                return False
            self.is_replaced = True
        await self.is_over.wait()
        return True


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
    """What viewers see instead of agents' names."""
    streams: Streams
    """The streams of open pages."""
    sign_ins: SignIns | None
    """Who has signed in; None if nobody can."""
    no_sign_in: str
    """Why nobody can sign in; empty if people can."""
    no_hand_ins: str
    """Why nobody can hand in here; empty if authors can."""
    address: str
    """The address that people type."""
    record_writer: Executor
    """Where is written, so that pages do not wait while a database is busy."""
    account_writer: Executor
    """Where is written to the accounts alone."""
    hints: Executor
    """Where hints are waited for."""
    writable: Database
    """The record, for hand-ins and for what instructors decide."""
    spool: Spool
    uploading: dict[str, Uploading]
    """The uploads in progress, by author."""
    open_pages: Counter[tuple[int | str, str]]
    """The number of open streams by whose they are, an account's or a visitor's address, and by topic."""
    downloading: set[int]
    """The accounts whose downloads are in progress."""
    mistakes: dict[str, Mapping[int, JudgedPly]] = field(default_factory=dict)
    """What the page that says why games were lost found last: agent -> game -> its mistake. Pages of games mark it."""
    why_turns: asyncio.Semaphore
    """For the page that says why games were lost, which takes seconds."""
    uploads: Buckets
    """How often an author can upload, also what is refused."""
    plays: Buckets
    """How often an account can begin a game."""
    challenges: Buckets
    """How often an account can ask for a challenge, also if it is refused."""
    searches: Buckets
    """How often an account can have the mistakes of a game found."""
    analyses: Analyses
    tables: PersonsGames
    """The games that people play."""
    complain: Callable[[str], None]
    """Reports what went wrong to the person who runs the server."""
    shared: dict[Hashable, asyncio.Future[Any]] = field(default_factory=dict)
    """What is being read for all who ask for the same."""

    def takes(self, author: str) -> bool:
        """Whether the served ladder still takes a submission of this author. It is looked at once a second at most."""

        def is_open() -> bool:
            with self.database.reading() as connection:
                found = opened(connection, self.served)
                return found.until(ladder.extension(connection, found.id, author)) >= datetime.now(UTC)

        return self.names.briefly(("takes", author), is_open)


@contextmanager
def of_tournament(site: Site, asked: Asked) -> Iterator[tuple[Connection, SeenNames, int]]:
    """To read what is asked of the tournament in the path: a connection, the names as the viewer sees them, and the row
    id. NotFound if there is none."""
    names = site.names.seen_by(asked.viewer)
    with site.database.reading() as connection:
        yield connection, names, names.find_tournament(connection, asked.names["tournament"])
