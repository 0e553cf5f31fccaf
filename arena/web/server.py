"""The page server: a process that answers browsers. Pages only read; hand-ins and what instructors decide are written.

It is a helper of the director: settings and messages about games with people come from there, complaints and wishes go
there, and when the director has ended, it ends too. Once it has started, it runs at low priority, because games come
first. The event loop answers what is kept; SQL and drawing run in a few threads.
"""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import socket
import sys
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final, Protocol, TypeVar

import uvicorn
from starlette.types import ASGIApp

from agents.errors import one_line
from arena.accounts.limits import Bucket, Buckets
from arena.course import roster as rosters
from arena.play.helper import Asker, Lines
from arena.players.submissions import Store
from arena.serve.page_link import Complaint, to_pages
from arena.serve.spool import Spool
from arena.web import audited, links, page_routes, play_routes, still_signed_in
from arena.web.analysing import Analyses
from arena.web.answers import Drawing
from arena.web.app import application, drawn_key, how_it_failed
from arena.web.asking import is_visitor
from arena.web.cache import Cache
from arena.web.connection import MOST, Connection
from arena.web.drawn import Asked
from arena.web.events import Streams
from arena.web.following import following
from arena.web.identity import Doorkeeper
from arena.web.names import Names
from arena.web.site import Site
from arena.web.table_streams import TableStreams, topic
from arena.web.tables import Tables
from arena.web.turns import Turns
from arena.web.web_process import Settings
from db.accounts_database import AccountsDatabase
from db.database import Database
from db.errors import DatabaseError

_NICE: Final = 15
"""Its niceness: games come first, then ratings."""
_THREADS: Final = 3
_UPLOADS: Final = Bucket(timedelta(seconds=20), 6)
_PLAYS: Final = Bucket(timedelta(seconds=20), 6)
_SEARCHES: Final = Bucket(timedelta(minutes=3), 10)
_DESK: Final = 2
"""Threads that write to the record; as many write to the accounts."""
_HINTS: Final = 1
_MOST_COMPLAINTS: Final = 50
"""Different ones that are reported in an hour; each is reported once."""
_FORGOTTEN_AFTER: Final = 3600.0
_LONGEST: Final = 500
"""Characters of one."""
_GRACE: Final = 1
"""Seconds that answers have to be sent at the end."""


class _WithDatabase(Protocol):
    """Settings of a page server."""

    @property
    def database(self) -> str:
        """The address of its database."""


S = TypeVar("S", bound=_WithDatabase)


class Complaints:
    """Reports errors to the director, each once."""

    def __init__(self, director: Lines) -> None:
        self._director = director
        self._seen: set[str] = set()
        self._since = monotonic()

    def __call__(self, text: str) -> None:
        """Reports that."""
        line = one_line(text, most=_LONGEST)
        if monotonic() - self._since >= _FORGOTTEN_AFTER:
            self._seen.clear()
            self._since = monotonic()
        if line not in self._seen and len(self._seen) < _MOST_COMPLAINTS:
            self._seen.add(line)
            self._director.send(Complaint(line))


def serve(director: Asker) -> None:
    """Runs the page server of a ladder until the director ends; in a helper."""
    run(director, Settings, _serve)


def run(
    director: Asker, kind: type[S], answering: Callable[[S, Database, Asker, ExitStack], Coroutine[Any, Any, None]]
) -> None:
    """Runs a page server with settings of this kind, until the director ends."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    settings = director.job(kind)
    try:
        with (
            Database(settings.database, create=False, read_only=True) as database,
            ExitStack() as stack,
            asyncio.Runner(loop_factory=_loop) as runner,
        ):
            runner.run(answering(settings, database, director, stack))
    except DatabaseError as error:
        sys.exit(str(error))


def _loop() -> asyncio.AbstractEventLoop:
    """uvloop's where it is installed: answers cost half as much."""
    try:
        import uvloop
    except ImportError:  # on Windows
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


class _Server(uvicorn.Server):
    """Leaves signals alone: at Ctrl-C, which reaches this process too, the director decides when it ends."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Does nothing."""
        yield


async def _serve(settings: Settings, database: Database, director: Asker, stack: ExitStack) -> None:
    """Answers until the director ends. What is opened here is closed with the `stack`."""
    complain = Complaints(director.lines)
    log = None if database.file is None else Path(f"{database.file}-wal")
    threads = Turns(_THREADS, log)
    accounts = None if settings.no_sign_in else stack.enter_context(AccountsDatabase(settings.database))
    doorkeeper = (
        None if accounts is None else Doorkeeper(accounts, threads, served=settings.served, address=settings.address)
    )
    roster = None if settings.roster is None else rosters.read(*settings.roster)
    cache = Cache(threads, failed=lambda error: complain(f"a page cannot be drawn: {how_it_failed(error)}"))
    site = Site(
        database=database,
        store=Path(settings.store),
        served=settings.served,
        threads=threads,
        cache=cache,
        names=Names(roster, accounts=accounts),
        streams=Streams(),
        doorkeeper=doorkeeper,
        no_sign_in=settings.no_sign_in,
        no_hand_ins=settings.no_hand_ins,
        address=settings.address,
        desk=Turns(_DESK, most=MOST),  # nobody who hands in at the last moment is sent away
        door=Turns(_DESK, most=MOST),
        hints=ThreadPoolExecutor(_HINTS, thread_name_prefix="hint"),
        writable=stack.enter_context(Database(settings.database, create=False)),
        spool=Spool(Store(Path(settings.store))),
        uploading={},
        open_pages=Counter(),
        downloading=set(),
        why_turns=asyncio.Semaphore(1),
        uploads=Buckets(_UPLOADS),
        plays=Buckets(_PLAYS),
        challenges=Buckets(_PLAYS),
        searches=Buckets(_SEARCHES),
        analyses=Analyses(settings.database, cache.forget),
        tables=Tables(director.lines.send),
        complain=complain,
    )
    with suppress(DatabaseError):  # visitors will be told
        # While a ladder starts, other processes take all the time that one with low priority could have.
        is_visitor.set(True)
        front = Asked({}, {})
        site.cache.draw_now(drawn_key(links.HOME, front), partial(page_routes.home, site, front))
    site.tables.recorded = partial(audited.played, site)
    site.tables.is_watched = lambda game: topic(game) in site.streams.wanted
    site.tables.changed = TableStreams(site, partial(play_routes.parts, site)).changed
    watching = asyncio.create_task(still_signed_in.watch(site))
    with following(site, failed=lambda error: complain(f"a game cannot be followed: {how_it_failed(error)}")):
        await answer(application(site, settings.hosts), settings.listening, site, director)
    watching.cancel()
    threads.shutdown(wait=False, cancel_futures=True)


async def answer(app: ASGIApp, listening: int, site: Drawing, director: Asker) -> None:
    """Answers browsers on the socket `listening`, with a low priority, until the director ends."""
    os.nice(_NICE)
    server = _Server(
        uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=MOST,
            timeout_graceful_shutdown=_GRACE,
        )
    )
    for name in ("uvicorn", "python_multipart"):  # `complain` reports errors; bad requests are none
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)

    def read() -> None:
        for line in director.lines.received():
            site.tables.take(to_pages(line))
        if director.lines.has_ended:
            loop.remove_reader(director)
            site.streams.close()
            server.should_exit = True

    loop = asyncio.get_running_loop()
    loop.add_reader(director, read)
    await server.serve(sockets=[socket.socket(fileno=listening)])
