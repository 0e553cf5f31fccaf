"""What is published about games in progress, for anyone who watches. Plain values, sent as JSON.

Only what every player may see is in here: what agents said about their moves is private, and a move that the rules hide
from a seat has no text until the game is over.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec
from msgspec import Struct

NEWS: Final = b"news/"
"""The topic of news: what happened, with ids alone."""
_TOPIC: Final = re.compile(rb"game/(0|[1-9]\d{,17})/")


def topic(game: int) -> bytes:
    """The topic of a game."""
    return b"game/%d/" % game


def game_of(topic: bytes) -> int | None:
    """The game whose topic this is; None if it is another topic."""
    found = _TOPIC.fullmatch(topic)
    return None if found is None else int(found[1])


class _Published(Struct, frozen=True, tag_field="type", tag=str.lower, omit_defaults=True):
    """One message to everyone who watches."""


class LivePly(_Published, frozen=True):
    """A ply of the game."""

    game: int
    ply: int
    """Counted from 1. A watcher who misses a number has lost a message, and subscribes again."""
    who: int | str
    """The seat, "chance" or "opening"."""
    move: str | None
    """None: the rules hide it from a seat."""
    spent: int | None
    """Time that was charged, in nanoseconds."""
    left: int | None
    """Time left on the seat's clock, in nanoseconds."""
    at: int
    """When the turn after it began, in nanoseconds of `time.monotonic_ns`, which is the same clock in every process.
    Of the plies of a `LiveGame` this is true for the last one."""


class LiveGame(_Published, frozen=True):
    """The game so far: the first message after a subscription."""

    game: int
    rules: str
    """As referee and players load them."""
    players: tuple[str, ...]
    clocks: tuple[str, ...]
    """Of each seat."""
    plies: tuple[LivePly, ...]
    since: int | None
    """When the first turn began, on the clock of `LivePly.at`; None: not all players are ready."""
    position: str = ""
    """The position from which it begins; empty: that of the rules."""


class LiveEnd(_Published, frozen=True):
    """The game is over, and on record."""

    game: int
    verdict: str
    points: tuple[float | None, ...]


class NotLive(_Published, frozen=True):
    """The game of this topic is not being played."""

    game: int


class GameNews(_Published, frozen=True, tag="game"):
    """A game began or ended."""

    game: int
    over: bool


class SubmissionNews(_Published, frozen=True, tag="submission"):
    """A submission has a new state, or another step of its check."""

    submission: int


class RatingNews(_Published, frozen=True, tag="ratings"):
    """A tournament has new ratings."""

    tournament: int


OfGame = LiveGame | LivePly | LiveEnd | NotLive
"""The messages of a game's topic."""
News = GameNews | SubmissionNews | RatingNews
"""The messages of the topic `NEWS`."""

pack: Final = msgspec.json.Encoder().encode
"""The message as bytes."""
of_game: Final = msgspec.json.Decoder(OfGame).decode
"""The message of a game's topic in these bytes."""
news: Final = msgspec.json.Decoder(News).decode
"""The news in these bytes."""
