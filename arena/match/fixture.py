"""Fixture: one game to be played, as the director describes it to the referee.

A fixture is a plain value, sent over the control socket. Whether it can be played is checked here, once, before the
first player connects.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from adsearch import State, games
from adsearch.errors import AdsearchError, BadGame, quote
from agents.protocol import MESSAGE_BYTES, MOVE_LENGTH
from arena.errors import BadFixture
from arena.match.clock import Clock, TimeControl
from arena.match.conditions import HELLO_WITHIN, Conditions
from db.records import MoveRecord, storable


class SeatPlan(Struct, frozen=True):
    """The player of a seat, and what the referee has to know about its process."""

    player: str
    """The name that is recorded."""
    shown: str
    """The name that is sent to the other players."""
    token: str
    """The secret with which the player connects."""
    seed: int
    hosted: bool = True
    """Whether this is a process that we started: then its measurements are trusted."""
    guarded: bool = False
    """Whether this is a warden: then it can report that its agent failed."""
    start: int = HELLO_WITHIN
    """How long a warden waits for its agent's program to start, in nanoseconds."""
    liable: bool = False
    """Whether the seat is at fault if its warden ends: its agent can kill it, or the warden was lost before."""
    core: int | None = None
    """The processor on which the player runs; None: any."""


class Fixture(Struct, frozen=True):
    """One game to be played."""

    game: int
    rules: str
    seats: tuple[SeatPlan, ...]
    key: bytes
    """The key of the game's chance events."""
    conditions: Conditions = Conditions()
    position: str = ""
    """The position from which the game begins; empty: that of the rules."""
    opening: tuple[str, ...] = ()
    watched: bool = False
    """Whether each ply is sent to the director when it is played."""
    played: tuple[MoveRecord, ...] = ()
    """Moves of the players that follow the opening: they are played again as they were recorded, with their times."""

    def first_position(self) -> State[Any]:
        """The start of the game; BadFixture if the game cannot be played as described.

        Chance events are not known yet, so the opening of a game with chance is checked only when it is played."""
        try:
            state = games.start(self.rules, self.position)
        except AdsearchError as error:
            raise BadFixture(str(error)) from None
        if not type(state).__module__.startswith("adsearch.games."):
            _try_rules(self.rules, state)
        if len(self.seats) != state.players:
            raise BadFixture(f"{self.rules} is for {state.players} players, got {len(self.seats)}")
        if (most := self.conditions.max_plies) is not None and most < 1:
            raise BadFixture(f"expected max_plies of 1 or more, got {most}")
        if (self.conditions.resign or self.conditions.draw) and state.players != 2:
            raise BadFixture(f"resign and draw are for games of two players, {self.rules} is for {state.players}")
        if self.position and state.turn is None:
            raise BadFixture(f"expected a position from which a game can begin, but it is over: {quote(self.position)}")
        after = state
        for number, text in enumerate(() if state.chance else self.opening, 1):
            try:
                after = after.play(after.from_text(text))
            except AdsearchError as error:
                raise BadFixture(f"opening, move {number}: {error}") from None
        return state

    def given(self) -> Iterator[MoveRecord]:
        """The players' plies before the first turn; those of the opening without their numbers."""
        yield from (MoveRecord(0, "opening", text) for text in self.opening)
        yield from self.played

    def times(self, seat: int) -> list[int]:
        """What each of the seat's moves in `played` took."""
        return [move.spent or 0 for move in self.played if move.who == seat]

    def new_clock(self) -> Clock:
        """The clock of the game, at the first turn."""
        times = [self.conditions.time_of(seat.player) for seat in self.seats]
        clock = Clock(
            [TimeControl.parse(time.clock) for time in times],
            margins=[time.margin for time in times],
            move_limit=self.conditions.limits.move,
        )
        for seat in range(len(self.seats)):
            for time in self.times(seat):
                clock.charge(seat, time)
        return clock


def _try_rules(rules: str, state: State[Any]) -> None:
    """BadFixture if user-supplied rules fail at the first things that a player does with them."""
    for seat in range(state.players):
        try:
            again = games.load(rules, position_text(state.view(seat)))
            for move in again.moves():
                move_text(again.to_text(move))
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            words = str(error) if isinstance(error, AdsearchError) else f"{type(error).__name__}: {error}"
            raise BadFixture(f"{rules}: the rules failed for seat {seat} at the start: {words}") from error


def move_text(text: object) -> str:
    """`text`, a move as user-supplied rules write it; BadGame if it does not fit into a message."""
    if not isinstance(text, str) or not text.strip() or len(text) > MOVE_LENGTH or not _is_storable(text):
        raise BadGame(f"a move's text: expected 1 to {MOVE_LENGTH} characters, got {quote(text)}")
    return text


def position_text(text: object) -> str:
    """`text`, a position as user-supplied rules write it; BadGame if it does not fit into a message."""
    if not isinstance(text, str) or len(text) > MESSAGE_BYTES or not _is_storable(text):
        raise BadGame(f"a position's text: expected at most {MESSAGE_BYTES} characters, got {quote(text)}")
    return text


def _is_storable(text: str) -> bool:
    """Whether `text` can be sent and recorded unchanged."""
    return storable(text) == text
