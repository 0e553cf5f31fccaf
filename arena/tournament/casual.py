"""Games outside of tournaments, on record: what `arena play` played can be looked at again like any other.

It is a schedule around another one: what the other plays, this one stores when it is over, whole, in one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from arena.match.schedule import Finished, Planned, Schedule
from arena.tournament.host import host
from db import store
from db.database import Database


class Recorded:
    """A schedule whose games go on record."""

    def __init__(
        self, schedule: Schedule, database: Database, started_as: Mapping[str, str], agents: Mapping[str, str]
    ) -> None:
        """`started_as`: how each player was named, for people; `agents`: whose version it is, where it is called
        otherwise: "alice@2" is one of alice."""
        self._schedule = schedule
        self._database = database
        self._started_as = started_as
        self._agents = agents
        # By what the games are known in the database, in the order in which they were over.
        self.ids: list[int] = []

    def next(self) -> Planned | None:
        """The next game to begin."""
        return self._schedule.next()

    def note(self, finished: Finished) -> None:
        """The game goes on record."""
        game = finished.game
        now = datetime.now(UTC)
        with self._database.writing() as connection:
            seats = tuple(
                (
                    store.version(
                        connection,
                        self._agents.get(entrant.name, entrant.name),
                        entrant.source,
                        self._started_as[entrant.name],
                        now,
                    ),
                    entrant.name,
                )
                for entrant in game.entrants
            )
            new = store.NewGame(
                round=None,
                pair=str(game.identity[0]),
                leg=game.leg,
                attempt=game.attempt,
                rules=game.rules,
                clock=game.clock,
                seed=str(game.seed),
                opening=" ".join(game.opening) or None,
                seats=seats,
            )
            (id,) = store.schedule(connection, None, [new])
            store.begin(connection, id, finished.started)
            store.finish(connection, id, finished.record, host=host(game), now=finished.finished)
        self.ids.append(id)
        self._schedule.note(finished)
