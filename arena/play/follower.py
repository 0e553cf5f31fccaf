"""The watcher's end of live games: follows games and news of one director, from any process of the same account.

A director never waits for a follower: a slow one loses messages. It sees that by the numbers of the plies and by the
length of its queue, subscribes again and gets the game so far. What it passes on of a game is always in order.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self

import zmq

from arena.errors import ArenaError
from arena.match import live
from arena.match.live import LiveEnd, LiveGame, LivePly, NotLive
from arena.walls import run_folder

_MOST_UNREAD: Final = 1000
"""Messages that wait here. If that many have come, some may be lost."""


class InOrder:
    """What is passed on of one game: a `LiveGame`, which replaces all before it, then its plies in order, then the
    end."""

    def __init__(self) -> None:
        self.is_over = False
        self._began = False
        # The number of plies passed on; None before the first `LiveGame`.
        self._plies: int | None = None
        # Whether the game so far has been asked for and has not come.
        self._waits = True

    def take(self, message: live.OfGame) -> tuple[bool, bool]:
        """Whether to pass the message on, and whether to subscribe again, because messages were lost."""
        match message:
            case LiveGame():
                self._waits = False
                begins = message.since is not None and not self._began
                if self._plies is not None and len(message.plies) <= self._plies and not begins:
                    return False, False
                self._began = message.since is not None
                self._plies = len(message.plies)
            case LivePly():
                if self._plies is not None and message.ply == self._plies + 1:
                    self._plies, self._began = message.ply, True
                    return True, False
                is_new = self._plies is None or message.ply > self._plies
                asks = is_new and not self._waits
                self._waits = self._waits or asks
                return False, asks
            case LiveEnd() | NotLive():
                self.is_over = True
        return True, False


class Follower:
    """The games and the news of one director. Use it as a context manager."""

    def __init__(self, folder: Path) -> None:
        """`folder`: the director's run folder. ArenaError if it belongs to another account."""
        try:
            is_ours = folder.stat().st_uid == os.getuid()
        except OSError:
            is_ours = True  # it is gone: then nothing connects
        if not is_ours:
            # Watching loads the rules of the game, which that account chose.
            raise ArenaError("only the account that runs the games can watch them")
        self.ended = False
        """Whether the director has ended: no more messages come."""
        self._context = zmq.Context[zmq.Socket[bytes]]()
        self._socket: Any = self._context.socket(zmq.SUB)
        self._socket.set(zmq.LINGER, 0)
        self._socket.set(zmq.RCVHWM, _MOST_UNREAD)
        self._monitor = self._socket.get_monitor_socket(zmq.Event.DISCONNECTED | zmq.Event.CONNECT_RETRIED)
        self._poller = zmq.Poller()
        self._poller.register(self._socket, zmq.POLLIN)
        self._poller.register(self._monitor, zmq.POLLIN)
        self._games: dict[int, InOrder] = {}
        self._socket.connect(run_folder.live_address(folder))

    def subscribe(self, game: int) -> None:
        """Follows a game, from its first ply on. If it is not being played, the answer is `NotLive`."""
        self._games[game] = InOrder()
        self._socket.subscribe(live.topic(game))

    def unsubscribe(self, game: int) -> None:
        """Follows the game no longer."""
        if self._games.pop(game, None) is not None:
            self._socket.unsubscribe(live.topic(game))

    def subscribe_news(self) -> None:
        """Follows the news."""
        self._socket.subscribe(live.NEWS)

    def receive(self, timeout: float = 0.0) -> list[live.OfGame | live.News]:
        """The messages that have come; waits at most `timeout` seconds for the first. None come if `ended` is set."""
        give_up = monotonic() + timeout
        while not (found := list(self._received())) and not self.ended:
            left = give_up - monotonic()
            happened = dict(self._poller.poll(max(0, round(1000 * left))))
            if self._monitor in happened and self._socket not in happened:  # first what it sent before it ended
                self.ended = True
            elif not happened and left <= 0:
                break
        return found

    def _received(self) -> Iterator[live.OfGame | live.News]:
        """What has come, in order."""
        for _ in range(_MOST_UNREAD):
            try:
                topic, data = self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            if topic == live.NEWS:
                yield live.news(data)
            else:
                yield from self._of_game(live.of_game(data))
        for game in self._games:
            self._subscribe_again(game)

    def _of_game(self, message: live.OfGame) -> Iterator[live.OfGame]:
        if (game := self._games.get(message.game)) is None:
            return  # from before it was left
        passes, is_lost = game.take(message)
        if is_lost:
            self._subscribe_again(message.game)
        if game.is_over:
            self.unsubscribe(message.game)
        if passes:
            yield message

    def _subscribe_again(self, game: int) -> None:
        self._socket.unsubscribe(live.topic(game))
        self._socket.subscribe(live.topic(game))

    def close(self) -> None:
        """Closes the sockets."""
        self._socket.disable_monitor()
        self._context.destroy(0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
