"""What is published of a tournament: its agents with points and ratings, and how games ended.

Only values: `arena course report` gathers them for a folder of pages, the web server for the pages that it sends. All
names in them can be shown to anyone, except `people`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from arena.ratings.points import Standing
    from arena.ratings.ranking import Ranked, Ranking
    from arena.ratings.recorded import VersionRating
    from arena.tournament.format import Bracket, Series, TestedMatch
    from arena.tournament.standings import TournamentStandings
    from db.ladder import RatingPoint
    from db.scores import HeadToHead
    from db.web import LastResult


class Lately(Struct, frozen=True, kw_only=True):
    """What happened lately to an agent."""

    results: Sequence[LastResult] = ()
    """Of its last games, the oldest first."""
    ratings: Sequence[float] = ()
    """Of the version that plays now, the oldest first, evenly over time."""
    before: float | None = None
    """Its rating a day ago, if it had one."""
    playing: int | None = None
    """The id of a game that it plays now."""


class ReportedAgent(Struct, frozen=True, kw_only=True):
    """An agent that takes part, or took part."""

    name: str
    standing: Standing
    rated: Ranked | None
    """None if the agent has no rated game."""
    status: str | None
    """active, withdrawn or quarantined; None if it was never entered."""
    byes: float
    """Points for byes."""
    seed: int | None = None
    """Of a knockout, as `series` and `reached`."""
    series: Sequence[Mapping[str, Any]] | None = None
    """As the agent sees them."""
    reached: str = ""
    versions: Sequence[VersionRating]
    """The rating of each version; empty if games have more than two players."""
    recorded: RatingPoint | None = None
    """The rating as it was recorded, of games that had ended by then; None if it was computed for this report."""
    lately: Lately = Lately()

    @property
    def left(self) -> str:
        """Why it does not play: withdrawn or quarantined; empty if it plays."""
        return "" if self.status in (None, "active") else str(self.status)


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
    forfeited: bool
    """Lost without being played."""
    plies: int | None
    notes: Sequence[str]
    """Why the game does not count, or its ruling."""


class Report(Struct, frozen=True, kw_only=True):
    """What is published of a tournament, except its games."""

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
    """None if the format has none."""
    head_to_head: Mapping[tuple[str, str], HeadToHead]
    """By two names, the games of the one agent against the other; without those who have not met."""
    ranking: Ranking | None
    """None if no rating system rates such games."""
    test: TestedMatch | None = None
    """None if it is not a match with a sequential test."""
    own_clocks: Mapping[str, str] = {}
    """Of agents that have another clock than the rest, by name."""
    people: Mapping[str, str] = {}
    """Who is behind agents, by the agents' names; empty in everything that anyone may see."""


def reported_agents(
    found: TournamentStandings, ranking: Ranking | None = None, versions: Mapping[str, Sequence[VersionRating]] = {}
) -> list[ReportedAgent]:
    """The agents in the order of the standings, each with its rating and its versions."""
    ratings = {} if ranking is None else {player.name: player for player in ranking.players}
    bracket = found.bracket
    return [
        ReportedAgent(
            name=one.name,
            standing=one,
            rated=ratings.get(one.name),
            status=found.statuses.get(one.name),
            byes=found.byes.get(one.name, 0.0),
            seed=None if bracket is None else bracket.seed(one.name),
            series=None if bracket is None else [_series(bracket, one.name, *each) for each in bracket.of(one.name)],
            reached="" if bracket is None else bracket.reached(one.name),
            versions=versions.get(one.name, ()),
        )
        for one in found.lines
    ]


def _series(bracket: Bracket, name: str, round: int, one: Series) -> dict[str, Any]:
    """A series from the point of view of the player `name`."""
    own = one.players.index(name)
    opponent = one.players[1 - own]
    return {
        "round": round,
        "opponent": opponent,
        "opponent_seed": None if opponent is None else bracket.seed(opponent),
        "games": one.games,
        "points": one.points[own],
        "opponent_points": one.points[1 - own],
        "through": None if one.winner is None else one.winner == name,
        "why": one.why,
    }


def leaders(agents: Iterable[ReportedAgent]) -> list[str]:
    """The names of those who have the first place, once a game was played."""
    return [one.name for one in agents if one.standing.games and one.standing.rank == 1]
