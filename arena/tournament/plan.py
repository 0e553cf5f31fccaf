"""The state of a tournament before it is run again: its progress, and which agents have changed.

It reads the database and the description, and writes nothing; no agent is started.
"""

from __future__ import annotations

from msgspec import Struct

from arena.players import builder
from arena.players.player import PlayerKind
from arena.players.submissions import Store
from arena.tournament.description_changes import changes, refuse, settings_of
from arena.tournament.league import League
from db import running
from db.database import Connection
from db.games import repeated_games


class Plan(Struct, frozen=True):
    """The progress of a tournament."""

    over: int
    all: int
    """All games, including those that the description adds."""
    changed: tuple[str, ...]
    """The agents whose source differs from the recorded one."""
    superseded: int
    """Games of earlier versions, which no longer count."""
    repeated: int
    """Games that repeat another one move for move."""


def plan_of(connection: Connection, league: League, submissions: Store) -> Plan | None:
    """The progress of the tournament that `league` describes; None if it has not started.

    Raises BadLeague if it was started with another description. Agents' sources are copied to `submissions`."""
    there = running.tournament(connection, league.name)
    if there is None:
        return None
    refuse(league.name, changes(settings_of(there), league.settings()).refused)
    over, scheduled = running.counts(connection, there["id"])
    before = {entered.name: entered.source for entered in running.entries(connection, there["id"])}
    now = {
        listed.name: listed.player.text
        if listed.player.kind is PlayerKind.BUILTIN
        else builder.take(listed.player, submissions).hash
        for listed in league.agents
    }
    return Plan(
        over=over,
        all=league.expected(scheduled),
        changed=tuple(name for name, source in now.items() if before.get(name, source) != source),
        superseded=len(running.outdated_games(connection, there["id"])),
        repeated=repeated_games(connection, there["id"]),
    )
