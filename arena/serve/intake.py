"""The intake: a helper that opens what was uploaded to a ladder: it unpacks, builds and stores the agents.

The director starts it when the first row waits to be opened, and nudges it. An upload can be anything, such as a zip
bomb, so each one is opened by a helper of its own with limits, whose answer is only data. Killed at any moment, nothing
is lost: the row still waits, and no upload is refused because the server was killed.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Final, TypeVar

from msgspec import Struct

from arena.errors import HelperEnded, HelperLate
from arena.history.words import printable
from arena.match.allowance import MEBIBYTE
from arena.play.helper import Asker, AskerEnded, Helper, HelperLimits
from arena.players.build_commands import LanguageTable
from arena.players.submissions import Store
from arena.serve.open_ladders import opened
from arena.serve.spool import ASK, MEMORY, SMALLER, Opened, Spool, ToOpen, open_upload
from arena.serve.submissions import take_in
from arena.tournament.recorded_games import written
from arena.walls import cgroup, jail, usage
from arena.walls.run_folder import RunFolder, clear
from db import ladder
from db.database import Connection, Database
from db.errors import Busy, DatabaseError
from db.ladder import StoredSubmission, SubmissionState, author_of
from db.sources import HASH

Result = TypeVar("Result")
WITHIN: Final = 300.0
"""Seconds in which an upload must be opened, built and stored: each of up to 2,000 files is synced to the disk."""
MOST_INTERRUPTIONS: Final = 3
"""So often this process can be killed while it opens an upload; then the upload is opened after all others."""
_TRIES: Final = 2
"""So often a helper may end without an answer. The first time it may be that the whole server is being killed."""
_LIMITS: Final = HelperLimits(
    resources={
        # As for agents: RLIMIT_AS would count address space that is only reserved.
        resource.RLIMIT_DATA if usage.LINUX else resource.RLIMIT_AS: MEMORY,
        resource.RLIMIT_CPU: 60,
        resource.RLIMIT_FSIZE: 128 * MEBIBYTE,
        resource.RLIMIT_NOFILE: 128,
        resource.RLIMIT_CORE: 1,  # not 0: Linux would still pass the core to the program in core_pattern
    }
)
"""The limits of what opens an upload. They hold for the programs of this project, not for a build: its jail sets other
ones."""
_LONGEST_ANSWER: Final = 16 * 1024
"""Bytes."""
_LONGEST_WORDS: Final = 1000
_RETRY: Final = 1.0
"""Seconds between two tries while the database is busy or the disk is full."""
_NICE: Final = 10
"""Its niceness: games come first."""
_SCRATCH: Final = "upload-"


class IntakeSettings(Struct, frozen=True):
    """The first job of the intake; all others are nudges."""

    database: str
    """Its address; it can have a password in it, so it is not an argument."""
    store: str
    ladder: str
    scratch: str
    """The folder of the run in which each upload gets a folder for a while."""
    within: float
    """Seconds for each upload."""


class IntakeProcess(Helper):
    """The director's end of the intake. It is nudged when a row waits to be opened."""

    def __init__(
        self, folder: RunFolder, database: Database, store: Store, name: str, *, within: float = WITHIN
    ) -> None:
        """`name`: of the ladder. `within`: seconds for each upload."""
        super().__init__(open_uploads, HelperLimits(nice=_NICE, finishes=True), folder=folder)
        address = database.address.render_as_string(hide_password=False)
        self.send(IntakeSettings(address, str(store.folder), name, str(folder.scratch), within))


class Intake:
    """Opens the uploads to one ladder, one after the other. Authors take turns, so that the slow uploads of one of them
    delay each of the others by one upload."""

    def __init__(
        self, database: Database, store: Store, name: str, scratch: Path, director: Asker, *, within: float
    ) -> None:
        """`scratch`: the folder of the run in which each upload gets a folder for a while."""
        self._database, self._store, self._name, self._scratch = database, store, name, scratch
        self._director = director
        self._within = within
        self._spool = Spool(store)
        # By author: the number of the last upload that was opened.
        self._turns: dict[str, int] = {}
        self._turn = count(1)

    def open_next(self) -> bool:
        """Opens the next upload; returns whether there was one. AskerEnded at any moment."""
        with self._database.reading() as connection:
            ladder_now = opened(connection, self._name)
            waits = bool(ladder.unopened(connection, ladder_now.id))
            of_all_ladders = {one.id for one in ladder.unopened(connection)}
        if not waits:
            self._spool.sweep(of_all_ladders, datetime.now(UTC).timestamp())
            return False
        one = self._write(lambda connection: self._begin(connection, ladder_now.id))
        if one is None:
            return True
        self._turns[author_of(one.author)] = next(self._turn)
        try:
            answer = self._opened(one, ladder_now.ladder.languages)
        except AskerEnded:
            with suppress(DatabaseError), self._database.writing() as connection:
                _count(connection, one, one.interruptions - 1)  # this process is not to blame
            raise
        self._write(
            lambda connection: take_in(connection, ladder_now, one.id, answer.source, answer.wrong, datetime.now(UTC))
        )
        self._spool.remove(one.id)
        return True

    def wait(self, within: float | None = None, *others: int) -> None:
        """Waits for a nudge, or until one of the descriptors `others` is readable. AskerEnded."""
        self._director.wait(within, *others)
        self._director.nudges()

    # The row.

    def _begin(self, connection: Connection, tournament: int) -> StoredSubmission | None:
        """The submission to open next, which is noted in its row."""
        ladder.lock_submissions(connection, tournament)
        one = self._next_of(ladder.unopened(connection, tournament))
        if one is None:
            return None
        _count(connection, one, one.interruptions + 1)
        return ladder.submission(connection, one.id)

    def _next_of(self, rows: Sequence[StoredSubmission]) -> StoredSubmission | None:
        """The upload to open next: the oldest of the author whose last upload was opened the longest ago. Last come
        those that may be what ended this process."""

        def order(one: StoredSubmission) -> tuple[bool, int, int]:
            return one.interruptions >= MOST_INTERRUPTIONS, self._turns.get(author_of(one.author), 0), one.id

        return min(rows, key=order, default=None)

    def _write(self, action: Callable[[Connection], Result]) -> Result:
        return written(self._database, lambda _: self.pause(), action)

    def pause(self) -> None:
        """Waits for a second."""
        until = monotonic() + _RETRY
        while (left := until - monotonic()) > 0:
            self.wait(left)

    # The upload.

    def _opened(self, one: StoredSubmission, languages: Mapping[str, LanguageTable]) -> Opened:
        """What is in the upload, or why it is refused."""
        how = ""
        for _ in range(_TRIES):
            try:
                return self._opened_by_helper(one, languages)
            except HelperLate:
                return Opened(None, f"opening and building it took longer than {self._within:.0f} s; {SMALLER}")
            except HelperEnded as error:
                how = _in_a_row(str(error))
        return Opened(None, f"the process that opens it ended twice by itself ({how}); {SMALLER}; {ASK}")

    def _opened_by_helper(self, one: StoredSubmission, languages: Mapping[str, LanguageTable]) -> Opened:
        """What a helper finds in the upload; HelperEnded if it does not answer. When this returns, no process of it is
        left, and no file in the scratch folder."""
        scratch = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=self._scratch))
        helper = Helper(open_upload, _LIMITS, longest=_LONGEST_ANSWER)
        try:
            with helper:
                helper.send(ToOpen(str(self._store.folder), one.id, one.label, one.author, languages, str(scratch)))
                found = helper.answer(Opened, within=self._within, wait=lambda left: self.wait(left, helper.fileno()))
        finally:
            jail.kill_descendants()
            cgroup.end_left(helper.pid)
            clear(scratch)
        if found.wrong:
            return Opened(None, _in_a_row(found.wrong))
        if HASH.fullmatch(found.source or "") and (self._store.folder / str(found.source)).is_dir():
            return found
        raise HelperEnded("without an answer")


def _count(connection: Connection, one: StoredSubmission, interruptions: int) -> None:
    """Notes in the row how often this process would have ended while it opened it, if it ended now."""
    if ladder.submission(connection, one.id).is_unopened:
        now = max(datetime.now(UTC), one.received)
        ladder.change_submission(connection, one.id, SubmissionState.RECEIVED, now, interruptions=interruptions)


def _in_a_row(words: str) -> str:
    """What a helper says, as a part of one sentence: only data, whatever the upload has done to the helper."""
    return printable(words)[:_LONGEST_WORDS]


def open_uploads(director: Asker) -> None:
    """Opens uploads until the director ends; each answer says that one was opened; in a helper."""
    jail.adopt_orphans()  # those of a helper: what it has started is killed with it
    settings = director.job(IntakeSettings)
    scratch = Path(settings.scratch)
    for left in scratch.glob(f"{_SCRATCH}*"):
        with suppress(OSError):  # it is removed with the run folder
            clear(left)
    try:
        with Database(settings.database, create=False) as database:
            intake = Intake(
                database, Store(Path(settings.store)), settings.ladder, scratch, director, within=settings.within
            )
            while True:
                try:
                    if intake.open_next():
                        director.answer(True)
                    else:
                        intake.wait()
                except Busy:
                    intake.pause()
    except DatabaseError as error:
        sys.exit(str(error))
