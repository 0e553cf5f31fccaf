"""The messages between director and referee, over one private socket, and how many players the limit on open files
allows.
"""

from __future__ import annotations

import resource
from collections import deque
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import zmq
from msgspec import Struct

from agents.protocol import Verdict
from arena.errors import ArenaError
from arena.match.fixture import Fixture
from db.records import GameRecord, MoveRecord

HARMLESS: Final = frozenset({Verdict.NORMAL, Verdict.ADJUDICATED, Verdict.RESIGNED})
"""The verdicts after which a waiting game begins: no agent is at fault, and no game must be played again."""

_MORE: Final = zmq.SNDMORE | zmq.NOBLOCK


class _Message(Struct, frozen=True, tag_field="type", tag=str.lower, omit_defaults=True):
    """One message of the control socket."""


# From the director.


class Expect(_Message, frozen=True):
    """A player with this token will connect."""

    token: str


class Dismiss(_Message, frozen=True):
    """The player with this token is not needed any more; the referee sends it `bye`."""

    token: str


class Lost(_Message, frozen=True):
    """The process of the player with this token has ended."""

    token: str
    detail: str


class Play(_Message, frozen=True):
    """Play this game, now or right after another one.

    A waiting game begins when the other one has a harmless verdict and its players are free; else it is dropped."""

    fixture: Fixture
    after: int | None = None
    """The game in progress that it waits for."""


class Cancel(_Message, frozen=True):
    """Drop this waiting game, if it has not begun; the answer is `Cancelled`."""

    game: int


class Watch(_Message, frozen=True):
    """Report this game ply by ply, from its first ply on, whatever has been played."""

    game: int


class Unwatch(_Message, frozen=True):
    """Report this game no longer."""

    game: int


class Stored(_Message, frozen=True):
    """The game is recorded; the referee can forget it."""

    game: int


class Ping(_Message, frozen=True):
    """Is the referee still there?"""


class Stop(_Message, frozen=True):
    """End immediately."""


# From the referee.


class Serving(_Message, frozen=True):
    """The referee is ready: players can connect."""


class Expected(_Message, frozen=True):
    """The referee now accepts a hello with this token, so the player can be given it."""

    token: str


class Declined(_Message, frozen=True):
    """The game cannot be played as described."""

    game: int
    reason: str


class GameBegan(_Message, frozen=True):
    """A watched game: all players are connected and ready."""

    game: int
    at: int
    """When the current turn began, in nanoseconds of `time.monotonic_ns`, which is the same clock in every process."""


class PlyPlayed(_Message, frozen=True):
    """A ply of a watched game was played."""

    game: int
    move: MoveRecord
    at: int
    """When the turn after it began. Of several plies that are reported together this is true for the last one."""
    secret: bool
    """Whether the rules hide the move from a seat."""


class Begun(Struct, frozen=True):
    """A waiting game has begun."""

    game: int
    at: int
    """When, in nanoseconds of `time.monotonic_ns`, which is the same clock in every process."""


class GameOver(_Message, frozen=True):
    """The game is over."""

    record: GameRecord
    begun: Begun | None = None
    """The game that waited for this one and has begun; None: it was dropped, or there was none."""


class Cancelled(_Message, frozen=True):
    """The answer to `Cancel`."""

    game: int
    begun: Begun | None
    """None: it is dropped, and does not begin."""


class Pong(_Message, frozen=True):
    """The answer to a ping."""


class Gone(_Message, frozen=True):
    """The connection of the player with this token has ended."""

    token: str


FromDirector = Expect | Dismiss | Lost | Play | Cancel | Watch | Unwatch | Stored | Ping | Stop
FromReferee = Serving | Expected | Declined | GameBegan | PlyPlayed | GameOver | Cancelled | Gone | Pong


pack: Final = msgspec.msgpack.Encoder().encode
"""The message as bytes."""
from_director: Final = msgspec.msgpack.Decoder(FromDirector).decode
"""The director's message in these bytes."""
from_referee: Final = msgspec.msgpack.Decoder(FromReferee).decode
"""The referee's message in these bytes."""


class Channel:
    """One end of the connection. `socket` is readable when a message has arrived."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], address: str, *, of_director: bool) -> None:
        self.socket = context.socket(zmq.PAIR)
        self.socket.set(zmq.LINGER, 0)
        # No limit on queued messages, so neither end ever loses one.
        self.socket.set(zmq.SNDHWM, 0)
        self.socket.set(zmq.RCVHWM, 0)
        # Messages from before the other end connected.
        self._unsent: deque[bytes] = deque()
        self._read = from_referee if of_director else from_director
        if of_director:
            self.socket.bind(address)
        else:
            self.socket.connect(address)

    def send(self, message: Struct) -> None:
        """Sends `message`, now or as soon as the other end connects."""
        self.post(message)
        self.flush()

    def post(self, message: Struct) -> None:
        """Sends `message` at the next `flush`, together with others: the other end then wakes up once for all."""
        self._unsent.append(pack(message))

    def flush(self) -> None:
        """Sends what was posted, as the frames of one ZeroMQ message."""
        while self._unsent:
            try:
                self.socket.send(self._unsent[0], _MORE if len(self._unsent) > 1 else zmq.NOBLOCK)
            except zmq.Again:
                return
            self._unsent.popleft()

    def receive(self) -> Any:
        """The next message; None if none has arrived."""
        self.flush()
        try:
            return self._read(self.socket.recv(zmq.NOBLOCK))
        except zmq.Again:
            return None

    def received(self) -> Iterator[Any]:
        """The messages that have arrived, in order; it never waits."""
        return iter(self.receive, None)


# The limit on open files and sockets (RLIMIT_NOFILE), and how many players it allows.


KEPT_FILES: Final = 64
"""Descriptors that the referee keeps for itself."""
_LEAST_PLAYERS: Final = 8
_MOST_ON_MACOS: Final = 10_240


def most_players() -> int:
    """Raises the limit as far as possible, and returns how many players it allows; ArenaError if too few."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # macOS reports an infinite limit but refuses to set it.
    most = max(soft, _MOST_ON_MACOS) if hard == resource.RLIM_INFINITY else hard
    if most < KEPT_FILES + _LEAST_PLAYERS:
        raise ArenaError(
            f"the referee needs {KEPT_FILES + _LEAST_PLAYERS} open files, the limit is {most} (see `ulimit -Hn`)"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most - KEPT_FILES
