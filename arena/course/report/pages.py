"""The pages of a report, except those of its games. Pure: takes values, returns HTML; `write.py` writes the files.

The front page has standings, ratings, a knockout's bracket and the crosstable. Each agent has a page, and each pair of
agents of the crosstable that met. Long lists of games are in parts of a few hundred.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from arena.course.report import addresses
from arena.history.words import counted, moment
from arena.pages import agent as about
from arena.pages import event
from arena.pages.drawing import Frame, draw
from arena.results import figures, listings
from arena.results.columns import Cell
from arena.results.listings import Met

if TYPE_CHECKING:
    from arena.course.report.addresses import Addresses
    from arena.course.report.gather import WholeReport
    from arena.results.report import ListedGame, Report, ReportedAgent

PER_PAGE: Final = 300
"""Number of games on one page."""
_SOME_REPLAYED: Final = (
    "Games with a page to step through: {} of {}. They were lost by a fault; their numbers are links."
)
_NONE_REPLAYED: Final = "No game has a page to step through."
_NEAR: Final = 2
"""Number of links before and after the current part of a list."""


def pages(report: WholeReport, where: Addresses) -> Iterator[tuple[str, str]]:
    """Every page except those of the games, each with its path in the folder."""
    yield addresses.FRONT, _front(report, where)
    yield from _all_games(report, where)
    yield from _pairs(report, where)
    own: dict[str, list[ListedGame]] = {}
    for game in report.games:
        for name in {*game.players}:
            own.setdefault(name, []).append(game)
    for agent in report.agents:
        yield from _agent(report, agent, own.get(agent.name, ()), where)


def _drawn(template: str, report: Report, at: str, title: str, **values: Any) -> str:
    """The page at `at` in the folder of the report."""
    made = f"As of {moment(report.made)}. Made by arena course report."
    return draw(template, title, frame(report.title, at, below=made), **values).text


def frame(title: str, at: str, *, below: str = "", modules: Sequence[str] = ()) -> Frame:
    """The frame of the page at `at` in the folder of a tournament's report."""
    up = addresses.up(at)
    return Frame(
        pages=((f"{up}{addresses.FRONT}", title), (f"{up}{addresses.GAMES}", "All games")),
        label="This report",
        at=f"{up}{at}",
        of=title,
        below=below,
        modules=modules,
    )


def _front(report: Report, where: Addresses) -> str:
    links = where.seen_from(addresses.FRONT)
    return _drawn(
        "event.html",
        report,
        addresses.FRONT,
        report.title,
        about=event.about(report, links),
        standings=event.standings(report, links),
        bracket=event.bracket(report, links),
        crosstable=event.crosstable(report, links),
        has_screens=False,
    )


def _agent(
    report: Report, agent: ReportedAgent, own: Sequence[ListedGame], where: Addresses
) -> Iterator[tuple[str, str]]:
    """The pages of an agent, each with its address. `own`: the games of the agent."""
    at = where.agent(agent.name)
    links = where.seen_from(at)
    bracket = report.bracket
    first = {
        "person": "",
        "facts": about.facts(agent, made=report.made, reached="" if bracket is None else bracket.reached(agent.name)),
        "version": None,
        "goal": "",
        "playing": "",
        "challenge": None,
        "handed_in": [],
        "ratings": about.progress(agent),
        "worst": None,
        "opponents": listings.opponents(agent.name, list(_met(report, agent)), links),
        "faults": [*about.faults(agent, own, links)],
    }
    for place, listed in _in_parts(where, at, own, of=agent.name):
        shown = first if place == at else None
        games = {"about": shown, "games": listed, "more": ""}
        yield place, _drawn("agent.html", report, place, agent.name, **games)


def _met(report: Report, agent: ReportedAgent) -> Iterator[Met]:
    """The agents that it met, in the order of the standings."""
    for other in report.agents:
        met = report.head_to_head.get((agent.name, other.name))
        if met is not None and other.name != agent.name:
            yield Met(other.name, met.points, met.games, other.standing.rank, figures.rating(other))


# Lists of games.


def _all_games(report: WholeReport, where: Addresses) -> Iterator[tuple[str, str]]:
    """The list of all games, each part with its address."""
    for place, listed in _in_parts(where, addresses.GAMES, report.games):
        yield place, _games(report, place, "All games", listed)


def _pairs(report: WholeReport, where: Addresses) -> Iterator[tuple[str, str]]:
    """The pages of all pairs in the crosstable that met, each with its address."""
    met: dict[tuple[str, str], list[ListedGame]] = {}
    rank = {name: place for place, name in enumerate(where.crosstable)}
    for game in report.games:
        for two in combinations(sorted(rank.keys() & game.players, key=rank.__getitem__), 2):
            met.setdefault(two, []).append(game)
    for (one, other), games in met.items():
        at = where.pair(one, other) or ""
        links = where.seen_from(at)
        score = {"players": [(name, links.agent(name)) for name in (one, other)], "text": _score(report, one, other)}
        for place, listed in _in_parts(where, at, games, of=one):
            yield place, _games(report, place, f"{one} – {other}", listed, score=score)


def _score(report: Report, one: str, other: str) -> str:
    """The score of the two agents."""
    met, back = report.head_to_head.get((one, other)), report.head_to_head.get((other, one))
    if met is None or back is None:
        return "no game that counts has finished yet."
    count = "counts" if met.games == 1 else "count"
    return f"{figures.share(met.points)} – {figures.share(back.points)} in {counted(met.games, 'game')} that {count}."


def _games(
    report: Report, place: str, title: str, listed: dict[str, Any], *, score: dict[str, Any] | None = None
) -> str:
    return _drawn("games.html", report, place, title, games=listed, score=score, filter=None)


def _in_parts(
    where: Addresses, at: str, games: Sequence[ListedGame], *, of: str | None = None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """A list of games, in parts, each with its address. `of`: with the results of this agent."""
    number = max(1, ceil(len(games) / PER_PAGE))
    several_rounds = len({game.round for game in games}) > 1
    replayed = sum(where.game(game) is not None for game in games)
    note = ""
    if replayed < len(games) and (where.replays or of is None):
        note = _SOME_REPLAYED.format(f"{replayed:,}", f"{len(games):,}") if where.replays else _NONE_REPLAYED
    for part in range(1, number + 1):
        some = games[(part - 1) * PER_PAGE : part * PER_PAGE]
        caption = f"Games, part {part} of {number}" if number > 1 else "Games"
        yield (
            addresses.further(at, part),
            {
                "heading": "Games",
                "note": note,
                "listing": listings.games(some, where.seen_from(at), rounds=several_rounds, of=of, caption=caption),
                "nothing": "No game has finished yet.",
                "ways": [*_other_parts(at, part, number)],
            },
        )


def _other_parts(at: str, part: int, number: int) -> Iterator[Cell]:
    """Links to other parts of a list: the first, the last and the nearest ones."""
    if number == 1:
        return
    base = at.rpartition("/")[2]
    shown = [n for n in range(1, number + 1) if n in (1, number) or abs(n - part) <= _NEAR]
    for before, other in pairwise([0, *shown]):
        if other > before + 1:
            yield Cell(text="…")
        href = addresses.further(base, other)
        yield Cell(text=str(other), href=href, label=f"Part {other}", current=other == part)
