"""Has what was handed in checked, newest first, and keeps for everybody the last that passed.

Each is on record and in the collected file as soon as it has passed: whoever is interrupted goes on where it was when
the same is asked for again. What plays already, and was checked under the same conditions, is not checked again.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import Final

from adsearch.errors import quote
from arena.course.collecting import HandedIn
from arena.course.collecting.contents import agent_in
from arena.course.collecting.deadline import is_late
from arena.course.roster import Roster, Student
from arena.errors import BadPlayer, BadRoster, BadSubmission
from arena.players.player import Player, PlayerKind
from arena.players.submissions import Store, Submission
from arena.student.checking import CheckReport
from arena.student.checking.conditions import Conditions
from arena.student.checking.examiner import Candidate, Examiner
from arena.student.checking.explanations import Explanation
from arena.student.checking.lookup import find
from arena.tournament import collected_file
from arena.tournament.collected_file import Collected
from arena.tournament.description import folded, what_is_wrong_with
from arena.walls.run_folder import RunFolder
from db import audit, store
from db.database import Database

_QUICK: Final = 10
"""Positions that each is asked about; `arena check` asks about more."""
_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)


class Outcome(StrEnum):
    """What has become of a submission, or of somebody without one."""

    GOOD = "good"
    WARNING = "warning"
    FAILED = "failed"
    LATE = "late"
    OLDER = "older"
    """Than what plays already."""
    MISSING = "missing"
    UNMATCHED = "unmatched"
    """Nobody knows whose it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What is told of one submission, or of somebody without one."""

    outcome: Outcome
    student: Student | None = None
    agent: str = ""
    """What it is called where it plays."""
    handed_in: HandedIn | None = None
    late: bool = False
    told: str = ""
    """What is wrong with it, or to be looked at."""
    advice: str = ""
    version: int | None = None
    """The version with which the agent now plays: this one's, or where it cannot play the one before."""
    plays: bool = False
    """Whether it is this submission that plays."""
    source: str = ""
    """Where it lies in the store."""
    again: bool = False
    """Whether it had been taken in before."""


@dataclass(slots=True)
class _Waiting:
    """Somebody, and what of theirs has not been looked at, the newest first."""

    student: Student
    agent: str
    handed_in: deque[HandedIn]
    kept: Collected | None
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Taken:
    """A submission in the store, about to be checked."""

    waiting: _Waiting
    handed_in: HandedIn
    player: Player
    submission: Submission
    started_as: str


def agent_names(roster: Roster) -> dict[Student, str]:
    """What everybody's agent is called: by the alias, else the name, else the id. BadRoster where that is no name."""
    named: dict[Student, str] = {}
    taken: dict[str, Student] = {}
    names = [folded(one.name) for one in roster.students]
    for one in roster.students:
        alone = one.name if names.count(folded(one.name)) == 1 else ""
        name = one.alias or alone or one.id
        what = "alias" if one.alias else "name" if alone else "id"
        where = f"{roster.file}, line {one.line}"
        if not name:
            raise BadRoster(f"{where}: another is called {quote(one.name)} too: expected an alias or an id")
        if wrong := what_is_wrong_with(name):
            raise BadRoster(f"{where}, {what}: {wrong}; give an alias, which the agent is then called")
        other = taken.setdefault(folded(name), one)
        if other is not one:
            raise BadRoster(
                f"{where}: the agent would be called {quote(name)}, as that of line {other.line}; give an alias"
            )
        named[one] = name
    return named


class Intake:
    """One run of `arena collect`: everybody's submissions, under the conditions of one tournament."""

    def __init__(
        self,
        conditions: Conditions,
        roster: Roster,
        database: Database,
        submissions: Store,
        file: Path,
        folder: RunFolder,
        *,
        deadline: datetime | None = None,
        late_too: bool = False,
        afresh: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`file`: the collected file, which need not be there yet. With `late_too` late ones play like others; with
        `afresh` nobody plays on who was collected before."""
        self._conditions = replace(conditions, positions=_QUICK, seconds=1.0)
        self._names = agent_names(roster)
        self._roster = roster
        self._database = database
        self._submissions = submissions
        self._file = file
        self._folder = folder
        self._deadline = deadline
        self._late_too = late_too
        self._now = now
        self._numbers = count(1)
        self._kept = self._before()
        self._afresh = afresh
        rules = submissions.take_game(conditions.game)
        told = repr(replace(self._conditions, game=rules, description=""))
        self._checked = hashlib.sha256(told.encode()).hexdigest()[:16]
        # How many there are to be checked so far, and how many of them have been.
        self.to_check = self.checked = 0

    def take_in(self, handed_in: Sequence[HandedIn], progress: Callable[[], None] = lambda: None) -> list[Line]:
        """What has become of everything, and of everybody on the roster; `progress` is called after each check."""
        collected_file.write(self._file, self._kept, self._submissions)
        waiting = [self._waiting(student, handed_in) for student in self._roster.students]
        with Examiner(self._conditions, self._folder) as examiner:
            self.warnings = examiner.warnings
            while taken := [one for each in waiting if (one := self._next(each)) is not None]:
                self.to_check += len(taken)
                candidates = [Candidate(one.waiting.agent, one.player.text, player=one.player) for one in taken]
                for place, report in examiner.each(candidates):
                    self._note(taken[place], report)
                    self.checked += 1
                    progress()
        if self._afresh:
            # Not before: whoever is interrupted has lost nobody.
            self._kept = {each.agent: each.kept for each in waiting if each.kept is not None}
            collected_file.write(self._file, self._kept, self._submissions)
        lines = [line for each in waiting for line in self._lines(each)]
        nobodys = [one for one in handed_in if one.student is None]
        return lines + [Line(outcome=Outcome.UNMATCHED, handed_in=one, told=one.wrong) for one in nobodys]

    @property
    def strangers(self) -> list[str]:
        """Who plays, collected before, and is called as nobody on the roster is."""
        return sorted(set(self._kept) - set(self._names.values()))

    warnings: Sequence[str] = ()
    """What whoever collects should know of this machine."""

    def _before(self) -> dict[str, Collected]:
        """Who plays with what so far."""
        if not self._file.exists():
            return {}
        kept, place = collected_file.read(self._file)
        if place.folder.resolve() != self._submissions.folder.resolve():
            raise BadSubmission(
                f"{self._file} is about submissions in {place.folder}, expected {self._submissions.folder}: "
                "name its database with --db, or another file with --to"
            )
        return {one.name: one for one in kept}

    def _waiting(self, student: Student, handed_in: Sequence[HandedIn]) -> _Waiting:
        """All of the student's, in order; what is late is put aside."""
        agent = self._names[student]
        waiting = _Waiting(student, agent, deque(), None if self._afresh else self._kept.get(agent))
        theirs = [one for one in handed_in if one.student == student]
        for one in sorted(theirs, key=lambda one: (one.when or _EARLIEST, one.label), reverse=True):
            if is_late(one, self._deadline) and not self._late_too:
                waiting.lines.append(self._late(waiting, one))
            else:
                waiting.handed_in.append(one)
        return waiting

    def _late(self, waiting: _Waiting, one: HandedIn) -> Line:
        """What is told of a late one; it plays where it was taken in before, under a later deadline."""
        kept = waiting.kept
        plays = kept is not None and (kept.submission, kept.handed_in) == (_one_line(one.label), _when(one))
        source = kept.source if kept is not None and plays else ""
        told = "late by this deadline, but taken in before: it plays" if plays else ""
        advice = "--afresh takes in anew what is handed in here" if plays else ""
        return self._line(waiting, one, Outcome.LATE, told=told, advice=advice, source=source, plays=plays, again=plays)

    def _next(self, waiting: _Waiting) -> _Taken | None:
        """The next of the student's that is to be checked; None where there is none, or the right one plays already."""
        while waiting.handed_in:
            one = waiting.handed_in.popleft()
            try:
                taken = self._taken(waiting, one)
            except (BadSubmission, BadPlayer) as error:
                told, _, advice = str(error).partition("; ")
                waiting.lines.append(self._line(waiting, one, Outcome.FAILED, told=told, advice=advice))
                continue
            kept = waiting.kept
            if kept is not None and kept.source == taken.submission.hash and kept.checked == self._checked:
                waiting.handed_in.clear()
                waiting.lines.append(
                    self._line(
                        waiting, one, Outcome(kept.light), told=kept.told, source=kept.source, plays=True, again=True
                    )
                )
                return None
            if kept is not None and kept.source != taken.submission.hash and _is_older(one, kept):
                waiting.handed_in.clear()
                waiting.lines.append(self._line(waiting, one, Outcome.OLDER, source=taken.submission.hash))
                return None
            return taken
        return None

    def _taken(self, waiting: _Waiting, one: HandedIn) -> _Taken:
        """The submission, found and frozen."""
        if one.path is None:
            raise BadSubmission(one.wrong)
        path = agent_in(one.path, lambda: self._folder.scratch / f"submission-{next(self._numbers):06}")
        player = find(str(path.absolute()))
        if isinstance(player, Explanation):
            raise BadSubmission(f"{player.message}; {player.advice}")
        submission = self._submissions.take(player)
        started_as = path.name if player.kind is PlayerKind.FILE else f"{waiting.agent}/"
        return _Taken(waiting, one, player, submission, started_as)

    def _note(self, taken: _Taken, report: CheckReport) -> None:
        """A check is done: what passed plays."""
        waiting, worst = taken.waiting, report.worst
        outcome = Outcome(report.light)
        told, advice = (worst.message, worst.advice) if worst else ("", "")
        plays = outcome is not Outcome.FAILED
        if plays:
            waiting.handed_in.clear()
            waiting.kept = self._keep(taken, outcome, told)
        elif waiting.kept is not None and waiting.kept.source == taken.submission.hash:
            # It passed under other conditions.
            del self._kept[waiting.agent]
            waiting.kept = None
            collected_file.write(self._file, self._kept, self._submissions)
        waiting.lines.append(
            self._line(
                waiting,
                taken.handed_in,
                outcome,
                told=told,
                advice=advice,
                source=taken.submission.hash,
                plays=plays,
            )
        )

    def _keep(self, taken: _Taken, outcome: Outcome, told: str) -> Collected:
        """It plays from now on, on record and in the file."""
        name, source = taken.waiting.agent, taken.submission.hash
        with self._database.writing() as connection:
            store.version(connection, name, source, taken.started_as, self._now())
            numbers = {(one.agent, one.source): one.number for one in audit.versions(connection)}
        kept = Collected(
            name=name,
            version=numbers[name, source],
            source=source,
            started_as=taken.started_as,
            submission=_one_line(taken.handed_in.label),
            handed_in=_when(taken.handed_in),
            light=outcome,
            told=_one_line(told),
            checked=self._checked,
        )
        self._kept[name] = kept
        collected_file.write(self._file, self._kept, self._submissions)
        return kept

    def _line(
        self,
        waiting: _Waiting,
        one: HandedIn,
        outcome: Outcome,
        *,
        told: str = "",
        advice: str = "",
        source: str = "",
        plays: bool = False,
        again: bool = False,
    ) -> Line:
        return Line(
            outcome=outcome,
            student=waiting.student,
            agent=waiting.agent,
            handed_in=one,
            late=is_late(one, self._deadline),
            told=self._without_scratch(told),
            advice=self._without_scratch(advice),
            source=source,
            plays=plays,
            again=again,
        )

    def _lines(self, waiting: _Waiting) -> Iterator[Line]:
        """What is told of the student: of every submission that was looked at, and of what plays."""
        number = None if waiting.kept is None else waiting.kept.version
        if not waiting.lines:
            yield Line(outcome=Outcome.MISSING, student=waiting.student, agent=waiting.agent, version=number)
        for line in waiting.lines:
            yield replace(line, version=number)

    def _without_scratch(self, words: str) -> str:
        """`words` with files as their author knows them."""
        for path in (
            sorted(self._folder.scratch.glob("*-*"), reverse=True) if str(self._folder.scratch) in words else ()
        ):
            words = words.replace(f"{path}/", "")
        return words


def _when(one: HandedIn) -> str:
    return "" if one.when is None else one.when.isoformat(timespec="seconds")


def _is_older(one: HandedIn, kept: Collected) -> bool:
    return one.when is not None and kept.when is not None and one.when < kept.when


def _one_line(text: str) -> str:
    """`text` as a file for people may have it."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
