"""Gathers what a report shows from the database: standings, ratings, and how every game ended.

The caller's connection reads it all in one transaction. Agents are renamed before anything is computed, so that the
order of tied agents does not reveal real names. There can be a hundred thousand games: they are read a few at a time,
and of each only what is listed is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec.structs import replace

from arena.course.aliases import aliases_of, listed_game, own_names, public_rules
from arena.errors import BadRating
from arena.players.submissions import is_ready_made
from arena.ratings import ranking, systems
from arena.ratings.recorded import agent as agent_of
from arena.ratings.recorded import progress
from arena.results.report import ListedGame, Report, reported_agents
from arena.tournament.standings import standings
from db import games as record
from db import lookup, rated_games, running
from db.records import PairCount, RatedGame

if TYPE_CHECKING:
    from datetime import datetime

    from arena.course.aliases import ShownNames
    from arena.course.roster import Roster
    from arena.ratings.ranking import Ranking
    from arena.ratings.recorded import VersionRating
    from db.database import Connection

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


def _rename_count(count: PairCount, shown: Mapping[str, str]) -> PairCount:
    return replace(count, first=shown[count.first], second=shown[count.second])


def _shown_version(name: str, shown: Mapping[str, str]) -> str:
    agent = agent_of(name)
    return shown[agent] + name.removeprefix(agent)


# Ratings.


def ratings_of(
    connection: Connection, scope: rated_games.Scope, shown: Mapping[str, str], anchors: Mapping[str, float]
) -> Ranking | None:
    """The ratings; None if there are no games, or if no single system can rate them."""
    pairs, others = rated_games.counted(connection, scope)
    counts = [_rename_count(pair, shown) for pair in pairs]
    games = [_rename(game, shown.__getitem__) for game in others]
    there = {name for game in games for name in game.names} | {
        name for one in counts for name in (one.first, one.second)
    }
    if not there:
        return None
    held = {name: rating for name, rating in anchors.items() if name in there}
    try:
        return systems.rank(games, counts, settings=ranking.Settings(anchors=held))
    except BadRating:
        return None


def versions_of(
    connection: Connection, scope: rated_games.Scope, shown: Mapping[str, str], anchors: Mapping[str, float]
) -> Mapping[str, Sequence[VersionRating]]:
    """The rating of each agent's versions, from games for two players."""
    of_two = [
        _rename(game, lambda name: _shown_version(name, shown))
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
