"""Collector: checks hand-ins, newest first, and keeps for each student the last hand-in that passed.

A hand-in is written to the database and the collected file as soon as it has passed: after an interruption the same
command continues. A hand-in that already plays, and was checked under the same conditions, is not checked again.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Final

from arena.course.collecting.agent_names import agent_names
from arena.course.collecting.deadline import is_late
from arena.course.collecting.find_agent import find_agent
from arena.course.collecting.hand_in import HandIn
from arena.course.collecting.hand_in_result import HandInOutcome, HandInResult
from arena.course.collecting.kept_agents import KeptAgents, is_of, is_older
from arena.course.collecting.shared_content import SharedContent, shared_content
from arena.course.roster import Roster, Student
from arena.errors import BadPlayer, BadSubmission
from arena.players.player import Player, PlayerKind
from arena.players.submissions import Store, Submission
from arena.student.checking import CheckReport
from arena.student.checking.agent_lookup import find
from arena.student.checking.conditions import Conditions
from arena.student.checking.examiner import Candidate, Examiner
from arena.student.checking.explanations import Explanation
from arena.tournament.collected_file import Collected
from arena.walls.run_folder import RunFolder
from db.database import Database

_POSITIONS: Final = 10
"""Positions in which each agent is asked for a move; `arena check` uses more."""
_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class _Queue:
    """One student's hand-ins that are still to be checked, the newest first, and the results so far."""

    student: Student
    agent: str
    kept: Collected | None
    hand_ins: deque[HandIn] = field(default_factory=deque)
    results: list[HandInResult] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Stored:
    """A hand-in whose agent is in the store, about to be checked."""

    queue: _Queue
    hand_in: HandIn
    player: Player
    submission: Submission
    started_as: str


class Collector:
    """One run of `arena collect`: all students' hand-ins, under the conditions of one tournament."""

    def __init__(
        self,
        conditions: Conditions,
        roster: Roster,
        *,
        database: Database,
        submissions: Store,
        file: Path,
        folder: RunFolder,
        deadline: datetime | None = None,
        late_too: bool = False,
        afresh: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`file`: the collected file, which need not exist yet. With `late_too` late hand-ins play like others; with
        `afresh` agents that only earlier runs collected no longer play."""
        self._conditions = replace(conditions, positions=_POSITIONS, seconds=1.0)
        self._names = agent_names(roster)
        self._roster = roster
        self._submissions = submissions
        self._folder = folder
        self._deadline = deadline
        self._late_too = late_too
        self._afresh = afresh
        self._numbers = count(1)
        self._kept = KeptAgents(file, submissions=submissions, database=database, now=now)
        rules = submissions.take_game(conditions.game)
        # The first version called this enumeration Kind; its text is kept so that hashes in old files stay valid.
        same_for_all = repr(replace(self._conditions, game=rules, description="")).replace("<WallKind.", "<Kind.")
        self._conditions_hash = hashlib.sha256(same_for_all.encode()).hexdigest()[:16]
        # The number of agents to check, as far as known, and the number already checked.
        self.to_check = 0
        self.checked = 0
        # Warnings about this machine, for the instructor.
        self.warnings: Sequence[str] = ()
        # Content that several students handed in.
        self.shared: Sequence[SharedContent] = ()

    def collect(self, hand_ins: Sequence[HandIn], progress: Callable[[], None] = lambda: None) -> list[HandInResult]:
        """The result of every hand-in, and of every student on the roster; `progress` is called after each check."""
        self._kept.write()
        queues = [self._queue(student, hand_ins) for student in self._roster.students]
        with Examiner(self._conditions, self._folder, many=True) as examiner:
            self.warnings = examiner.warnings
            while stored := [one for queue in queues if (one := self._next(queue)) is not None]:
                self.to_check += len(stored)
                candidates = [Candidate(one.queue.agent, one.player.text, player=one.player) for one in stored]
                for place, checked in examiner.each(candidates):
                    self._note(stored[place], checked)
                    self.checked += 1
                    progress()
        if self._afresh:
            # Only at the end, so that an interrupted run removes no agent.
            self._kept.by_name = {queue.agent: queue.kept for queue in queues if queue.kept is not None}
            self._kept.write()
        results = [result for queue in queues for result in self._results(queue)]
        looked_at = {(result.agent, result.source) for result in results if result.source}
        playing = {(kept.name, kept.source) for kept in self._kept.by_name.values()}
        self.shared = shared_content(looked_at | playing, self._submissions.folder)
        unmatched = [one for one in hand_ins if one.student is None]
        return results + [
            HandInResult(outcome=HandInOutcome.UNMATCHED, hand_in=one, message=one.wrong) for one in unmatched
        ]

    @property
    def not_on_roster(self) -> list[str]:
        """The agents that earlier runs collected and that belong to no student on the roster."""
        return sorted(set(self._kept.by_name) - set(self._names.values()))

    def _queue(self, student: Student, hand_ins: Sequence[HandIn]) -> _Queue:
        """All hand-ins of the student, sorted; late hand-ins already have their result."""
        agent = self._names[student]
        queue = _Queue(student, agent, None if self._afresh else self._kept.by_name.get(agent))
        theirs = [one for one in hand_ins if one.student == student]
        for one in sorted(theirs, key=lambda one: (one.when or _EARLIEST, one.label), reverse=True):
            if self._late_too or not is_late(one, self._deadline):
                queue.hand_ins.append(one)
            elif queue.kept is not None and is_of(queue.kept, one):
                # An earlier run collected it, under a later deadline.
                message = "late by this deadline, but collected before, so it plays"
                advice = "to collect only from this download, use --afresh"
                late = HandInResult(outcome=HandInOutcome.LATE, hand_in=one, message=message, advice=advice)
                queue.results.append(replace(late, source=queue.kept.source, plays=True, again=True))
            else:
                queue.results.append(HandInResult(outcome=HandInOutcome.LATE, hand_in=one))
        return queue

    def _next(self, queue: _Queue) -> _Stored | None:
        """The student's next hand-in to check; None if there is none, or if the right one already plays."""
        kept = queue.kept
        while queue.hand_ins:
            one = queue.hand_ins.popleft()
            try:
                stored = self._store(queue, one)
            except (BadSubmission, BadPlayer) as error:
                message, _, advice = self._without_scratch(str(error)).partition("; ")
                queue.results.append(
                    HandInResult(outcome=HandInOutcome.FAILED, hand_in=one, message=message, advice=advice)
                )
                continue
            source = stored.submission.hash
            if kept is None or (kept.source == source and kept.checked != self._conditions_hash):
                return stored
            if kept.source == source:
                again = HandInResult(outcome=HandInOutcome(kept.light), hand_in=one, message=kept.told, source=source)
                queue.results.append(replace(again, plays=True, again=True))
            elif is_older(one, kept):
                queue.results.append(HandInResult(outcome=HandInOutcome.OLDER, hand_in=one, source=source))
            else:
                return stored
            queue.hand_ins.clear()
        return None

    def _store(self, queue: _Queue, one: HandIn) -> _Stored:
        """Finds the agent in the hand-in and copies it to the store."""
        if one.path is None:
            raise BadSubmission(one.wrong)
        path = find_agent(one.path, lambda: self._folder.scratch / f"submission-{next(self._numbers):06}")
        player = find(str(path.absolute()))
        if isinstance(player, Explanation):
            raise BadSubmission(f"{player.message}; {player.advice}")
        submission = self._submissions.take(player)
        started_as = path.name if player.kind is PlayerKind.FILE else f"{queue.agent}/"
        return _Stored(queue, one, player, submission, started_as)

    def _note(self, stored: _Stored, checked: CheckReport) -> None:
        """Records the result of a check: an agent that passed plays from now on."""
        queue = stored.queue
        source = stored.submission.hash
        plays = checked.plays
        outcome = HandInOutcome(checked.light)
        if plays and outcome is HandInOutcome.FAILED:
            # A mistake that ended no game.
            outcome = HandInOutcome.WARNING
        message, advice = (checked.worst.message, checked.worst.advice) if checked.worst else ("", "")
        if plays:
            queue.hand_ins.clear()
            queue.kept = self._kept.keep(
                queue.agent,
                source,
                started_as=stored.started_as,
                hand_in=stored.hand_in,
                light=outcome,
                message=message,
                conditions=self._conditions_hash,
            )
        elif queue.kept is not None and queue.kept.source == source:
            # It passed under other conditions.
            queue.kept = None
            self._kept.drop(queue.agent)
        message = self._without_scratch(message)
        advice = self._without_scratch(advice)
        result = HandInResult(outcome=outcome, hand_in=stored.hand_in, message=message, advice=advice)
        queue.results.append(replace(result, source=source, plays=plays))

    def _results(self, queue: _Queue) -> Iterator[HandInResult]:
        """The student's results, at least one, completed with the student, the agent and the version that now plays."""
        version = None if queue.kept is None else queue.kept.version
        for result in queue.results or [HandInResult(outcome=HandInOutcome.MISSING)]:
            late = result.hand_in is not None and is_late(result.hand_in, self._deadline)
            yield replace(result, student=queue.student, agent=queue.agent, late=late, version=version)

    def _without_scratch(self, text: str) -> str:
        """`text` with paths inside the hand-in, without the scratch folder."""
        if str(self._folder.scratch) in text:
            for path in sorted(self._folder.scratch.glob("*-*"), reverse=True):
                text = text.replace(f"{path}/", "")
        return text
