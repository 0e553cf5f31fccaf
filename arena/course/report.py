"""`arena course report`: a tournament as a web site to publish.

`gather` reads all that it shows from the database, in one transaction, under public names. `pages` makes the pages,
from values alone. `write_site` writes them into a folder; several processes read and draw the games, a few at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from adsearch.pictures.svg import words
from arena.course.aliases import (
    ShownNames,
    aliases_of,
    listed_game,
    numbered,
    own_names,
    public_game,
    public_rules,
    slug,
)
from arena.course.output_folder import spread
from arena.errors import BadRating
from arena.history.words import counted, moment
from arena.pages import event, replay_page
from arena.pages.drawing import PageFrame, draw
from arena.players.versions import is_ready_made
from arena.ratings import ranking, systems
from arena.ratings.points import IN_CROSSTABLE
from arena.ratings.recorded import agent as agent_of
from arena.ratings.recorded import progress
from arena.results import figures, listings
from arena.results.columns import Cell
from arena.results.listings import Met
from arena.results.report import ListedGame, Report, reported_agents
from arena.tournament.standings import standings
from db import games as record
from db import lookup, rated_games, running
from db.database import Database
from db.records import RatedGame

if TYPE_CHECKING:
    from datetime import datetime

    from arena.course.roster import Roster
    from arena.ratings.ranking import Ranking
    from arena.ratings.recorded import VersionRating
    from arena.results.report import ReportedAgent
    from db.database import Connection
    from db.records import PastGame
    from db.web import LastResult


# Gathers what a report shows from the database: standings, ratings, and how every game ended.


_PER_QUERY: Final = 500
"""Number of games read by one query."""
_Value = TypeVar("_Value", bound=Hashable)


class WholeReport(Report, frozen=True, kw_only=True):
    """A report with all its finished games."""

    games: Sequence[ListedGame]
    """In the order of their numbers."""


def gather(
    connection: Connection, tournament: int, roster: Roster | None, *, now: datetime
) -> tuple[WholeReport, ShownNames]:
    """The report, and the names shown in it."""
    title = lookup.tournament_name(connection, tournament)
    (row,) = lookup.tournaments(connection, tournament)
    played = lookup.versions_played(connection, tournament)
    agents = dict.fromkeys((name for one in played for name in (one.player, one.agent)), False)
    agents |= {
        entry.name: is_ready_made(entry.source, entry.started_as) for entry in running.entries(connection, tournament)
    }
    names = own_names(agents) if roster is None else aliases_of(agents, roster)
    shown = names.shown
    described = lookup.anchors(connection, [tournament])
    anchors = {shown[name]: rating for name, rating in described.items() if name in shown}
    scope = rated_games.Scope(tournaments=(tournament,))
    ratings = ratings_of(connection, scope, shown, anchors)
    several = len({(one.agent, one.version) for one in played}) > len({one.agent for one in played})
    versions = versions_of(connection, scope, shown, anchors) if several else {}
    found = standings(connection, tournament).renamed(shown)
    report = WholeReport(
        title=names.redact(title),
        game=public_rules(row.game, names),
        clock=row.clock,
        own_clocks={shown[name]: clock for name, clock in running.own_clocks(connection, tournament).items()},
        format=row.format,
        status=row.status,
        over=row.played,
        planned=row.games,
        made=now,
        agents=reported_agents(found, ratings, versions),
        bracket=found.bracket,
        head_to_head=found.results.head_to_head,
        ranking=ratings,
        test=found.test,
        games=list(_games(connection, tournament, names)),
    )
    return report, names


# Renaming.


def _rename(game: RatedGame, new_name: Callable[[str], str]) -> RatedGame:
    return replace(game, names=tuple(map(new_name, game.names)))


# Ratings.


def ratings_of(
    connection: Connection, scope: rated_games.Scope, shown: Mapping[str, str], anchors: Mapping[str, float]
) -> Ranking | None:
    """The ratings; None if there are no games, or if no single system can rate them."""
    pairs, others = rated_games.counted(connection, scope)
    counts = [replace(pair, first=shown[pair.first], second=shown[pair.second]) for pair in pairs]
    games = [_rename(game, shown.__getitem__) for game in others]
    there = {name for game in games for name in game.names} | {
        name for one in counts for name in (one.first, one.second)
    }
    if not there:
        return None
    held = {name: rating for name, rating in anchors.items() if name in there}
    try:
        return systems.rank(games, counts, settings=ranking.RankingSettings(anchors=held))
    except BadRating:
        return None


def versions_of(
    connection: Connection, scope: rated_games.Scope, shown: Mapping[str, str], anchors: Mapping[str, float]
) -> Mapping[str, Sequence[VersionRating]]:
    """The rating of each agent's versions, from games for two players."""
    of_two = [
        _rename(game, lambda name: shown[agent_of(name)] + name.removeprefix(agent_of(name)))
        for game in rated_games.games(connection, replace(scope, versions=True))
        if len(game.names) == 2
    ]
    there = {agent_of(name) for game in of_two for name in game.names}
    held = {anchor: rating for anchor, rating in anchors.items() if anchor in there}
    return progress(of_two, anchors=held)


# Games.


def _games(connection: Connection, tournament: int, names: ShownNames) -> Iterator[ListedGame]:
    """The finished games. Equal values of different games are one object, to save memory."""
    known: dict[Hashable, Hashable] = {}

    def same(value: _Value) -> _Value:
        return known.setdefault(value, value)  # type: ignore[return-value]

    ids = record.ids(connection, tournament)
    for first in range(0, len(ids), _PER_QUERY):
        for game in record.games(connection, ids[first : first + _PER_QUERY]):
            listed = listed_game(game, names)
            yield replace(
                listed,
                players=same(listed.players),
                points=same(listed.points),
                ended=same(listed.ended),
                notes=same(listed.notes),
            )


# Writes a report into a folder: its pages under their addresses, and those of the chosen games, drawn by several
# processes.


# Which pages a report has, and their file names, which every file system and web server accepts.


FRONT: Final = "index.html"
GAMES: Final = "games.html"


class Addresses(Struct, frozen=True):
    """The address of each page, seen from the folder of the report or from one of its pages."""

    agents: Mapping[str, str]
    """The name of each agent -> the name of its pages."""
    crosstable: Mapping[str, None]
    """The agents in the crosstable, in the order of the standings."""
    replays: frozenset[int]
    """The ids of the games that have a page."""
    up: str = ""
    """The relative path to the folder of the report."""

    def agent(self, name: str) -> str:
        """The page of an agent."""
        return f"{self.up}agents/{self.agents[name]}.html"

    def pair(self, one: str, other: str) -> str | None:
        """The page of two agents that met, the same in both orders; None if it does not exist."""
        if one not in self.crosstable or other not in self.crosstable:
            return None
        first, second = sorted((self.agents[one], self.agents[other]))
        return f"{self.up}pairs/{first}.{second}.html"

    def game(self, listed: ListedGame | LastResult) -> str | None:
        """The page of a game; None if it does not exist."""
        return self.up + game_address(listed.number, listed.attempt) if listed.id in self.replays else None

    def seen_from(self, page: str) -> Addresses:
        """The addresses as links on `page`."""
        return replace(self, up=address_up(page))

    def live(self, _: int, /) -> str | None:
        """A file has no games in progress."""
        return None


def game_address(number: int, attempt: int) -> str:
    """The page of a game; each attempt has its own page."""
    return f"games/{number}.html" if attempt == 1 else f"games/{number}.{attempt}.html"


def further(page: str, part: int) -> str:
    """The page with this part of a list; part 1 is `page` itself."""
    return page if part == 1 else f"{page.removesuffix('.html')}.part{part}.html"


def address_up(page: str) -> str:
    """The relative path from `page` to the folder of the report."""
    return "../" * page.count("/")


def address_of(agents: Sequence[str], *, replays: Iterable[int] = ()) -> Addresses:
    """The addresses in a report of these agents, in the order of the standings. `replays`: the games with a page."""
    return Addresses(
        agents=numbered(agents, slug, "{}-{}"),
        crosstable=dict.fromkeys(agents[:IN_CROSSTABLE]),
        replays=frozenset(replays),
    )


# The pages of a report, except those of its games. Pure: takes values, returns HTML; `write_site` writes the files.


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
    yield FRONT, _front(report, where)
    for place, listed in _in_parts(where, GAMES, report.games):
        yield place, _game_pages(report, place, "All games", listed)
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


def frame(title: str, at: str, *, below: str = "", modules: Sequence[str] = ()) -> PageFrame:
    """The frame of the page at `at` in the folder of a tournament's report."""
    up = address_up(at)
    return PageFrame(
        pages=((f"{up}{FRONT}", title), (f"{up}{GAMES}", "All games")),
        label="This report",
        at=f"{up}{at}",
        of=title,
        below=below,
        modules=modules,
    )


def _front(report: Report, where: Addresses) -> str:
    links = where.seen_from(FRONT)
    return _drawn(
        "event.html",
        report,
        FRONT,
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
        "facts": event.agent_facts(
            agent, made=report.made, reached="" if bracket is None else bracket.reached(agent.name)
        ),
        "version": None,
        "goal": "",
        "playing": "",
        "challenge": None,
        "handed_in": [],
        "ratings": event.agent_progress(agent),
        "worst": None,
        "opponents": listings.opponents(agent.name, list(_met(report, agent)), links),
        "faults": [*event.agent_faults(agent, own, links)],
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
            yield place, _game_pages(report, place, f"{one} – {other}", listed, score=score)


def _score(report: Report, one: str, other: str) -> str:
    """The score of the two agents."""
    met, back = report.head_to_head.get((one, other)), report.head_to_head.get((other, one))
    if met is None or back is None:
        return "no game that counts has finished yet."
    count = "counts" if met.games == 1 else "count"
    return f"{figures.share(met.points)} – {figures.share(back.points)} in {counted(met.games, 'game')} that {count}."


def _game_pages(
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
            further(at, part),
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
        href = further(base, other)
        yield Cell(text=str(other), href=href, label=f"Part {other}", current=other == part)


_PORTION: Final = 10
"""Number of games that a process draws at a time."""
_TOO_FEW_FOR_PROCESSES: Final = 60
"""With fewer games, drawing all of them is faster than starting another process."""


class GamePages(Struct, frozen=True):
    """What the pages of all games share."""

    folder: str
    title: str
    names: ShownNames
    addresses: Addresses
    trust: bool
    """Whether recorded rules can be run that belong to another user."""


Portion = Mapping[int, tuple[str, Sequence[tuple[str, str]]]]
"""The games that a process draws at a time: the page of each, by its id, and links to the games before and after it."""


def write_site(
    report: WholeReport,
    names: ShownNames,
    folder: Path,
    *,
    database: str | None,
    replays: Sequence[ListedGame],
    processes: int,
    trust: bool = False,
    done: Callable[[int], None],
) -> None:
    """Writes the site into the empty `folder`. The games `replays` have a page each: `processes` draw them, and `done`
    is called with the number written so far. `trust`: whether recorded rules of another user can be run."""
    where = address_of([agent.name for agent in report.agents], replays=(game.id for game in replays))
    for place, page in pages(report, where):
        _write(folder / place, page)
    if replays:
        shared = GamePages(str(folder), report.title, names, addresses=where, trust=trust)
        (folder / "games").mkdir()
        _write_games(shared, _portions(replays), database=database, processes=processes, done=done)


def _write(file: Path, page: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(page, "utf-8")


# Games.


def _portions(games: Sequence[ListedGame]) -> list[Portion]:
    """The games in portions, in order."""
    pages = [game_address(game.number, game.attempt) for game in games]
    places = []
    for game, page, before, after in zip(games, pages, [None, *pages], [*pages[1:], None], strict=False):
        near = [(before, "previous game"), (after, "next game")]
        links = [(other.rpartition("/")[2], text) for other, text in near if other is not None]
        places.append((game.id, (page, links)))
    return [dict(places[first : first + _PORTION]) for first in range(0, len(places), _PORTION)]


def _write_games(
    shared: GamePages,
    portions: Sequence[Portion],
    *,
    database: str | None,
    processes: int,
    done: Callable[[int], None],
) -> None:
    processes = 1 if len(portions) * _PORTION < _TOO_FEW_FOR_PROCESSES else processes
    written = 0
    for count in spread(partial(write_portion, shared), portions, database=database, processes=processes):
        written += count
        done(written)


def write_portion(shared: GamePages, database: Database, portion: Portion) -> int:
    """Writes the pages of these games; returns their number."""
    with database.reading() as connection:
        games = record.games(connection, [*portion], whole=True)
    for game in games:
        place, around = portion[game.id]
        Path(shared.folder, place).write_text(_game_page(game, shared, place, around), "utf-8")
    return len(portion)


def _game_page(game: PastGame, shared: GamePages, place: str, around: Sequence[tuple[str, str]]) -> str:
    """The page of a game; `around`: links to the games before and after it."""
    links = shared.addresses.seen_from(place)
    shown = [shared.names.shown[name] for name in game.players]
    near = [
        (page, f"{two[0]} – {two[1]}")
        for two in combinations(dict.fromkeys(shown), 2)
        if (page := links.pair(*two)) is not None
    ]
    near += around
    public = public_game(game, shared.names, shared.title)
    drawn = replay_page.page(
        public,
        names={name: name for name in shown},
        private=False,
        drawn=partial(draw, frame=frame(shared.title, place, modules=replay_page.MODULES)),
        near=near,
        trust=shared.trust,
        agents={name: links.agent(name) for name in shown},
    ).text
    rules = words(public_rules(game.game))
    redacted = words(public_rules(game.game, shared.names))
    return drawn if rules == redacted else drawn.replace(rules, redacted)
