"""Rulings about an agent in a tournament: which are possible there. On a ladder, the anchors stay.

Commands and pages both rule through this module. The caller opens the transaction.
"""

from __future__ import annotations

from datetime import datetime

from arena.errors import BadRuling
from arena.serve.opened import ladder_of
from db import lookup, store
from db.database import Connection


def rule_on_entry(connection: Connection, tournament: int, agent: str, what: str, reason: str, now: datetime) -> int:
    """Takes the agent out ("withdraw"), puts it aside until its author hands in again ("quarantine"), or lets it play
    ("release").

    Returns the id of the ruling; raises BadRuling if the ruling would change nothing, or if the agent is an anchor."""
    title = lookup.tournament_name(connection, tournament)
    ladder = ladder_of(connection, title)
    if what != "release" and ladder is not None and ladder.name == title and agent in ladder.anchors:
        raise BadRuling(
            f"{agent!r} is an anchor of the ladder {title!r} and cannot be {store.AFTER[what]}: the ratings of all "
            "agents depend on it"
        )
    status = lookup.entry_statuses(connection, tournament).get(agent)
    if status == store.AFTER[what]:
        raise BadRuling(f"{agent!r} is already {status} in {title}")
    return store.rule_on_entry(connection, tournament, agent, what, reason, now)
