"""Collector: checks hand-ins, newest first, and keeps for each student the last hand-in that passed.

A team has one agent: the hand-ins of its members are those of one student. A hand-in is written to the database and the
collected file as soon as it has passed: after an interruption the same command continues. A hand-in that already plays,
and was checked under the same conditions, is not checked again.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from arena.course.collecting.hand_in import (
    HandIn,
    HandInOutcome,
    HandInResult,
    agent_names,
    deadline_text,
    late_days,
    own_deadlines,
)
from arena.course.collecting.inbox import Inbox, StoredAgent
from arena.course.roster import Roster, Student, replace_unprintable
from arena.course.similar import SharedContent, of_versions, shared_content, starters
from arena.errors import BadPlayer, BadSubmission
from arena.history.words import without_store
from arena.players.build_commands import LanguageTable
from arena.players.submissions import Store
from arena.student.checking import CheckReport, Exam
from arena.student.checking.check_maker import Candidate, Examiner
from arena.tournament import collected_file
from arena.tournament.collected_file import Collected, Refused
from arena.walls.run_folder import RunFolder
from db import audit, store
from db.database import Database

_POSITIONS: Final = 10
"""Positions in which each agent is asked for a move; `arena check` uses more."""
_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class _Queue:
    """The hand-ins of a student or team that are still to be checked, the newest first, and the results so far."""

    students: tuple[Student, ...]
    agent: str
    kept: Collected | None
    deadline: datetime | None
    all: tuple[HandIn, ...]
    """All hand-ins, the newest first."""
    hand_ins: deque[HandIn] = field(default_factory=deque)
    results: list[HandInResult] = field(default_factory=list)

    def student_of(self, one: HandIn) -> Student:
        """The student who handed it in."""
        return one.student or self.students[0]


@dataclass(frozen=True, slots=True)
class _Stored:
    """A hand-in whose agent is in the store, about to be checked."""

    queue: _Queue
    hand_in: HandIn
    agent: StoredAgent

    @property
    def candidate(self) -> Candidate:
        """The agent to examine, with the walls and limits of its language."""
        player, language = self.agent.player, self.agent.language
        walls, allowance = (language.walls, language.allowance) if language else (None, None)
        return Candidate(self.queue.agent, player.text, player=player, walls=walls, allowance=allowance)

    @property
    def student(self) -> Student:
        """The student who handed it in."""
        return self.queue.student_of(self.hand_in)


@dataclass(frozen=True, slots=True)
class Progress:
    """What a collector is doing."""

    reading: bool
    """Whether hand-ins are read and copied; False: they are checked."""
    done: int
    total: int
    students: Sequence[Student]
    """The students of the hand-ins in progress."""


class Collector:
    """One run of `arena course collect`: all students' hand-ins, under the conditions of one tournament."""

    def __init__(
        self,
        exam: Exam,
        roster: Roster,
        *,
        database: Database,
        submissions: Store,
        file: Path,
        folder: RunFolder,
        deadline: datetime | None = None,
        languages: Mapping[str, LanguageTable] | None = None,
        late_too: bool = False,
        only: Collection[Student] | None = None,
        afresh: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`file`: the collected file, which need not exist yet. With `late_too` late hand-ins play like others; with
        `afresh` agents that only earlier runs collected no longer play. `only`: nobody else's hand-ins and agents are
        looked at."""
        self._exam = replace(exam, positions=_POSITIONS, seconds=1.0)
        self._names = agent_names(roster)
        self._roster = roster
        self._submissions = submissions
        self._folder = folder
        self._only = only
        self._inbox = Inbox(submissions, languages or {}, folder.scratch)
        self._deadline = deadline
        self.own_deadlines = own_deadlines(roster, deadline)
        self._late_too = late_too
        self._afresh = afresh
        self._kept = KeptAgents(file, submissions=submissions, database=database, now=now)
        if only is None:
            self._kept.deadline = deadline_text(deadline) if deadline else ""
        rules = submissions.take_game(exam.game)
        same_for_all = repr(replace(self._exam, game=rules, description=""))
        self._conditions_hash = hashlib.sha256(same_for_all.encode()).hexdigest()[:16]
        # Warnings about this machine, for the instructor.
        self.warnings: Sequence[str] = ()
        # Content that several students handed in.
        self.shared: Sequence[SharedContent] = ()

    def collect(
        self, hand_ins: Sequence[HandIn], progress: Callable[[Progress], None] = lambda _: None
    ) -> list[HandInResult]:
        """The result of every hand-in, and of every student on the roster; `progress` is called for each step."""
        self._kept.write()
        queues = self._queues(hand_ins)
        with Examiner(self._exam, self._folder, many=True) as examiner:
            self.warnings = examiner.warnings
            ended = 0
            while stored := self._next_of_all(queues, progress):
                self._check(stored, examiner, ended, progress)
                ended += len(stored)
        if self._afresh:
            # Only at the end, so that an interrupted run removes no agent.
            looked_at = {queue.agent for queue in queues}
            others = {} if self._only is None else self._kept.by_name
            others = {agent: kept for agent, kept in others.items() if agent not in looked_at}
            self._kept.by_name = others | {queue.agent: queue.kept for queue in queues if queue.kept is not None}
        self._note_refused(queues)
        self._kept.write()
        results = [result for queue in queues for result in self._results(queue)]
        places = {student: place for place, student in enumerate(self._roster.students)}
        results.sort(key=lambda result: -1 if result.student is None else places[result.student])
        sources = {(result.agent, result.source) for result in results if result.source}
        playing = {(kept.name, kept.source) for kept in self._kept.by_name.values()}
        versions = [(agent, None, source) for agent, source in sources | playing]
        self.shared = shared_content(of_versions(versions, self._submissions).sources, starters())
        unmatched = [one for one in hand_ins if one.student is None]
        return results + [
            HandInResult(outcome=HandInOutcome.UNMATCHED, hand_in=one, message=one.wrong) for one in unmatched
        ]

    def _note_refused(self, queues: Sequence[_Queue]) -> None:
        """Records for each agent whether its latest hand-in was refused, and why."""
        for queue in queues:
            latest = queue.results[0] if queue.results else None
            if latest is not None or self._afresh:
                self._kept.refused.pop(queue.agent, None)
            if latest is None or latest.plays or latest.hand_in is None:
                continue
            if latest.outcome is HandInOutcome.LATE:
                days = late_days(latest.hand_in, queue.deadline)
                why = f"It was handed in {days} day{'s' * (days != 1)} late."
            elif latest.outcome is HandInOutcome.FAILED:
                why = "; ".join(filter(None, (latest.message, latest.advice))) or "It did not pass its check."
            else:
                continue
            label = replace_unprintable(latest.hand_in.label)
            self._kept.refused[queue.agent] = Refused(queue.agent, label, replace_unprintable(without_store(why)))

    @property
    def not_on_roster(self) -> list[str]:
        """The agents that earlier runs collected and that belong to no student on the roster."""
        return sorted(set(self._kept.by_name) - set(self._names.values()))

    def _check(
        self, stored: Sequence[_Stored], examiner: Examiner, ended: int, progress: Callable[[Progress], None]
    ) -> None:
        """Checks these hand-ins; `ended`: number of hand-ins that were checked before."""

        def note(done: int, checking: Sequence[int]) -> None:
            students = [stored[place].student for place in checking]
            progress(Progress(False, ended + done, ended + len(stored), students))

        for place, checked in examiner.each([one.candidate for one in stored], note):
            self._note(stored[place], checked)

    def _queues(self, hand_ins: Sequence[HandIn]) -> list[_Queue]:
        """The hand-ins of each student or team, in the order of the roster."""
        members: dict[str, list[Student]] = {}
        for student, agent in self._names.items():
            members.setdefault(agent, []).append(student)
        if self._only is not None:
            wanted = {self._names[student] for student in self._only}
            members = {agent: students for agent, students in members.items() if agent in wanted}
        theirs: dict[str, list[HandIn]] = {}
        for one in hand_ins:
            if one.student is not None:
                theirs.setdefault(self._names[one.student], []).append(one)
        return [self._queue(agent, students, theirs.get(agent, [])) for agent, students in members.items()]

    def _queue(self, agent: str, students: Sequence[Student], hand_ins: Sequence[HandIn]) -> _Queue:
        """These hand-ins, sorted; late ones already have their result."""
        newest_first = sorted(hand_ins, key=lambda one: (one.when or _EARLIEST, one.label), reverse=True)
        kept = None if self._afresh else self._kept.by_name.get(agent)
        deadline = self.own_deadlines.get(students[0], self._deadline)
        queue = _Queue(tuple(students), agent, kept, deadline, tuple(newest_first))
        for one in newest_first:
            if self._late_too or not late_days(one, deadline):
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

    def _next_of_all(self, queues: Sequence[_Queue], progress: Callable[[Progress], None]) -> list[_Stored]:
        """The next hand-in to check of each queue that has one."""
        waiting = [queue for queue in queues if queue.hand_ins]
        stored = []
        for number, queue in enumerate(waiting):
            progress(Progress(True, number, len(waiting), [queue.student_of(queue.hand_ins[0])]))
            if (one := self._next(queue)) is not None:
                stored.append(one)
        return stored

    def _next(self, queue: _Queue) -> _Stored | None:
        """The next hand-in to check; None if there is none, or if the right one already plays."""
        kept = queue.kept
        while queue.hand_ins:
            one = queue.hand_ins.popleft()
            try:
                if one.path is None:
                    raise BadSubmission(one.wrong)
                stored = _Stored(queue, one, self._inbox.take(one.path, queue.agent))
            except (BadSubmission, BadPlayer) as error:
                message, _, advice = self._inbox.without_scratch(str(error)).partition("; ")
                queue.results.append(
                    HandInResult(outcome=HandInOutcome.FAILED, hand_in=one, message=message, advice=advice)
                )
                continue
            source = stored.agent.source
            if kept is None or (kept.source == source and kept.checked != self._conditions_hash):
                return stored
            if kept.source == source:
                self._note_lateness(queue, one, kept)
                again = HandInResult(outcome=HandInOutcome(kept.light), hand_in=one, message=kept.told, source=source)
                queue.results.append(replace(again, plays=True, again=True))
            elif one.when is not None and kept.when is not None and one.when < kept.when:
                queue.results.append(HandInResult(outcome=HandInOutcome.OLDER, hand_in=one, source=source))
            else:
                return stored
            queue.hand_ins.clear()
        return None

    def _note_lateness(self, queue: _Queue, one: HandIn, kept: Collected) -> None:
        """Records how late the kept hand-in is by the present deadline: an extension may be new."""
        days = late_days(one, queue.deadline)
        if is_of(kept, one) and days != kept.late_days:
            queue.kept = msgspec.structs.replace(kept, late_days=days)
            self._kept.put(queue.kept)

    def _note(self, stored: _Stored, checked: CheckReport) -> None:
        """Records the result of a check: an agent that passed plays from now on."""
        queue = stored.queue
        source = stored.agent.source
        plays = checked.plays
        outcome = HandInOutcome(checked.light)
        if plays and outcome is HandInOutcome.FAILED:
            # A mistake that ended no game.
            outcome = HandInOutcome.WARNING
        told = (checked.worst.message, checked.worst.advice) if checked.worst else ("", "")
        message, advice = map(self._inbox.without_scratch, told)
        if plays:
            queue.hand_ins.clear()
            queue.kept = Collected(
                name=queue.agent,
                version=self._kept.recorded(queue.agent, source, stored.agent.started_as),
                source=source,
                started_as=stored.agent.started_as,
                submission=replace_unprintable(stored.hand_in.label),
                handed_in=_time_text(stored.hand_in),
                light=outcome,
                told=replace_unprintable(message),
                checked=self._conditions_hash,
                late_days=late_days(stored.hand_in, queue.deadline),
                language=stored.agent.language.name if stored.agent.language else "",
            )
            self._kept.put(queue.kept)
        elif queue.kept is not None and queue.kept.source == source:
            # It passed under other conditions.
            queue.kept = None
            self._kept.drop(queue.agent)
        result = HandInResult(outcome=outcome, hand_in=stored.hand_in, message=message, advice=advice)
        queue.results.append(replace(result, source=source, plays=plays))

    def _results(self, queue: _Queue) -> Iterator[HandInResult]:
        """The results of the student, or of each member of the team, at least one, completed with the student, the
        agent and the version that now plays."""
        version = None if queue.kept is None else queue.kept.version
        several = len({one.student for one in queue.all}) > 1
        nothing = HandInOutcome.MISSING if queue.kept is None else HandInOutcome.KEPT
        for place, student in enumerate(queue.students):
            for result in queue.results or [HandInResult(outcome=nothing)]:
                yield replace(
                    result,
                    student=student,
                    agent=queue.agent,
                    late_days=0 if result.hand_in is None else late_days(result.hand_in, queue.deadline),
                    version=version,
                    of_team=queue.all if several else (),
                    repeats=place > 0,
                )


# KeptAgents: the submission that each agent plays with, in the database and in the file that a description names.


class KeptAgents:
    """The submission that each agent plays with."""

    def __init__(self, file: Path, *, submissions: Store, database: Database, now: Callable[[], datetime]) -> None:
        """`file`: the collected file, which need not exist yet; BadSubmission if it belongs to another store."""
        self._file = file
        self._submissions = submissions
        self._database = database
        self._now = now
        # That of all students, for a run that is given none.
        self.deadline = collected_file.read_deadline(file)
        # By the names of the agents.
        self.by_name = self._read()
        # The latest submission of each agent, if it does not play.
        self.refused = {one.name: one for one in collected_file.read_refused(file)} if file.exists() else {}

    def _read(self) -> dict[str, Collected]:
        if not self._file.exists():
            return {}
        kept, place = collected_file.read(self._file)
        if place.folder.resolve() != self._submissions.folder.resolve():
            raise BadSubmission(
                f"{self._file} lists submissions in {place.folder}, expected {self._submissions.folder}; "
                "give its database with --db, or another file with --to"
            )
        return {one.name: one for one in kept}

    def write(self) -> None:
        """Writes the file."""
        collected_file.write(self._file, self.by_name, self._submissions, self.refused, deadline=self.deadline)

    def recorded(self, agent: str, source: str, started_as: str) -> int:
        """The number of the agent's version with this submission, which is in the database from now on."""
        with self._database.writing() as connection:
            store.version(connection, agent, source, started_as, self._now())
            numbers = {(one.agent, one.source): one.number for one in audit.versions(connection)}
        return numbers[agent, source]

    def put(self, kept: Collected) -> None:
        """Let the agent play with this submission."""
        self.by_name[kept.name] = kept
        self.write()

    def drop(self, agent: str) -> None:
        """Remove the agent: it no longer plays."""
        del self.by_name[agent]
        self.write()


def is_of(kept: Collected, hand_in: HandIn) -> bool:
    """Whether `kept`, of the same agent, is this hand-in: the same time, and the same name in its folder.

    The rest of the label is different if the command names other downloads, or one in another folder."""
    name = replace_unprintable(hand_in.label).rpartition("/")[2]
    return (kept.submission.rpartition("/")[2], kept.handed_in) == (name, _time_text(hand_in))


def _time_text(hand_in: HandIn) -> str:
    """The time of the hand-in as written to the file; empty if not known."""
    return "" if hand_in.when is None else hand_in.when.isoformat(timespec="seconds")
