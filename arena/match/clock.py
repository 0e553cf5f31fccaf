"""Time controls as people write them, and the clock of one game.

All times are integer nanoseconds; no function here reads the time. `charged` is what a turn costs: computing and
sleeping, but not waiting for a processor. Hosts stop a turn by it; `match.py` charges by it and decides who has lost on
time. A seat's time is never negative.

    60          60 s for the whole game             60+0.5      and 0.5 s more after each move
    40/300+3    300 s for each 40 moves, +3 s each  60+5x10     60 s, then 5 periods of 10 s (byo-yomi)
    move=0.1    0.1 s for each move                 none        no clock
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple

from msgspec import UNSET

from adsearch.errors import quote
from agents.protocol import Turn
from arena.errors import BadClock

SECOND: Final = 1_000_000_000
MILLISECOND: Final = 1_000_000
LONGEST_POLL: Final = 2**31 - 1
"""The longest timeout of a poll call, in milliseconds."""
TOO_BUSY: Final = "the machine was too busy with other programs"
"""Suffix of `detail` when a game is void because a player got too little processor time."""
_LONGEST: Final = 30 * 24 * 3600 * SECOND
_MOST_MOVES: Final = 100_000

_NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}"
_FORM = re.compile(
    rf"(?:(?P<moves>[0-9]{{1,9}})/)?(?P<base>{_NUMBER})"
    rf"(?:\+(?:(?P<periods>[0-9]{{1,9}})x(?P<period>{_NUMBER})|(?P<increment>{_NUMBER})))?"
)
_PER_MOVE = re.compile(rf"move=(?P<move>{_NUMBER})")
_FORMS = "60, 60+0.5, 40/300+3, 60+5x10, move=0.1 or none (in seconds)"


def waited(wall: int, cpu: int, runnable: int) -> int:
    """The part of `wall` in which no thread of an agent ran although one was ready for a processor.

    `cpu`: the processor time of all its threads; `runnable`: the longest time that one of them ran or was ready. While
    that thread is ready, either some thread of the agent runs, which is in `cpu`, or none does. So the result is never
    more than the agent really waited, whatever its threads do to each other."""
    return max(0, min(runnable, wall) - cpu)


def slept(wall: int, cpu: int, runnable: int) -> int:
    """The part of `wall` in which an agent neither computed nor waited for a processor, as far as is known."""
    return max(0, wall - cpu - waited(wall, cpu, runnable))


def charged(wall: int, cpu: int | None, delay: int | None) -> int:
    """What a turn that took `wall` costs its seat, if the agent used `cpu` and waited for `delay`.

    `delay`: how long the agent waited for a processor, and its host for one to read what it wrote. At most `wall` is
    charged, and at least `cpu`; all of `wall` if `cpu` or `delay` is not known."""
    if cpu is None or delay is None:
        return wall
    return min(wall, max(cpu, wall - delay, 0))


def longest_wait(limit: int) -> int:
    """How long a turn with this limit can take before the game is void because the machine is too busy."""
    return 10 * limit + 60 * SECOND


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time a seat has, in nanoseconds. `parse` reads what `str` writes."""

    base: int = 0
    increment: int = 0
    moves: int = 0
    """The number of moves for which `base` is given, again and again; 0: `base` is for the whole game."""
    periods: int = 0
    period: int = 0
    move: int = 0
    """Time for each move; 0: none. Excludes all others."""

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """The time control that `text` names; BadClock lists the valid forms."""
        plain = text.strip().lower() if isinstance(text, str) else ""
        if plain == "none":
            return cls()
        if per_move := _PER_MOVE.fullmatch(plain):
            return cls(move=_read(text, per_move["move"]))
        form = _FORM.fullmatch(plain)
        if form is None or (form["moves"] and form["periods"]):
            raise BadClock(f"expected a clock such as {_FORMS}, got {quote(text)}")
        moves, periods = (_count(text, form[name]) if form[name] else 0 for name in ("moves", "periods"))
        return cls(
            base=_read(text, form["base"], least=0 if periods else 1),
            increment=_read(text, form["increment"], least=0) if form["increment"] else 0,
            moves=moves,
            periods=periods,
            period=_read(text, form["period"]) if periods else 0,
        )

    def __str__(self) -> str:
        if self.move:
            return f"move={_seconds(self.move)}"
        if not self:
            return "none"
        moves = f"{self.moves}/" if self.moves else ""
        more = f"+{self.periods}x{_seconds(self.period)}" if self.periods else ""
        more = more or (f"+{_seconds(self.increment)}" if self.increment else "")
        return f"{moves}{_seconds(self.base)}{more}"

    def __bool__(self) -> bool:
        """Whether there is a clock."""
        return bool(self.base or self.move or self.periods)

    def longest(self, moves: int) -> int:
        """The longest that a seat can think about `moves` moves (1 or more) in total; 0 without a clock."""
        sessions = -(-moves // self.moves) if self.moves else 1
        # In byo-yomi each move can take a whole period, and in addition all periods but the last can be used up.
        byo_yomi = self.period * (self.periods - 1 + moves) if self.periods else 0
        return self.base * sessions + self.increment * (moves - 1) + self.move * moves + byo_yomi


def at_first(text: str) -> int | None:
    """The time on a clock before the game; None without a clock, and for one that another program has recorded."""
    try:
        return Clock([TimeControl.parse(text)]).left(0)
    except BadClock:
        return None


class Clock:
    """The clocks of all seats in one game. All seats have one, or none has."""

    __slots__ = ("_controls", "_has_periods", "_main", "_margins", "_moves", "_periods", "_runs", "move_limit")

    def __init__(
        self, controls: Sequence[TimeControl], *, margins: Sequence[int] = (), move_limit: int = 60 * SECOND
    ) -> None:
        """A time control for each seat. `margins`: how much each can be over its time without losing; by default 0."""
        self._controls = controls
        self._margins = margins or [0] * len(controls)
        # The longest turn where there is no clock.
        self.move_limit = move_limit
        self._runs = bool(controls[0])
        self._has_periods = any(control.periods for control in controls)
        self._main = [control.move or control.base for control in controls]
        self._periods = [control.periods for control in controls]
        self._moves = [0] * len(controls)

    def left(self, seat: int) -> int | None:
        """The time left to the seat for its next move, byo-yomi included; None without a clock."""
        if not self._runs:
            return None
        return self._main[seat] + self._periods[seat] * self._controls[seat].period

    def milliseconds(self) -> tuple[int, ...] | None:
        """Every seat's time in whole milliseconds, as sent to players."""
        if not self._runs:
            return None
        if not self._has_periods:
            return tuple([main // MILLISECOND for main in self._main])
        return tuple((self.left(seat) or 0) // MILLISECOND for seat in range(len(self._main)))

    def limit(self, seat: int) -> int:
        """The longest that a turn of the seat can take: with one nanosecond more it loses on time."""
        left = self.left(seat)
        return self.move_limit if left is None else left + self._margins[seat]

    def charge(self, seat: int, charged: int) -> None:
        """The seat has moved: takes `charged` from its time, and adds what the time control gives for a move."""
        control = self._controls[seat]
        if control.move or not self._runs:
            return
        over = charged - self._main[seat]
        if over <= 0 or not control.periods:
            self._main[seat] = max(0, -over)
        else:
            self._main[seat] = 0
            # A turn that only the margin allows does not use up the last period.
            used = over // control.period
            self._periods[seat] = max(1, self._periods[seat] - used)
        self._main[seat] += control.increment
        if control.moves:
            self._moves[seat] += 1
            if self._moves[seat] % control.moves == 0:
                self._main[seat] += control.base

    def stop(self, seat: int, charged: int) -> None:
        """The seat's last turn ended without a move: takes `charged` from its time."""
        left = self.left(seat)
        if left is not None:
            self._periods[seat] = 0
            self._main[seat] = max(0, left - charged)

    def budget(self, seat: int, moves_left: int | None = None) -> int | None:
        """A sensible share of its time for the seat's next move, if it has at most `moves_left` moves left.

        Some time is always kept back, so that a player that uses exactly its budget never loses on time."""
        control = self._controls[seat]
        if not self._runs:
            return None
        main = self._main[seat]
        if control.move:
            return _with_reserve(main)
        ahead = _MOVES_AHEAD if moves_left is None else max(1, min(_MOVES_AHEAD, moves_left))
        if control.moves:
            ahead = max(1, min(ahead, control.moves - self._moves[seat] % control.moves))
        if control.periods:
            # A period that is not used up is renewed: each move can take a whole one.
            return _with_reserve(main // ahead + control.period)
        share = _with_reserve(main) // ahead + control.increment * 3 // 4
        return min(max(share, MILLISECOND), _with_reserve(main))


_MOVES_AHEAD: Final = 25
"""The number of moves among which a seat's time is divided if the game's length is not known."""
_KEPT_BACK: Final = 30 * MILLISECOND


def _with_reserve(time: int) -> int:
    """`time` minus a reserve for a busy machine: 30 ms, or a third of a shorter time."""
    return max(time - _KEPT_BACK, time * 2 // 3)


def _read(clock: str, text: str, *, least: int = 1) -> int:
    time = int(Decimal(text) * SECOND)
    if not least <= time <= _LONGEST:
        raise BadClock(f"clock {quote(clock)}: expected more than 0 seconds and at most 30 days, got {quote(text)}")
    return time


def _count(clock: str, text: str) -> int:
    if not 1 <= int(text) <= _MOST_MOVES:
        raise BadClock(f"clock {quote(clock)}: expected a number from 1 to {_MOST_MOVES}, got {quote(text)}")
    return int(text)


def _seconds(time: int) -> str:
    """`time` in seconds, with as few digits as possible."""
    return format(Decimal(time) / SECOND, "f")


# The time of both seats as an engine can be given it, in whole milliseconds. Pure: no function reads a clock.


class TimeLeft(NamedTuple):
    """The time of one seat."""

    main: int
    """Without byo-yomi periods. It is at least 1, so that an engine never reads 0 as "no limit"."""
    period: int
    """The length of a byo-yomi period; 0 without byo-yomi."""
    in_period: bool
    """Whether the main time is used up, and each move can take one period."""


def of_seats(controls: Sequence[TimeControl], turn: Turn, seat: int) -> tuple[TimeLeft, ...]:
    """The time left of each seat, for the turn of `seat`; empty without a clock. `controls`: of each seat."""
    if turn.left is None:
        return ()
    margin = 0 if turn.limit is UNSET else max(0, turn.limit // MILLISECOND - turn.left[seat])
    return tuple(_of_seat(control, left, margin) for control, left in zip(controls, turn.left, strict=True))


def _of_seat(control: TimeControl, left: int, margin: int) -> TimeLeft:
    # Periods are used up only when the main time is.
    period = control.period // MILLISECOND
    main = max(0, left - control.periods * period)
    in_period = control.periods > 0 and main == 0
    return TimeLeft(max(1, main - margin), max(1, period - margin) if period else 0, in_period)


def moves_to_go(control: TimeControl, made: int) -> int:
    """How many moves a seat that has made `made` must still make before it gets more main time; 0: it gets none."""
    return control.moves - made % control.moves if control.moves else 0
