"""The time of both seats as an engine can be given it, in whole milliseconds. Pure: no function reads a clock.

The referee's margin is taken off, because an engine plans with all that it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET

from agents.protocol import Turn
from arena.match.clock import MILLISECOND, TimeControl


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
