"""The bookkeeping of tournaments and ladders: a game's end is recorded once, a void game is played again, and an agent
with too many faults in a row is quarantined.

Both are played by a director. All that follows from a game is written in one transaction; while the database is busy
or the disk is full, the transaction is tried again, so no result is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TypeVar

from agents.protocol import Verdict
from arena.match.schedule import (
    MOST_ATTEMPTS,
    Entrant,
    Finished,
    Planned,
    Schedule,
    WrappingSchedule,
    refuse_broken_rules,
    rules_failed,
)
from arena.tournament.game_scheduling import RecordedTournament
from arena.tournament.host import host
from arena.tournament.league import League
from db import running, store
from db.database import Connection, Database
from db.errors import Busy, DiskFull, Unsure
from db.records import ScheduledGame

Result = TypeVar("Result")
Wait = Callable[[str], None]
"""Called with the reason why nothing can be written; returns when it is time to try again."""


class RecordedGames:
    """The games of one tournament in the database."""

    def __init__(
        self, tournament: RecordedTournament, database: Database, *, wait: Wait, faults: Mapping[str, int]
    ) -> None:
        """`faults`: by agent, the number of faults in a row up to its last game."""
        self.id = tournament.id
        self.league = tournament.league
        self.seed = tournament.seed
        self.seats_key = tournament.seats_key
        self._on_record = tournament
        self._database = database
        self._wait = wait
        self._faults = dict(faults)
        # Agents that were quarantined during this run.
        self.quarantined: list[str] = []

    def _record(
        self,
        finished: Finished,
        follow: Callable[[Connection, bool, Mapping[str, str]], Result],
        first: Callable[[Connection, Sequence[str]], None] = lambda *_: None,
    ) -> tuple[list[str], Result]:
        """Records the game and all its effects in one transaction; returns whom it quarantines, and what `follow` does.

        `follow` writes what follows: it gets whether the game is scheduled again, and who is quarantined, each with the
        reason. `first` is called before the game is written, with those who will be quarantined."""
        faults = self._faults_after(finished)
        out = [name for name, count in faults.items() if 0 < self.league.quarantine <= count]

        def record(connection: Connection) -> Result:
            first(connection, out)
            repeated = self._finish(connection, finished)
            for name in out:
                store.quarantine(connection, self.id, name)
            return follow(
                connection, repeated, {name: f"{name} is quarantined: {faults[name]} faults in a row" for name in out}
            )

        effects = self._write(record)
        self._faults |= faults | dict.fromkeys(out, 0)
        self.quarantined += out
        return out, effects

    # Inside a transaction.

    def _finish(self, connection: Connection, finished: Finished) -> bool:
        """Records the end of the game. A void game is scheduled again, unless it was played `MOST_ATTEMPTS` times, or
        user-supplied rules failed; returns whether it is. BadFixture if that ends the run."""
        game = finished.game
        if self._on_record.if_rules_fail is None:
            refuse_broken_rules(finished.record)
        if finished.host is not None:  # it began later than it was given out
            store.begin(connection, game.number, finished.started)
        how = host(game) if finished.host is None else finished.host
        store.finish(connection, game.number, finished.record, host=how, now=datetime.now(UTC), **game.hashed_with)
        if finished.record.verdict != Verdict.VOID or rules_failed(finished.record):
            return False
        if running.voids(connection, self.id, str(game.identity[0]), game.leg) >= MOST_ATTEMPTS:
            return False
        store.repeat(connection, game.number)
        return True

    # Outside of transactions.

    def _planned(self, game: ScheduledGame, entrants: tuple[Entrant, ...]) -> Planned:
        """The game for the director, with these players in the order of the seats."""
        rules = self._on_record.rules
        return planned_game(self.league, rules, game, entrants, seed=self.seed, seats_key=self.seats_key)

    def _faults_after(self, finished: Finished) -> dict[str, int]:
        """Its players' numbers of faults in a row, including this game."""
        record = finished.record
        if record.verdict == Verdict.VOID:
            return {}
        at_fault = None if record.verdict == Verdict.RESIGNED else record.fault
        return {
            entrant.name: self._faults.get(entrant.name, 0) + 1 if seat == at_fault else 0
            for seat, entrant in enumerate(finished.game.entrants)
        }

    def _forget(self) -> None:
        """What was read from the database may not hold any more: a transaction failed."""

    def _write(self, action: Callable[[Connection], Result]) -> Result:
        """Calls `action` in its own transaction; after a failed attempt everything is read again."""

        def wait(reason: str) -> None:
            self._forget()
            self._wait(reason)

        return written(self._database, wait, action)


def planned_game(
    league: League,
    rules: str,
    game: ScheduledGame,
    entrants: tuple[Entrant, ...],
    *,
    seed: int,
    seats_key: int | None = None,
) -> Planned:
    """The game for the director. Its number is the id of its row."""
    return Planned(
        number=game.id,
        game=league.game,
        rules=rules,
        entrants=entrants,
        seed=seed,
        seats_key=seats_key,
        identity=(game.pair,),
        leg=game.leg,
        attempt=game.attempt,
        conditions=league.conditions,
        position=game.position or "",
        opening=tuple((game.opening or "").split()),
    )


def written(database: Database, wait: Wait, action: Callable[[Connection], Result]) -> Result:
    """Calls `action` in its own transaction, again and again while the database is busy or its disk is full."""
    while True:
        try:
            with database.writing() as connection:
                result = action(connection)
        except Unsure as error:
            while (was_committed := database.committed(error.transaction)) is None:
                wait(str(error))
            if was_committed:
                return result
        except (Busy, DiskFull) as error:
            wait(str(error))
        else:
            return result


# Recording of games outside of tournaments: a game of `arena play` can be replayed like any other.


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
