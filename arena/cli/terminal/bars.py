"""Bars and ranges as text, in tables of terminals that have room for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Final, TypeVar

from arena.cli.terminal.wrapping import table_width
from arena.results.columns import Column

if TYPE_CHECKING:
    from arena.ratings.points import Standing

Row = TypeVar("Row")
WIDTH: Final = 16
"""Characters of a bar."""
_ROOMY: Final = 100
"""Columns of a terminal from which on tables have bars."""
_FIRST_TO_GO: Final = -1
"""A bar is left out before any other column that a table can spare."""
_CERTAIN: Final = 1.96
"""Standard errors on both sides of a value, for 95 %."""
SCORE: Final = "0 % score 100 %"


def has_room() -> bool:
    """Whether stdout is a terminal that is wide enough and has the characters."""
    if (table_width() or 0) < _ROOMY:
        return False
    from rich.console import Console

    from arena.cli.terminal.board import Look

    return Look.of(Console()).signs


def with_bar(columns: Sequence[Column[Row]], title: str, text: Callable[[Row], str]) -> Sequence[Column[Row]]:
    """The columns, with one of bars after them if there is room."""
    return [*columns, Column(title, text=text, spare=_FIRST_TO_GO)] if has_room() else columns


def interval(low: float, at: float, high: float) -> str:
    """A value between its bounds, all from 0 to 1: "    ├───●──┤    "."""
    left, middle, right = (round((WIDTH - 1) * min(max(share, 0.0), 1.0)) for share in (low, at, high))
    signs = [" "] * WIDTH
    signs[left : right + 1] = ["├", *["─"] * (right - left - 1), "┤"] if right > left else ["│"]
    signs[middle] = "●"
    return "".join(signs)


def score(standing: Standing) -> str:
    """The score with its 95 % interval (Wilson); empty without games."""
    games = standing.wins + standing.draws + standing.losses
    if not games or standing.score is None:
        return ""
    z, share = _CERTAIN, standing.score
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    spread = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + (z / (2 * games)) ** 2)
    return interval(middle - spread, share, middle + spread)


def ratings(found: Sequence[tuple[float | None, float | None]]) -> Callable[[float | None, float | None], str]:
    """What draws a rating with its error, in the range that all these have."""
    ends = [value + side * (error or 0.0) for value, error in found if value is not None for side in (-1, 1)]
    low, high = min(ends, default=0.0), max(ends, default=1.0)

    def drawn(value: float | None, error: float | None) -> str:
        if value is None:
            return ""
        low_end, high_end = value - (error or 0.0), value + (error or 0.0)
        return interval(*((each - low) / ((high - low) or 1.0) for each in (low_end, value, high_end)))

    return drawn


def results(wins: float, draws: float, losses: float) -> str:
    """Games won, drawn and lost, as a bar: "██████▒▒░░░░░░░░"."""
    games = wins + draws + losses
    if not games:
        return ""
    won, not_lost = round(WIDTH * wins / games), round(WIDTH * (wins + draws) / games)
    return "█" * won + "▒" * (not_lost - won) + "░" * (WIDTH - not_lost)
