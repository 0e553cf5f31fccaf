"""The games that people play through this page server: whose each is, how many there can be, how long they are kept.

A game that nobody looks at goes on, and its clock runs, until somebody else wants the place. One that is over is kept
for an hour.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Hashable
from threading import RLock
from time import monotonic
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import ArenaError, BadFixture
from arena.match.clock import SECOND
from arena.serve.page_link import MOST_GAMES, GameRecorded, GameRefused, Seat, WantGame, from_pages
from arena.web.person import PersonsGame

_KEPT: Final = 3600.0
"""Seconds for which a game that is over is kept."""
_MOST_KEPT: Final = 50
_PATIENCE: Final = 180.0
"""Seconds of one turn after which a game that no page shows ends, if somebody else waits for the place."""


class _Table(Struct):
    """A game, and whose it is."""

    account: Hashable
    game: PersonsGame
    ended: float | None = None


class Tables:
    """All games of this page server."""

    def __init__(self, send: Callable[[Struct], bool], *, clock: Callable[[], float] = monotonic) -> None:
        """`send` sends a message to the director; False if that is not possible. `clock`: seconds."""
        self.changed: Callable[[PersonsGame], None] = lambda _: None
        """Called in any thread after each change of a game's `seen`."""
        self.is_watched: Callable[[PersonsGame], bool] = lambda _: True
        """Whether an open page shows the game."""
        self.recorded: Callable[[Hashable, int], None] = lambda *_: None
        """Called in any thread with whose game was recorded, and its id in the record."""
        self._send = send
        self._clock = clock
        self._lock = RLock()
        # By key, the newest last.
        self._tables: dict[str, _Table] = {}

    def open(
        self, account: Hashable, *, game: str, opponent: str, seat: int, clock: str, players: int = 2
    ) -> PersonsGame:
        """Asks the director for a game; whether it begins is in its `seen`. BadFixture if there are too many games.

        `game`: empty for the ladder's; `opponent`: a name in the record, or a built-in agent."""
        return self._open(account, WantGame(secrets.token_urlsafe(16), game, opponent, seat, clock), players)

    def again(self, account: Hashable, game: PersonsGame, seat: int) -> PersonsGame:
        """The same game again, with the person at this seat. If a game of the account is going on, it is that one: two
        open pages begin one game. BadFixture if there is no such seat."""
        if not 0 <= seat < game.seen.players:
            raise BadFixture(f"seat: expected a number below {game.seen.players}, got {seat}")
        with self._lock:
            if (going_on := next((one for one in self.games(account) if not one.is_over), None)) is not None:
                return going_on
            wanted = replace(game.wanted, key=secrets.token_urlsafe(16), seat=seat)
            return self._open(account, wanted, game.seen.players)

    def _open(self, account: Hashable, wanted: WantGame, players: int) -> PersonsGame:
        with self._lock:
            self._forget()
            playing = [table for table in self._tables.values() if not table.game.is_over]
            if any(table.account == account for table in playing):
                raise BadFixture("you are playing a game already: finish it, or give it up")
            if len(playing) >= MOST_GAMES and (left := next(filter(self._is_left, playing), None)) is not None:
                left.game.give_up()
                playing.remove(left)
            if len(playing) >= MOST_GAMES:
                raise BadFixture(f"{MOST_GAMES} people are playing now: try again when one of them has finished")
            if from_pages(msgspec.json.encode(wanted)) != wanted:
                raise BadFixture(
                    "expected the game, the opponent and the clock as short texts, and a seat from 0 to 63"
                )
            made = PersonsGame(
                wanted,
                self._send,
                lambda changed: self.changed(changed),
                lambda id: self.recorded(account, id),
                players=players,
            )
            if not self._send(wanted):
                raise ArenaError("the server does not answer; try again")
            self._tables[wanted.key] = _Table(account, made)
            return made

    def _is_left(self, table: _Table) -> bool:
        """Whether it has begun, and nobody seems to play it any more."""
        seen = table.game.seen
        return bool(seen.rules) and self._clock() - seen.since / SECOND > _PATIENCE and not self.is_watched(table.game)

    def find(self, account: Hashable, key: str) -> PersonsGame | None:
        """The game with this key, if it is this account's."""
        with self._lock:
            self._forget()
            table = self._tables.get(key)
            return table.game if table is not None and table.account == account else None

    def games(self, account: Hashable) -> list[PersonsGame]:
        """The games of this account, the newest first."""
        with self._lock:
            self._forget()
            return [table.game for table in reversed(self._tables.values()) if table.account == account]

    def take(self, message: Seat | GameRefused | GameRecorded) -> None:
        """Takes a message of the director."""
        with self._lock:
            table = self._tables.get(message.key)
        if table is not None:
            table.game.take(message)

    def _forget(self) -> None:
        """Forgets games that have been over for long."""
        now = self._clock()
        for table in self._tables.values():
            if table.game.is_over and table.ended is None:
                table.ended = now
        over = [key for key, table in self._tables.items() if table.ended is not None]
        for key in over[: max(0, len(over) - _MOST_KEPT)]:
            del self._tables[key]
        for key in over[-_MOST_KEPT:]:
            if now - (self._tables[key].ended or now) >= _KEPT:
                del self._tables[key]
