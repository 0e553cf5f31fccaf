"""What there is of a tournament before it is run again: how far it has come, and who has handed in something new.

It reads what is on record and the description; nothing is written, no agent is started.
"""

from __future__ import annotations

from msgspec import Struct

from arena.players.player import PlayerKind
from arena.players.submissions import Store
from arena.tournament.description_changes import changes, refuse
from arena.tournament.game_scheduling import count_games, outdated_games
from arena.tournament.league import League
from db import running
from db.database import Connection
from db.games import repeated_games


class Plan(Struct, frozen=True):
    """How a tournament stands."""

    over: int
    all: int
    """Games, with those that the description adds."""
    changed: tuple[str, ...]
    """Who has another source than the one on record."""
    superseded: int
    """Games of versions before the present ones, which count no more."""
    repeated: int
    """Games that repeat another one move for move."""


def plan_of(connection: Connection, league: League, submissions: Store) -> Plan | None:
    """How the tournament that `league` describes stands; None where it has not begun, BadLeague where it was begun with
    another description. Sources go to `submissions`."""
    there = running.tournament(connection, league.name)
    if there is None:
        return None
    refuse(league.name, changes(there["settings"], league.settings()).refused)
    over, scheduled = count_games(connection, there["id"])
    before = {entered.name: entered.source for entered in running.entries(connection, there["id"])}
    now = {
        listed.name: listed.player.text
        if listed.player.kind is PlayerKind.BUILTIN
        else submissions.take(listed.player).hash
        for listed in league.agents
    }
    return Plan(
        over=over,
        all=scheduled if league.sprt else max(scheduled, league.estimate.games),
        changed=tuple(name for name, source in now.items() if before.get(name, source) != source),
        superseded=len(outdated_games(connection, there["id"])),
        repeated=repeated_games(connection, there["id"]),
    )
