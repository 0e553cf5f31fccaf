"""The tournaments of a ladder that begin at a time, and its final: each is played by the ladder's director.

A tournament is played by the versions that play on the ladder when it begins, and by no later ones. Its row in the
database says that it has begun, so it begins once, whatever is killed; the next run goes on with it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from arena.errors import ArenaError
from arena.match.schedule import Finished, Planned, Schedule
from arena.players import versions
from arena.players.builder import walls_of
from arena.players.submissions import Store
from arena.serve.ladder import FINAL, Dated
from arena.serve.opened import OpenLadder
from arena.tournament.league import League, Listed
from arena.tournament.lock import tournament_lock
from arena.tournament.recorded_games import Wait
from arena.tournament.tournament import Tournament
from arena.walls.run_folder import RunFolder
from db import ladder as record
from db import running
from db.audit import StoredVersion
from db.database import Connection, Database
from db.errors import Busy

_LOOK_EVERY: Final = timedelta(seconds=2)
"""How often the database is asked whether a tournament begins."""
_REST: Final = 2.0
"""Seconds until the director asks again."""


@dataclass(frozen=True, slots=True)
class _Running:
    """A tournament that is being played, and what is released when it ends."""

    tournament: Tournament
    lock: ExitStack


class DatedTournaments(Schedule):
    """The tournaments of one ladder that have begun and are not over, the first one first."""

    def __init__(
        self,
        opened: OpenLadder,
        database: Database,
        store: Store,
        folder: RunFolder,
        wait: Wait,
        now: Callable[[], datetime],
        *,
        ladder_is_over: Callable[[], bool] = lambda: True,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Nothing is played before the first `next`. `ladder_is_over`: whether its last game has been played, so that
        the final can begin. `say` gets a sentence when a tournament begins, ends, or cannot begin."""
        # Can be replaced while it stands: when the ladder closes, or when its description changes.
        self.opened = opened
        self._database = database
        self._store = store
        self._folder = folder
        self._wait = wait
        self._now = now
        self._ladder_is_over = ladder_is_over
        self._say = say
        # By tournament: why it could not begin when this was tried last.
        self._trouble: dict[str, str] = {}
        self._running: list[_Running] = []
        # By number: the tournament of each game in progress.
        self._of_game: dict[int, Tournament] = {}
        self._look_at: datetime | None = None

    @property
    def is_over(self) -> bool:
        """Whether the final has been played, and no other tournament is in progress."""
        if self._running or self._trouble:
            return False
        with self._database.reading() as connection:
            return _status(connection, self.opened.final) == "finished"

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

    def rest(self) -> float | None:
        """Two seconds: a tournament can begin at any time."""
        return _REST

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
        now = self._now()
        # The lower bound is for a clock that was set back.
        if self._look_at is not None and self._look_at - _LOOK_EVERY <= now < self._look_at:
            return
        self._look_at = now + _LOOK_EVERY
        known = {one.tournament.league.name for one in self._running}
        with self._database.reading() as connection:
            due = [
                league
                for league in (one.league for one in self._planned(connection, now))
                if league.name not in known and _status(connection, league.name) != "finished"
            ]
        before, self._trouble = self._trouble, {}
        for league in due:
            try:
                self._begin(league)
            except ArenaError as error:
                self._trouble[league.name] = why = str(error)
                if before.get(league.name) != why:
                    self._say(f"the tournament {league.name!r} cannot be played now, it is tried again: {why}")

    def _planned(self, connection: Connection, now: datetime) -> list[Dated]:
        """The tournaments whose time has come, also those that have begun or are over.

        The final waits until the last extension has ended, no submission is waiting for its check, and the last game
        of the ladder is over."""
        ladder = self.opened.ladder
        due = [one for one in ladder.tournaments if one.starts <= now]
        final = Dated(FINAL, self.opened.closes, ladder.final)
        if running.tournament(connection, self.opened.final) is not None:
            return [*due, final]
        last = record.last_extension(connection, self.opened.id)
        if now < max(final.starts, last or final.starts) or record.open_submissions(connection, self.opened.id):
            return due
        if not self._ladder_is_over():
            return due
        return [*due, final]

    def _with_agents(self, connection: Connection, league: League) -> League:
        """The tournament with its agents: those that entered it, or, if it has not begun, those of the ladder now.

        An agent that was put aside takes part: the tournament has its own rule about faults."""
        row = running.tournament(connection, league.name)
        entered = record.standings(connection, self.opened.id if row is None else row["id"])
        return replace(
            league,
            agents=tuple(
                self._listed(line)
                for line in sorted(entered, key=lambda line: line.name)
                if row is not None or (line.name not in self.opened.anchors and line.status != "withdrawn")
            ),
        )

    def _listed(self, line: record.LadderLine) -> Listed:
        player = versions.player(_version(line), self._store)
        walls, allowance = walls_of(self._store, line.source, self.opened.ladder.languages)
        return Listed(line.name, line.started_as, player, walls=walls, allowance=allowance)

    def _begin(self, league: League) -> None:
        """Begins the tournament or goes on with it; ArenaError if that is not possible now."""
        with self._database.reading() as connection:
            league = self._with_agents(connection, league)
        if len(league.agents) < league.seats:
            return
        with ExitStack() as stack:
            lock = stack.enter_context(tournament_lock(self._store.folder, league.name))
            lock.note(self._folder.path)
            tournament = Tournament.begin(
                league, self._database, self._store, scratch=self._folder.scratch, wait=self._wait
            )
            self._running.append(_Running(tournament, stack.pop_all()))
        games = f"{tournament.over} of {tournament.all} games are over"
        self._say(f"the tournament {league.name!r} is being played: {len(league.agents)} agents, {games}")

    def _end(self, one: _Running) -> None:
        self._release(one)
        name = one.tournament.league.name
        self._say(f"the tournament {name!r} is over; its results: arena standings {name!r}")

    def _release(self, one: _Running) -> None:
        """Records the tournament's status, and lets other processes run it."""
        self._running.remove(one)
        with one.lock:
            one.tournament.close()


def _status(connection: Connection, name: str) -> str | None:
    row = running.tournament(connection, name)
    return None if row is None else str(row["status"])


def _version(line: record.LadderLine) -> StoredVersion:
    return StoredVersion(line.name, line.number, line.source, line.started_as)
