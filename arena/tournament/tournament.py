"""One tournament that is being run: what is to be played next, and what came of it.

It is the schedule that a director plays. Everything that must outlive this process is in the database before the
referee forgets it, so that whoever is killed when, the next run goes on with exactly the games that are missing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self, TypeVar

from adsearch import games
from agents.protocol import Verdict
from arena.match.schedule import MOST_ATTEMPTS, Entrant, Finished, Planned, refuse_broken_rules
from arena.players.confinement import Confinement
from arena.players.entrants import enter
from arena.players.submissions import Store
from arena.tournament import formats
from arena.tournament.game_scheduling import count_games, decide_match, forfeit_all, schedule_more
from arena.tournament.host import host
from arena.tournament.league import League
from arena.tournament.preparation import Prepared, prepare
from arena.tournament.standings import TournamentStandings, standings
from db import rated_games, running, store
from db.database import Connection, Database
from db.errors import Busy, DiskFull
from db.records import RatedGame

_AHEAD: Final = 50
"""How many games are read from the database at once."""

Result = TypeVar("Result")
Wait = Callable[[str], None]
"""Called with the reason why the tournament pauses; returns when it is time to try again."""


class Tournament:
    """A tournament that is being run, by this process alone."""

    def __init__(
        self,
        prepared: Prepared,
        database: Database,
        *,
        entrants: Mapping[str, Entrant],
        confinement: Confinement,
        wait: Wait,
    ) -> None:
        """One that is prepared already; `Tournament.begin` prepares it."""
        self.league = prepared.tournament.league
        self.id = prepared.tournament.id
        self.seed = prepared.tournament.seed
        self.entrants = entrants
        self.confinement = confinement
        # Whose source is another one than before.
        self.changed = prepared.changed
        # Who was quarantined by this object.
        self.quarantined: list[str] = []
        # How the test of a match stands; once it is decided, how it stood then.
        self.test = prepared.test
        # Games, without those that were cancelled.
        self.over = prepared.over
        self.all = prepared.all
        self._on_record = prepared.tournament
        self._database = database
        self._wait = wait
        # How many faults in a row each has made last.
        self._faults = dict(prepared.faults)
        # Games that the database has in progress already, and the director not yet.
        self._begun: deque[running.ScheduledGame] = deque()
        # The games that come next, as far as they have been read.
        self._ahead: list[running.ScheduledGame] = []

    @classmethod
    def begin(
        cls,
        league: League,
        database: Database,
        submissions: Store,
        *,
        scratch: Path,
        wait: Wait,
        rerun_changed: bool = False,
    ) -> Self:
        """Begins or continues the tournament that `league` describes, in one transaction: all agents are entered, and
        the games that are known so far are scheduled. BadLeague where the description has become another tournament's.

        Sources go to `submissions`; what agents may import is laid out in the folder `scratch`."""
        rules = submissions.take_game(league.game)
        start = games.start(rules)
        confinement = Confinement(
            scratch,
            rules,
            walls=league.walls,
            allowance=league.allowance,
            python=league.python,
            modules=league.modules,
            fresh=not league.reuse,
            ponder=league.ponder,
            ready=league.limits.ready,
        )
        entrants = {
            listed.name: enter(
                listed.player,
                listed.name,
                start,
                submissions,
                confinement,
                walls=listed.walls,
                allowance=listed.allowance,
            )
            for listed in league.agents
        }

        def prepared(connection: Connection) -> Prepared:
            return prepare(connection, league, rules, entrants, rerun_changed=rerun_changed)

        return cls(_written(database, wait, prepared), database, entrants=entrants, confinement=confinement, wait=wait)

    # The schedule that a director plays.

    def next(self) -> Planned | None:
        """The next game to begin."""
        game = self._begun.popleft() if self._begun else self._write(self._begin_next)
        if game is None:
            return None
        self._drop(game)
        return self._planned(game)

    def note(self, finished: Finished) -> None:
        """The game goes on record, and in the same transaction everything that follows from it."""
        faults = self._faults_after(finished)
        out = [name for name, count in faults.items() if 0 < self.league.quarantine <= count]

        def record(connection: Connection) -> tuple[bool, running.ScheduledGame | None]:
            changed = self._record(connection, finished, {name: faults[name] for name in out})
            if changed:
                self._ahead = []
            return changed, self._begin_next(connection)

        changed, game = self._write(record)
        if game is not None:
            self._begun.append(game)
            self._drop(game)
        self._faults |= faults | dict.fromkeys(out, 0)
        self.quarantined += out
        if changed or game is None:
            self._write(self._count)
        else:
            self.over += 1

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be played."""
        return self.over == self.all

    def standings(self) -> TournamentStandings:
        """The standings now."""
        with self._database.reading() as connection:
            return standings(connection, self.id)

    def rated_so_far(self) -> list[RatedGame]:
        """The games that may be rated, in the order of play."""
        with self._database.reading() as connection:
            return rated_games.games(connection, rated_games.Scope(tournaments=(self.id,)))

    def interrupted(self) -> None:
        """The referee was lost with the games in progress: they are to be played as if they had never begun."""
        self._begun.clear()
        self._ahead = []
        self._write(self._put_back)

    def close(self) -> None:
        """The run ends: what is still in progress is to be played again, and the record says how far it has come."""

        def end(connection: Connection) -> None:
            self._put_back(connection)
            store.set_status(connection, self.id, "finished" if self.is_over else "stopped", datetime.now(UTC))

        self._write(end)

    # Inside a transaction.

    def _record(self, connection: Connection, finished: Finished, out: Mapping[str, int]) -> bool:
        """The game and what follows from it; whether that changes which games are to come. Who is `out` after so many
        faults in a row is quarantined."""
        number = finished.game.number
        record = finished.record
        refuse_broken_rules(record)
        store.finish(connection, number, record, host=host(finished.game), now=datetime.now(UTC))
        changed = False
        if record.verdict == Verdict.VOID:
            pair = str(finished.game.identity[0])
            if running.voids(connection, self.id, pair, finished.game.leg) < MOST_ATTEMPTS:
                store.repeat(connection, number)
                changed = True
        changed = self._decide(connection) or changed
        for name, count in out.items():
            store.set_entry_status(connection, self.id, name, "quarantined")
            forfeit_all(connection, self.id, name, f"{name} is quarantined: {count} faults in a row")
            changed = True
        if formats.grows(self.league):
            schedule_more(connection, self._on_record)
            changed = True
        return changed

    def _decide(self, connection: Connection) -> bool:
        """Whether the test of the match is decided; the games that it makes needless are cancelled then."""
        self.test = decide_match(connection, self._on_record)
        return self.test is not None and self.test.verdict is not None

    def _put_back(self, connection: Connection) -> None:
        """Nobody plays the games in progress any more: they are to be played again, unless they are not needed."""
        store.interrupt(connection, self.id)
        if self._decide(connection):
            self._count(connection)

    def _begin_next(self, connection: Connection) -> running.ScheduledGame | None:
        """The next game, which is in progress from now on. What is known of later ones changes only afterwards."""
        ahead = self._upcoming(connection)
        if not ahead:
            return None
        store.begin(connection, ahead[0].id, datetime.now(UTC))
        return ahead[0]

    def _upcoming(self, connection: Connection) -> list[running.ScheduledGame]:
        if not self._ahead:
            self._ahead = running.scheduled(connection, self.id, _AHEAD)
        return self._ahead

    def _count(self, connection: Connection) -> None:
        self.over, self.all = count_games(connection, self.id)

    # Outside of transactions.

    def _drop(self, game: running.ScheduledGame) -> None:
        """The game is not one of those to come any more."""
        self._ahead = [other for other in self._ahead if other.id != game.id]

    def _planned(self, game: running.ScheduledGame) -> Planned:
        league = self.league
        return Planned(
            number=game.id,
            game=league.game,
            rules=self._on_record.rules,
            entrants=tuple(self.entrants[name] for name in game.names),
            seed=self.seed,
            identity=(game.pair,),
            leg=game.leg,
            attempt=game.attempt,
            clock=league.clock,
            margin=league.margin,
            opening=tuple((game.opening or "").split()),
            max_plies=league.max_plies,
            limits=league.limits,
            names_shown=league.names == "shown",
        )

    def _faults_after(self, finished: Finished) -> dict[str, int]:
        """How many faults in a row its players have made, after this game."""
        record = finished.record
        if record.verdict == Verdict.VOID:
            return {}
        at_fault = None if record.verdict == Verdict.RESIGNED else record.fault
        return {
            entrant.name: self._faults.get(entrant.name, 0) + 1 if seat == at_fault else 0
            for seat, entrant in enumerate(finished.game.entrants)
        }

    def _write(self, action: Callable[[Connection], Result]) -> Result:
        """What `action` does in a transaction of its own; after a failed attempt the games to come are read again."""

        def wait(reason: str) -> None:
            self._ahead = []
            self._wait(reason)

        return _written(self._database, wait, action)


def _written(database: Database, wait: Wait, action: Callable[[Connection], Result]) -> Result:
    """What `action` does in a transaction of its own, tried again as long as the database cannot be written."""
    while True:
        try:
            with database.writing() as connection:
                return action(connection)
        except (Busy, DiskFull) as error:
            wait(str(error))
