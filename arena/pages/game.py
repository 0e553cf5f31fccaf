"""What every page of a game shows, over, in progress or played by a person: its players, its list of moves, the curves
of its analysis.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from msgspec import Struct

from adsearch import games
from adsearch.pictures.boards.paper import colour, player
from adsearch.pictures.svg import number, pair
from arena.history import words
from arena.ratings import plots
from arena.ratings.chart import ratings_axis
from arena.ratings.plots import PlottedLine, Point, finite
from arena.results import figures
from db.records import JudgedPly, Mark

MARKS: Final = {Mark.MISTAKE: "a mistake", Mark.BLUNDER: "a serious mistake"}
_LONGEST: Final = 100
"""Most characters of a name or a move that are shown; imported files can have longer ones."""
_SHORT: Final = 8
"""Most characters of a move that two columns of moves have room for."""


class ShownSeat(Struct, frozen=True, kw_only=True):
    """A player at the edge of the board."""

    name: str
    kind: str
    """The colour of its pieces, as a class."""
    about: str
    """Its side, and its rating if it is known."""
    href: str | None = None
    time: str = ""
    """On its clock."""
    runs: Mapping[str, str] = {}
    """When its clock runs, what the script must know, as attributes."""
    is_turn: bool = False
    is_below: bool = False
    """Of two players: whether it stands below the board."""


class ShownPly(Struct, frozen=True):
    """A move in the list."""

    number: int
    """Of the ply, from 1."""
    text: str
    who: int | str
    """The seat, or "chance" or "opening"."""
    spent: str = ""
    """The time that it took."""
    mark: str = ""
    passes: bool = False
    """Whether it is dealt together with what follows."""

    @property
    def meaning(self) -> str:
        """What the mark says."""
        return MARKS.get(Mark(self.mark), "") if self.mark else ""


class Item(Struct, frozen=True):
    """An item of the list: a move, or all that is dealt in a row."""

    number: str
    who: str
    kind: str
    """The class of the seat's colour, and whether it is long; "events" of what is dealt."""
    plies: Sequence[ShownPly]


def seat_kind(seat: int, rules: str) -> str:
    """The class that gives what belongs to a seat the colour of its pieces."""
    return f"of-{colour(rules, seat)}"


def plays(seat: int, rules: str) -> str:
    """The side of the seat on the board: the colour of its pieces, or else their letter."""
    sides = games.looks(rules).sides
    return sides[seat] if seat < len(sides) else words.piece(seat, rules) or player(seat)


def about(seat: int, rules: str, rating: float | None = None, error: float | None = None) -> str:
    """The side of a seat, and its rating; that of an anchor has no error."""
    rated = "" if rating is None else figures.whole(rating) + (f" ± {error:.0f}" if error else "")
    return " · ".join(filter(None, (plays(seat, rules), rated)))


def shape(players: int) -> str:
    """How many rows the players take, as a class."""
    return "one" if players < 2 else "" if players == 2 else "four" if players < 5 else "six"


def items(plies: Iterable[ShownPly], names: Sequence[str], rules: str) -> list[Item]:
    """The list of moves. What is dealt in a row shares an item."""
    found: list[Item] = []
    dealt: list[ShownPly] = []
    pairs = games.looks(rules).two_plies_a_number
    for ply in plies:
        dealt.append(ply)
        if ply.passes:
            continue
        is_player = isinstance(ply.who, int) and ply.who < len(names)
        who = names[ply.who] if isinstance(ply.who, int) and is_player else str(ply.who)
        number = words.move_number(dealt[0].number, rules)
        if len(dealt) > 1:
            number = f"{dealt[0].number}–{ply.number}."
        elif pairs and found and not ply.number % 2:
            number = ""
        kind = "events" if len(dealt) > 1 else seat_kind(ply.who, rules) if isinstance(ply.who, int) else ""
        if kind != "events" and len(ply.text) > _SHORT:
            kind = f"{kind} long".strip()
        found.append(Item(number, who, kind, tuple(dealt)))
        dealt.clear()
    return found


def runs(whos: Iterable[int | str], *, deals: bool) -> list[bool]:
    """For each ply, whether it is dealt together with the next one. `deals`: chance deals cards or tiles here."""
    found: list[bool] = []
    for is_dealt, group in groupby(whos, lambda who: deals and who == "chance"):
        length = len([*group])
        found += [is_dealt and number < length - 1 for number in range(length)]
    return found


def shown(text: str) -> str:
    """A name or a move on one line, not too long."""
    return words.printable(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def leftover(heading: str, text: str) -> dict[str, Any] | None:
    """A heading and the printed text; None if nothing was printed."""
    if not text.strip():
        return None
    lines = (words.without_store(words.printable(line)) for line in text.strip("\n").splitlines())
    return {"heading": heading, "text": "\n".join(lines)}


# Plots over the plies of a game: the players' reported values, their clocks, and the values of our analysis.


_HUGE: Final = 1e6
"""Largest value on the axis. Larger values mean a certain win or loss; they are drawn at the edge."""
_MOST_DOTS: Final = 40


class DrawnLine(Struct, frozen=True):
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
    lines: Sequence[DrawnLine]
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


def on_one_axis(lines: Sequence[PlottedLine]) -> bool:
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


def plot(
    lines: Sequence[PlottedLine],
    across: Across,
    rules: str,
    *,
    title: str,
    unit: str,
    bounds: tuple[float, float] | None = None,
    mistakes: Sequence[plots.MistakeMark] = (),
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
        drawn.append(DrawnLine(line.name, seat_kind(seat, rules), stroke, " ".join(places), dots, band, last))
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


def analysis_curves(
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
    return plots.values(lines, mistakes, title=" - ".join(players), sides=sides, bounds=narrow)


def _judged(
    plies: Sequence[JudgedPly], players: Sequence[str], bounds: tuple[float, float] | None
) -> tuple[list[PlottedLine], list[plots.MistakeMark], tuple[float, float] | None]:
    """The lines, the mistakes, and the bounds that the axis shows."""
    two = len(players) == 2
    first = plies[0]
    lines = []
    for seat in [0] if len(players) < 3 else range(len(players)):
        points = [Point(first.ply - 1, first.before.values[seat])] if first.before.known else []
        points += [Point(ply.ply, ply.after.values[seat]) for ply in plies if ply.after.known]
        lines.append(PlottedLine(players[seat], tuple(points)))
    mistakes = [
        plots.MistakeMark(
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
