"""What a report of a tournament says: who leads and how sure that is, who met whom, and how every game ended.

Read from the record at one moment. Everybody is renamed before anything is computed, so that not even the order of
equals tells what somebody is called elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from agents.protocol import Verdict
from arena.course import aliases
from arena.errors import BadRating
from arena.ratings import points, ranking
from arena.ratings.points import Crosstable
from arena.ratings.progress import agent as agent_of
from arena.ratings.progress import ratings_over_time
from db import games as record
from db import lookup, rated_games, running
from db.records import GameRecord, RatedGame, SeatRecord
from db.scores import Scores, scores

if TYPE_CHECKING:
    from arena.course.aliases import Names
    from arena.course.roster import Roster
    from arena.ratings.points import Standing
    from arena.ratings.progress import Moment
    from arena.ratings.ranking import Ranked, Ranking
    from db.database import Connection
    from db.records import PastGame

_AT_ONCE: Final = 500
"""So many games are read with one query."""


class Agent(Struct, frozen=True, kw_only=True):
    """Somebody who takes part, or did."""

    name: str
    standing: Standing
    rated: Ranked | None
    """None: has no rated game."""
    status: str
    """active, withdrawn or quarantined."""
    bye: float
    """Points for having had nobody to play with."""
    moments: Sequence[Moment]
    """The rating over time; none where games are not for two."""


class Meeting(Struct, frozen=True, kw_only=True):
    """One game, as a list of games tells it."""

    id: int
    number: int
    attempt: int
    round: int | None
    players: Sequence[str]
    """In the order of the seats."""
    points: Sequence[float] | None
    """Those that count; None without a result."""
    ended: str
    fault: int | None
    plies: int | None
    finished: str | None
    notes: Sequence[str]
    """What keeps it from counting, or what was ruled."""


class Report(Struct, frozen=True, kw_only=True):
    """Everything that is published, but for the games themselves."""

    title: str
    game: str
    clock: str
    format: str
    status: str
    """running, stopped or finished."""
    over: int
    """How many games are over; each counts once, however many attempts it took."""
    planned: int
    """How many there are, or will be as far as is known."""
    made: datetime
    agents: Sequence[Agent]
    """In the order of the standings."""
    crosstable: Crosstable
    ranking: Ranking | None
    """None: there is no one rating for such games."""
    meetings: Sequence[Meeting]
    """In the order of their numbers."""


def gather(connection: Connection, tournament: int, roster: Roster | None, *, now: datetime) -> tuple[Report, Names]:
    """The report, and what everybody is called in it."""
    title = lookup.tournament_name(connection, tournament)
    row = next(row for row in lookup.tournaments(connection) if row.name == title)
    heads = list(_heads(connection, tournament))
    scope = rated_games.Scope(tournaments=(tournament,))
    played = rated_games.games(connection, scope)
    by_version = rated_games.games(connection, replace(scope, versions=True))
    sources = {entry.name: entry.source for entry in running.entries(connection, tournament)}
    for name in _players(heads, played, by_version):
        sources.setdefault(name, "")
    names = aliases.as_they_are(sources) if roster is None else aliases.by_roster(sources, roster)
    shown = names.shown

    statuses = {shown[name]: status for name, status in lookup.entry_statuses(connection, tournament).items()}
    byes = {shown[name]: given for name, given in lookup.byes(connection, tournament).items()}
    counted = _renamed(scores(connection, tournament), shown)
    standings = points.standings(counted, statuses, byes)
    described = lookup.anchors(connection, [tournament])
    anchors = {shown[name]: rating for name, rating in described.items() if name in shown}
    table = _ranked([_called(game, shown.__getitem__) for game in played], anchors)
    moments = _over_time([_called(game, lambda name: _version(name, shown)) for game in by_version], anchors)
    report = Report(
        title=names.text(title),
        game=rules(row.game, names),
        clock=row.clock,
        format=row.format,
        status=row.status,
        over=row.played,
        planned=row.games,
        made=now,
        agents=_agents(standings, table, statuses, byes, moments),
        crosstable=_crosstable([one.name for one in standings], counted),
        ranking=table,
        meetings=[_meeting(game, names) for game in heads],
    )
    return report, names


def _agents(
    standings: Iterable[Standing],
    table: Ranking | None,
    statuses: Mapping[str, str],
    byes: Mapping[str, float],
    moments: Mapping[str, Sequence[Moment]],
) -> list[Agent]:
    ratings = {} if table is None else {player.name: player for player in table.players}
    return [
        Agent(
            name=one.name,
            standing=one,
            rated=ratings.get(one.name),
            status=statuses.get(one.name, "active"),
            bye=byes.get(one.name, 0.0),
            moments=moments.get(one.name, ()),
        )
        for one in standings
    ]


def rules(text: str, names: Names | None = None) -> str:
    """A game as it is published: of a file only its name, and with `names` nobody's."""
    from arena.history.words import without_store

    shown = without_store(text)
    return names.text(shown) if names is not None and ".py" in shown else shown


def detail(game: PastGame, names: Names) -> str:
    """How a game ended by its rules, in their words; nothing of it that agents wrote, and nobody's name."""
    return names.text(game.detail or "") if game.verdict == Verdict.NORMAL else ""


# Reading.


def _heads(connection: Connection, tournament: int) -> Iterator[PastGame]:
    """The games that are over, without their moves."""
    ids = record.ids(connection, tournament)
    for first in range(0, len(ids), _AT_ONCE):
        yield from record.games(connection, ids[first : first + _AT_ONCE])


def _players(heads: Iterable[PastGame], played: Iterable[RatedGame], by_version: Iterable[RatedGame]) -> Iterator[str]:
    """Everybody who is spoken of anywhere."""
    for head in heads:
        yield from head.players
    for game in played:
        yield from game.names
    for game in by_version:
        yield from map(agent_of, game.names)


# Renaming.


def _renamed(found: Scores, shown: Mapping[str, str]) -> Scores:
    return Scores(
        {shown[name]: score for name, score in found.players.items()},
        {(shown[one], shown[other]): met for (one, other), met in found.meetings.items()},
    )


def _called(game: RatedGame, called: Callable[[str], str]) -> RatedGame:
    return replace(game, names=tuple(map(called, game.names)))


def _version(name: str, shown: Mapping[str, str]) -> str:
    agent = agent_of(name)
    return shown[agent] + name.removeprefix(agent)


def _crosstable(players: Sequence[str], found: Scores) -> Crosstable:
    """In the order of the standings, byes and all."""
    return Crosstable(list(players), [[found.meetings.get((one, other)) for other in players] for one in players])


# Ratings.


def _ranked(games: Sequence[RatedGame], anchors: Mapping[str, float]) -> Ranking | None:
    """The ratings; none where there are no games, or games that no one system rates."""
    if not games:
        return None
    there = {name for game in games for name in game.names}
    held = {name: rating for name, rating in anchors.items() if name in there}
    try:
        return ranking.rank(games, system=ranking.usual(games), settings=ranking.Settings(anchors=held))
    except BadRating:
        return None


def _over_time(versions: Sequence[RatedGame], anchors: Mapping[str, float]) -> Mapping[str, Sequence[Moment]]:
    """Everybody's rating over time; of games for two alone."""
    for_two = [game for game in versions if len(game.names) == 2]
    there = {agent_of(name) for game in for_two for name in game.names}
    held = {anchor: rating for anchor, rating in anchors.items() if anchor in there}
    return ratings_over_time(for_two, anchors=held)


# Games.


def _meeting(game: PastGame, names: Names) -> Meeting:
    players = [names.shown[name] for name in game.players]
    return Meeting(
        id=game.id,
        number=game.number,
        attempt=game.attempt,
        round=game.round,
        players=players,
        points=game.counted,
        ended=_ended(game, players, names),
        fault=None if game.verdict == Verdict.RESIGNED else game.fault,
        plies=game.plies,
        finished=game.finished,
        notes=list(_notes(game, players)),
    )


def _ended(game: PastGame, players: Sequence[str], names: Names) -> str:
    """How it ended, in words of ours: what agents wrote, or files are called, is not told."""
    from arena.history.words import verdict

    seats = tuple(
        SeatRecord(seat.seat, player, seat.points, seat.utility, 0, 0)
        for seat, player in zip(game.seats, players, strict=True)
    )
    told = detail(game, names)
    return verdict(GameRecord(game.id, game.verdict or Verdict.VOID, game.fault, told, seats, (), 0))


def _notes(game: PastGame, players: Sequence[str]) -> Iterator[str]:
    if game.ruling is not None:
        to = "" if game.ruling.seat is None else f" to {players[game.ruling.seat]}"
        yield {"void": "annulled", "award": f"awarded{to}"}.get(game.ruling.what, game.ruling.what)
    if not all(seat.current for seat in game.seats):
        yield "earlier version"
