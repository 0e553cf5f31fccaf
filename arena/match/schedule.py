"""What is to be played and what came of it: the values that a director is given and gives back.

A schedule says which game comes next, and is told of each one's end; a director plays it, whoever made it. These are
plain values: who makes or reads a schedule needs neither a socket nor a process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Protocol

from agents.protocol import Verdict
from arena.errors import BadFixture
from arena.match.clock import MILLISECOND
from arena.match.fixture import HELLO_WITHIN, Limits
from arena.match.match import RULES_FAILED
from db.records import GameRecord, MoveRecord, moves_hash

MOST_ATTEMPTS: Final = 3
_USUAL: Final = Limits()


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who plays, and how a process that plays for them is started."""

    name: str
    key: str
    """Players with the same key are the same program with the same settings."""
    arguments: tuple[str, ...] = ()
    """Of the Python process; empty for a guest, whom somebody else starts."""
    orders: Mapping[str, Any] = field(default_factory=dict)
    guarded: bool = False
    start: int = HELLO_WITHIN
    """Of a guarded one: how long its program may take to start."""
    walls: str = ""
    """Of a guarded one: the kind of walls around it."""
    source: str = ""
    """What plays, for the record: the hash of a submission, the text of a built-in agent."""
    invite: Callable[[str, str], None] | None = None
    """For a guest: called with the address and the token."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One game to be played."""

    number: int
    game: str
    """The game as it was named."""
    rules: str
    """The same as the referee and the players read it: files of somebody's own are those in the store."""
    entrants: tuple[Entrant, ...]
    """In the order of the seats."""
    seed: int
    """The tournament's."""
    identity: tuple[object, ...]
    """What tells this game's meeting from all others, whatever the order of seats."""
    leg: int = 0
    attempt: int = 1
    clock: str = "none"
    margin: int = 50 * MILLISECOND
    opening: tuple[str, ...] = ()
    max_plies: int | None = None
    limits: Limits = _USUAL
    watched: bool = False
    names_shown: bool = True
    """Whether players are told who they play."""

    def shown(self, seat: int) -> str:
        """What the others are told of who sits there."""
        return self.entrants[seat].name if self.names_shown else f"seat {seat}"


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


@dataclass(frozen=True, slots=True)
class PaceChanged:
    """Players wait for processors too much or not any more: fewer games are played at once, or more, or still one."""

    before: int
    at_once: int
    waited: float
    """The share of the last games' thinking in which players waited."""


Event = Began | Ply | Finished | PaceChanged
"""What a director tells while it plays."""


def repeated_games(finished: Iterable[Finished]) -> int:
    """How many of these games repeat an earlier one of them move for move, with the same players in the same seats."""
    played = [
        (tuple(entrant.name for entrant in game.game.entrants), moves_hash(game.record.moves))
        for game in finished
        if game.record.verdict != Verdict.VOID and game.record.moves
    ]
    return len(played) - len({*played})


class Schedule(Protocol):
    """What is to be played, and who wants to know what came of it."""

    def next(self) -> Planned | None:
        """The next game to begin; None where there is none just now. It is asked again when a game is over."""

    def note(self, finished: Finished) -> None:
        """The game is over. On return it is on record, if there is one."""


class InOrder:
    """A schedule of games one after the other; a void game is played again as its next attempt, up to three times."""

    def __init__(self, games: Iterable[Planned]) -> None:
        self._games = deque(games)

    def next(self) -> Planned | None:
        """The next game."""
        return self._games.popleft() if self._games else None

    def note(self, finished: Finished) -> None:
        """A void game comes again."""
        game = finished.game
        refuse_broken_rules(finished.record)
        if finished.record.verdict == Verdict.VOID and game.attempt < MOST_ATTEMPTS:
            self._games.appendleft(replace(game, attempt=game.attempt + 1))


def refuse_broken_rules(record: GameRecord) -> None:
    """BadFixture where a game of somebody's own is broken: to play it again would be of no use."""
    if record.verdict == Verdict.VOID and record.detail.startswith(RULES_FAILED):
        raise BadFixture(f"{record.detail}, after {len(record.moves)} plies")
