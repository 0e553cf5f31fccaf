"""The grades of a tournament: what is read from the record, and each agent's row and results, computed from it.

Reading and computing are two steps, so that a reader of the database does not wait for a fit of ratings. Games that a
player forfeited without playing count for no mark and for no fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from agents.protocol import Verdict
from arena.errors import BadRating
from arena.ratings import grades, points, ranking, systems
from arena.ratings.grades import Against, Bar, reasons
from arena.ratings.points import Order
from arena.tournament import collected_file, formats, standings
from db import ladder, lookup, rated_games, running, search
from db.database import Connection
from db.lookup import TournamentRow
from db.rated_games import Scope
from db.records import PastGame, RatedGame
from db.search import GameFilter

# The grades of a tournament: what is read from the record, and each agent's row and results, computed from it.


# The results of agents that marks depend on.


class AgentResults(Struct, frozen=True, kw_only=True):
    """The results of one agent that marks depend on."""

    played: bool
    """Whether it played a game; forfeited games are not played."""
    bars: Mapping[str, Against | None] = {}
    """The verdict of each bar; None if the agent is the bar, or has no rated game."""
    faults: int = 0
    """Number of games that it played and lost by a fault."""
    late_days: int = 0


def results_of(
    agents: Iterable[str],
    verdicts: Mapping[str, Mapping[str, Bar]],
    games: Sequence[RatedGame],
    faults: Sequence[PastGame],
    late: Mapping[str, int],
) -> dict[str, AgentResults]:
    """The results of each agent that marks depend on. `games`: all that give points."""
    played = [game for game in games if game.verdict != Verdict.FORFEIT]
    players = {player for game in played for player in game.names}
    at_fault = reasons(faults, {game.id for game in played})
    return {
        agent: AgentResults(
            played=agent in players,
            bars={title: bar.stands for title, bar in verdicts.get(agent, {}).items()},
            faults=len(at_fault.get(agent, ())),
            late_days=late.get(agent, 0),
        )
        for agent in agents
    }


def late_days(description: Path) -> dict[str, int]:
    """The days by which each collected agent was late; agents that were in time are left out."""
    found: dict[str, int] = {}
    for file in collected_file.named_in(description):
        collected, _ = collected_file.read(file)
        found |= {one.name: one.late_days for one in collected if one.late_days}
    return found


_MOST: Final = 1_000_000
"""Largest number of faults that are read."""


class RecordedTournament(Struct, frozen=True, kw_only=True):
    """What grades are computed from."""

    about: TournamentRow
    games: Sequence[RatedGame]
    """Those that count for ratings."""
    for_points: Sequence[RatedGame]
    """Those that give points."""
    anchors: Mapping[str, float]
    entered: Mapping[str, str]
    """Each player with its status."""
    order: Order
    """How players with the same points are ordered."""
    byes: Mapping[str, float]
    faults: Sequence[PastGame]


class Graded(Struct, frozen=True, kw_only=True):
    """The grades."""

    rows: list[dict[str, Any]]
    statuses: Mapping[str, str]
    bars: Mapping[str, Mapping[str, Bar]]
    results: Mapping[str, AgentResults]
    is_over: bool
    """Whether the tournament is over; else these are not the last grades."""
    left: int
    """Number of games that are still to be played, as far as they are scheduled."""
    pools: int
    """Number of pools with no games between them."""
    rounds: bool
    """Whether the tournament can have more rounds."""
    repeated: int
    """Number of pairings that repeat an earlier one move for move."""


def recorded(connection: Connection, scope: Scope) -> RecordedTournament:
    """What the record says about the one tournament in `scope`; BadRating if it is a ladder."""
    (tournament,) = scope.tournaments
    name = lookup.tournament_name(connection, tournament)
    if running.format(connection, tournament) == ladder.FORMAT:
        raise BadRating(
            f"{name!r} is a ladder, in which agents meet different opponents; grade its final, with the command "
            f"that `arena ladder final` prints"
        )
    wanted = scope.wanted or GameFilter()
    games, for_points = rated_games.for_ratings_and_points(connection, scope)
    described = lookup.anchors(connection, scope.tournaments)
    entered = lookup.entry_statuses(connection, tournament)
    order = standings.order(connection, tournament)
    byes = lookup.byes(connection, tournament) if scope.wanted is None and scope.at is None else {}
    narrowed = replace(wanted, tournament=name, fault=search.ANYBODY, until=scope.at or wanted.until)
    faults = search.page(connection, narrowed, limit=_MOST)
    (row,) = lookup.tournaments(connection, tournament)
    names = {player for game in games for player in game.names}
    return RecordedTournament(
        about=row,
        games=games,
        for_points=for_points,
        anchors={player: rating for player, rating in described.items() if player in names},
        entered=entered,
        order=order,
        byes=byes,
        faults=faults,
    )


def graded(found: RecordedTournament, *, bars: Mapping[str, str], late: Mapping[str, int]) -> Graded:
    """The row of each agent. `bars`: the agent of each bar; `late`: the days by which each agent was late."""
    # One fit for both: anchors move all ratings together, and a bar depends on differences only.
    settings = ranking.RankingSettings(anchors=found.anchors)
    ranked, fit = systems.default(found.games).fitted(found.games, (), settings)
    verdicts = grades.bars(found.games, fit, bars, found.about.name)
    rows = grades.table(
        standings=points.standings(points.of(found.for_points), found.entered, found.byes, found.order),
        ranking=ranked,
        bars=verdicts,
        faults=grades.reasons(found.faults, {game.id for game in found.for_points}),
        wanted=tuple(bars),
        statuses=found.entered,
    )
    return Graded(
        rows=rows,
        statuses=found.entered,
        bars=verdicts,
        results=results_of([row["agent"] for row in rows], verdicts, found.for_points, found.faults, late),
        is_over=found.about.status == "finished",
        left=found.about.games - found.about.played,
        pools=ranked.pools,
        rounds=(kind := formats.ours(found.about.format)) is not None and "rounds" in kind.own_keys(),
        repeated=ranked.repeated,
    )
