"""Recording of games outside of tournaments: a game of `arena play` can be replayed like any other.

It wraps another schedule, and stores each finished game of that schedule whole, in one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType

from agents.protocol import Verdict
from arena.match.schedule import Finished, Schedule, WrappingSchedule
from arena.tournament.host import host
from db import store
from db.database import Database
from db.records import ScheduledGame


class RecordingSchedule(WrappingSchedule):
    """A schedule that records its games in the database."""

    def __init__(
        self,
        schedule: Schedule,
        database: Database,
        started_as: Mapping[str, str],
        agents: Mapping[str, str],
        annulled: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """`started_as`: the text that named each player on the command line. `agents`: the agent's name, where the
        player's name differs: "alice@2" is a version of alice. `annulled`: the reason to annul a game when it ends, by
        the game's number."""
        super().__init__(schedule)
        self._database = database
        self._started_as = started_as
        self._agents = agents
        self._annulled = annulled
        # The games' ids in the database, in the order in which the games ended.
        self.ids: list[int] = []

    def note(self, finished: Finished) -> None:
        """Records the finished game."""
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
            new = ScheduledGame(**game.recorded, pair=str(game.identity[0]), game=game.rules, seats=seats)
            (id,) = store.schedule(connection, None, [new])
            store.begin(connection, id, finished.started)
            store.finish(connection, id, finished.record, host=host(game), now=finished.finished, **game.hashed_with)
            if game.number in self._annulled and finished.record.verdict != Verdict.VOID:
                store.rule_on_game(connection, id, "void", self._annulled[game.number], now)
        self.ids.append(id)
        super().note(finished)
