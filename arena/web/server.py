"""The page server: a process that answers browsers. It only reads; the director and the rater write.

    python -m arena.web.server

Once it has started, it runs at low priority, because games come first. Its stdin is a socket: the settings come from
there, complaints go there, and when it closes, the director has ended and so does this process. The event loop answers
what is kept; SQL and drawing run in a few threads.
"""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
import uvicorn

from agents.errors import one_line
from arena.course import roster as rosters
from arena.web import links, page_routes
from arena.web.app import application, how_it_failed
from arena.web.cache import Cache
from arena.web.connection import MOST, Connection
from arena.web.drawn import Asked
from arena.web.events import Streams
from arena.web.following import following
from arena.web.names import Names
from arena.web.site import Site
from arena.web.turns import Turns
from arena.web.web_process import Settings
from db.database import Database
from db.errors import DatabaseError

_NICE: Final = 15
"""Its niceness: games come first, then ratings."""
_THREADS: Final = 3
_AT_ONCE: Final = 65536
_MOST_COMPLAINTS: Final = 50
"""Different ones that are reported; each is reported once."""
_LONGEST: Final = 500
"""Characters of one."""
_GRACE: Final = 1
"""Seconds that answers have to be sent at the end."""


class Complaints:
    """Reports errors to the director, each once."""

    def __init__(self, director: socket.socket) -> None:
        self._director = director
        self._seen: set[str] = set()

    def __call__(self, text: str) -> None:
        """Reports that."""
        line = one_line(text, most=_LONGEST)
        if line not in self._seen and len(self._seen) < _MOST_COMPLAINTS:
            self._seen.add(line)
            with suppress(OSError):  # the director has ended, or has not read what came before
                self._director.send(line.encode("utf-8", "replace") + b"\n", socket.MSG_DONTWAIT)


def main() -> None:
    """Runs the page server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the director
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    director = socket.socket(fileno=os.dup(sys.stdin.fileno()))
    settings = _settings(director)
    try:
        with (
            Database(settings.database, create=False, read_only=True) as database,
            asyncio.Runner(loop_factory=_loop) as runner,
        ):
            runner.run(_serve(settings, database, director))
    except DatabaseError as error:
        sys.exit(str(error))


def _settings(director: socket.socket) -> Settings:
    received = b""
    while not received.endswith(b"\n"):
        more = director.recv(_AT_ONCE)
        if not more:
            sys.exit()  # the director has ended
        received += more
    return msgspec.json.decode(received, type=Settings)


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


async def _serve(settings: Settings, database: Database, director: socket.socket) -> None:
    """Answers until the director ends."""
    complain = Complaints(director)
    log = None if database.file is None else Path(f"{database.file}-wal")
    threads = Turns(_THREADS, log)
    roster = None if settings.roster is None else rosters.read(*settings.roster)
    site = Site(
        database=database,
        store=Path(settings.store),
        served=settings.served,
        threads=threads,
        cache=Cache(threads, failed=lambda error: complain(f"a page cannot be drawn: {how_it_failed(error)}")),
        names=Names(roster),
        streams=Streams(),
        complain=complain,
    )
    with suppress(DatabaseError):  # visitors will be told
        # While a ladder starts, other processes take all the time that one with low priority could have.
        site.cache.draw_now((links.HOME,), partial(page_routes.home, site, Asked({}, {})))
    os.nice(_NICE)
    server = _Server(
        uvicorn.Config(
            application(site, settings.hosts),
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
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL + 1)  # `complain` reports errors

    def stop() -> None:
        site.streams.close()
        server.should_exit = True

    loop = asyncio.get_running_loop()
    loop.add_reader(director, stop)
    with following(site, failed=lambda error: complain(f"a game cannot be followed: {how_it_failed(error)}")):
        await server.serve(sockets=[socket.socket(fileno=settings.listening)])
    loop.remove_reader(director)
    threads.shutdown(wait=False, cancel_futures=True)


if __name__ == "__main__":
    main()
