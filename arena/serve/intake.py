"""The intake: a process that opens what was uploaded to a ladder: it unpacks, builds and stores the agents.

    python -m arena.serve.intake

The director starts it when the first row waits to be opened, and nudges it. An upload can be anything, such as a zip
bomb, so each one is opened by a child process with limits, whose answer is one line of data. Killed at any moment,
nothing is lost: the row still waits, and no upload is refused because the server was killed.
"""

from __future__ import annotations

import gc
import os
import resource
import select
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any, Final, NoReturn, TypeVar

import msgspec
from msgspec import Struct

from arena.errors import ArenaError, BadSubmission
from arena.history.words import printable, without_store
from arena.match.allowance import GIBIBYTE, MEBIBYTE
from arena.players.build_commands import Language
from arena.players.submissions import Store
from arena.serve.nudged import NudgedProcess, nudge_back, read_nudges, read_settings
from arena.serve.opened import OpenLadder, opened
from arena.serve.spool import Spool
from arena.serve.submissions import MOST_UPLOADED_FILES, file_name, stored, take_in
from arena.tournament.recorded_games import written
from arena.walls import cgroup, confine, jail, usage
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
"""So often a child may end without an answer. The first time it may be that the whole server is being killed."""
_MEMORY: Final = GIBIBYTE
_LIMITS: Final = {
    # As for agents: RLIMIT_AS would count address space that is only reserved.
    resource.RLIMIT_DATA if usage.LINUX else resource.RLIMIT_AS: _MEMORY,
    resource.RLIMIT_CPU: 60,
    resource.RLIMIT_FSIZE: 128 * MEBIBYTE,
    resource.RLIMIT_NOFILE: 128,
    resource.RLIMIT_CORE: 1,  # not 0: Linux would still pass the core to the program in core_pattern
}
"""The soft limits of a child. They hold for the programs of this project, not for a build: its jail sets other ones."""
_LONGEST_ANSWER: Final = 16 * 1024
"""Bytes."""
_LONGEST_WORDS: Final = 1000
_RETRY: Final = 1.0
"""Seconds between two tries while the database is busy or the disk is full."""
_NICE: Final = 10
"""Its niceness: games come first."""
_SCRATCH: Final = "upload-"
_SMALLER: Final = "hand in only the files that the agent needs"
_ASK: Final = "it is not known whether the agent is to blame; if this happens again, ask your instructor"


class IntakeProcess(NudgedProcess):
    """The director's end of the intake. It is nudged when a row waits to be opened."""

    def __init__(
        self, folder: RunFolder, database: Database, store: Store, name: str, *, within: float = WITHIN
    ) -> None:
        """`name`: of the ladder. `within`: seconds for each upload."""
        settings = {"store": str(store.folder), "ladder": name, "scratch": str(folder.scratch), "within": within}
        super().__init__("arena.serve.intake", folder, database, settings, ends_within=2.0)


class DirectorEnded(Exception):
    """The director has ended, so this process ends too."""


class Answer(Struct, frozen=True):
    """What a child has found: a line of JSON."""

    source: str | None
    """The hash in the store."""
    wrong: str
    """Why the upload is refused, if it is."""


class Intake:
    """Opens the uploads to one ladder, one after the other. Authors take turns, so that the slow uploads of one of them
    delay each of the others by one upload."""

    def __init__(
        self, database: Database, store: Store, name: str, scratch: Path, director: socket.socket, *, within: float
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
        """Opens the next upload; returns whether there was one. DirectorEnded at any moment."""
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
        except DirectorEnded:
            with suppress(DatabaseError), self._database.writing() as connection:
                _count(connection, one, one.interruptions - 1)  # this process is not to blame
            raise
        self._write(lambda connection: self._end(connection, ladder_now, one, answer))
        self._spool.remove(one.id)
        return True

    def wait(self) -> None:
        """Waits for a nudge."""
        self._heard(None)

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

    def _end(self, connection: Connection, ladder_now: OpenLadder, one: StoredSubmission, answer: Answer) -> None:
        take_in(connection, ladder_now, one.id, answer.source, answer.wrong, datetime.now(UTC))

    def _write(self, action: Callable[[Connection], Result]) -> Result:
        return written(self._database, lambda _: self.pause(), action)

    def pause(self) -> None:
        """Waits for a second."""
        until = monotonic() + _RETRY
        while (left := until - monotonic()) > 0:
            self._heard(left)

    def _heard(self, within: float | None, *others: int) -> list[int]:
        """Waits until there are nudges, which are read, or until one of the descriptors `others` is readable; returns
        those that are. DirectorEnded if it has."""
        ready = select.select([self._director.fileno(), *others], [], [], within)[0]
        if self._director.fileno() in ready and not read_nudges(self._director):
            raise DirectorEnded
        return [other for other in others if other in ready]

    # The child.

    def _opened(self, one: StoredSubmission, languages: Mapping[str, Language]) -> Answer:
        """What is in the upload, or why it is refused."""
        for _ in range(_TRIES):
            found = self._opened_by_child(one, languages)
            if isinstance(found, Answer):
                return found
        return Answer(None, f"the process that opens it ended twice by itself ({found}); {_SMALLER}; {_ASK}")

    def _opened_by_child(self, one: StoredSubmission, languages: Mapping[str, Language]) -> Answer | str:
        """What a child process finds in the upload, or how it ended instead. When this returns, no process of it is
        left, and no file in the scratch folder."""
        scratch = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=self._scratch))
        reader, writer = os.pipe()
        us = os.getpid()
        child = os.fork()
        if child == 0:
            _child(us, writer, lambda: self._find(one, languages, scratch))
        os.close(writer)
        try:
            line = self._read(reader)
        finally:
            os.close(reader)
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            jail.kill_descendants()
            cgroup.end_left(child)
            clear(scratch)
        return self._understood(line, ended)

    def _read(self, reader: int) -> bytes | None:
        """What the child writes until it ends, or more than it may write; None if that takes too long."""
        line = b""
        give_up = monotonic() + self._within
        while len(line) <= _LONGEST_ANSWER:
            if (left := give_up - monotonic()) <= 0:
                return None
            if self._heard(left, reader):
                if not (piece := os.read(reader, _LONGEST_ANSWER)):
                    break
                line += piece
        return line

    def _understood(self, line: bytes | None, ended: int) -> Answer | str:
        """The child's answer, which is only data, or how it ended without one; `ended`: its exit code, negative for a
        signal."""
        if line is None or ended == -signal.SIGXCPU:
            return Answer(None, f"opening and building it took longer than {self._within:.0f} s; {_SMALLER}")
        with suppress(msgspec.MsgspecError):
            answer = msgspec.json.decode(line, type=Answer)
            if answer.wrong:
                return Answer(None, printable(answer.wrong)[:_LONGEST_WORDS])
            if HASH.fullmatch(answer.source or "") and (self._store.folder / str(answer.source)).is_dir():
                return answer
        return signal.Signals(-ended).name if ended < 0 else "without an answer"

    def _find(self, one: StoredSubmission, languages: Mapping[str, Language], scratch: Path) -> Answer:
        """Finds, builds and stores the agent; in the child."""
        try:
            path = scratch / "handed-in" / file_name(one.label)
            path.parent.mkdir()
            self._spool.copy(one.id, path)
            found = stored(self._store, path, one.author, languages, scratch, most_files=MOST_UPLOADED_FILES)
            return Answer(*found)
        except BadSubmission as error:
            return Answer(None, str(error))
        except MemoryError:
            return Answer(None, f"opening it took more than {_MEMORY // MEBIBYTE:,} MiB of memory; {_SMALLER}")
        except ArenaError as error:
            what = without_store(str(error)).replace(f" {self._store.folder}", "")
            return Answer(None, f"{what}. This is not a fault of the agent: tell your instructor")
        except Exception as error:
            what = (isinstance(error, OSError) and error.strerror) or type(error).__name__
            return Answer(None, f"the server could not open it ({what}); {_ASK}")


def _count(connection: Connection, one: StoredSubmission, interruptions: int) -> None:
    """Notes in the row how often this process would have ended while it opened it, if it ended now."""
    if ladder.submission(connection, one.id).is_unopened:
        now = max(datetime.now(UTC), one.received)
        ladder.change_submission(connection, one.id, SubmissionState.RECEIVED, now, interruptions=interruptions)


def _child(parent: int, answer: int, find: Callable[[], Answer]) -> NoReturn:
    """What a forked child does: it writes one line to the descriptor `answer`, and ends. It uses no connection to the
    database, and has no descriptor of its parent except its messages."""
    try:
        gc.freeze()  # no object of the parent is finalized here
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.closerange(3, answer)
        os.closerange(answer + 1, os.sysconf("SC_OPEN_MAX"))
        if usage.LINUX:
            confine.die_with_parent(parent)
        jail.adopt_orphans()
        for kind, most in _LIMITS.items():
            _, hard = resource.getrlimit(kind)
            resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
        os.write(answer, msgspec.json.encode(find()))
    finally:
        os._exit(0)


def main() -> None:
    """Runs the intake. Its stdin is a socket, whose other end the director has."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the director
    os.nice(_NICE)
    jail.adopt_orphans()  # those of a child: what it has started is killed with it
    director = socket.socket(fileno=sys.stdin.fileno())
    settings, _ = read_settings(director)
    scratch = Path(settings["scratch"])
    for left in scratch.glob(f"{_SCRATCH}*"):
        with suppress(OSError):  # it is removed with the run folder
            clear(left)
    try:
        with Database(settings["database"], create=False) as database:
            _serve(database, director, settings, scratch)
    except DatabaseError as error:
        sys.exit(str(error))


def _serve(database: Database, director: socket.socket, settings: Mapping[str, Any], scratch: Path) -> None:
    """Opens uploads until the director ends."""
    store = Store(Path(settings["store"]))
    intake = Intake(database, store, settings["ladder"], scratch, director, within=settings["within"])
    with suppress(DirectorEnded):
        while True:
            try:
                if intake.open_next():
                    nudge_back(director)
                else:
                    intake.wait()
            except Busy:
                intake.pause()


if __name__ == "__main__":
    main()
