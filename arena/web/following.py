"""The thread that follows the directors of running tournaments for the pages that are open.

Ten times a second it reads what directors published, lets the hub draw what has changed, and hands that to the streams
of the event loop. If nobody follows anything, it is connected to nothing. A director never waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from threading import Event, Thread
from time import monotonic_ns
from typing import Final

from arena.match.live import GameNews, LiveEnd, NotLive, RatingNews, SubmissionNews
from arena.play.follower import Follower
from arena.tournament.lock import running_in
from arena.web.events import Change
from arena.web.live import SECOND, LiveHub, Record

TICK: Final = 0.1
"""Seconds between two looks. Sent at each ply, viewers would cost a game on the same cores far more."""
_LINGER: Final = 5 * SECOND
"""Time for which a topic is followed after its last page was closed: pages are often loaded again."""
_CONNECT_EVERY: Final = SECOND
"""Time between two looks for the director of a tournament."""


class _Director:
    """The connection to one director."""

    def __init__(self, folder: Path) -> None:
        self.follower = Follower(folder)
        self.follower.subscribe_news()
        self.games = set[int]()


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
        self._wanted = {topic: at for topic, at in self._wanted.items() if now - at <= _LINGER}
        dropped = self._hub.follow(self._wanted)
        if now >= self._due:
            self._due = now + _CONNECT_EVERY
            self._connect()
        self._subscribe()
        for folder, director in [*self._directors.items()]:
            self._receive(folder, director)
        changes = self._hub.tick(now)
        if changes or dropped:
            self._send(changes, dropped)

    def _connect(self) -> None:
        """Finds the directors of the tournaments that are followed, and leaves the others."""
        tournaments = {*self._hub.wanted.values(), *self._hub.tournaments}
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
                case GameNews(over=False) | SubmissionNews():
                    pass
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


class FollowingThread:
    """The thread; it ends with `close`."""

    def __init__(
        self, following: Following, topics: Callable[[], Collection[str]], failed: Callable[[Exception], None]
    ) -> None:
        """`topics`: what open pages follow now. `failed`: gets errors; the thread goes on."""
        self._following = following
        self._topics = topics
        self._failed = failed
        self._ends = Event()
        self._thread = Thread(target=self._run, name="following", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._ends.wait(TICK):
            try:
                self._following.tick(self._topics(), monotonic_ns())
            except Exception as error:  # one game that cannot be drawn must not stop the others
                self._failed(error)
        self._following.close()

    def close(self) -> None:
        """Ends the thread."""
        self._ends.set()
        self._thread.join()
