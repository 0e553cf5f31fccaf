"""The games to play, and their results: the values that a director gets and yields. A schedule returns the next game,
and notes the end of each one; a director plays any schedule. These are plain values: code that makes or reads a
schedule needs neither a socket nor a process.
"""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from msgspec import structs

from adsearch import State
from adsearch.errors import BadGame
from agents.errors import one_line
from agents.protocol import Verdict
from arena.errors import ArenaError, BadFixture
from arena.match.conditions import HELLO_WITHIN, Conditions
from db.records import GameRecord, MoveRecord, PastGame, moves_hash

MOST_ATTEMPTS: Final = 3
"""How often a game is played if it is void again and again."""
_DEFAULT: Final = Conditions()


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player, and how the process that plays for it is started."""

    name: str
    key: str
    """Players with the same key are the same program with the same settings."""
    arguments: tuple[str, ...] = ()
    """Arguments of the Python process; empty for a guest, which somebody else starts."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    guarded: bool = False
    start: int = HELLO_WITHIN
    """For an agent with a warden: time for its program to start, in nanoseconds."""
    walls: str = ""
    """For an agent with a warden: the kind of walls."""
    source: str = ""
    """The recorded source: the hash of a submission, or the text of a built-in agent."""
    invite: Callable[[str, str], None] | None = None
    """For a guest: called with the address and the token."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One game to be played."""

    number: int
    game: str
    """The game as the user named it."""
    rules: str
    """The game as referee and players load it: user-supplied files are replaced by their copies in the store."""
    entrants: tuple[Entrant, ...]
    """In the order of the seats."""
    seed: int
    """The seed of the tournament: of openings and chance events."""
    identity: tuple[object, ...]
    """Identifies the pairing of this game, in any order of seats."""
    leg: int = 0
    attempt: int = 1
    conditions: Conditions = _DEFAULT
    position: str = ""
    """The position from which it begins; empty: that of the rules."""
    opening: tuple[str, ...] = ()
    watched: bool = False
    seats_key: int | None = None
    """The key of the seats' seeds; None: `seed`."""
    played: tuple[MoveRecord, ...] = ()
    """The players' moves after the opening in the game that this one continues."""
    begun: datetime | None = None
    """When the game that it continues began."""

    def under(self, **changed: Any) -> Planned:
        """The same game with some other conditions."""
        return replace(self, conditions=structs.replace(self.conditions, **changed))

    def shown(self, seat: int) -> str:
        """The name of that seat's player that is sent to the other players."""
        return self.entrants[seat].name if self.conditions.names == "shown" else f"seat {seat}"

    @property
    def seats_from(self) -> int:
        """The number from which the seats' seeds are derived."""
        return self.seed if self.seats_key is None else self.seats_key

    @property
    def dice(self) -> tuple[object, ...]:
        """Where its chance events come from: the same in two games if this is the same, and players move alike."""
        return (self.seed, *self.identity, self.leg, self.attempt)

    @property
    def recorded(self) -> dict[str, Any]:
        """What every record says about it: fields of `db.records.Attempt`."""
        return {
            "leg": self.leg,
            "attempt": self.attempt,
            "clock": self.conditions.clock,
            "seed": self.seed,
            "position": self.position or None,
            "opening": " ".join(self.opening) or None,
            "kind": self.conditions.kind,
        }

    @property
    def hashed_with(self) -> dict[str, Any]:
        """What is hashed with its moves, beside them: see `db.records.moves_hash`."""
        return {"dice": self.dice, "position": self.position}

    def side(self, seat: int) -> tuple[object, ...]:
        """The pairing, leg and player of a seat: the same in every attempt at the game."""
        return (*self.identity, self.leg, self.entrants[seat].name)


@dataclass(frozen=True, slots=True)
class Began:
    """All players of the game are ready."""

    game: Planned


@dataclass(frozen=True, slots=True)
class Ply:
    """A ply of a watched game."""

    game: Planned
    move: MoveRecord


@dataclass(frozen=True, slots=True)
class Finished:
    """A game is over."""

    game: Planned
    record: GameRecord
    started: datetime
    finished: datetime
    host: Mapping[str, Any] | None = None
    """For a game that was played on another machine: what its record says about it."""


@dataclass(frozen=True, slots=True)
class PaceChanged:
    """Players wait for processors too much, or no longer: the number of games at the same time changes (or stays 1)."""

    before: int
    at_once: int
    waited: float
    """The share of the last games' thinking time in which players waited."""


Event = Began | Ply | Finished | PaceChanged
"""What a director yields while it plays."""


def repeats_tell(start: State[Any]) -> bool:
    """Whether a game that repeats another one says that its players are deterministic. With chance or hidden moves,
    short games are often the same by chance."""
    return not (start.chance or start.hidden)


def repeated_games(finished: Iterable[Finished]) -> int:
    """How many of these games are move for move the same as an earlier one, with the same players in the same seats."""
    played = [
        (
            tuple(entrant.name for entrant in game.game.entrants),
            moves_hash(game.record.moves, position=game.game.position),
        )
        for game in finished
        if game.record.verdict != Verdict.VOID and game.record.moves
    ]
    return len(played) - len({*played})


class Schedule(Protocol):
    """Returns the games to play, and notes their results.

    A schedule whose games do not depend on results can also give games ahead: such a waiting game begins when another
    one is over. A schedule that inherits from this class gives none ahead."""

    def next(self) -> Planned | None:
        """The next game to start; None if there is none now. The director asks again when a game is over."""

    def note(self, finished: Finished) -> None:
        """The game is over. On return it is recorded, if there is a database."""

    def beside(self) -> Planned | None:
        """The next game to start however many are in progress; None if there is none now. It takes no place and no core
        of the others, and the director does not wait for its end: a person can think for an hour."""
        return None

    def rest(self) -> float | None:
        """Called when no game is in progress, except those of `beside`, and there is none to start: the seconds until
        the director asks again. None: it stops playing."""
        return None

    def ahead(self) -> Planned | None:
        """The next game, to begin as soon as another one is over; None if there is none, or if results decide."""
        return None

    def begun(self, _game: Planned, _when: datetime, /) -> None:
        """A waiting game has begun."""
        return

    def give_back(self, _game: Planned, /) -> None:
        """A waiting game does not begin: it is the next one again."""
        return


class WrappingSchedule(Schedule):
    """Passes every call on to another schedule. A class that inherits from it overrides what it changes."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule

    def next(self) -> Planned | None:
        """The other schedule's next game."""
        return self._schedule.next()

    def note(self, finished: Finished) -> None:
        """Passes the finished game on."""
        self._schedule.note(finished)

    def beside(self) -> Planned | None:
        """The other schedule's next game beside all others."""
        return self._schedule.beside()

    def rest(self) -> float | None:
        """How long the other schedule rests."""
        return self._schedule.rest()

    def ahead(self) -> Planned | None:
        """The other schedule's next game, to begin as soon as another one is over."""
        return self._schedule.ahead()

    def begun(self, game: Planned, when: datetime) -> None:
        """Passes on that a waiting game has begun."""
        self._schedule.begun(game, when)

    def give_back(self, game: Planned) -> None:
        """Gives the game back to the other schedule."""
        self._schedule.give_back(game)


class InOrder(Schedule):
    """A schedule of games in a fixed order; a void game is played again, until it was played `MOST_ATTEMPTS` times."""

    def __init__(self, games: Iterable[Planned]) -> None:
        self._games = deque(games)

    def append(self, game: Planned) -> None:
        """Adds a game after all others."""
        self._games.append(game)

    def next(self) -> Planned | None:
        """The next game."""
        return self._games.popleft() if self._games else None

    def ahead(self) -> Planned | None:
        """The next game."""
        return self.next()

    def give_back(self, game: Planned) -> None:
        """The game is the next one again."""
        self._games.appendleft(game)

    def note(self, finished: Finished) -> None:
        """Schedules a void game again. BadFixture if user-supplied rules are broken."""
        refuse_broken_rules(finished.record)
        if (again := next_attempt(finished)) is not None:
            self._games.appendleft(again)


def next_attempt(finished: Finished) -> Planned | None:
    """The game again if it is void and its rules have not failed, until it was played `MOST_ATTEMPTS` times."""
    game, record = finished.game, finished.record
    is_void = record.verdict == Verdict.VOID and not rules_failed(record)
    return replace(game, attempt=game.attempt + 1) if is_void and game.attempt < MOST_ATTEMPTS else None


def rules_failed(record: GameRecord | PastGame) -> bool:
    """Whether the game is void because user-supplied rules failed."""
    return record.verdict == Verdict.VOID and (record.detail or "").startswith(RULES_FAILED)


def refuse_broken_rules(record: GameRecord) -> None:
    """BadFixture if user-supplied rules failed: to play the game again would not help."""
    if rules_failed(record):
        raise BadFixture(f"{record.detail}, after {len(record.moves)} plies")


# A move that is taken back: what stays of its game, and the game that continues from there.


class TakenBack(NamedTuple):
    """What stays of a game."""

    plies: int
    played: tuple[MoveRecord, ...]
    """The moves of the players among these plies, without those of the opening."""
    more: int
    """The number of earlier moves that can be taken back too."""

    def continued(self, ended: Finished) -> Planned:
        """The game that continues the one that has ended."""
        return replace(ended.game, played=self.played, begun=ended.started)


def before_last_move(moves: Sequence[MoveRecord], seats: Collection[int]) -> TakenBack | None:
    """What stays of these plies when the last move of one of these seats is taken back; None if there is none."""
    own = [number for number, move in enumerate(moves) if move.who in seats]
    if not own:
        return None
    kept = moves[: own[-1]]
    return TakenBack(len(kept), tuple(_in_a_new_log(move) for move in kept if isinstance(move.who, int)), len(own) - 1)


def _in_a_new_log(move: MoveRecord) -> MoveRecord:
    """The move as a new process of its player has it: it has printed nothing yet."""
    return move if move.log is None else structs.replace(move, log=0)


# The errors of user-supplied rules on one line. Rules can raise anything; nothing here raises an error.


RULES_FAILED: Final = "the rules failed"
"""Prefix of `detail` when user-supplied rules raised."""
_LONGEST_ERROR: Final = 500
"""In characters."""


def rules_failure(error: BaseException) -> str:
    """That the rules failed, with the error and its place."""
    return f"{RULES_FAILED}: {rules_error(error)}"


def rules_error(error: BaseException) -> str:
    """The error, and where in the rules it was raised."""
    if isinstance(error, BadGame):
        return error_line(error)  # its message is complete
    frames = traceback.extract_tb(error.__traceback__)
    at = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno}, in {frames[-1].name})" if frames else ""
    return f"{error_line(error)}{at}"


def error_line(error: BaseException) -> str:
    """The error on one line; `str` of a user-supplied error can fail."""
    try:
        words = str(error)
    except Exception:
        words = "(its message cannot be shown)"
    kind = type(error).__name__
    return one_line(
        words if isinstance(error, ArenaError | BadGame) else f"{kind}: {words}" if words else kind, most=_LONGEST_ERROR
    )
