"""The watcher's end of live games: follows games and news of one director, from any process of the same account, and
computes what is known of a game after the messages so far. A director never waits for a follower: a slow one loses
messages. It sees that by the numbers of the plies and by the length of its queue, subscribes again and gets the game
so far.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self

import zmq

from adsearch import CHANCE, State, games
from adsearch.pictures import boards
from arena.errors import ArenaError
from arena.match import live
from arena.match.clock import at_first
from arena.match.live import LiveEnd, LiveGame, LivePly, NotLive, OfGame
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


# One game in progress as a watcher knows it: its position, clocks and plies, from the messages of its director.


HIDDEN: Final = "?"
"""The text of a move that the rules hide."""


class FollowedGame:
    """What is known of a game after the messages so far."""

    def __init__(self) -> None:
        self.game: LiveGame | None = None
        """The players, rules and clock; None until the first message."""
        self.end: LiveEnd | None = None
        self.is_not_live = False
        self.plies: list[LivePly] = []
        self.texts: list[str] = []
        """The move of each ply as people write it, such as "Nf3"; `HIDDEN` if it is hidden."""
        self.left: list[int | None] = []
        """The time that each seat had left after its last move, in nanoseconds."""
        self.state: State[Any] | None = None
        """The position; None if there is none."""
        self.last: Any = None
        """The move that led to the position."""
        self.has_hidden_move = False
        self.trouble = ""
        """The error of rules that failed."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        return self.is_not_live or self.end is not None

    def take(self, message: OfGame) -> None:
        """Takes the next message of the game. Plies that come before the first `LiveGame` are in it."""
        match message:
            case LiveGame():
                self._begin(message)
            case LivePly():
                if self.game is not None:
                    self._play(message)
            case LiveEnd():
                self.end = message
            case NotLive():
                self.is_not_live = True

    def _begin(self, game: LiveGame) -> None:
        self.game, self.plies, self.texts, self.last = game, [], [], None
        self.has_hidden_move, self.trouble, self.is_not_live = False, "", False
        self.left = [at_first(clock) for clock in game.clocks]
        try:
            self.state = games.start(game.rules, game.position)
        except Exception as error:  # user-supplied rules may raise anything
            self.state, self.trouble = None, str(error) or type(error).__name__
        for ply in game.plies:
            self._play(ply)

    def _play(self, ply: LivePly) -> None:
        self.plies.append(ply)
        if isinstance(ply.who, int):
            self.left[ply.who] = ply.left
        state, self.state, text, played = self.state, None, ply.move or HIDDEN, None
        if ply.move is None:
            self.has_hidden_move = True
        elif state is not None:
            try:
                played = state.from_text(ply.move)
                text = state.shown(played)
                self.state = state.play(played)
            except Exception as error:  # user-supplied rules may raise anything
                self.trouble = str(error) or type(error).__name__
        self.last = boards.last_mark(self.state, ply.who, played, self.last)
        self.texts.append(text)

    def who(self, ply: LivePly) -> str:
        """The player of that ply; else "chance" or "opening"."""
        return self.game.players[ply.who] if self.game is not None and isinstance(ply.who, int) else str(ply.who)

    @property
    def turn(self) -> int | None:
        """The seat whose clock runs; None if no clock runs, or if it is not known."""
        if self.state is None or self.is_over or self.since is None:
            return None
        turn = self.state.turn
        return None if turn is None or turn == CHANCE else turn

    @property
    def since(self) -> int | None:
        """When the turn began, on the clock of `LivePly.at`."""
        if self.plies:
            return self.plies[-1].at
        return None if self.game is None else self.game.since

    def left_at(self, now: int) -> list[int | None]:
        """The time left of each seat at `now` (time.monotonic_ns)."""
        since, turn = self.since, self.turn
        return [
            max(0, left - max(0, now - since)) if seat == turn and left is not None and since is not None else left
            for seat, left in enumerate(self.left)
        ]
