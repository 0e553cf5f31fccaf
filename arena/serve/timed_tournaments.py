"""The tournaments of a ladder that begin at a time, and its final: each is played by the ladder's director.

A tournament is played by the versions that play on the ladder when it begins, and by no later ones. Its row in the
database says that it has begun, so it begins once, whatever is killed; the next run goes on with it. The transaction
that writes this row excludes submissions: each one is checked before the final begins, or it is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from arena.errors import ArenaError
from arena.history import words
from arena.match.schedule import Finished, Planned
from arena.players import versions
from arena.players.builder import walls_of
from arena.players.submissions import Store
from arena.serve.ladder import FINAL, TimedTournament
from arena.serve.open_ladders import OpenLadder, opened
from arena.serve.priority_schedule import StandingSchedule
from arena.tournament.league import League, ListedAgent
from arena.tournament.lock import tournament_lock
from arena.tournament.recorded_games import Wait
from arena.tournament.tournament import Tournament
from arena.walls.run_folder import RunFolder
from db import ladder as record
from db import running
from db.audit import StoredVersion
from db.database import Connection, Database
from db.errors import Busy


@dataclass(frozen=True, slots=True)
class _Running:
    """A tournament that is being played, and what is released when it ends."""

    tournament: Tournament
    lock: ExitStack


class _NotNow(Exception):
    """The tournament cannot begin as it was read: somebody handed in, or the ladder has changed."""


class TimedTournaments(StandingSchedule):
    """The tournaments of one ladder that have begun and are not over, the first one first."""

    def __init__(
        self,
        ladder: OpenLadder,
        database: Database,
        store: Store,
        folder: RunFolder,
        wait: Wait,
        now: Callable[[], datetime],
        *,
        ladder_is_over: Callable[[], bool],
        say: Callable[[str], None],
        uploads_end_after: timedelta = timedelta(0),
    ) -> None:
        """Nothing is played before the first `next`. `ladder_is_over`: whether its last game has been played, so that
        the final can begin. `uploads_end_after`: so long after the end of submissions rows of uploads that began before
        it can still be written; the final waits for them. `say` gets a sentence when a tournament begins, ends,
        or cannot begin."""
        self._opened = ladder
        self._database = database
        self._store = store
        self._folder = folder
        self._wait = wait
        self._now = now
        self._ladder_is_over = ladder_is_over
        self._say = say
        self._uploads_end_after = uploads_end_after
        # What was said about rules that fail.
        self._said: set[str] = set()
        # By tournament: why it could not begin when this was tried last.
        self._trouble: dict[str, str] = {}
        self._running: list[_Running] = []
        # By number: the tournament of each game in progress.
        self._of_game: dict[int, Tournament] = {}
        self._looks = True

    @property
    def is_over(self) -> bool:
        """Whether the final has been played, and no other tournament is in progress."""
        if self._running or self._trouble:
            return False
        with self._database.reading() as connection:
            return _status(connection, self._opened.final) == "finished"

    def next(self) -> Planned | None:
        """The next game of the tournaments that have begun; those whose time has come begin."""
        with suppress(Busy):
            self._begin_those_due()
        for one in [*self._running]:
            if (game := one.tournament.next()) is not None:
                self._of_game[game.number] = one.tournament
                return game
            if one.tournament.is_over:
                self._end(one)
        return None

    def note(self, finished: Finished) -> None:
        """Records the game and all that follows from it in its tournament."""
        self._of_game.pop(finished.game.number).note(finished)

    def look(self, ladder: OpenLadder) -> None:
        """With the next call of `next`, tournaments whose time has come begin."""
        self._opened, self._looks = ladder, True

    def interrupted(self) -> None:
        """The referee died: the games in progress are scheduled again."""
        self._of_game.clear()
        for one in self._running:
            one.tournament.interrupted()

    def close(self) -> None:
        """Ends the run; the next one goes on with the tournaments that are not over."""
        while self._running:
            self._release(self._running[0])

    # Begin and end.

    def _begin_those_due(self) -> None:
        if not self._looks:
            return
        self._looks = False
        with self._database.reading() as connection:
            due = self._due(connection)
        before, self._trouble = self._trouble, {}
        for league in due:
            try:
                self._begin(league)
            except _NotNow:
                self._looks = True
            except ArenaError as error:
                self._trouble[league.name] = why = str(error)
                if before.get(league.name) != why:
                    self._say(f"the tournament {league.name!r} cannot be played now, it is tried again: {why}")

    def _due(self, connection: Connection) -> list[League]:
        """The tournaments to be played from now on, without their agents."""
        known = {one.tournament.league.name for one in self._running}
        return [
            league
            for league in (one.league for one in self._planned(connection, self._now()))
            if league.name not in known and _status(connection, league.name) != "finished"
        ]

    def _planned(self, connection: Connection, now: datetime) -> list[TimedTournament]:
        """The tournaments whose time has come, also those that have begun or are over.

        The final waits until the last extension has ended and no upload can still end, no submission is waiting for its
        check, and the last game of the ladder is over."""
        ladder = self._opened.ladder
        due = [one for one in ladder.tournaments if one.starts <= now]
        final = TimedTournament(FINAL, self._opened.closes, ladder.final)
        if running.tournament(connection, self._opened.final) is not None:
            return [*due, final]
        last = record.last_extension(connection, self._opened.id)
        end = max(final.starts, last or final.starts) + self._uploads_end_after
        if now < end or record.open_submissions(connection, self._opened.id):
            return due
        if not self._ladder_is_over():
            return due
        return [*due, final]

    def _agents(self, connection: Connection, league: League) -> tuple[ListedAgent, ...]:
        """The agents of the tournament: those that entered it, or, if it has not begun, those of the ladder now.

        An agent that was put aside takes part: the tournament has its own rule about faults."""
        row = running.tournament(connection, league.name)
        entered = record.standings(connection, self._opened.id if row is None else row["id"])
        return tuple(
            self._listed(line)
            for line in sorted(entered, key=lambda line: line.name)
            if row is not None or (line.name not in self._opened.anchors and line.status != "withdrawn")
        )

    def _listed(self, line: record.LadderLine) -> ListedAgent:
        version = StoredVersion(line.name, line.number, line.source, line.started_as)
        player = versions.player_of(version, self._store)
        walls, allowance = walls_of(self._store, line.source, self._opened.ladder.languages)
        return ListedAgent(line.name, line.started_as, player, walls=walls, allowance=allowance)

    def _begin(self, league: League) -> None:
        """Begins the tournament or goes on with it; ArenaError if that is not possible now."""
        with self._database.reading() as connection:
            agents = self._agents(connection, league)
        if len(agents) < league.seats:
            return

        def still_due(connection: Connection) -> None:
            record.lock_submissions(connection, self._opened.id)
            self._opened = opened(connection, self._opened.name)
            if league not in self._due(connection) or agents != self._agents(connection, league):
                raise _NotNow

        with ExitStack() as stack:
            lock = stack.enter_context(tournament_lock(self._store.folder, league.name, database=self._database))
            lock.note(self._folder.path)
            tournament = Tournament.begin(
                replace(league, agents=agents),
                self._database,
                self._store,
                scratch=self._folder.scratch,
                wait=self._wait,
                first=still_due,
                if_rules_fail=self._say_once,
            )
            self._running.append(_Running(tournament, stack.pop_all()))
        games = f"{tournament.over} of {tournament.expected} games are over"
        self._say(f"the tournament {league.name!r} is being played: {len(agents)} agents, {games}")
        if tournament.tried_again:
            self._say(words.tried_again(league.name, tournament.tried_again))

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._say(words.without_store(text))

    def _end(self, one: _Running) -> None:
        self._release(one)
        name = one.tournament.league.name
        self._say(f"the tournament {name!r} is over; its results: arena results {name!r}")

    def _release(self, one: _Running) -> None:
        """Records the tournament's status, and lets other processes run it."""
        self._running.remove(one)
        with one.lock:
            one.tournament.close()


def _status(connection: Connection, name: str) -> str | None:
    row = running.tournament(connection, name)
    return None if row is None else str(row["status"])
