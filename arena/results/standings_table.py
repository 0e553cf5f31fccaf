"""The standings: of a tournament on every medium, of a ladder on its page. A new column is one line in `STANDINGS`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from adsearch.notebook import ShownInNotebook
from arena.history.words import number, printable
from arena.ratings.points import APART, TIEBREAKS
from arena.results import figures
from arena.results.columns import (
    ALL,
    PAGES,
    PROGRAMS,
    TABLES,
    Cell,
    Column,
    Listing,
    Medium,
    document,
    named,
    standing_in,
)

if TYPE_CHECKING:
    from arena.results.columns import Links
    from arena.results.report import Report, ReportedAgent


class _Page(NamedTuple):
    """What a page knows besides its rows."""

    report: Report
    links: Links
    is_ladder: bool
    low: float
    """The least rating that pictures show."""
    high: float


# The cells of pages.


def _agent(one: ReportedAgent, page: _Page) -> Cell:
    notes, playing = [one.left] * bool(one.left), None
    if page.is_ladder:
        from arena.ratings.ranking import MARKS

        notes[:0] = [] if one.rated is None else [MARKS[mark] for mark in one.rated.marks]
        notes += ["being rated"] * (not notes and (one.rated is None or one.rated.rating is None))
        playing = None if one.lately.playing is None else page.links.live(one.lately.playing)
    person = page.report.people.get(one.name, "")
    return named(one.name, page.links.agent(one.name), notes=notes, person=person, playing=playing)


def _rating(one: ReportedAgent, _: _Page) -> Cell:
    """The rating, and how exact it is; that of an anchor is fixed."""
    is_measured = one.rated is not None and one.rated.error
    return Cell(text=figures.rating(one), small=f"± {figures.error(one)}" if is_measured else "")


def _whisker(one: ReportedAgent, page: _Page) -> Cell:
    if one.rated is None or one.rated.rating is None:
        return Cell()
    return Cell(picture=figures.whisker(one.rated.rating, one.rated.error, page.low, page.high))


_TONES: Final = {"+": "good", "\N{MINUS SIGN}": "bad"}
"""By the sign of a change."""


def _change(one: ReportedAgent) -> str:
    """How much the rating changed in a day."""
    return figures.change(None if one.rated is None else one.rated.rating, one.lately.before)


def _won(one: ReportedAgent, _: _Page) -> Cell:
    """Games won, drawn and lost."""
    found = one.standing
    return Cell(
        picture=figures.shares_bar(found.wins, found.draws, found.losses),
        text=f"{found.wins:,} – {found.draws:,} – {found.losses:,}",
    )


def _last(one: ReportedAgent, page: _Page) -> Cell:
    last = one.lately.results
    return Cell(marks=[(*figures.mark(game.points, f"game {game.number}"), page.links.game(game)) for game in last])


def _counted_faults(one: ReportedAgent, _: object = None) -> str:
    """The faults, with the number of each."""
    return ", ".join(f"{verdict} {count}" for verdict, count in one.standing.faults.items())


# The columns.


def _tiebreak(name: str, one: ReportedAgent) -> float:
    return one.standing.tiebreaks[name]


def _counted(name: str, title: str = "", **more: Any) -> Column[ReportedAgent]:
    """A column of a number in `Standing`."""
    return Column(name, title, value=lambda one: getattr(one.standing, name), number=True, **{"type": int, **more})


_COUNTED: Final = Medium.TABLE | PROGRAMS

STANDINGS: Final[tuple[Column[ReportedAgent], ...]] = (
    Column("rank", value=lambda one: one.standing.rank, type=int | None, heading="Rank",
           on=ALL & ~Medium.LADDER & ~Medium.TV, kind="number", heading_kind="number"),
    Column("rank", value=lambda one: None if one.rated is None else one.rated.rank, cell=figures.rank, heading="Rank",
           on=Medium.LADDER, kind="number", heading_kind="number"),
    Column("name", type=str, cell=_agent, heading="Agent", heads=True, kind="name", narrow=7),
    _counted("games", on=ALL & ~Medium.LADDER & ~Medium.TV, heading="Games",
             cell=lambda one, _: f"{one.standing.games:,}"),
    _counted("wins", "W", on=_COUNTED),
    _counted("draws", "D", on=_COUNTED),
    _counted("losses", "L", on=_COUNTED),
    _counted("points", type=float, heading="Points", on=ALL & ~Medium.LADDER,
             cell=lambda one, _: figures.share(one.standing.points)),
    _counted("score", type=float | None, heading="Score", on=ALL & ~Medium.TV, optional=TABLES & ~Medium.LADDER,
             text=lambda one: "" if one.reached else "-" if one.standing.score is None else f"{one.standing.score:.1%}",
             cell=lambda one, _: figures.percent(one.standing.score)),
    *(Column(name, value=partial(_tiebreak, name), on=Medium.CSV) for name in TIEBREAKS if name != "wins"),
    Column("tiebreaks", value=lambda one: one.standing.tiebreaks, type=dict[str, float], on=Medium.JSON),
    Column("status", type=str | None, text=lambda one: one.left, on=PROGRAMS | Medium.LIVE, optional=Medium.LIVE),
    _counted("forfeits", "forfeit", text=lambda one: f"+{one.standing.forfeits}" if one.standing.forfeits else "",
             on=ALL & ~Medium.LADDER & ~Medium.TV, optional=TABLES, heading="By forfeit",
             cell=lambda one, _: f"{one.standing.forfeits:,}" if one.standing.forfeits else ""),
    Column("byes", "bye", type=float, text=lambda one: f"+{number(one.byes)}" if one.byes else "", number=True,
           on=ALL & ~Medium.LADDER & ~Medium.TV, optional=TABLES, heading="For byes",
           cell=lambda one, _: figures.share(one.byes) if one.byes else ""),
    Column("apart", APART, value=lambda one: one.standing.apart, type=bool, csv=lambda one: "yes" * one.standing.apart,
           text=lambda one: APART * one.standing.apart, on=_COUNTED, optional=TABLES),
    Column("seed", type=int | None, on=Medium.JSON),
    Column("series", type=list[dict[str, Any]] | None, on=Medium.JSON),
    Column("reached", heading="Reached", on=TABLES & ~Medium.LADDER | Medium.CSV, optional=TABLES),
    Column("faults", value=lambda one: one.standing.faults, type=dict[str, int], text=_counted_faults,
           csv=_counted_faults, cell=_counted_faults, heading="Faults", on=PROGRAMS | PAGES, optional=Medium.LADDER,
           kind="faults"),
    Column("faults", text=lambda one: "; ".join(filter(None, (one.left, _counted_faults(one)))), on=Medium.TABLE,
           wrapped=10),
    Column("rating", text=lambda one: "" if one.rated is None else figures.rating(one), cell=_rating, heading="Rating",
           on=PAGES | Medium.TV, optional=Medium.PAGE, number=True, kind="number rating"),
    Column("whisker", text=lambda one: "" if figures.rating(one) == "–" else figures.rating(one), cell=_whisker,
           on=PAGES, optional=PAGES),
    Column("over_time", text=lambda one: " ".join(map(str, one.lately.ratings[1:])), heading="Over time", on=PAGES,
           cell=lambda one, _: Cell(picture=figures.spark(one.lately.ratings)), optional=PAGES),
    Column("change", text=_change, heading="In a day", on=PAGES, optional=PAGES, number=True,
           cell=lambda one, _: Cell(text=_change(one), kind=f"number {_TONES.get(_change(one)[:1], 'faint')}")),
    Column("won", cell=_won, heading="Won – drawn – lost", on=PAGES, kind="shares"),
    Column("last", text=lambda one: "*" * len(one.lately.results), cell=_last, heading="Last games", on=PAGES,
           optional=PAGES),
    Column("possible_ranks", cell=lambda one, _: figures.possible_ranks(one), heading="Possible ranks",
           on=Medium.LADDER, number=True),
    Column("rated_games", heading="Rated games", on=Medium.LADDER, number=True,
           cell=lambda one, _: f"{one.recorded.games:,}" if one.recorded is not None and one.recorded.games else "–"),
)  # fmt: skip
_IN_TABLES: Final = ("rank", "name", "games", "wins", "draws", "losses", "points", "byes", "forfeits", "score")
FIRST: Final = {
    Medium.TABLE: _IN_TABLES,
    Medium.LIVE: _IN_TABLES,
    Medium.TV: ("name", "points", "rating"),
    Medium.PAGE: ("rank", "name", "reached", "points", "byes", "forfeits", "score", "rating", "whisker", "over_time",
                  "change", "games", "won", "last", "faults"),
    Medium.LADDER: ("rank", "name", "rating", "whisker", "over_time", "change", "won", "last", "score",
                    "possible_ranks", "rated_games", "faults"),
}  # fmt: skip
"""The first columns where they do not stand in the order of CSV, to which columns are only appended."""


def columns_of(agents: Collection[ReportedAgent], medium: Medium) -> list[Column[ReportedAgent]]:
    """The columns that stand in that medium for these agents."""
    return standing_in(STANDINGS, medium, agents, FIRST[medium])


def standings(report: Report, links: Links, *, apart: bool = False) -> Listing[ReportedAgent]:
    """The standings of a tournament for a page. `apart`: of those that play all others."""
    return _listing(report, links, Medium.PAGE, f"The {APART}" if apart else "Standings", apart=apart)


def ladder(report: Report, links: Links) -> Listing[ReportedAgent]:
    """The standings of a ladder, whose agents are ranked by their ratings, for its page."""
    return _listing(report, links, Medium.LADDER, "Standings")


def _listing(
    report: Report, links: Links, medium: Medium, caption: str, *, apart: bool = False
) -> Listing[ReportedAgent]:
    is_ladder = medium is Medium.LADDER
    rows = report.agents if is_ladder else [one for one in report.agents if one.standing.apart == apart]
    known = [
        (one.rated.rating, one.rated.error or 0.0)
        for one in report.agents
        if one.rated is not None and one.rated.rating is not None
    ]
    low, high = figures.scale(known) if known else (0.0, 0.0)
    page = _Page(report, links, is_ladder, low, high)
    scale = f"{figures.whole(low)} to {figures.whole(high)} Elo"
    columns = [
        replace(one, heading=scale) if one.name == "whisker" else one for one in columns_of(report.agents, medium)
    ]
    return Listing(caption=caption, columns=[one.drawn(page) for one in columns], rows=rows)


# ResultsTable: a table of results that shows itself, as text in a Python shell and as HTML in a notebook.


@dataclass(frozen=True, kw_only=True, repr=False)
class ResultsTable:
    """A table of results. `rows` has all fields of every row, with all digits, for programs."""

    title: str
    listed: Sequence[Any]
    """One row for each player, in order."""
    fields: Sequence[Column[Any]]
    """All columns of the listing."""
    columns: Sequence[Column[Any]]
    """Those of the table."""
    note: str = ""
    """How to read the table."""
    picture: str = ""
    """An SVG document that shows the same; empty if there is none."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The fields of the command's JSON output, for each player."""
        return [document(row, self.fields) for row in self.listed]

    def __repr__(self) -> str:
        titles = [one.title or one.name for one in self.columns]
        lines = [titles, *([printable(one.said(row)) for one in self.columns] for row in self.listed)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        sides = [">" if one.number else "<" for one in self.columns]
        texts = [
            "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True))
            for line in lines
        ]
        table = "\n".join(text.rstrip() for text in texts) if self.listed else "nothing yet"
        return "\n\n".join(filter(None, (printable(self.title), table, self.note)))

    def _repr_html_(self) -> str | None:
        """The table as a notebook shows it, with its picture below."""
        return ShownInNotebook.write_html(self)
