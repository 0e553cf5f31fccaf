"""Gathers what a report shows from the database: standings, ratings, the crosstable, and how every game ended.

The caller's connection reads it all in one transaction. Agents are renamed before anything is computed, so that the
order of tied agents does not reveal real names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from agents.protocol import Verdict
from arena.course.aliases import aliases_of, own_names
from arena.course.report.public_game import public_ending, public_rules
from arena.errors import BadRating
from arena.history.words import ruled
from arena.players.versions import is_ready_made
from arena.ratings import points, ranking
from arena.ratings.points import Crosstable, Order
from arena.ratings.progress import agent as agent_of
from arena.ratings.progress import progress
from arena.tournament.standings import TournamentStandings, standings
from db import games as record
from db import lookup, rated_games, running
from db.records import RatedGame
from db.scores import Scores

if TYPE_CHECKING:
    from arena.course.aliases import ShownNames
    from arena.course.roster import Roster
    from arena.ratings.points import Standing
    from arena.ratings.progress import VersionRating
    from arena.ratings.ranking import Ranked, Ranking
    from arena.tournament.formats.knockout import Bracket
    from db.database import Connection
    from db.records import PastGame

_PER_QUERY: Final = 500
"""Number of games read by one query."""


class ReportedAgent(Struct, frozen=True, kw_only=True):
    """An agent that takes part, or took part."""

    name: str
    standing: Standing
    rated: Ranked | None
    """None if the agent has no rated game."""
    status: str
    """active, withdrawn or quarantined."""
    bye: float
    """Points for byes."""
    versions: Sequence[VersionRating]
    """The rating of each version; empty if games have more than two players."""


class ListedGame(Struct, frozen=True, kw_only=True):
    """One game in a list of games."""

    id: int
    number: int
    attempt: int
    round: int | None
    players: Sequence[str]
    """In the order of the seats."""
    points: Sequence[float] | None
    """The points that count; None without a result."""
    ended: str
    fault: int | None
    plies: int | None
    finished: str | None
    notes: Sequence[str]
    """Why the game does not count, or its ruling."""


class Report(Struct, frozen=True, kw_only=True):
    """Everything that is published, except the moves of the games."""

    title: str
    game: str
    clock: str
    format: str
    status: str
    """running, stopped or finished."""
    over: int
    """Number of finished games; a game with several attempts counts once."""
    planned: int
    """Number of games planned, as far as known."""
    made: datetime
    agents: Sequence[ReportedAgent]
    """In the order of the standings."""
    bracket: Bracket | None
    """None if the tournament is not a knockout."""
    crosstable: Crosstable
    ranking: Ranking | None
    """None if no rating system rates such games."""
    games: Sequence[ListedGame]
    """In the order of their numbers."""


def gather(
    connection: Connection, tournament: int, roster: Roster | None, *, now: datetime
) -> tuple[Report, ShownNames]:
    """The report, and the names shown in it."""
    title = lookup.tournament_name(connection, tournament)
    row = next(row for row in lookup.tournaments(connection) if row.name == title)
    games = list(_games(connection, tournament))
    scope = rated_games.Scope(tournaments=(tournament,))
    played = rated_games.games(connection, scope)
    by_version = rated_games.games(connection, replace(scope, versions=True))
    agents = dict.fromkeys(_all_names(games, played, by_version), False)
    agents |= {
        entry.name: is_ready_made(entry.source, entry.started_as) for entry in running.entries(connection, tournament)
    }
    names = own_names(agents) if roster is None else aliases_of(agents, roster)
    shown = names.shown
    found = _rename_standings(standings(connection, tournament), shown)
    described = lookup.anchors(connection, [tournament])
    anchors = {shown[name]: rating for name, rating in described.items() if name in shown}
    ratings = _ratings([_rename(game, shown.__getitem__) for game in played], anchors)
    versions = _versions([_rename(game, lambda name: _shown_version(name, shown)) for game in by_version], anchors)
    report = Report(
        title=names.redact(title),
        game=public_rules(row.game, names),
        clock=row.clock,
        format=row.format,
        status=row.status,
        over=row.played,
        planned=row.games,
        made=now,
        agents=_agents(found, ratings, versions),
        bracket=found.bracket,
        crosstable=points.crosstable(found.results, found.statuses, found.byes, found.order),
        ranking=ratings,
        games=[_listed(game, names) for game in games],
    )
    return report, names


def _agents(
    standings: TournamentStandings, ranking: Ranking | None, versions: Mapping[str, Sequence[VersionRating]]
) -> list[ReportedAgent]:
    ratings = {} if ranking is None else {player.name: player for player in ranking.players}
    return [
        ReportedAgent(
            name=one.name,
            standing=one,
            rated=ratings.get(one.name),
            status=standings.statuses.get(one.name, "active"),
            bye=standings.byes.get(one.name, 0.0),
            versions=versions.get(one.name, ()),
        )
        for one in standings.lines
    ]


# Reading.


def _games(connection: Connection, tournament: int) -> Iterator[PastGame]:
    """The finished games, without their moves."""
    ids = record.ids(connection, tournament)
    for first in range(0, len(ids), _PER_QUERY):
        yield from record.games(connection, ids[first : first + _PER_QUERY])


def _all_names(
    games: Iterable[PastGame], played: Iterable[RatedGame], by_version: Iterable[RatedGame]
) -> Iterator[str]:
    """All names that the report could show."""
    for game in games:
        yield from game.players
    for rated_game in played:
        yield from rated_game.names
    for rated_game in by_version:
        yield from map(agent_of, rated_game.names)


# Renaming.


def _rename_standings(found: TournamentStandings, shown: Mapping[str, str]) -> TournamentStandings:
    order = Order(
        apart=frozenset(shown[name] for name in found.order.apart),
        places={shown[name]: place for name, place in found.order.places.items()},
    )
    return TournamentStandings(
        results=_rename_results(found.results, shown),
        statuses={shown[name]: status for name, status in found.statuses.items()},
        byes={shown[name]: given for name, given in found.byes.items()},
        order=order,
        bracket=None if found.bracket is None else found.bracket.renamed(shown),
    )


def _rename_results(found: Scores, shown: Mapping[str, str]) -> Scores:
    return Scores(
        {shown[name]: score for name, score in found.players.items()},
        {(shown[one], shown[other]): met for (one, other), met in found.head_to_head.items()},
    )


def _rename(game: RatedGame, new_name: Callable[[str], str]) -> RatedGame:
    return replace(game, names=tuple(map(new_name, game.names)))


def _shown_version(name: str, shown: Mapping[str, str]) -> str:
    agent = agent_of(name)
    return shown[agent] + name.removeprefix(agent)


# Ratings.


def _ratings(games: Sequence[RatedGame], anchors: Mapping[str, float]) -> Ranking | None:
    """The ratings; None if there are no games, or if no single system can rate them."""
    if not games:
        return None
    there = {name for game in games for name in game.names}
    held = {name: rating for name, rating in anchors.items() if name in there}
    try:
        return ranking.rank(games, system=ranking.default_system(games), settings=ranking.Settings(anchors=held))
    except BadRating:
        return None


def _versions(games: Sequence[RatedGame], anchors: Mapping[str, float]) -> Mapping[str, Sequence[VersionRating]]:
    """The rating of each agent's versions, from games for two players."""
    for_two = [game for game in games if len(game.names) == 2]
    there = {agent_of(name) for game in for_two for name in game.names}
    held = {anchor: rating for anchor, rating in anchors.items() if anchor in there}
    return progress(for_two, anchors=held)


# Games.


def _listed(game: PastGame, names: ShownNames) -> ListedGame:
    players = [names.shown[name] for name in game.players]
    return ListedGame(
        id=game.id,
        number=game.number,
        attempt=game.attempt,
        round=game.round,
        players=players,
        points=game.counted,
        ended=public_ending(game, players, names),
        fault=None if game.verdict == Verdict.RESIGNED else game.fault,
        plies=game.plies,
        finished=game.finished,
        notes=list(_notes(game, players)),
    )


def _notes(game: PastGame, players: Sequence[str]) -> Iterator[str]:
    if game.ruling is not None:
        yield ruled(game.ruling, players)
    if not all(seat.current for seat in game.seats):
        yield "earlier version"
