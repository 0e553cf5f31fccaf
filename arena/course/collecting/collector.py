"""Collector: checks what was handed in, newest first, and keeps for everybody the last hand-in that passed.

Each is in the database and in the collected file as soon as it has passed: after an interruption the same command goes
on where it was. What plays already, and was checked under the same conditions, is not checked again.
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
"""Positions in which each agent is asked for a move; `arena check` asks in more."""
_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class _Queue:
    """One student's hand-ins that have not been looked at, the newest first, and the results so far."""

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
    """One run of `arena collect`: everybody's hand-ins, under the conditions of one tournament."""

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
        `afresh` what earlier runs collected no longer plays."""
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
        # As the first version wrote it, where the enumeration was called Kind: files that it wrote keep their meaning.
        same_for_all = repr(replace(self._conditions, game=rules, description="")).replace("<WallKind.", "<Kind.")
        self._conditions_hash = hashlib.sha256(same_for_all.encode()).hexdigest()[:16]
        # How many agents are to be checked so far, and how many have been.
        self.to_check = 0
        self.checked = 0
        # What instructors should know about this machine.
        self.warnings: Sequence[str] = ()
        # What several students have handed in.
        self.shared: Sequence[SharedContent] = ()

    def collect(self, hand_ins: Sequence[HandIn], progress: Callable[[], None] = lambda: None) -> list[HandInResult]:
        """What became of every hand-in, and of everybody on the roster; `progress` is called after each check."""
        self._kept.write()
        queues = [self._queue(student, hand_ins) for student in self._roster.students]
        with Examiner(self._conditions, self._folder) as examiner:
            self.warnings = examiner.warnings
            while stored := [one for queue in queues if (one := self._next(queue)) is not None]:
                self.to_check += len(stored)
                candidates = [Candidate(one.queue.agent, one.player.text, player=one.player) for one in stored]
                for place, checked in examiner.each(candidates):
                    self._note(stored[place], checked)
                    self.checked += 1
                    progress()
        if self._afresh:
            # Only now: an interrupted run forgets nobody.
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
        """The agents that earlier runs collected and whose names nobody on the roster has."""
        return sorted(set(self._kept.by_name) - set(self._names.values()))

    def _queue(self, student: Student, hand_ins: Sequence[HandIn]) -> _Queue:
        """All hand-ins of the student, sorted; late ones have their result already."""
        agent = self._names[student]
        queue = _Queue(student, agent, None if self._afresh else self._kept.by_name.get(agent))
        theirs = [one for one in hand_ins if one.student == student]
        for one in sorted(theirs, key=lambda one: (one.when or _EARLIEST, one.label), reverse=True):
            if self._late_too or not is_late(one, self._deadline):
                queue.hand_ins.append(one)
            elif queue.kept is not None and is_of(queue.kept, one):
                # It was collected before, under a later deadline.
                message = "late by this deadline, but taken in before: it plays"
                advice = "--afresh takes in anew what is handed in here"
                late = HandInResult(outcome=HandInOutcome.LATE, hand_in=one, message=message, advice=advice)
                queue.results.append(replace(late, source=queue.kept.source, plays=True, again=True))
            else:
                queue.results.append(HandInResult(outcome=HandInOutcome.LATE, hand_in=one))
        return queue

    def _next(self, queue: _Queue) -> _Stored | None:
        """The student's next hand-in to be checked; None if there is none, or if the right one plays already."""
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
        """Notes the result of a check: an agent that passed plays from now on."""
        queue = stored.queue
        source = stored.submission.hash
        outcome = HandInOutcome(checked.light)
        message, advice = (checked.worst.message, checked.worst.advice) if checked.worst else ("", "")
        plays = outcome is not HandInOutcome.FAILED
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
        """The student's results, at least one: completed with whose they are, and the version that now plays."""
        version = None if queue.kept is None else queue.kept.version
        for result in queue.results or [HandInResult(outcome=HandInOutcome.MISSING)]:
            late = result.hand_in is not None and is_late(result.hand_in, self._deadline)
            yield replace(result, student=queue.student, agent=queue.agent, late=late, version=version)

    def _without_scratch(self, text: str) -> str:
        """`text` with paths as the student knows them."""
        if str(self._folder.scratch) in text:
            for path in sorted(self._folder.scratch.glob("*-*"), reverse=True):
                text = text.replace(f"{path}/", "")
        return text
