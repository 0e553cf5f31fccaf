"""Fixture: one game that is to be played, as the director describes it to the referee.

It is a plain value that travels over the control socket. Whether it can be played is checked here, once, before anybody
sits down.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from adsearch import State, games
from adsearch.errors import AdsearchError, BadGame, quote
from agents.protocol import MESSAGE_BYTES, MOVE_LENGTH
from arena.errors import BadFixture
from arena.match.clock import MILLISECOND, SECOND, Clock, TimeControl
from db.records import storable

HELLO_WITHIN: Final = 10 * SECOND
"""How long a process may usually take to start."""


class Limits(Struct, frozen=True):
    """How long a seat may take for what is not on its clock, in nanoseconds."""

    hello: int | None = HELLO_WITHIN
    """Until it sits down; None: any time (a player that is started by hand)."""
    ready: int = 5 * SECOND
    """From `start` to `ready`."""
    move: int = 60 * SECOND
    """For a move where there is no clock."""


class SeatPlan(Struct, frozen=True):
    """Who takes a seat, and what is known of its host."""

    player: str
    """The name that is recorded."""
    shown: str
    """The name that the others are told."""
    token: str
    """What the player shows to take a seat."""
    seed: int
    hosted: bool = True
    """A process that we started: its own measurements are believed."""
    guarded: bool = False
    """A warden, which may say that its agent failed."""
    start: int = HELLO_WITHIN
    """How long a warden gives the program of its agent to start."""
    liable: bool = False
    """Whether the seat is at fault if its warden is lost: its agent could end that, or it was lost once before."""
    core: int | None = None
    """The processor on which the player runs; None: any."""


class Fixture(Struct, frozen=True):
    """One game to be played."""

    game: int
    rules: str
    seats: tuple[SeatPlan, ...]
    key: bytes
    """The key of the game's chance events."""
    clock: str = "none"
    margin: int = 50 * MILLISECOND
    opening: tuple[str, ...] = ()
    max_plies: int | None = None
    limits: Limits = Limits()
    watched: bool = False
    """Whether the director is told of each ply as it is played."""

    def first_position(self) -> State[Any]:
        """Where the game begins; BadFixture where it cannot be played as described.

        What chance does is not known yet, so the opening of a game of chance is checked only as it is played."""
        try:
            state = games.start(self.rules)
        except AdsearchError as error:
            raise BadFixture(str(error)) from None
        if not type(state).__module__.startswith("adsearch.games."):
            _try_rules(self.rules, state)
        if len(self.seats) != state.players:
            raise BadFixture(f"{self.rules} is for {state.players} players, got {len(self.seats)}")
        if self.max_plies is not None and self.max_plies < 1:
            raise BadFixture(f"expected max_plies of 1 or more, got {self.max_plies}")
        after = state
        for number, text in enumerate(() if state.chance else self.opening, 1):
            try:
                after = after.play(after.from_text(text))
            except AdsearchError as error:
                raise BadFixture(f"opening, move {number}: {error}") from None
        return state

    def new_clock(self) -> Clock:
        """The clock of the game."""
        control = TimeControl.parse(self.clock)
        return Clock(control, len(self.seats), margin=self.margin, move_limit=self.limits.move)


def _try_rules(rules: str, state: State[Any]) -> None:
    """BadFixture where somebody's own game cannot do what every player will ask of it first."""
    for seat in range(state.players):
        try:
            again = games.load(rules, position_text(state.view(seat)))
            for move in again.moves():
                move_text(again.to_text(move))
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            words = str(error) if isinstance(error, AdsearchError) else f"{type(error).__name__}: {error}"
            raise BadFixture(f"{rules}: the rules failed for seat {seat} at the start: {words}") from error


def move_text(text: object) -> str:
    """`text`, with which somebody's own rules write a move; BadGame where no message could hold it."""
    if not isinstance(text, str) or not text.strip() or len(text) > MOVE_LENGTH or not _travels(text):
        raise BadGame(f"a move's text: expected 1 to {MOVE_LENGTH} characters, got {quote(text)}")
    return text


def position_text(text: object) -> str:
    """`text`, with which somebody's own rules write a position; BadGame where no message could hold it."""
    if not isinstance(text, str) or len(text) > MESSAGE_BYTES or not _travels(text):
        raise BadGame(f"a position's text: expected at most {MESSAGE_BYTES} characters, got {quote(text)}")
    return text


def _travels(text: str) -> bool:
    """Whether it can be sent and recorded as it is."""
    return storable(text) == text
