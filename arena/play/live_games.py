"""The director's end of live games: publishes the games that someone watches, and news.

The socket is an XPUB: it says who subscribes. The first subscriber of a game makes the referee report it, and after the
last one has left the referee reports it no longer: a game that nobody watches costs nothing. A subscriber that reads
too slowly loses messages; no game ever waits for one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import zmq
from msgspec import Struct
from msgspec.structs import replace

from adsearch import games
from arena.match import live
from arena.match.live import GameNews, LiveEnd, LiveGame, LivePly, NotLive
from arena.match.schedule import Finished, Planned
from arena.play import control
from arena.walls import run_folder

_MOST_UNREAD: Final = 1000
"""Messages that wait for one subscriber; further ones are dropped."""
_MOST_AT_ONCE: Final = 1000
"""Subscriptions that are read before the director does something else."""
_LONGEST: Final = 256
"""Bytes of a message to this socket; a longer one ends its sender's connection. ZeroMQ keeps every topic in a tree of
its letters: 300 topics of 100 kB would take 1.4 GB."""


class LiveGames:
    """The games that someone watches now."""

    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], folder: Path, tell_referee: Callable[[Struct], None]
    ) -> None:
        self.socket: Any = context.socket(zmq.XPUB)
        self.socket.set(zmq.LINGER, 0)
        self.socket.set(zmq.SNDHWM, _MOST_UNREAD)
        self.socket.set(zmq.MAXMSGSIZE, _LONGEST)
        self.socket.set(zmq.XPUB_VERBOSE, 1)  # each new subscriber gets the game so far
        self.socket.bind(run_folder.live_address(folder))
        self._tell_referee = tell_referee
        # The watched games so far.
        self._games: dict[int, LiveGame] = {}
        self._news_is_read = False

    def read(self, playing: Mapping[int, Planned]) -> None:
        """Reads who subscribes and who leaves, of a flood a part. `playing`: the games in progress."""
        asked = dict[int, None]()
        for begins, topic in self._subscriptions():
            game = live.game_of(topic)
            if topic == live.NEWS:
                self._news_is_read = begins
            elif game is not None and begins:
                asked[game] = None
            elif game is not None:
                asked.pop(game, None)
                if self._games.pop(game, None) is not None and not playing[game].watched:
                    self._tell_referee(control.Unwatch(game))
        for number in asked:  # however many subscribe at the same time, the game so far is sent once
            if (planned := playing.get(number)) is None:
                self._publish(number, NotLive(number))
                continue
            if number not in self._games:
                names = tuple(entrant.name for entrant in planned.entrants)
                clocks = tuple([planned.conditions.time_of(name).clock for name in names])
                self._games[number] = LiveGame(
                    number, planned.rules, names, clocks, (), None, _public_position(planned)
                )
                self._tell_referee(control.Watch(number))
            self._publish(number, self._games[number])

    def _subscriptions(self) -> Iterator[tuple[bool, bytes]]:
        """Whether someone subscribed, or the last one has left; and the topic."""
        for _ in range(_MOST_AT_ONCE):
            try:
                message = self.socket.recv(zmq.NOBLOCK)
            except zmq.Again:
                return
            if message[:1] in (b"\0", b"\1"):
                yield message[:1] == b"\1", message[1:]

    def note_began(self, message: control.GameBegan) -> None:
        """The referee has reported that all players are ready."""
        if (game := self._games.get(message.game)) is not None and game.since is None:
            self._games[message.game] = game = replace(game, since=message.at)
            self._publish(message.game, game)

    def note_ply(self, message: control.PlyPlayed) -> None:
        """The referee has reported a ply, which may be an earlier one."""
        game, move = self._games.get(message.game), message.move
        if game is None or move.ply != len(game.plies) + 1:
            return
        text = None if message.secret else move.move
        ply = LivePly(message.game, move.ply, move.who, text, move.spent, move.left, message.at)
        self._games[message.game] = replace(game, plies=(*game.plies, ply))
        self._publish(message.game, ply)

    def note_begun(self, game: int) -> None:
        """The game is in progress."""
        self.publish_news(GameNews(game, over=False))

    def note_finished(self, finished: Finished) -> None:
        """The game is over, and recorded."""
        game, record = finished.game.number, finished.record
        if self._games.pop(game, None) is not None:
            self._publish(game, LiveEnd(game, record.verdict, tuple(seat.points for seat in record.seats)))
        self.publish_news(GameNews(game, over=True))

    def publish_news(self, news: live.News) -> None:
        """Publishes news, if anyone reads them."""
        if self._news_is_read:
            self._send(live.NEWS, news)

    def _publish(self, game: int, message: Struct) -> None:
        self._send(live.topic(game), message)

    def _send(self, topic: bytes, message: Struct) -> None:
        self.socket.send_multipart([topic, live.pack(message)], zmq.NOBLOCK)

    def close(self) -> None:
        """Closes the socket."""
        self.socket.close()


def _public_position(planned: Planned) -> str:
    """The position from which the game begins; a text that is none if the rules hide a part of it."""
    return "?" if planned.position and games.start(planned.rules).hidden else planned.position
