"""The thread that follows the directors of running tournaments for the pages that are open.

Ten times a second it reads what directors published, lets the hub draw what has changed, and hands that to the streams
of the event loop. If nobody follows anything, it is connected to nothing. A director never waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic_ns
from typing import Final

from arena.match.live import GameNews, LiveEnd, NotLive, RatingNews, SubmissionNews
from arena.play.follower import Follower
from arena.tournament.lock import running_in
from arena.web.events import MOST_TOPICS, Change
from arena.web.live import LiveHub, Record
from arena.web.live_record import LiveRecord
from arena.web.screens import SECOND
from arena.web.sight import MEMBER
from arena.web.site import Site
from db.errors import DatabaseError

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
            for topic in forgotten:
                streams.forget(topic)
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
