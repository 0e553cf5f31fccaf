"""Games as plain values. They know nothing of SQL.

`GameRecord` is how a game went, as the referee reports it. `PastGame` is a game on record with all that belongs to it.
`RatedGame` is what ratings need of one. Durations are integer nanoseconds, moments are texts in UTC that sort as the
moments do, and what is unknown is None.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from db.counting import ANNULS

MOST: Final = 2**63 - 1
"""No number that is stored is larger."""
IMPORTED: Final = "imported"
"""The source of a version whose games were played elsewhere: no program of it is in the store."""
Whole = Annotated[int, Meta(ge=-MOST, le=MOST)]
"""A number that can be stored. It is checked where a file is read."""
SEAT_RESULT: Final = ("points", "utility", "spent", "longest", "cpu", "memory", "stderr")
"""What came of a seat: fields of `SeatRecord` and of `PastSeat`, and columns."""


_NOT_STORABLE: Final = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
    """`text` as it is stored: U+FFFD in place of NUL, which PostgreSQL refuses, and of lone surrogates, which UTF-8
    cannot encode. An agent can write both, and nothing that it writes may keep a game from being recorded."""
    if text.isascii() and "\0" not in text:  # nearly every text, and far faster
        return text
    return _NOT_STORABLE.sub("\ufffd", text)


def instant(moment: datetime) -> str:
    """A moment in UTC as the record and all documents write it."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment_of(text: str) -> datetime | None:
    """The moment that a text names, in UTC; None where it names none, or has no zone."""
    try:
        moment = datetime.fromisoformat(text)
        return None if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


class MoveRecord(Struct, frozen=True):
    """One ply: a move, an outcome of chance, or a move of the opening."""

    ply: Whole
    """Counted from 1."""
    who: Whole | str
    """The seat, "chance" or "opening"."""
    move: str
    spent: Whole | None = None
    """What the seat's clock was charged."""
    left: Whole | None = None
    """What the seat's clock showed afterwards; None without a clock."""
    lag: Whole | None = None
    """What the referee waited beyond `spent`."""
    cpu: Whole | None = None
    delay: Whole | None = None
    """How long the agent was ready to run and had no processor."""
    log: Whole | None = None
    """Bytes that the agent had written to stderr by then."""
    score: float | None = None
    depth: Whole | None = None
    nodes: Whole | None = None
    line: str | None = None
    text: str | None = None


def moves_hash(moves: Iterable[MoveRecord]) -> int | None:
    """The same for two games that went alike, move for move, chance and the opening included; None without moves."""
    events = [(str(move.who), storable(move.move)) for move in moves]
    if not events:
        return None
    return int.from_bytes(blake2b(json.dumps(events).encode(), digest_size=8).digest(), "big", signed=True)


class SeatRecord(Struct, frozen=True):
    """One seat of a finished game."""

    seat: int
    player: str
    points: float | None
    utility: float | None
    spent: int
    """In all, the last unfinished turn included."""
    longest: int
    """The longest turn."""
    cpu: int | None = None
    memory: int | None = None
    stderr: str | None = None


class GameRecord(Struct, frozen=True):
    """How one game went."""

    game: int
    verdict: str
    fault: int | None
    """The seat that lost by its own fault, or resigned."""
    detail: str
    """The verdict in words."""
    seats: tuple[SeatRecord, ...]
    moves: tuple[MoveRecord, ...]
    lag: int
    """The sum over all turns."""


class PastRuling(Struct, frozen=True):
    """What was decided about a game after it."""

    what: str
    """void, again, award or revoke."""
    seat: Whole | None
    """To whom the game was awarded."""
    reason: str
    when: str
    id: Whole = 0
    """Its number on record; 0 where a file does not say it."""
    revokes: Whole | None = None
    """The ruling that it takes back."""


class PastSeat(Struct, frozen=True, kw_only=True):
    """Who sat there, and what came of it."""

    seat: Whole
    player: str
    version: Whole | None = None
    """The number of the submission that played."""
    current: bool = True
    """Whether the tournament counts that version now."""
    anchor: float | None = None
    """The rating that the tournament's description gives the player."""
    points: float | None = None
    """As played; `PastGame.counted` follows rulings."""
    utility: float | None = None
    spent: Whole | None = None
    longest: Whole | None = None
    cpu: Whole | None = None
    memory: Whole | None = None
    stderr: str | None = None


class PastGame(Struct, frozen=True, kw_only=True):
    """One game on record."""

    id: int
    tournament: str | None = None
    round: Whole | None = None
    number: Whole
    pair: str
    leg: Whole = 0
    attempt: Whole = 1
    game: str
    """The rules it was played by."""
    clock: str = "none"
    seed: int = 0
    opening: str | None = None
    status: str = "finished"
    verdict: str | None = None
    fault: Whole | None = None
    detail: str | None = None
    plies: Whole | None = None
    started: str | None = None
    finished: str | None = None
    lag: Whole | None = None
    host: dict[str, Any] | None = None
    counts: bool | None = None
    """Whether it has a result that was not annulled, and was not played again; None: not known."""
    seats: tuple[PastSeat, ...] = ()
    moves: tuple[MoveRecord, ...] = ()
    """Empty where only games were asked for."""
    rulings: tuple[PastRuling, ...] = ()
    """In the order in which they were made."""
    from_outside: bool = False
    """Whether it was imported, or is in a bundle: its rules are never taken for this user's own."""

    @property
    def players(self) -> list[str]:
        """The names in the order of the seats."""
        return [seat.player for seat in self.seats]

    @property
    def ruling(self) -> PastRuling | None:
        """The ruling that holds: the last one that was not revoked."""
        revoked = {ruling.revokes for ruling in self.rulings}
        standing = [ruling for ruling in self.rulings if ruling.what != "revoke" and ruling.id not in revoked]
        return standing[-1] if standing else None

    @property
    def status_shown(self) -> str:
        """The status for everybody who asks: a game that was annulled is void, however it ended."""
        return "void" if self.ruling is not None and self.ruling.what in ANNULS else self.status

    @property
    def points(self) -> list[float] | None:
        """What each seat scored on the board; None without a result."""
        points = [seat.points for seat in self.seats if seat.points is not None]
        return points if points and len(points) == len(self.seats) else None

    @property
    def counted(self) -> list[float] | None:
        """What each seat is given for the game, after rulings; None without a result."""
        if self.ruling is None:
            return self.points
        if self.ruling.what == "award":
            return [1.0 if seat.seat == self.ruling.seat else 0.0 for seat in self.seats]
        return None

    @property
    def utilities(self) -> list[float] | None:
        """What the game was worth to each seat; None without a result."""
        worth = [seat.utility for seat in self.seats if seat.utility is not None]
        return worth if worth and len(worth) == len(self.seats) else None


class RatedGame(Struct, frozen=True, gc=False):
    """One game as ratings take it, of any number of players.

    A game that must not be rated (forfeit, void, overruled) never becomes one."""

    names: tuple[str, ...]
    """In the order of the seats."""
    points: tuple[float, ...]
    rules: str = ""
    pair: Hashable = None
    """The same for all games of one pairing, which share an opening; None: not known."""
    round: int | None = None
    finished: str | None = None
    id: int = 0
    tournament: int | None = None
    number: int = 0
    verdict: str = "normal"
    plies: int | None = None
    moves_hash: int | None = None
    """`moves_hash` of its moves; None where they are not on record."""


class PairCount(Struct, frozen=True, gc=False):
    """How many pairings of two players had the same results."""

    first: str
    """The player in the first seat of the first game, and in the second seat of the other game."""
    second: str
    rules: str
    own: float | None
    """What `first` scored in the first game; None where that game is not rated."""
    others: float | None
    """What `second` scored in the other game, where it had the first seat."""
    count: int
    repeats: int = 1
    """How often each of them was played just so, move for move; 1 if no two are alike."""
