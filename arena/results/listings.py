"""The tables of results, each declared once: its columns, and what stands in the cell of a row.

A page draws a `Listing` with the macro `table` (arena/pages/templates/macros.html). A new column is one line here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from msgspec import Struct

from arena.history.words import counted
from arena.ratings.plots.ranking_plot import MARKS
from arena.ratings.points import APART, IN_CROSSTABLE
from arena.results import figures, row_pictures
from arena.results.report import ListedGame, Report, ReportedAgent
from arena.results.standings_table import counted_faults

if TYPE_CHECKING:
    from arena.results.links import Links

Row = TypeVar("Row")
_LONG: Final = 100
"""Number of rows from which on a table scrolls in a box."""
_LONGEST_HEADING: Final = 14
"""Length limit of a name in the heading of a narrow column, in letters."""


class Cell(Struct, frozen=True, kw_only=True):
    """What stands in one place of a table."""

    text: str = ""
    href: str | None = None
    """The address that the text leads to."""
    label: str = ""
    """What a screen reader says of the link, if the text alone does not say it."""
    place: str | None = None
    """A number before the text."""
    players: Sequence[tuple[str, str | None]] = ()
    """The players of a game instead of a text, each with the address of its page."""
    current: bool = False
    """Whether the link leads to the page that it is on."""
    small: str = ""
    """What stands after the text in small letters."""
    notes: Sequence[str] = ()
    """Short remarks after the text."""
    person: str = ""
    """Who is behind the agent; in a line below."""
    title: str = ""
    """The whole text, where a long one is cut."""
    kind: str = ""
    """How it is shown, as a CSS class, if not as the rest of its column."""
    picture: str = ""
    """A small picture before the text, as SVG."""
    marks: Sequence[tuple[str, str, str, str | None]] = ()
    """Letters or numbers in a row, each with its kind as a class, what it means, and its address."""
    state: tuple[str, str | None] | None = None
    """What is going on, after the text, with its address."""


class Column(Struct, Generic[Row], frozen=True, kw_only=True):
    """A column: what stands in it for each row."""

    name: str
    """For programs."""
    title: str
    value: Callable[[Row], str | Cell]
    """A `Cell`, if the column heads its rows or is brief."""
    short: str = ""
    """The heading, if the title is too long for the column."""
    number: bool = False
    heads: bool = False
    """Whether its cells are the headings of their rows."""
    kind: str = ""
    """How its cells are shown, as a CSS class."""
    heading_kind: str = ""
    """The same of its heading."""
    brief: bool = False
    """Whether long texts are cut."""


class Listing(Struct, Generic[Row], frozen=True, kw_only=True):
    """A table."""

    caption: str
    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    kind: str = ""
    """Which table it is, as a CSS class."""

    @property
    def is_long(self) -> bool:
        """Whether its rows scroll below its headings."""
        return len(self.rows) > _LONG


def named(
    name: str,
    href: str | None,
    *,
    notes: Sequence[str] = (),
    place: str | None = None,
    person: str = "",
    playing: str | None = None,
) -> Cell:
    """An agent at the start of a row, with the person behind it. `playing`: the address of its game in progress."""
    full = f"{name} ({person})" if person else name
    state = None if playing is None else ("playing", playing)
    return Cell(text=name, href=href, notes=notes, place=place, person=person, title=full, state=state)


# Standings.


def standings(report: Report, links: Links, *, apart: bool = False) -> Listing[ReportedAgent]:
    """The standings of a tournament. `apart`: of those that play all others."""
    agents = [agent for agent in report.agents if agent.standing.apart == apart]
    caption = f"The {APART}" if apart else "Standings"
    return Listing(caption=caption, columns=_standings(report, links), rows=agents)


def _standings(report: Report, links: Links) -> list[Column[ReportedAgent]]:
    columns: list[Column[ReportedAgent]] = [
        Column(name="rank", title="Rank", value=lambda one: str(one.standing.rank), number=True),
        Column(
            name="agent",
            title="Agent",
            value=lambda one: named(
                one.name,
                links.agent(one.name),
                notes=[one.status] * (one.status != "active"),
                person=report.people.get(one.name, ""),
            ),
            heads=True,
            kind="name",
        ),
    ]
    if (bracket := report.bracket) is not None:
        columns.append(Column(name="reached", title="Reached", value=lambda one: bracket.reached(one.name)))
    columns.append(
        Column(name="points", title="Points", value=lambda one: figures.share(one.standing.points), number=True)
    )
    if any(one.bye for one in report.agents):
        byes = Column[ReportedAgent](
            name="byes", title="For byes", value=lambda one: figures.share(one.bye) if one.bye else "", number=True
        )
        columns.append(byes)
    if any(one.standing.forfeits for one in report.agents):
        forfeits = Column[ReportedAgent](
            name="forfeits",
            title="By forfeit",
            value=lambda one: f"{one.standing.forfeits:,}" if one.standing.forfeits else "",
            number=True,
        )
        columns.append(forfeits)
    if bracket is None:
        columns.append(_SCORE)
    if report.ranking is not None:
        columns += _rating(report)
    games = Column[ReportedAgent](name="games", title="Games", value=lambda one: f"{one.standing.games:,}", number=True)
    return [*columns, games, _WON, *_lately(report, links), _FAULTS]


def ladder(report: Report, links: Links) -> Listing[ReportedAgent]:
    """The standings of a ladder, whose agents are ranked by their ratings."""

    def agent(one: ReportedAgent) -> Cell:
        marks = [MARKS[mark] for mark in one.rated.marks] if one.rated is not None else []
        marks += [one.status] * (one.status != "active")
        marks += ["being rated"] * (not marks and (one.rated is None or one.rated.rating is None))
        return named(
            one.name,
            links.agent(one.name),
            notes=marks,
            person=report.people.get(one.name, ""),
            playing=None if one.lately.playing is None else links.live(one.lately.playing),
        )

    columns: list[Column[ReportedAgent]] = [
        Column(
            name="rank",
            title="Rank",
            value=lambda one: "–" if one.rated is None or one.rated.rank is None else str(one.rated.rank),
            number=True,
        ),
        Column(name="agent", title="Agent", value=agent, heads=True, kind="name"),
        *_rating(report),
        _WON,
        *_lately(report, links),
        _SCORE,
        Column(name="possible_ranks", title="Possible ranks", value=figures.possible_ranks, number=True),
        Column(
            name="rated_games",
            title="Rated games",
            value=lambda one: f"{one.recorded.games:,}" if one.recorded is not None and one.recorded.games else "–",
            number=True,
        ),
    ]
    columns += [_FAULTS] * any(one.standing.faults for one in report.agents)
    return Listing(caption="Standings", columns=columns, rows=report.agents)


_SCORE: Final = Column[ReportedAgent](
    name="score", title="Score", value=lambda one: figures.percent(one.standing.score), number=True
)


def _rating(report: Report) -> Iterator[Column[ReportedAgent]]:
    """The ratings with their errors, in numbers and as pictures on one scale; the change since yesterday."""
    yield Column(name="rating", title="Rating", value=_rating_and_error, number=True, kind="number rating")
    known = [
        (one.rated.rating, one.rated.error or 0.0)
        for one in report.agents
        if one.rated is not None and one.rated.rating is not None
    ]
    if not known:
        return
    low, high = row_pictures.scale(known)

    def whisker(one: ReportedAgent) -> Cell:
        if one.rated is None or one.rated.rating is None:
            return Cell()
        return Cell(picture=row_pictures.whisker(one.rated.rating, one.rated.error, low, high))

    title = f"{figures.whole(low)} to {figures.whole(high)} Elo"
    yield Column(name="whisker", title=title, value=whisker)
    if any(len(one.lately.ratings) > 1 for one in report.agents):
        yield Column(
            name="over_time",
            title="Over time",
            value=lambda one: Cell(picture=row_pictures.spark(one.lately.ratings)),
        )
    if any(one.lately.before is not None for one in report.agents):
        yield Column(name="change", title="In a day", value=_change, number=True)


def _rating_and_error(one: ReportedAgent) -> Cell:
    """The rating, and how exact it is; that of an anchor is fixed."""
    is_measured = one.rated is not None and one.rated.error
    return Cell(text=figures.rating(one), small=f"± {figures.error(one)}" if is_measured else "")


_TONES: Final = {"+": "good", "\N{MINUS SIGN}": "bad"}
"""By the sign of a change."""


def _change(one: ReportedAgent) -> Cell:
    """How much the rating changed in a day."""
    text = figures.change(None if one.rated is None else one.rated.rating, one.lately.before)
    return Cell(text=text, kind=f"number {_TONES.get(text[:1], 'faint')}")


def _won(one: ReportedAgent) -> Cell:
    """Games won, drawn and lost."""
    found = one.standing
    return Cell(
        picture=row_pictures.bar(found.wins, found.draws, found.losses),
        text=f"{found.wins:,} – {found.draws:,} – {found.losses:,}",
    )


_WON: Final = Column[ReportedAgent](name="won", title="Won – drawn – lost", value=_won, kind="shares")


def _lately(report: Report, links: Links) -> Iterator[Column[ReportedAgent]]:
    """The last results."""
    if not any(one.lately.results for one in report.agents):
        return

    def results(one: ReportedAgent) -> Cell:
        return Cell(
            marks=[(*_mark(game.points, f"game {game.number}"), links.game(game)) for game in one.lately.results]
        )

    yield Column(name="last", title="Last games", value=results)


def _mark(points: float, what: str) -> tuple[str, str, str]:
    """A result as a letter, as a class, and in words."""
    word = "won" if points > 0.5 else "lost" if points < 0.5 else "drawn"
    return word[0].upper(), word[0], f"{word}: {what}"


_FAULTS: Final = Column[ReportedAgent](
    name="faults", title="Faults", value=lambda one: counted_faults(one.standing.faults), kind="faults"
)


# Who met whom.


def crosstable(report: Report, links: Links) -> Listing[tuple[str, str]] | None:
    """The points of the first agents against each other; None if no game that counts has finished. A row is the place
    and the name of an agent."""
    placed = [(place, name) for name, place in places(report).items()][:IN_CROSSTABLE]
    games = games_in_cells(report)
    if not games:
        return None
    alike = len(games) == 1

    def against(other: str) -> Callable[[tuple[str, str]], Cell]:
        def met(row: tuple[str, str]) -> Cell:
            _, name = row
            found = report.head_to_head.get((name, other))
            if name == other or found is None:
                return Cell(kind="self" if name == other else "")
            score = found.points / found.games
            return Cell(
                text=figures.share(found.points) + f"/{found.games}" * (not alike),
                href=links.pair(name, other),
                label=f"{name} against {other}: {figures.share(found.points)} of {found.games}",
                kind="ahead" if score > 0.5 else "behind" if score < 0.5 else "even",
            )

        return met

    others = [Column(name=name, title=name, short=place, value=against(name)) for place, name in placed]
    return Listing(
        caption="Crosstable",
        columns=[_placed(report, links), *others],
        rows=placed,
        kind="crosstable",
    )


def places(report: Report) -> dict[str, str]:
    """The place of each agent in the standings; those that have no rank there, such as anchors, get letters."""
    numbers, letters = map(str, count(1)), iter(ascii_lowercase)
    return {one.name: next(numbers) if one.standing.rank else next(letters, "*") for one in report.agents}


def _placed(report: Report, links: Links) -> Column[tuple[str, str]]:
    """The agents with their places."""
    return Column[tuple[str, str]](
        name="agent",
        title="Agent",
        value=lambda row: named(row[1], links.agent(row[1]), place=row[0], person=report.people.get(row[1], "")),
        heads=True,
        kind="name",
        heading_kind="name",
    )


_FEW: Final = 16
"""Agents of which a crosstable is shown in any case."""
_SPARSE: Final = 0.4
"""Share of the pairs that met below which a crosstable would be nearly empty."""


def is_sparse(report: Report) -> bool:
    """Whether so few of the first agents met, as in a swiss, that a list of who met whom says it better."""
    names = [agent.name for agent in report.agents[:IN_CROSSTABLE]]
    met = sum((one, other) in report.head_to_head for one in names for other in names if one != other)
    return len(names) > _FEW and 0 < met < _SPARSE * len(names) * (len(names) - 1)


def met_whom(report: Report, links: Links) -> Listing[tuple[str, str]]:
    """For each agent whom it met, by their places in the standings, and how it went."""
    placed = places(report)

    def opponents(row: tuple[str, str]) -> Cell:
        name, marks = row[1], list[tuple[str, str, str, str | None]]()
        for other, place in placed.items():
            if (found := report.head_to_head.get((name, other))) is not None and other != name:
                what = f"{figures.share(found.points)} of {found.games} against {other}"
                _, kind, said = _mark(found.points / found.games, what)
                marks.append((place, kind, said, links.pair(name, other)))
        return Cell(marks=marks)

    columns: list[Column[tuple[str, str]]] = [
        _placed(report, links),
        Column(name="met", title="Met", value=opponents, kind="met"),
    ]
    rows = [(place, name) for name, place in placed.items()]
    return Listing(caption="Who met whom", columns=columns, rows=rows)


def games_in_cells(report: Report) -> set[int]:
    """The numbers of games in the cells of the crosstable."""
    players = [agent.name for agent in report.agents[:IN_CROSSTABLE]]
    met = (report.head_to_head.get((one, other)) for one in players for other in players)
    return {found.games for found in met if found is not None}


class Met(Struct, frozen=True):
    """The games of an agent against another one."""

    name: str
    points: float
    """Of the agent."""
    games: int
    rank: int | None = None
    rating: str = ""


def opponents(name: str, others: Sequence[Met], links: Links) -> Listing[Met]:
    """The score of the agent `name` against each other agent that it met."""

    def games(met: Met) -> Cell:
        text = counted(met.games, "game")
        return Cell(text=text, href=links.pair(name, met.name), label=f"{text} against {met.name}")

    rank = Column[Met](
        name="rank", title="Rank", value=lambda met: "" if met.rank is None else str(met.rank), number=True
    )
    rating = Column[Met](name="rating", title="Rating", value=lambda met: met.rating, number=True)
    columns: list[Column[Met]] = [
        *[rank] * any(met.rank is not None for met in others),
        Column(
            name="agent",
            title="Agent",
            value=lambda met: named(met.name, links.agent(met.name)),
            heads=True,
            kind="name",
        ),
        *[rating] * any(met.rating for met in others),
        Column(name="points", title="Points", value=lambda met: figures.share(met.points), number=True),
        Column(name="score", title="Score", value=lambda met: figures.percent(met.points / met.games), number=True),
        Column(name="games", title="Games", value=games),
    ]
    return Listing(caption="Against each opponent", columns=columns, rows=others)


# Games.


def games(
    listed: Sequence[ListedGame],
    links: Links,
    *,
    rounds: bool,
    of: str | None = None,
    caption: str = "Games",
    people: Mapping[str, str] | None = None,
) -> Listing[ListedGame]:
    """Games. `rounds`: with the round of each game; `of`: with the results of this agent; `people`: who is behind
    agents."""
    known = people or {}

    def number(game: ListedGame) -> Cell:
        text = str(game.number) if game.attempt == 1 else f"{game.number}, attempt {game.attempt}"
        return Cell(text=text, href=links.game(game), label=f"Replay game {text}")

    def players(game: ListedGame) -> Cell:
        behind = " – ".join(known.get(name, name) for name in game.players) if known.keys() & {*game.players} else ""
        return Cell(players=[(name, links.agent(name)) for name in game.players], person=behind)

    columns: list[Column[ListedGame]] = [Column(name="game", title="Game", value=number, heads=True)]
    if rounds:
        columns.append(
            Column(
                name="round",
                title="Round",
                value=lambda game: "" if game.round is None else str(game.round),
                number=True,
            )
        )
    if of is not None:
        shortened = of if len(of) <= _LONGEST_HEADING else f"{of[: _LONGEST_HEADING - 1]}…"
        columns.append(
            Column(name="outcome", title=f"For {shortened}", value=lambda game: outcome(game, of), heading_kind="name")
        )
    return Listing(
        caption=caption,
        columns=[
            *columns,
            Column(name="players", title="Players", value=players, kind="players"),
            Column(name="result", title="Result", value=lambda game: figures.result(game.points), kind="result"),
            Column(
                name="ended",
                title="How it ended",
                value=lambda game: Cell(text=game.ended, notes=game.notes),
                kind="ended",
                brief=True,
            ),
            Column(
                name="plies",
                title="Plies",
                value=lambda game: "" if game.plies is None else str(game.plies),
                number=True,
            ),
        ],
        rows=listed,
    )


def outcome(game: ListedGame, name: str) -> Cell:
    """The result for this player, in one word."""
    if game.points is None:
        return Cell(text="no result", kind="faint")
    match game.points[game.players.index(name)]:
        case 1.0:
            return Cell(text="won", kind="good")
        case 0.0:
            return Cell(text="lost", kind="bad")
        case 0.5:
            return Cell(text="drew")
        case points:
            return Cell(text=figures.share(points))
