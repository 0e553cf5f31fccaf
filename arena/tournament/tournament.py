"""A tournament that is being run: it gives out the next game, and records each result.

It is the schedule that a director plays. Every result is recorded in one transaction with all that follows from it, so
that after a crash of any process the next run resumes with exactly the games that are missing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, Self

from adsearch import games
from arena.match.schedule import Entrant, Finished, Planned, Schedule
from arena.players.confinement import Confinement
from arena.players.entrants import enter
from arena.players.submissions import Store
from arena.tournament import host_speed
from arena.tournament.consequences import Consequences
from arena.tournament.game_scheduling import decide_match, forfeit_all, forfeit_inactive, schedule_more
from arena.tournament.league import League
from arena.tournament.preparation import Prepared, prepare
from arena.tournament.recorded_games import RecordedGames, Wait, written
from arena.tournament.sequential_test import line_of_match
from arena.tournament.standings import TournamentStandings, standings
from db import rated_games, running, store
from db.database import Connection, Database
from db.games import hosts
from db.records import RatedGame, ScheduledGame

_AHEAD: Final = 50
"""Number of scheduled games that are read from the database in one query."""


class Tournament(RecordedGames, Schedule):
    """A tournament that this process runs; `lock.tournament_lock` keeps other processes from running it."""

    def __init__(
        self,
        prepared: Prepared,
        database: Database,
        *,
        entrants: Mapping[str, Entrant],
        confinement: Confinement,
        wait: Wait,
    ) -> None:
        """A tournament that is already prepared; `Tournament.begin` prepares one."""
        super().__init__(prepared.tournament, database, wait=wait, faults=prepared.faults)
        self.entrants = entrants
        self.confinement = confinement
        # Agents whose source has changed.
        self.changed = prepared.changed
        # Numbers of the void games that this run plays once more.
        self.tried_again = prepared.tried_again
        # The state of a match's sequential test; once the test is decided, its state at the decision.
        self.test = prepared.test
        # Numbers of games, without cancelled ones.
        self.over = prepared.over
        self.all = prepared.all
        self._consequences = Consequences(prepared.tournament)
        # Games that are marked as in progress in the database, but not yet given to the director.
        self._marked: deque[ScheduledGame] = deque()
        # The next scheduled games, as read from the database.
        self._ahead: list[ScheduledGame] = []
        # Scheduled games that wait at the referee for the end of another one.
        self._waiting: dict[int, ScheduledGame] = {}
        # Waiting games that have begun, and when; the next transaction marks them as in progress.
        self._unmarked: dict[int, datetime] = {}

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
        first: Callable[[Connection], None] = lambda _: None,
        if_rules_fail: Callable[[str], None] | None = None,
        traffic: Path | None = None,
    ) -> Self:
        """Starts or resumes the tournament that `league` describes, in one transaction: enters all agents and schedules
        the games known so far. BadLeague if the description has changed too much. `first` is called in this transaction
        before anything is written; if it raises an error, nothing is. `if_rules_fail`: as in `RecordedTournament`;
        `traffic`: as for `Confinement`.

        Sources are copied to `submissions`; the modules that agents can import are placed in the folder `scratch`."""
        rules = submissions.take_game(league.game)
        start = games.start(rules)
        confinement = Confinement(scratch, rules, league.conditions, traffic=traffic)
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
            first(connection)
            return prepare(
                *(connection, league, rules, entrants), rerun_changed=rerun_changed, if_rules_fail=if_rules_fail
            )

        return cls(written(database, wait, prepared), database, entrants=entrants, confinement=confinement, wait=wait)

    # The schedule that a director plays.

    def next(self) -> Planned | None:
        """The next game to start."""
        game = self._marked.popleft() if self._marked else self._write(self._begin_next)
        if game is None:
            return None
        self._drop(game)
        return self._given(game)

    def ahead(self) -> Planned | None:
        """The next game, to begin as soon as another one is over; None if the results decide what is played."""
        if self.league.format.test is not None or self.league.format.grows:
            return None
        if not self._ahead and not self._write(self._upcoming):
            return None
        game = self._ahead.pop(0)
        self._waiting[game.id] = game
        return self._given(game)

    def begun(self, game: Planned, when: datetime) -> None:
        """A waiting game has begun."""
        del self._waiting[game.number]
        self._unmarked[game.number] = when

    def give_back(self, game: Planned) -> None:
        """A waiting game does not begin: it is the next one again."""
        self._ahead.insert(0, self._waiting.pop(game.number))

    def note(self, finished: Finished) -> None:
        """Records the game and all its effects in one transaction."""
        out, (changed, game) = self._record(finished, partial(self._follow, finished), self._first)
        self._unmarked.clear()
        if out:
            self._marked.clear()
        if game is not None:
            self._marked.append(game)
            self._drop(game)
        if changed:
            self._write(self._count)
        else:
            self.over += 1

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be played."""
        return self.over == self.all

    @property
    def expected(self) -> int:
        """The number of all games, with those of rounds that are not scheduled yet."""
        return self.all if self.is_over else self.league.expected(self.all)

    def standings(self) -> TournamentStandings:
        """The standings now."""
        with self._database.reading() as connection:
            return standings(connection, self.id)

    def rated_so_far(self) -> list[RatedGame]:
        """The games that count for ratings, in the order of play."""
        with self._database.reading() as connection:
            return rated_games.games(connection, rated_games.Scope(tournaments=(self.id,)))

    def stands(self) -> str:
        """How a match of two stands, as those who test engines know it."""
        terms = self.league.format.test
        first = self.league.first if terms is None else terms.of
        other = next(agent.name for agent in self.league.agents if agent.name != first)
        with self._database.reading() as connection:
            pairs = running.pair_points(connection, self.id, first)
        return line_of_match(first, other, pairs, self.test)

    def first_speed(self) -> float | None:
        """The speed of the host that played the first game; None if no game says one."""
        with self._database.reading() as connection:
            speeds = [host_speed.recorded(host) for host, _ in hosts(connection, self.id)]
        return next(filter(None, speeds), None)

    def interrupted(self) -> None:
        """The referee died during the games in progress: they are scheduled again."""
        self._marked.clear()
        self._waiting.clear()
        self._unmarked.clear()
        self._ahead = []
        self._consequences.forget()

        def put_back(connection: Connection) -> None:
            self._put_back(connection)
            self._forfeit_quarantined(connection)
            schedule_more(connection, self._on_record)
            self._count(connection)

        self._write(put_back)

    def close(self) -> None:
        """Ends the run: games in progress are scheduled again, and the tournament's status is recorded."""

        def end(connection: Connection) -> None:
            self._put_back(connection)
            store.set_status(connection, self.id, "finished" if self.is_over else "stopped", datetime.now(UTC))

        self._write(end)

    # Inside a transaction.

    def _first(self, connection: Connection, out: Sequence[str]) -> None:
        for number, when in self._unmarked.items():
            store.begin(connection, number, when)
        for begun in self._marked if out else ():
            store.postpone(connection, begun.id)  # then it is forfeited if its player is quarantined

    def _follow(
        self, finished: Finished, connection: Connection, repeated: bool, out: Mapping[str, str]
    ) -> tuple[bool, ScheduledGame | None]:
        """Writes what follows; returns whether the schedule has changed, and the next game."""
        self.test = self._consequences.decide(connection, finished)
        changed = bool(repeated or out or (self.test is not None and self.test.verdict is not None))
        for name, reason in out.items():
            forfeit_all(connection, self.id, name, reason)
        if repeated:
            self._forfeit_quarantined(connection)
        if out or repeated:
            self._consequences.forget()
        changed = self._consequences.schedule(connection, finished, repeated=repeated) or changed
        if changed:
            self._ahead = []
        if self._unmarked:
            return changed, None
        game = self._begin_next(connection)
        # A game that was scheduled by a ruling is noticed at the latest when no other one is left.
        return changed or (game is None and self._consequences.notice_rulings(connection)), game

    def _forfeit_quarantined(self, connection: Connection) -> None:
        """Forfeits games that are scheduled again, if a player was quarantined while they were in progress."""
        entered = running.entries(connection, self.id)
        forfeit_inactive(connection, self.id, [entry for entry in entered if entry.status == "quarantined"])

    def _decide(self, connection: Connection) -> bool:
        """Whether the match's test is decided; if so, the scheduled games are cancelled."""
        self.test = decide_match(connection, self._on_record)
        return self.test is not None and self.test.verdict is not None

    def _put_back(self, connection: Connection) -> None:
        """Schedules the games in progress again, unless the test is decided without them."""
        store.interrupt(connection, self.id)
        if self._decide(connection):
            self._count(connection)

    def _begin_next(self, connection: Connection) -> ScheduledGame | None:
        """Marks the next scheduled game as in progress and returns it. `_drop` removes it from `_ahead` only after the
        transaction, because that can be repeated."""
        ahead = self._upcoming(connection)
        if not ahead:
            return None
        store.begin(connection, ahead[0].id, datetime.now(UTC))
        return ahead[0]

    def _upcoming(self, connection: Connection) -> list[ScheduledGame]:
        if not self._ahead:
            out = self._waiting.keys() | self._unmarked.keys()
            games = running.scheduled(connection, self.id, _AHEAD + len(out))
            self._ahead = [game for game in games if game.id not in out]
        return self._ahead

    def _count(self, connection: Connection) -> None:
        self.over, self.all = running.counts(connection, self.id)

    # Outside of transactions.

    def _drop(self, game: ScheduledGame) -> None:
        """Removes the game from the next scheduled ones."""
        self._ahead = [other for other in self._ahead if other.id != game.id]

    def _given(self, game: ScheduledGame) -> Planned:
        """The game, with its players."""
        return self._planned(game, tuple(self.entrants[name] for name in game.names))

    def _forget(self) -> None:
        self._ahead = []
        self._consequences.forget()
