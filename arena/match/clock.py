"""Time controls as people write them, and the clock of one game.

Everything is integer nanoseconds; nothing here knows what time it is. `charged` says what a turn costs: computing and
sleeping, but not waiting for a processor. Hosts stop a turn by it, and the match charges by it and judges by it. A
seat's time is never negative.

    60          a minute for the whole game         60+0.5      and half a second more after each move
    40/300+3    five minutes for each 40 moves      60+5x10     then five periods of ten seconds (byo-yomi)
    move=0.1    a tenth of a second a move          none        no clock
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from adsearch.errors import quote
from arena.errors import BadClock

SECOND: Final = 1_000_000_000
MILLISECOND: Final = 1_000_000
LONGEST_POLL: Final = 2**31 - 1
"""Milliseconds: no system waits longer in one call."""
TOO_BUSY: Final = "the machine was too busy"
"""How the detail of a game ends that is void because somebody got too little of a processor."""
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
    """How long of `wall` nothing of an agent ran although it was ready to: the machine had no processor for it.

    `cpu` is the processor time of all its threads; `runnable` the longest time for which one of them ran or was ready
    to. While one thread is ready, either some thread of the agent runs, which is in `cpu`, or none does: so this is
    never more than the agent really starved, whatever its threads do to each other."""
    return max(0, min(runnable, wall) - cpu)


def charged(wall: int, cpu: int | None, delay: int | None) -> int:
    """What a turn that took `wall` costs its seat, when the agent used `cpu` and was kept waiting for `delay`.

    `delay` is what it waited for a processor, and what its host waited for one before it could read the answer. No more
    than `wall` is charged, and no less than what was computed; where somebody does not know, all of `wall`."""
    if cpu is None or delay is None:
        return wall
    return min(wall, max(cpu, wall - delay, 0))


def longest_wait(limit: int) -> int:
    """How long a turn with this limit may take on a machine that has no time for it: then nobody is to blame."""
    return 10 * limit + 60 * SECOND


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time a seat has. `str` writes it so that `parse` reads the same again."""

    base: int = 0
    increment: int = 0
    moves: int = 0
    """`base` is for so many moves, and comes again after them; 0: for the whole game."""
    periods: int = 0
    period: int = 0
    move: int = 0
    """So much for each move, nothing else."""

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """The time control that `text` names; BadClock says what it may look like."""
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
        """Whether there is a clock at all."""
        return bool(self.base or self.move or self.periods)

    def longest(self, moves: int) -> int:
        """The longest that a seat can think about that number of moves in all, 1 or more; 0 without a clock."""
        sessions = -(-moves // self.moves) if self.moves else 1
        # In byo-yomi each move may take a whole period, and all periods but the last may be used up besides.
        byo_yomi = self.period * (self.periods - 1 + moves) if self.periods else 0
        return self.base * sessions + self.increment * (moves - 1) + self.move * moves + byo_yomi


class Clock:
    """The clocks of all seats in one game."""

    __slots__ = ("_main", "_moves", "_periods", "_runs", "control", "margin", "move_limit")

    def __init__(self, control: TimeControl, seats: int, *, margin: int = 0, move_limit: int = 60 * SECOND) -> None:
        self.control = control
        # What a seat may be over its time without losing.
        self.margin = margin
        # The longest turn where there is no clock.
        self.move_limit = move_limit
        self._runs = bool(control)
        self._main = [control.move or control.base] * seats
        self._periods = [control.periods] * seats
        self._moves = [0] * seats

    def left(self, seat: int) -> int | None:
        """What the seat may still use for its next move, byo-yomi included; None without a clock."""
        if not self._runs:
            return None
        return self._main[seat] + self._periods[seat] * self.control.period

    def milliseconds(self) -> tuple[int, ...] | None:
        """Every seat's time in whole milliseconds, as players are told."""
        control = self.control
        if not self._runs:
            return None
        if not control.periods:
            return tuple([main // MILLISECOND for main in self._main])
        return tuple((self.left(seat) or 0) // MILLISECOND for seat in range(len(self._main)))

    def limit(self, seat: int) -> int:
        """How long a turn of the seat may take: one nanosecond more, and it has lost on time."""
        left = self.left(seat)
        return self.move_limit if left is None else left + self.margin

    def charge(self, seat: int, charged: int) -> None:
        """The seat has moved, after `charged`; it gets what the time control gives for a move."""
        control = self.control
        if control.move or not self._runs:
            return
        over = charged - self._main[seat]
        if over <= 0 or not control.periods:
            self._main[seat] = max(0, -over)
        else:
            self._main[seat] = 0
            # A turn that just fits into the margin does not take the last period away.
            used = over // control.period
            self._periods[seat] = max(1, self._periods[seat] - used)
        self._main[seat] += control.increment
        if control.moves:
            self._moves[seat] += 1
            if self._moves[seat] % control.moves == 0:
                self._main[seat] += control.base

    def stop(self, seat: int, charged: int) -> None:
        """The seat's last turn ended without a move, after `charged`."""
        left = self.left(seat)
        if left is not None:
            self._periods[seat] = 0
            self._main[seat] = max(0, left - charged)

    def budget(self, seat: int, moves_left: int | None = None) -> int | None:
        """A sensible share of its time for the seat's next move, where the game has at most `moves_left` for it.

        Some time is always kept back, so that whoever spends what it is told never loses on time."""
        control = self.control
        if not self._runs:
            return None
        main = self._main[seat]
        if control.move:
            return _but_a_little(main)
        ahead = _MOVES_AHEAD if moves_left is None else max(1, min(_MOVES_AHEAD, moves_left))
        if control.moves:
            ahead = max(1, min(ahead, control.moves - self._moves[seat] % control.moves))
        if control.periods:
            # A period that is not used up comes again: each move may have a whole one.
            return _but_a_little(main // ahead + control.period)
        share = _but_a_little(main) // ahead + control.increment * 3 // 4
        return min(max(share, MILLISECOND), _but_a_little(main))


_MOVES_AHEAD: Final = 25
"""For how many moves a seat's time is shared out where nothing better is known."""
_KEPT_BACK: Final = 30 * MILLISECOND


def _but_a_little(time: int) -> int:
    """`time` less what a busy machine may take of it: 30 ms, or a third of a shorter time."""
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
    """`time` in seconds, with no more digits than it takes."""
    return format(Decimal(time) / SECOND, "f")
