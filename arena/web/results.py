"""What pages and JSON show of the record: values with public names only, read in one short transaction each.

Every function takes a connection and the names that visitors see. Ratings are read, never computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from arena.results.report import ListedGame, Report, ReportedAgent
    from arena.web.names import Names
    from db.database import Connection
    from db.ladder import RatingPoint


class Heading(Struct, frozen=True, kw_only=True):
    """A tournament or ladder: what stands above each of its pages."""

    id: int
    title: str
    """Its public name, which is also its name in addresses."""
    format: str
    """Such as "round-robin"; "ladder" for a ladder."""
    game: str
    clock: str
    status: str
    """running, stopped or finished."""
    agents: int
    over: int
    """Number of finished games."""
    planned: int | None
    """Number of games planned, as far as known; None for a ladder, which goes on."""
    finished: datetime | None
    closes: datetime | None
    """When a ladder takes its last submission; None for other formats."""


class PlayingGame(Struct, frozen=True, kw_only=True):
    """A game in progress."""

    id: int
    title: str
    """The tournament's; empty for a game without a tournament."""
    round: int | None
    number: int
    players: Sequence[str]
    """In the order of the seats."""


class Overview(Struct, frozen=True, kw_only=True):
    """What the front page shows."""

    ladders: Sequence[Heading]
    tournaments: Sequence[Heading]
    """The newest first."""
    playing: Sequence[PlayingGame]


class Wanted(Struct, frozen=True, kw_only=True):
    """Which games are listed: those that meet every condition that is not None. Names are public names."""

    player: str | None = None
    opponent: str | None = None
    """Of `player`."""
    result: str | None = None
    """For `player`: win, draw or loss."""
    verdict: str | None = None
    round: int | None = None


class GamesPart(Struct, frozen=True, kw_only=True):
    """A part of a list of games, the newest first."""

    heading: Heading
    wanted: Wanted
    games: Sequence[ListedGame]
    newer: str | None
    """The cursor of the part with the games before these; None at the beginning. "" is the first part."""
    older: str | None
    """The cursor of the part with the games after these; None at the end."""
    agents: Sequence[str]
    """The players to choose from, sorted."""
    verdicts: Sequence[str]
    """The verdicts to choose from."""
    rounds: int
    """Number of rounds to choose from; 0: the games have none."""


class VersionCurve(Struct, frozen=True, kw_only=True):
    """The rating of a version over time."""

    number: int
    points: Sequence[RatingPoint]
    """Oldest first; at most 200, the last one included."""


class WorstLoss(Struct, frozen=True, kw_only=True):
    """A lost game against an opponent that is rated lower."""

    game: ListedGame
    opponent: str
    rating: float
    """The opponent's rating now."""


class Opponent(Struct, frozen=True, kw_only=True):
    """The games of an agent against another one."""

    name: str
    games: int
    points: float
    """Of the agent."""


class AgentView(Struct, frozen=True, kw_only=True):
    """What the page of an agent shows."""

    heading: Heading
    agent: ReportedAgent
    version: int | None
    """The number of the version that plays now; None for agents without versions of their own."""
    curves: Sequence[VersionCurve]
    """Versions in the order of their numbers."""
    worst: Sequence[WorstLoss]
    """At most 10, the loss against the lowest rated opponent first."""
    opponents: Sequence[Opponent]
    """In the order of the standings."""
    latest: Sequence[ListedGame]
    """The last 20 games, the newest first."""


def overview(connection: Connection, names: Names) -> Overview:
    """What the front page shows."""
    raise NotImplementedError


def find_tournament(connection: Connection, names: Names, title: str) -> int:
    """The row id of the tournament with this public name; NotFound if there is none."""
    raise NotImplementedError


def heading(connection: Connection, names: Names, tournament: int) -> Heading:
    """What stands above each page of the tournament."""
    raise NotImplementedError


def report(connection: Connection, names: Names, tournament: int, *, now: datetime) -> Report:
    """Standings, ratings, crosstable and bracket, without the list of games.

    A ladder's agents are in the order of their ratings, anchors included."""
    raise NotImplementedError


def games_part(connection: Connection, names: Names, tournament: int, wanted: Wanted, cursor: str = "") -> GamesPart:
    """A part of the list of games that are over; NotFound if `wanted` names an agent that is not there, BadCursor if no
    part has given this cursor."""
    raise NotImplementedError


def agent_view(connection: Connection, names: Names, tournament: int, alias: str) -> AgentView:
    """What the page of the agent with this public name shows; NotFound if there is none."""
    raise NotImplementedError
