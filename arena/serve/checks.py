"""Checks: the games that check what was handed in to a ladder, as a schedule for the director of the ladder.

The row of a submission is the truth: it says that the check runs, and has every step as soon as it is known. Whatever
is killed, a submission whose check was not over is checked again. None fails because the server was killed; one during
whose check the server ended twice by an error of its own does. Authors take turns, with one check at a time each.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec import to_builtins

from arena.course.roster import replace_unprintable
from arena.errors import ArenaError, BadFixture, BadPlayer, RefereeLost
from arena.history.words import counted, without_store
from arena.match import schedule
from arena.match.schedule import Finished, Planned
from arena.players import versions
from arena.players.builder import walls_of
from arena.players.player import Player
from arena.players.submissions import Store
from arena.serve.open_ladders import OpenLadder
from arena.serve.priority_schedule import StandingSchedule
from arena.student.checking import NUMBERED_STEPS, CheckReport, CheckStep, Exam, Light, of_league
from arena.student.checking.check_maker import Candidate, CheckMaker, CheckSchedule, RunningCheck
from arena.student.checking.explanations import Explanation
from arena.student.checking.steps import GameRequests
from arena.tournament.recorded_games import Wait, written
from db import ladder, ladder_results, running, store
from db.audit import StoredVersion
from db.database import Connection, Database
from db.errors import DatabaseError
from db.ladder import StoredSubmission, SubmissionState, author_of

Result = TypeVar("Result")
FIRST_NUMBER: Final = 2**40
"""The number of the first game of a check. These games are not recorded; recorded games have smaller numbers."""
MOST_INTERRUPTIONS: Final = 3
"""So often a submission can be in its check when the server is killed, or ended by an error; then it is checked last.
After the first time it is checked while no other check runs, so that only one can be what ended the server."""
_OTHERS_FIRST: Final = timedelta(minutes=2)
"""How long after its start a server begins such a check: if that ends the server each time, the ladder goes on all the
same."""
_ENDED_ONCE: Final = "the server of the ladder ended by an error during this check, so it is checked again"
"""In the row of a submission that is not decided."""
_ENDED_TWICE: Final = (
    "the server of the ladder ended by an error twice during this check, so it is not checked again; it is not known "
    "whether the agent is to blame: ask your instructor, who finds the reason in the messages of the server"
)
_POSITIONS: Final = 10
"""Positions in which each agent is asked for a move; `arena check` uses more."""


@dataclass(slots=True)
class _InProgress:
    """A submission whose check has begun."""

    submission: StoredSubmission
    started_as: str = ""
    steps: list[dict[str, Any]] = field(default_factory=list)
    recorded: int = 0
    """The number of steps in its row."""


class Checks(StandingSchedule):
    """The checks of one ladder's submissions."""

    def __init__(
        self,
        opened: OpenLadder,
        database: Database,
        sources: Store,
        *,
        scratch: Path,
        wait: Wait,
        entered: Callable[[StoredSubmission], None] = lambda _: None,
        now: Callable[[], datetime],
    ) -> None:
        """`scratch`: a folder of the run in which agents get their folders. `entered` is called with a submission that
        passed, when its version plays."""
        self._exam = _exam(opened)
        self._numbers = count(FIRST_NUMBER)
        self._maker = CheckMaker(self._exam, sources, scratch, numbers=self._numbers)
        self._opened = opened
        self._database = database
        self._sources = sources
        self._scratch = scratch
        self._wait = wait
        self._entered = entered
        self._now = now
        self._schedule = CheckSchedule(self._begin, many=True)
        # By the ids of the submissions.
        self._in_progress: dict[int, _InProgress] = {}
        # By author: the number of the last check.
        self._turns: dict[str, int] = {}
        self._turn = count(1)
        self._looks = True
        # When it begins submissions whose check was interrupted many times.
        self._begins_last_ones = now() + _OTHERS_FIRST
        # The error by which the server ends: it is noted in the rows, and the next run counts it.
        self.ends_by: Exception | None = None
        self._put_back(after_a_run=True)

    @property
    def warnings(self) -> list[str]:
        """Warnings about this machine and about checks that were interrupted many times, for the instructor."""
        with self._database.reading() as connection:
            rows = ladder.open_submissions(connection, self._opened.id)
        last = [
            f"submission {one.id} of {one.author} ({one.label}): the server ended {counted(one.interruptions, 'time')} "
            f"during its check; it is checked after all others, {_OTHERS_FIRST.seconds // 60} minutes after the start"
            for one in rows
            if not one.is_unopened and one.interruptions >= MOST_INTERRUPTIONS
        ]
        return [*self._maker.confinement.warnings, *last]

    # The schedule that a director plays.

    def next(self) -> Planned | None:
        """The next game of a check; the checks that are ready to begin do begin."""
        game = self._schedule.next()
        self._record()
        return game

    def note(self, finished: Finished) -> None:
        """Takes a finished game; its check continues with the next call of `next`."""
        self._schedule.note(finished)

    def began(self, game: Planned) -> None:
        """Notes that all players of the game are ready: the director yields `Began`."""
        self._schedule.began(game)

    def look(self, ladder: OpenLadder) -> None:
        """With the next call of `next`, what was handed in is checked, under the conditions of now."""
        exam = _exam(ladder)
        if exam != self._exam:
            self._maker = CheckMaker(exam, self._sources, self._scratch, numbers=self._numbers)
        self._opened, self._exam, self._looks = ladder, exam, True

    def interrupted(self) -> None:
        """The games in progress are lost: their checks begin again."""
        self._schedule = CheckSchedule(self._begin, many=True)
        self._in_progress.clear()
        self._put_back(after_a_run=False)
        self._looks = True

    def close(self) -> None:
        """Ends the checks; those in progress begin again with the next run."""
        if self.ends_by is None:
            self.interrupted()
            return
        if isinstance(self.ends_by, RefereeLost | DatabaseError):
            return  # that may come from outside
        with suppress(DatabaseError), self._database.writing() as connection:
            for one in self._in_progress.values():
                if one.submission.words == _ENDED_ONCE:
                    self._change(connection, one, SubmissionState.FAILED, words=_ENDED_TWICE)
                else:
                    self._change(connection, one, SubmissionState.CHECKING, words=_ENDED_ONCE)

    # From a row to a check.

    def _begin(self) -> RunningCheck | None:
        """The check of the next submission; None if there is none now."""
        self._record()
        if not self._looks:
            return None
        with self._database.reading() as connection:
            waits = self._next_of(ladder.open_submissions(connection, self._opened.id)) is not None
        one = self._write(self._begin_next) if waits else None
        if one is None:
            self._looks = False
            return None
        self._turns[author_of(one.author)] = next(self._turn)
        self._in_progress[one.id] = checked = _InProgress(one)
        running = self._maker.check(one.id, self._candidate(checked))
        if running.requests is not None:
            running.requests = _until_rules_fail(running, running.requests, self._sources.folder)
        return running

    def _next_of(self, rows: Sequence[StoredSubmission]) -> StoredSubmission | None:
        """The opened submission to check next: of the author whose last check is the longest ago; last come those whose
        check was interrupted many times. None if there is none, or if it must wait, because it or one in progress is
        checked alone."""
        rows = [one for one in rows if not one.is_unopened]
        last = {one.id for one in rows if one.interruptions >= MOST_INTERRUPTIONS}
        busy = {author_of(one.submission.author) for one in self._in_progress.values()}
        newest = {one.author: one for one in rows if one.state is SubmissionState.RECEIVED}
        if self._now() < self._begins_last_ones:
            newest = {name: one for name, one in newest.items() if one.id not in last}
        free = [one for one in newest.values() if author_of(one.author) not in busy]
        one = min(
            free, key=lambda one: (one.id in last, self._turns.get(author_of(one.author), 0), one.id), default=None
        )
        in_progress = [each.submission for each in self._in_progress.values()]
        is_alone = one is not None and any(each.interruptions for each in (one, *in_progress))
        return None if in_progress and is_alone else one

    def _begin_next(self, connection: Connection) -> StoredSubmission | None:
        ladder.lock_submissions(connection, self._opened.id)
        one = self._next_of(ladder.open_submissions(connection, self._opened.id))
        if one is not None:
            now = self._time_for(one)
            ladder.change_submission(connection, one.id, SubmissionState.CHECKING, now, words=one.words, steps=())
        return one

    def _candidate(self, checked: _InProgress) -> Candidate:
        one = checked.submission
        found: Player | Explanation
        walls, allowance = None, None
        try:
            found = self._player(checked)
            walls, allowance = walls_of(self._sources, one.source or "", self._opened.ladder.languages)
        except ArenaError as error:
            found = Explanation.of_error(error)
        return Candidate(
            one.author,
            one.label,
            player=found,
            walls=walls,
            allowance=allowance,
            report=lambda step: checked.steps.append(to_builtins(step)),
        )

    def _player(self, checked: _InProgress) -> Player:
        one = checked.submission
        source = self._sources.folder / (one.source or "")
        if one.source is None or not source.is_dir():
            raise BadPlayer("its files are not in the store; hand it in again")
        checked.started_as = versions.version_started_as(source, one.author)
        version = StoredVersion(one.author, 0, one.source, checked.started_as)
        return versions.player_of(version, self._sources)

    # From a check to its row.

    def _record(self) -> None:
        """Writes the steps that are new, and the results of the checks that are over."""
        ended = dict(self._schedule.finished())
        new = [one for id, one in self._in_progress.items() if id in ended or one.recorded < len(one.steps)]
        if not new:
            return

        def record(connection: Connection) -> None:
            for one in new:
                if (report := ended.get(one.submission.id)) is not None:
                    self._end(connection, one, report)
                else:
                    self._change(connection, one, SubmissionState.CHECKING, words=one.submission.words)

        self._write(record)
        for one in new:
            one.recorded = len(one.steps)
            if (report := ended.get(one.submission.id)) is not None:
                del self._in_progress[one.submission.id]
                self._looks = True
                if report.plays:
                    self._entered(one.submission)

    def _end(self, connection: Connection, one: _InProgress, report: CheckReport) -> None:
        """Records the result; an agent that passed plays from now on, instead of its earlier version."""
        words = _words(report)
        if not report.plays:
            self._change(connection, one, SubmissionState.FAILED, words=words)
            return
        name, source = one.submission.author, one.submission.source or ""
        tournament = self._opened.id
        statuses = {entry.name: entry.status for entry in running.entries(connection, tournament)}
        version = store.version(connection, name, source, one.started_as, self._now())
        store.enter(connection, tournament, name, version)
        if statuses.get(name) == "quarantined":  # the faults were the old version's
            store.set_entry_status(connection, tournament, name, "active")
        ladder_results.cancel_replaced(connection, tournament)
        self._change(connection, one, SubmissionState.ENTERED, words=words, version=version)

    def _change(
        self,
        connection: Connection,
        one: _InProgress,
        state: SubmissionState,
        *,
        words: str = "",
        version: int | None = None,
    ) -> None:
        id, now = one.submission.id, self._time_for(one.submission)
        ladder.change_submission(connection, id, state, now, words=words, steps=one.steps, version=version)

    def _put_back(self, *, after_a_run: bool) -> None:
        """Submissions whose check was not over wait again, unless a newer one of the same agent waits. `after_a_run`:
        those in their check have ended the last run, or were in it when something else did."""

        def put_back(connection: Connection) -> None:
            ladder.lock_submissions(connection, self._opened.id)
            # One that is not opened yet may be refused: it replaces none, and stays as it is.
            rows = [one for one in ladder.open_submissions(connection, self._opened.id) if not one.is_unopened]
            newest = {one.author: one for one in rows}
            for one in rows:
                last = newest[one.author]
                interruptions = one.interruptions + (after_a_run and one.state is SubmissionState.CHECKING)
                words, state = one.words, SubmissionState.RECEIVED
                if last is not one:
                    words = f"replaced by submission {last.id} before its check was over"
                    state = SubmissionState.WITHDRAWN
                if one.state is not state:
                    now = self._time_for(one)
                    ladder.change_submission(
                        connection, one.id, state, now, words=words, steps=(), interruptions=interruptions
                    )

        self._write(put_back)

    def _time_for(self, one: StoredSubmission) -> datetime:
        """The time of a change of that row: never before it was received."""
        return max(self._now(), one.received)

    def _write(self, action: Callable[[Connection], Result]) -> Result:
        return written(self._database, self._wait, action)


def _until_rules_fail(running: RunningCheck, requests: GameRequests, rules: Path) -> GameRequests:
    """The games of a check. If user-supplied rules, which are in the folder `rules`, fail in a game or in this process,
    the check ends with a failed step, and the server goes on."""
    try:
        yield from requests
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        if isinstance(error, BadFixture):
            what = str(error)
        elif any(Path(frame.filename).is_relative_to(rules) for frame in frames):
            what = schedule.rules_failure(error)
        else:
            raise
        known = {step.name for step in running.steps}
        first, *rest = (name for name in NUMBERED_STEPS if name not in known)
        message = f"this is not a fault of the agent: {what}"
        advice = "ask your instructor, who can correct the rules of the game"
        running.report(CheckStep(name=first, light=Light.FAILED, seconds=0.0, message=message, advice=advice))
        for name in rest:
            running.report(CheckStep(name=name, light=Light.SKIPPED, seconds=0.0))


def _exam(opened: OpenLadder) -> Exam:
    """The conditions of each check, which is shorter than that of `arena check`."""
    return replace(of_league(opened.ladder.league), positions=_POSITIONS, seconds=1.0)


def _words(report: CheckReport) -> str:
    """The worst step in one sentence; empty if all are good."""
    worst = report.worst
    if worst is None:
        return ""
    said = "; ".join(filter(None, (worst.message, worst.advice)))
    return replace_unprintable(without_store(f"{worst.name}: {said}"))
