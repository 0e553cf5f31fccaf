"""What other processes send to the process of a ladder: the page server messages, commands a nudge without content.

Messages go over the socket pair that is the page server's stdin, one JSON object a line, after the line with the
settings. Both ends are our own programs, but the page server talks to strangers: whatever it sends, the director
neither fails nor waits.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from arena.tournament.lock import running_in

MOST_GAMES: Final = 2
"""Games with people at the same time."""
MOST_PLIES: Final = 1000
"""Plies of a game that is over, at most: the director does not wait until a longer message is read."""
LONGEST: Final = 65536
"""Bytes of a line from the page server."""

Key = Annotated[str, Meta(min_length=16, max_length=64)]
"""The name of a game with a person, which nobody can guess: the page server makes it up."""
Text = Annotated[str, Meta(max_length=1000)]


class _Message(Struct, frozen=True, tag_field="type", tag=str.lower):
    """One message."""


class _OfGame(_Message, frozen=True):
    """A message about one game with a person."""

    key: Key


# From the page server.


class Complaint(_Message, frozen=True):
    """Something went wrong."""

    text: str


class WantGame(_OfGame, frozen=True):
    """A person wants to play; the answer is `Seat` or `GameRefused`."""

    game: Text
    """Empty: the ladder's game."""
    opponent: Text
    """An agent of the ladder by its name in the record, or a built-in agent."""
    seat: Annotated[int, Meta(ge=0, le=63)]
    """The person's."""
    clock: Text
    """Of all seats."""


class TakeBack(_OfGame, frozen=True):
    """The person takes back a move: the game ends without a record, and a `Seat` in the one that continues it comes. If
    the person has not moved, the game begins again."""


class GotHint(_OfGame, frozen=True):
    """The person got a hint, so the game is annulled when it ends."""


class DropGame(_OfGame, frozen=True):
    """The game is given up without a record."""


# From the director.


class Seat(_OfGame, frozen=True):
    """The person can take the seat now, also again: in the game that continues, or if the game begins again."""

    address: str
    token: str
    moves: int
    """The person's moves that are kept: the game continues another one, and they can be taken back."""


class GameRefused(_OfGame, frozen=True):
    """The game cannot be played, or not go on."""

    why: str


class GameRecorded(_OfGame, frozen=True):
    """The game is over."""

    id: int | None
    """In the database; None: it was given up, and is not recorded."""
    verdict: str
    fault: int | None
    points: tuple[float | None, ...]
    ending: str
    """How a game ended that came to its end, as its rules say it; else empty."""
    plies: tuple[tuple[int | str, str], ...] = ()
    """The whole game, with what was hidden from the person: who and the move's text. Empty if it has more than
    `MOST_PLIES`."""


FromPages = Complaint | WantGame | TakeBack | GotHint | DropGame
ToPages = Seat | GameRefused | GameRecorded


_from_pages: Final = msgspec.json.Decoder(FromPages)
to_pages: Final = msgspec.json.Decoder(ToPages).decode
"""The director's message on this line."""


def from_pages(line: bytes) -> Any:
    """The page server's message on this line; one that is not a message is a complaint."""
    try:
        return _from_pages.decode(line)
    except (ValueError, RecursionError):
        return Complaint(f"a message that the director cannot read: {line[:100].decode('utf-8', 'replace')!r}")


# Nudges: how a command reaches the process that runs a tournament. What happens next is always decided by rows of the
# database, so a nudge only makes the process look sooner. A lost one costs two seconds.


_SOCKET: Final = "nudge"


def nudge(store: Path, tournament: str) -> bool:
    """Makes the process that runs this tournament look at the database now; returns whether a process does.

    `store`: the store's folder."""
    if (folder := running_in(store, tournament)) is None:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender, suppress(OSError):
        sender.setblocking(False)
        sender.sendto(b"!", str(folder / _SOCKET))
    return True


class Nudges:
    """The socket in a run folder that receives nudges."""

    def __init__(self, folder: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.bind(str(folder / _SOCKET))

    def fileno(self) -> int:
        """The descriptor, readable when nudges have come."""
        return self._socket.fileno()

    def read(self) -> bool:
        """Reads all nudges that have come; returns whether there was one."""
        came = False
        with suppress(BlockingIOError):
            while self._socket.recv(1):
                came = True
        return came

    def close(self) -> None:
        """Closes the socket; its file is removed with the run folder."""
        self._socket.close()
