"""What the page of one agent shows: its rating over time, its worst losses and its opponents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from arena.course.report.public_game import listed_game
from arena.web.results import (
    AgentView,
    Opponent,
    VersionCurve,
    WorstLoss,
    goals,
    heading,
    own_name,
    own_names,
    reported,
)
from arena.web.sight import What, may
from db import games as record
from db import ladder, lookup, web
from db.search import GameFilter

if TYPE_CHECKING:
    from arena.course.aliases import ShownNames
    from arena.results.report import ReportedAgent
    from arena.web.sight import SeenNames
    from db.database import Connection
    from db.records import PastGame

_WORST: Final = 10
_LATEST: Final = 20
_HANDED_IN: Final = 5
_POINTS: Final = 200
"""Ratings in a curve, at most."""
_ROOM: Final = 20
"""Losses that are read in addition to `_WORST`: rulings can take them away."""


def agent_view(
    connection: Connection,
    names: SeenNames,
    tournament: int,
    alias: str,
    *,
    served: str = "",
    now: datetime | None = None,
) -> AgentView:
    """What the page of the agent with this public name shows; NotFound if there is none. `served`: the ladder that the
    director serves, whose submissions have pages. `now`: by default the present time."""
    shown = names.read(connection)
    name = own_name(own_names(connection, tournament, shown), alias)
    about = heading(connection, names, tournament)
    agents, found, _ = reported(connection, names, about, shown)
    agent = next(one for one in agents if one.name == alias)
    met = {other: games for (one, other), games in found.results.head_to_head.items() if one == alias}
    curves = web.curves(connection, tournament, name, most=_POINTS)
    return AgentView(
        heading=about,
        agent=agent,
        version=web.current_version(connection, tournament, name),
        curves=[VersionCurve(number=number, points=points) for number, points in curves.items()],
        worst=_worst(connection, tournament, name, agents, shown),
        opponents=[
            Opponent(name=one.name, games=met[one.name].games, points=met[one.name].points)
            for one in agents
            if one.name in met
        ],
        latest=[
            listed_game(game, shown) for game in web.part(connection, tournament, GameFilter(agent=name), most=_LATEST)
        ],
        made=now or datetime.now(UTC),
        person=names.people(connection, tournament).get(alias, ""),
        handed_in=[one.id for one in ladder.submissions(connection, tournament, author=name, most=_HANDED_IN)]
        if may(names.viewer, What.CHECK) and lookup.tournament_name(connection, tournament) == served
        else [],
        goals=goals(connection, tournament, shown),
        playing=next((game.id for game in web.in_progress(connection, tournament) if name in game.players), None),
    )


def _worst(
    connection: Connection, tournament: int, name: str, agents: Sequence[ReportedAgent], names: ShownNames
) -> list[WorstLoss]:
    """The losses of the version that plays now against the lowest rated opponents; of one opponent the newest first."""
    ratings = {agent.name: agent.rated.rating for agent in agents if agent.rated is not None}
    losses = [
        (rating, loss.game, opponent)
        for loss in web.losses(connection, tournament, name)
        if (rating := ratings.get(opponent := names.shown[loss.opponent])) is not None
    ]
    lowest = sorted(losses, key=lambda loss: (loss[0], -loss[1]))[: _WORST + _ROOM]
    games = {game.id: game for game in record.games(connection, [game for _, game, _ in lowest])}
    return [
        WorstLoss(game=listed_game(games[game], names), opponent=opponent, rating=rating)
        for rating, game, opponent in lowest
        if _is_lost(games[game], name)
    ][:_WORST]


def _is_lost(game: PastGame, name: str) -> bool:
    """Whether the player lost, after rulings."""
    return game.counted is not None and game.counted[game.players.index(name)] == 0.0
