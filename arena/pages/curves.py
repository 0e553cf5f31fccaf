"""Plots over the plies of a game: the players' reported values, their clocks, and the values of our analysis.

On a page a plot is as wide as there is room: its lines are SVG in per cent, its words HTML. As a file it is a picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from adsearch.pictures.svg import number, pair
from arena.history import words
from arena.pages.game import seat_kind
from arena.ratings.plots import line_plot
from arena.ratings.plots.chart import ratings_axis
from arena.ratings.plots.line_plot import Line, Point, finite
from db.records import JudgedPly

_HUGE: Final = 1e6
"""Largest value on the axis. Larger values mean a certain win or loss; they are drawn at the edge."""
_MOST_DOTS: Final = 40


class Drawn(Struct, frozen=True):
    """A line of a plot on a page."""

    name: str
    kind: str
    """The class of its colour."""
    stroke: str
    """The class of its stroke, so that lines differ by more than colour."""
    points: str
    dots: Sequence[str]
    band: str = ""
    """The corners of its error band."""
    last: str = ""
    """Its last value with the error, if the legend says it."""


class Plot(Struct, frozen=True, kw_only=True):
    """A plot on a page."""

    title: str
    unit: str
    said: str
    """What it shows, in words."""
    lines: Sequence[Drawn]
    ticks: Sequence[str]
    """Of the axis, from above; they are equally far apart."""
    levels: Sequence[str]
    """Where they are, in per cent."""
    ends: tuple[str, str]
    """What the x axis begins and ends with."""
    mistakes: Sequence[tuple[str, str]] = ()
    """Where each is, and what it was."""
    corners: Sequence[str] = ()
    """For whom the upper and the lower edge is good, if there is one line."""


def on_one_axis(lines: Sequence[Line]) -> bool:
    """Whether the lines are readable on one axis: their largest values differ by a factor of at most 20."""
    most = [max((abs(point.y) for point in line.points if point.y), default=0.0) for line in lines]
    most = [value for value in most if value]
    return not most or max(most) <= 20 * min(most)


class Across(NamedTuple):
    """The x axis of a plot."""

    low: float
    high: float
    begin: str
    """What stands at its beginning, and at its end."""
    end: str


def over_plies(plies: int) -> Across:
    """The axis of the plies of a game."""
    return Across(0.0, float(max(plies, 1)), "0", f"ply {plies}")


def ratings(lines: Sequence[Line], *, title: str, x: str) -> Plot | None:
    """A plot of ratings with their error bands, over versions or games (`x`); None if there are no points."""
    places = [point.x for line in lines for point in line.points] or [0.0]
    low, high = min(places), max(places)
    return plot(lines, Across(low, max(high, low + 1), f"{x} {low:.0f}", f"{high:.0f}"), "", title=title, unit="Elo")


def plot(
    lines: Sequence[Line],
    across: Across,
    rules: str,
    *,
    title: str,
    unit: str,
    bounds: tuple[float, float] | None = None,
    mistakes: Sequence[line_plot.Mistake] = (),
    corners: Sequence[str] = (),
) -> Plot | None:
    """A plot of these lines; None if there are no points. The hue of a line is its seat in a game of these rules."""
    kept = finite(lines)
    if not kept:
        return None
    values = [(point.y, point.error) for line in kept for point in line.points if abs(point.y) <= _HUGE]
    values += [(edge, None) for edge in bounds or ()]
    axis = ratings_axis(values or [(-_HUGE, None), (_HUGE, None)], 100.0, 0.0)
    ticks = axis.ticks[::-1]

    def place(x: float, y: float) -> str:
        return pair(100.0 * (x - across.low) / (across.high - across.low), axis.at(y))

    drawn = []
    for place_in_order, line in enumerate(kept):
        seat = place_in_order if line.hue is None else line.hue
        places = [place(point.x, point.y) for point in line.points]
        dots = places if len(places) <= _MOST_DOTS and not mistakes and not corners else []
        stroke = ("", "dashed", "dotted")[(line.stroke or 0) % 3]
        known = [point for point in line.points if point.error is not None]
        upper = [place(point.x, point.y + (point.error or 0.0)) for point in known]
        lower = [place(point.x, point.y - (point.error or 0.0)) for point in reversed(known)]
        end = line.points[-1]
        last = axis.text_with_error(end.y, end.error, sign="±") if known else ""
        band = " ".join([*upper, *lower])
        drawn.append(Drawn(line.name, seat_kind(seat, rules), stroke, " ".join(places), dots, band, last))
    said = "; ".join(
        f"{line.name}: from {axis.text(line.points[0].y)} to {axis.text(line.points[-1].y)}" for line in kept
    )
    return Plot(
        title=title,
        unit=unit,
        said=f"{title}. {said}.",
        lines=drawn,
        ticks=[text for _, text in ticks],
        levels=[number(axis.at(value)) for value, _ in ticks],
        ends=(across.begin, across.end),
        mistakes=[(place(one.ply, one.value), one.words) for one in mistakes],
        corners=corners,
    )


def analysis(
    plies: Sequence[JudgedPly], players: Sequence[str], rules: str, last: int, bounds: tuple[float, float] | None
) -> Plot | None:
    """The plot of an analysis, for a page."""
    lines, mistakes, narrow = _judged(plies, players, bounds)
    corners = players if len(lines) == 1 and len(players) == 2 else ()
    title = "Value, by the analysis of arena"
    return plot(
        lines, over_plies(last), rules, title=title, unit="value", bounds=narrow, mistakes=mistakes, corners=corners
    )


def judged_values(plies: Sequence[JudgedPly], players: Sequence[str], bounds: tuple[float, float] | None = None) -> str:
    """The plot of an analysis as a picture: the value after each ply, and a dot for each mistake. `bounds`: the least
    and the greatest utility of the game, if known."""
    lines, mistakes, narrow = _judged(plies, players, bounds)
    sides = (players[0], players[1]) if len(players) == 2 else None
    return line_plot.values(lines, mistakes, title=" - ".join(players), sides=sides, bounds=narrow)


def _judged(
    plies: Sequence[JudgedPly], players: Sequence[str], bounds: tuple[float, float] | None
) -> tuple[list[Line], list[line_plot.Mistake], tuple[float, float] | None]:
    """The lines, the mistakes, and the bounds that the axis shows."""
    two = len(players) == 2
    first = plies[0]
    lines = []
    for seat in [0] if len(players) < 3 else range(len(players)):
        points = [Point(first.ply - 1, first.before.values[seat])] if first.before.known else []
        points += [Point(ply.ply, ply.after.values[seat]) for ply in plies if ply.after.known]
        lines.append(Line(players[seat], tuple(points)))
    mistakes = [
        line_plot.Mistake(
            ply.ply,
            ply.after.values[0 if two else ply.who],
            ply.who,
            ply.mark == "??",
            f"{ply.ply}{ply.mark} {words.mistake(ply, players)}",
        )
        for ply in plies
        if ply.mark and isinstance(ply.who, int) and ply.after.known
    ]
    narrow = bounds if bounds is not None and bounds[1] - bounds[0] <= 20 else None
    return lines, mistakes, narrow
