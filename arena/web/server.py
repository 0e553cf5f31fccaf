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
from collections.abc import Callable, Collection, Coroutine, Hashable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic, monotonic_ns
from typing import Any, Final, TypeVar

import uvicorn
from starlette.types import ASGIApp

from agents.errors import one_line
from arena.accounts import audit
from arena.course import roster as rosters
from arena.match.live import GameNews, LiveEnd, NotLive, RatingNews, SubmissionNews
from arena.play.follower import Follower
from arena.play.helper import Asker, Lines
from arena.players.submissions import Store
from arena.serve.messages import Complaint, to_pages
from arena.serve.spool import Spool
from arena.serve.submissions import Bucket, Buckets
from arena.tournament.lock import running_in
from arena.web import links, play_routes
from arena.web.analyses import Analyses
from arena.web.answers import PageDrawing, whose
from arena.web.app import application, drawn_key, home, how_it_failed
from arena.web.cache import Cache, Turns
from arena.web.connection import MOST, Connection
from arena.web.events import MOST_TOPICS, Change, Streams
from arena.web.identity import SignIns
from arena.web.live import SECOND, LiveHub, Record
from arena.web.live_record import LiveRecord
from arena.web.page_values import Asked, is_visitor
from arena.web.permissions import MEMBER, Names
from arena.web.persons_game import PersonsGames
from arena.web.play_routes import TableStreams, topic
from arena.web.site import Site
from arena.web.web_process import WebSettings, WindowSettings
from db.accounts import AccountsDatabase
from db.database import Database
from db.errors import DatabaseError

_NICE: Final = 15
"""Its niceness: games come first, then ratings."""
_THREADS: Final = 3
_UPLOADS: Final = Bucket(timedelta(seconds=20), 6)
_PLAYS: Final = Bucket(timedelta(seconds=20), 6)
_SEARCHES: Final = Bucket(timedelta(minutes=3), 10)
_WRITERS: Final = 2
"""Threads that write to the record; as many write to the accounts."""
_HINTS: Final = 1
_MOST_COMPLAINTS: Final = 50
"""Different ones that are reported in an hour; each is reported once."""
_FORGOTTEN_AFTER: Final = 3600.0
_LONGEST: Final = 500
"""Characters of one."""
_GRACE: Final = 1
"""Seconds that answers have to be sent at the end."""


S = TypeVar("S", WebSettings, WindowSettings)


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
    run(director, WebSettings, _serve)


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
        yield


async def _serve(settings: WebSettings, database: Database, director: Asker, stack: ExitStack) -> None:
    """Answers until the director ends. What is opened here is closed with the `stack`."""
    complain = Complaints(director.lines)
    log = None if database.file is None else Path(f"{database.file}-wal")
    threads = Turns(_THREADS, log)
    accounts = None if settings.no_sign_in else stack.enter_context(AccountsDatabase(settings.database))
    sign_ins = (
        None if accounts is None else SignIns(accounts, threads, served=settings.served, address=settings.address)
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
        sign_ins=sign_ins,
        no_sign_in=settings.no_sign_in,
        no_hand_ins=settings.no_hand_ins,
        address=settings.address,
        record_writer=Turns(_WRITERS, most=MOST),  # nobody who hands in at the last moment is sent away
        account_writer=Turns(_WRITERS, most=MOST),
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
        tables=PersonsGames(director.lines.send),
        complain=complain,
    )
    with suppress(DatabaseError):  # visitors will be told
        # While a ladder starts, other processes take all the time that one with low priority could have.
        is_visitor.set(True)
        front = Asked({}, {})
        site.cache.draw_now(drawn_key(links.HOME, front), partial(home, site, front))
    site.tables.recorded = partial(note_played, site)
    site.tables.is_watched = lambda game: topic(game) in site.streams.wanted
    site.tables.changed = TableStreams(site, partial(play_routes.parts, site)).changed
    watching = asyncio.create_task(watch_sessions(site))
    with following(site, failed=lambda error: complain(f"a game cannot be followed: {how_it_failed(error)}")):
        await answer(application(site, settings.hosts), settings.listening, site, director)
    watching.cancel()
    threads.shutdown(wait=False, cancel_futures=True)


async def answer(app: ASGIApp, listening: int, site: PageDrawing, director: Asker) -> None:
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


def note_played(site: Site, account: Hashable, game: int) -> None:
    """The account has played this game by hand, which the record does not say. Runs in any thread."""
    if site.sign_ins is None or not isinstance(account, int):
        return
    try:
        audit.note_played(site.sign_ins.accounts, datetime.now(UTC), account=account, game=game)
    except DatabaseError as error:
        site.complain(f"it was not noted who has played game {game}: {error}")


# Who is still signed in: a stream goes on for hours, so every second the accounts are asked whose the keys of open
# streams are, with one query for all of them. The streams of people who have signed out, or whose account was ended or
# has changed, end. A page whose stream has ended asks for it again, and gets what is allowed now.


_LOOKS_EVERY: Final = 1.0
"""Seconds."""


async def watch_sessions(site: Site) -> None:
    """Ends for ever the streams that people may not follow any more."""
    while True:
        await asyncio.sleep(_LOOKS_EVERY)
        try:
            await end_streams(site)
        except Exception as error:  # an error now must not keep all later streams from being ended
            site.complain(f"the accounts do not say who is still signed in: {error}")


async def end_streams(site: Site) -> None:
    """Ends the streams that people may not follow any more."""
    if site.sign_ins is None or not (owners := site.streams.owners):
        return
    now = await whose(site, site.sign_ins, {owner.key for owner in owners})
    site.streams.close_those_of({owner for owner in owners if now[owner.key] != owner.account})


# The thread that follows the directors of running tournaments for the pages that are open.


TICK: Final = 0.1
"""Seconds between two looks. Sent at each ply, viewers would cost a game on the same cores far more."""
_LINGER: Final = 5 * SECOND
"""Time for which a topic is followed after its last page was closed: pages are often loaded again."""
_CONNECT_EVERY: Final = SECOND
"""Time between two looks for the director of a tournament."""
_RULINGS_EVERY: Final = SECOND
"""Time between two looks whether somebody has ruled: a command rules in a process of its own."""


class _Director:
    """The connection to one director."""

    def __init__(self, folder: Path) -> None:
        self.follower = Follower(folder)
        self.follower.subscribe_news()
        self.games = set[int]()


class Rulings:
    """Notices rulings, those of commands too."""

    def __init__(self, read: Callable[[], int], changed: Callable[[], None]) -> None:
        """`read` gives the number of the last ruling. `changed` is called when there is a new one."""
        self._read = read
        self._changed = changed
        self._last: int | None = None
        self._due = 0

    def look(self, now: int) -> bool:
        """Looks, if it is time; whether it was."""
        if now < self._due:
            return False
        self._due = now + _RULINGS_EVERY
        before, self._last = self._last, self._read()
        if before not in (None, self._last):
            self._changed()
        return True


class Following:
    """The work of the thread."""

    def __init__(self, store: Path, record: Record, send: Callable[[Iterable[Change], Collection[str]], None]) -> None:
        """`store`: the folder with the locks of running tournaments. `send` takes changes, and topics to be forgotten;
        it is called from the thread."""
        self._store = store
        self._hub = LiveHub(record)
        self._send = send
        self._directors: dict[Path, _Director] = {}
        # Where each tournament is played; and when that is looked up again.
        self._folders: dict[str, Path | None] = {}
        self._due = 0
        # When each topic was last wanted.
        self._wanted: dict[str, int] = {}

    def tick(self, topics: Collection[str], now: int) -> None:
        """One look. `topics`: what open pages follow; `now`: time.monotonic_ns."""
        self._wanted |= dict.fromkeys(topics, now)
        lingers = _LINGER if len(self._wanted) <= MOST_TOPICS else 0
        self._wanted = {topic: at for topic, at in self._wanted.items() if now - at <= lingers}
        dropped = self._hub.follow(self._wanted)
        tournaments = {*self._hub.wanted.values(), *self._hub.tournaments}
        if now >= self._due or not tournaments <= self._folders.keys():
            self._due = now + _CONNECT_EVERY
            self._connect(tournaments)
        self._subscribe()
        for folder, director in [*self._directors.items()]:
            self._receive(folder, director)
        changes = self._hub.tick(now)
        if changes or dropped:
            self._send(changes, dropped)

    def _connect(self, tournaments: Collection[str]) -> None:
        """Finds the directors of these tournaments, and leaves the others."""
        self._folders = {name: running_in(self._store, name) for name in tournaments}
        needed = {folder for folder in self._folders.values() if folder is not None}
        for folder in self._directors.keys() - needed:
            self._leave(folder)
        for folder in needed - self._directors.keys():
            self._directors[folder] = _Director(folder)

    def _leave(self, folder: Path) -> None:
        director = self._directors.pop(folder)
        director.follower.close()
        self._hub.lose(director.games)

    def _subscribe(self) -> None:
        """Subscribes to the games that are wanted, and leaves the others."""
        wanted = self._hub.wanted
        for director in self._directors.values():
            for game in director.games - wanted.keys():
                director.follower.unsubscribe(game)
            director.games &= wanted.keys()
        self._hub.asked &= wanted.keys()
        for game in [*self._hub.asked]:
            folder = self._folders.get(wanted[game])
            if folder is not None and (found := self._directors.get(folder)) is not None:
                found.follower.unsubscribe(game)
                found.follower.subscribe(game)
                found.games.add(game)
                self._hub.asked.discard(game)

    def _receive(self, folder: Path, director: _Director) -> None:
        """Takes what the director has published."""
        for message in director.follower.receive():
            match message:
                case GameNews(over=False):
                    pass
                case SubmissionNews(id):
                    self._hub.note_submission(id)
                case GameNews() | RatingNews():
                    self._hub.note_news({name for name, where in self._folders.items() if where == folder})
                case _:
                    if isinstance(message, LiveEnd | NotLive):
                        director.games.discard(message.game)
                    self._hub.take(message)
        if director.follower.ended:
            self._leave(folder)

    def close(self) -> None:
        """Leaves all directors."""
        for director in self._directors.values():
            director.follower.close()
        self._directors.clear()


@contextmanager
def following(site: Site, *, failed: Callable[[Exception], None]) -> Iterator[None]:
    """Inside, the thread runs for the streams of the running event loop. `failed`: gets errors; the thread goes on."""
    loop, streams, ends = asyncio.get_running_loop(), site.streams, Event()

    def send(changes: Iterable[Change], forgotten: Collection[str]) -> None:
        def apply() -> None:
            for each in forgotten:
                streams.forget(each)
            streams.publish(changes)

        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(apply)

    def forget() -> None:
        site.names.look_again()
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(site.cache.forget)

    record = LiveRecord(site.database, site.names.seen_by(MEMBER), site.served)
    rulings = Rulings(record.last_ruling, forget)
    with suppress(DatabaseError):
        rulings.look(monotonic_ns())

    def run() -> None:
        with closing(Following(site.store, record, send)) as work:
            while not ends.wait(TICK):
                try:
                    now = monotonic_ns()
                    if site.cache.was_asked and rulings.look(now):
                        site.cache.was_asked = False
                    work.tick(streams.wanted, now)
                except Exception as error:  # one game that cannot be drawn must not stop the others
                    failed(error)

    thread = Thread(target=run, name="following", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()
