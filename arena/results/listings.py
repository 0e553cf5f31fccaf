"""The tables of pages with results: who met whom, and games. `standings_table` has the standings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from arena.history.words import counted
from arena.ratings.points import IN_CROSSTABLE
from arena.results import figures
from arena.results.columns import Cell, Column, Listing, named
from arena.results.report import ListedGame, Report

if TYPE_CHECKING:
    from arena.results.columns import Links

_LONGEST_HEADING: Final = 14
"""Length limit of a name in the heading of a narrow column, in letters."""


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

    others = [Column(name, name, short=place, value=against(name)) for place, name in placed]
    return Listing(caption="Crosstable", columns=[_placed(report, links), *others], rows=placed, kind="crosstable")


def places(report: Report) -> dict[str, str]:
    """The place of each agent in the standings; those that have no rank there, such as anchors, get letters."""
    numbers, letters = map(str, count(1)), iter(ascii_lowercase)
    return {one.name: next(numbers) if one.standing.rank else next(letters, "*") for one in report.agents}


def _placed(report: Report, links: Links) -> Column[tuple[str, str]]:
    """The agents with their places."""

    def cell(row: tuple[str, str]) -> Cell:
        return named(row[1], links.agent(row[1]), place=row[0], person=report.people.get(row[1], ""))

    return Column("agent", "Agent", value=cell, heads=True, kind="name", heading_kind="name")


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
                _, kind, said = figures.mark(found.points / found.games, what)
                marks.append((place, kind, said, links.pair(name, other)))
        return Cell(marks=marks)

    columns: list[Column[tuple[str, str]]] = [
        _placed(report, links),
        Column("met", "Met", value=opponents, kind="met"),
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

    columns: list[Column[Met]] = [
        Column("rank", "Rank", value=lambda met: "" if met.rank is None else str(met.rank), number=True),
        Column("agent", "Agent", value=lambda met: named(met.name, links.agent(met.name)), heads=True, kind="name"),
        Column("rating", "Rating", value=lambda met: met.rating, number=True),
        Column("points", "Points", value=lambda met: figures.share(met.points), number=True),
        Column("score", "Score", value=lambda met: figures.percent(met.points / met.games), number=True),
        Column("games", "Games", value=games),
    ]
    known = {"rank": any(met.rank is not None for met in others), "rating": any(met.rating for met in others)}
    shown = [one for one in columns if known.get(one.name, True)]
    return Listing(caption="Against each opponent", columns=shown, rows=others)


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

    def ended(game: ListedGame) -> Cell:
        return Cell(text=game.ended, notes=game.notes)

    def result_of(game: ListedGame) -> str | Cell:
        return "" if of is None else outcome(game, of)

    shortened = of if of is None or len(of) <= _LONGEST_HEADING else f"{of[: _LONGEST_HEADING - 1]}…"
    columns: list[Column[ListedGame]] = [
        Column("game", "Game", value=number, heads=True),
        Column("round", "Round", value=lambda game: "" if game.round is None else str(game.round), number=True),
        Column("outcome", f"For {shortened}", value=result_of, heading_kind="name"),
        Column("players", "Players", value=players, kind="players"),
        Column("result", "Result", value=lambda game: figures.result(game.points), kind="result"),
        Column("ended", "How it ended", value=ended, kind="ended", brief=True),
        Column("plies", "Plies", value=lambda game: "" if game.plies is None else str(game.plies), number=True),
    ]
    there = {"round": rounds, "outcome": of is not None}
    return Listing(caption=caption, columns=[one for one in columns if there.get(one.name, True)], rows=listed)


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
