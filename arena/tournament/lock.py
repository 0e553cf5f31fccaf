"""Locks: only one process at a time runs a tournament, and only one collects into a file.

A lock is an flock: the kernel releases it when the process ends, even when the process is killed. A tournament in a
PostgreSQL database is also locked there, because two machines can use that. The file of a running tournament holds the
path of its run folder too, so that other commands find its games in progress.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from arena.errors import TournamentBusy
from db import private
from db.database import Database
from db.errors import Busy

_PATIENCE: Final = 0.25
"""Seconds until a lock counts as taken: `running_in` holds it for a moment."""
_RETRY_EVERY: Final = 0.01
_LONGEST_PATH: Final = 4096


class TournamentLock:
    """The lock of a tournament that this process runs."""

    def __init__(self, file: int) -> None:
        self._file = file

    def note(self, run_folder: Path) -> None:
        """Writes where the tournament runs, for `running_in`."""
        os.pwrite(self._file, os.fsencode(run_folder), 0)


@contextmanager
def tournament_lock(
    folder: Path, name: str, *, database: Database | None = None, what: str = "tournament"
) -> Iterator[TournamentLock]:
    """Holds the lock of the tournament of that name; TournamentBusy if another process has it.

    `folder`: the store. `database`: where the tournament is, because another machine may use that too. `what`: for the
    message, what the other process runs."""
    busy = f"another process is running {what} {name!r}; stop that process first (Ctrl-C)"
    with ExitStack() as stack:
        file = stack.enter_context(_lock(_file(folder, "running", name), busy))
        try:
            if database is not None:
                stack.enter_context(database.holding(f"arena runs {name}"))
        except Busy:
            raise TournamentBusy(busy) from None
        yield TournamentLock(file)


def running_in(folder: Path, name: str) -> Path | None:
    """The run folder of the process that runs the tournament; None if no process does, or it has not begun to play.

    None also if another account runs it: its lock file and its run folder cannot be read."""
    with suppress(FileNotFoundError, PermissionError):
        file = os.open(_file(folder, "running", name), os.O_RDONLY | os.O_CLOEXEC)
        try:
            if not _take(file, shared=True):
                return Path(os.fsdecode(path)) if (path := os.pread(file, _LONGEST_PATH, 0)) else None
        finally:
            os.close(file)
    return None


@contextmanager
def collecting_lock(folder: Path, file: Path) -> Iterator[None]:
    """Holds the lock of the collected file `file`; TournamentBusy if another process has it.

    `arena course collect` replaces the whole file, so two at once would lose each other's agents."""
    busy = f"another process collects into {file}; give the command again when that process has ended"
    with _lock(_file(folder, "collecting", str(file.resolve())), busy):
        yield


def _file(folder: Path, what: str, name: str) -> Path:
    return folder / f"{what}-{hashlib.sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}.lock"


@contextmanager
def _lock(path: Path, busy: str) -> Iterator[int]:
    """Holds the lock of the file, which is emptied; TournamentBusy with this message if another process has it."""
    private.make_folder(path.parent)
    with suppress(FileExistsError):
        os.close(private.new_file(path))
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        give_up = time.monotonic() + _PATIENCE
        while not _take(file):
            if time.monotonic() >= give_up:
                raise TournamentBusy(busy)
            time.sleep(_RETRY_EVERY)
        os.truncate(file, 0)
        yield file
    finally:
        os.close(file)


def _take(file: int, *, shared: bool = False) -> bool:
    """Locks the file if it is free; `shared`: if nobody but readers holds it."""
    import fcntl

    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
