"""Games as plain values, without SQL.

`GameRecord` is a game as the referee reports it. `PastGame` is a game as the database returns it, with seats, moves,
rulings and the analysis. `RatedGame` is the part of a game that ratings need. Durations are integer nanoseconds. Times
are ISO 8601 texts in UTC, which sort chronologically. None means "not known".
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Annotated, Any, Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Meta, Struct

MAX_INTEGER: Final = 2**63 - 1
"""The largest integer that a database can store (64 bits)."""
IMPORTED: Final = "imported"
"""The `source` of a version whose games were imported: its program is not in the store."""
HUMAN: Final = "human"
"""The `source` of the version of every person."""
Integer64 = Annotated[int, Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
"""An integer that a database can store. msgspec checks the range when a file is read."""


_NOT_STORABLE: Final = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
    """`text` with U+FFFD in place of NUL (PostgreSQL refuses it) and of lone surrogates (UTF-8 cannot encode them).

    An agent can write both; its game must be recorded all the same."""
    if text.isascii() and "\0" not in text:  # much faster than the regular expression, and true of nearly every text
        return text
    return _NOT_STORABLE.sub("\ufffd", text)


def instant(moment: datetime) -> str:
    """A time in UTC as the database and all files write it: ISO 8601 with milliseconds and "Z"."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment_of(text: str | None) -> datetime | None:
    """The time that an ISO 8601 text names, in UTC; None if it is not one, or has no time zone."""
    try:
        moment = datetime.fromisoformat(text or "")
        return None if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


ANNULS: Final = ("void", "again")
"""The rulings after which a game has no result."""


class GameKind(StrEnum):
    """What a game is played for. Its number says nothing about that."""

    TOURNAMENT = "tournament"
    LADDER = "ladder"
    """One of the rated pairs of a ladder."""
    CHECK = "check"
    """It checks an agent that was handed in, and is not recorded."""
    CASUAL = "casual"
    """Outside of tournaments, such as by `arena play`."""
    WITH_A_PERSON = "with a person"
    CHALLENGE = "challenge"
    """A student wanted it against an opponent on a ladder: it never counts."""


def in_zone(moment: datetime, name: str) -> datetime:
    """The same moment in the time zone of that name; as it is without a name, or if this machine does not know it."""
    try:
        return moment.astimezone(ZoneInfo(name)) if name else moment
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return moment


Marks = Annotated[
    dict[
        Annotated[str, Meta(pattern=r"\A[ -~]{1,16}\Z")],
        Literal["good", "bad", "best", "danger", "note"] | Annotated[float, Meta(ge=-1, le=1)],
    ],
    Meta(max_length=64),
]
"""Marks of cells by their names, as the protocol has them."""


class MoveRecord(Struct, frozen=True):
    """One ply: a move, an outcome of chance, or a move of the opening."""

    ply: Integer64
    """Counted from 1."""
    who: Integer64 | str
    """The seat, "chance" or "opening"."""
    move: str
    spent: Integer64 | None = None
    """Time that was charged to the seat's clock."""
    left: Integer64 | None = None
    """Time left on the seat's clock after the move; None without a clock."""
    lag: Integer64 | None = None
    """Time that the referee waited in addition to `spent`."""
    cpu: Integer64 | None = None
    delay: Integer64 | None = None
    """Time during which the agent was ready to run but had no processor."""
    log: Integer64 | None = None
    """Total bytes that the agent had written to stderr after this move."""
    score: float | None = None
    depth: Integer64 | None = None
    nodes: Integer64 | None = None
    line: str | None = None
    text: str | None = None
    marks: Marks | None = None
    """Cells of the board that the agent has marked, each as good, bad, best, danger or note, or by a number."""


SAID: Final = MoveRecord.__struct_fields__[MoveRecord.__struct_fields__.index("log") :]
"""What the agent wrote and reported with a move: for its author's eyes."""


def moves_hash(moves: Iterable[MoveRecord], dice: Sequence[object] = (), position: str | None = None) -> int | None:
    """A hash that is equal for two games with the same moves, chance and opening included, from the same position; None
    without moves. `dice`: where the chance events come from, as the seed; with other dice, a game in which the same
    happens is a new one."""
    events = [(str(move.who), storable(move.move)) for move in moves]
    if not events:
        return None
    if position:
        events.insert(0, ("position", position))
    if dice and any(who == "chance" for who, _ in events):
        events.append(("dice", " ".join(map(str, dice))))
    return int.from_bytes(blake2b(json.dumps(events).encode(), digest_size=8).digest(), "big", signed=True)


class Mark(StrEnum):
    """How bad a move was, in chess notation."""

    NONE = ""
    MISTAKE = "?"
    BLUNDER = "??"
    """The move lost much, or gave away a proven win or draw."""


class PositionValue(Struct, frozen=True):
    """The value of a position."""

    values: tuple[float, ...]
    """For every seat."""
    exact: bool
    """Whether the values are proven, that is, computed without estimates."""
    distance: int | None = None
    """Plies to the end, if a win or a loss is proven."""
    known: bool = True
    """False if nothing is proven and the game has no estimate: then `values` mean nothing."""


class JudgedPly(Struct, frozen=True, kw_only=True):
    """One ply, judged."""

    ply: int
    who: int | str
    """The seat, "chance" or "opening"."""
    move: str
    before: PositionValue
    """The value before the ply, with best play."""
    after: PositionValue
    """The value after the ply, searched to the same horizon."""
    depth: int
    """Search depth in plies; 0: the budget was too small for one ply."""
    loss: float | None = None
    """The loss of the player that moved; None for chance events and opening moves, and if it is not known."""
    mark: Mark = Mark.NONE
    better: tuple[str, ...] = ()
    """For a mistake: the best line instead."""
    answer: tuple[str, ...] = ()
    """For a mistake: the best line after it, which shows what is wrong with it."""


class SeatRecord(Struct, frozen=True):
    """The player in one seat of a finished game, and its result."""

    seat: Integer64
    player: str
    points: float | None = None
    """Before rulings; `PastGame.counted` is after rulings."""
    utility: float | None = None
    spent: Integer64 | None = None
    """Total time, with the last, unfinished turn."""
    longest: Integer64 | None = None
    """Time of the longest turn."""
    cpu: Integer64 | None = None
    memory: Integer64 | None = None
    stderr: str | None = None
    seed: Integer64 | None = None
    """The seed that the player got; None if the game was not played, or if it is not recorded."""
    clock: str | None = None
    """Its own clock; None: that of the game."""
    adsearch: Literal["compiled", "interpreted"] | None = None
    """The form of adsearch that its process searched in; None: not known, or not an agent of our kit."""


SEAT_RESULT: Final = SeatRecord.__struct_fields__[2:]
"""The fields of a seat's result, which are columns of the table `seat` with the same names."""
MILLISECONDS: Final = frozenset({"spent", "longest", "left", "lag", "cpu", "delay"})
"""The durations: whole milliseconds in views and documents."""


class GameRecord(Struct, frozen=True):
    """A game that has just ended, as the referee reports it."""

    game: int
    verdict: str
    fault: int | None
    """The seat that lost by a fault, or resigned."""
    detail: str
    """The verdict in words."""
    seats: tuple[SeatRecord, ...]
    moves: tuple[MoveRecord, ...]
    lag: int
    """The lag of all turns together."""
    busy: str = ""
    """Which programs used the processors, if the game is void because they were busy: for the instructor alone. It is
    not stored."""


class RulingAct(Struct, frozen=True):
    """A kind of ruling."""

    about: str
    """game, agent or ruling."""
    done: str
    """Its effect on what it is about."""
    offer: str
    """What a form offers; "{}": the player in a seat."""
    status: str = ""
    """Of the agent afterwards."""


ACTS: Final = {
    "void": RulingAct("game", "annulled", "Annul it: it counts for nothing"),
    "again": RulingAct("game", "annulled for a replay", "Annul it, and play it again"),
    "award": RulingAct("game", "awarded", "Award it to {}"),
    "withdraw": RulingAct("agent", "withdrawn", "Withdraw: it plays no more games", "withdrawn"),
    "quarantine": RulingAct(
        "agent", "quarantined", "Put aside (quarantine): it plays again after its author hands in", "quarantined"
    ),
    "release": RulingAct("agent", "released", "Release: it plays again", "active"),
    "revoke": RulingAct("ruling", "revokes another", "Revoke"),
}
"""All that an instructor can decide. (A game that is void without a ruling was stopped by a failure of the server.)"""


def acts_about(what: str) -> dict[str, RulingAct]:
    """Those about a game, or about an agent."""
    return {name: act for name, act in ACTS.items() if act.about == what}


class PastRuling(Struct, frozen=True):
    """A ruling about a game."""

    what: str
    """void, again, award or revoke."""
    seat: Integer64 | None
    """The seat that the game was awarded to."""
    reason: str
    when: str
    id: Integer64 = 0
    """The ruling's number; 0 if it was read from a file without one."""
    revokes: Integer64 | None = None
    """The ruling that this one takes back."""


class PastSeat(SeatRecord, frozen=True, kw_only=True):
    """The player in one seat of a recorded game."""

    version: Integer64 | None = None
    """The number of the version that played."""
    current: bool = True
    """Whether it is the version that the player has entered now."""
    anchor: float | None = None
    """The fixed rating that the tournament's description gives the player."""


class Attempt(Struct, frozen=True, kw_only=True):
    """One attempt at a game, before it is played and afterwards."""

    pair: str
    """Identifies the pairing."""
    game: str
    """The name of its rules, with options."""
    id: int = 0
    """The id of its row; 0: it has none yet."""
    number: Integer64 = 0
    """The same for all attempts at a game; 0: it is not numbered yet."""
    round: Integer64 | None = None
    leg: Integer64 = 0
    attempt: Integer64 = 1
    clock: str = "none"
    seed: int = 0
    """0 also if it is not known."""
    position: str | None = None
    """The position from which it begins, before its opening; None: that of the rules."""
    opening: str | None = None
    """Its moves, separated by spaces."""
    status: str = "scheduled"
    kind: str | None = None
    """A `GameKind`; None: not known."""


class ScheduledGame(Attempt, frozen=True, kw_only=True):
    """A game that is still to be played."""

    seats: tuple[tuple[int, str], ...]
    """The version (row id) and the player's name for each seat."""

    @property
    def names(self) -> tuple[str, ...]:
        """The players, in the order of the seats."""
        return tuple([name for _, name in self.seats])


def game_name(id: int, tournament: str | None, number: int | None) -> str:
    """What people call a game, and type: its number in its tournament ("cs101-812"), else its id."""
    return str(id) if tournament is None else f"{tournament}-{number}"


class PastGame(Attempt, frozen=True, kw_only=True):
    """One recorded game."""

    tournament: str | None = None
    status: str = "finished"
    verdict: str | None = None
    fault: Integer64 | None = None
    detail: str | None = None
    plies: Integer64 | None = None
    started: str | None = None
    finished: str | None = None
    lag: Integer64 | None = None
    host: dict[str, Any] | None = None
    counts: bool | None = None
    """Whether the game has a result that was not annulled, no later attempt, and is no challenge; None: not known."""
    seats: tuple[PastSeat, ...] = ()
    moves: tuple[MoveRecord, ...] = ()
    """Empty if the game was read without moves."""
    analysis: tuple[JudgedPly, ...] = ()
    """The judgement of each ply, from the last `arena replay --mistakes` of the game; empty if there was none, or if
    the game was read without moves."""
    rulings: tuple[PastRuling, ...] = ()
    """In the order in which they were made."""
    from_outside: bool = False
    """Whether the game was imported or is in a bundle. Rules files that it names are not trusted as the user's own."""

    @property
    def name(self) -> str:
        """What people call it: see `game_name`."""
        return game_name(self.id, self.tournament, self.number)

    @property
    def players(self) -> list[str]:
        """The players' names, in the order of the seats."""
        return [seat.player for seat in self.seats]

    @property
    def clocks(self) -> list[str]:
        """The clock of each seat."""
        return [seat.clock or self.clock for seat in self.seats]

    @property
    def ruling(self) -> PastRuling | None:
        """The ruling in force: the last one that was not revoked."""
        revoked = {ruling.revokes for ruling in self.rulings}
        in_force = [ruling for ruling in self.rulings if ruling.what != "revoke" and ruling.id not in revoked]
        return in_force[-1] if in_force else None

    @property
    def status_shown(self) -> str:
        """The status as users see it: "void" if a ruling annulled the game."""
        return "void" if self.ruling is not None and self.ruling.what in ANNULS else self.status

    @property
    def points(self) -> list[float] | None:
        """The points of each seat, before rulings; None without a result."""
        points = [seat.points for seat in self.seats if seat.points is not None]
        return points if points and len(points) == len(self.seats) else None

    @property
    def counted(self) -> list[float] | None:
        """The points of each seat, after rulings; None without a result."""
        if self.ruling is None:
            return self.points
        if self.ruling.what == "award":
            return [1.0 if seat.seat == self.ruling.seat else 0.0 for seat in self.seats]
        return None

    @property
    def utilities(self) -> list[float] | None:
        """The utility of each seat; None without a result."""
        worth = [seat.utility for seat in self.seats if seat.utility is not None]
        return worth if worth and len(worth) == len(self.seats) else None


class RatedGame(Struct, frozen=True, gc=False):
    """One game as ratings need it, with any number of players. Games that must not be rated (forfeit, void, overruled)
    are never read as one."""

    names: tuple[str, ...]
    """The players, in the order of the seats."""
    points: tuple[float, ...]
    rules: str = ""
    pair: Hashable = None
    """Key of the pairing: equal for its games, which share an opening; None: not known."""
    tournament: int | None = None
    id: int = 0
    number: int = 0
    round: int | None = None
    finished: str | None = None
    verdict: str = "normal"
    plies: int | None = None
    moves_hash: int | None = None
    """`moves_hash` of its moves; None if they are not recorded."""


class PairCount(Struct, frozen=True, gc=False):
    """The number of pairings of two players that had the same results."""

    first: str
    """One of the two players."""
    second: str
    rules: str
    own: float | None
    """Points of `first` in the game where it has seat 0; None if that game is not rated."""
    others: float | None
    """Points of `second` in the game where it has seat 0; None if that game is not rated."""
    count: int
    repeats: int = 1
    """How often each of these pairings was played with exactly the same moves; 1 if no two are alike."""
