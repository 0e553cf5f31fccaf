"""File locks: only one process at a time runs a tournament, and only one collects into a file.

A lock is an flock: the kernel releases it when the process ends, even when the process is killed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import TournamentBusy


@contextmanager
def tournament_lock(folder: Path, name: str) -> Iterator[None]:
    """Holds the lock of the tournament of that name; TournamentBusy if another process has it."""
    busy = f"another process is running tournament {name!r}; stop that process first (Ctrl-C)"
    with _lock(folder, "running", name, busy):
        yield


@contextmanager
def collecting_lock(folder: Path, file: Path) -> Iterator[None]:
    """Holds the lock of the collected file `file`; TournamentBusy if another process has it.

    `arena collect` replaces the whole file, so two at once would lose each other's agents."""
    busy = f"another process collects into {file}; give the command again when that process has ended"
    with _lock(folder, "collecting", str(file.resolve()), busy):
        yield


@contextmanager
def _lock(folder: Path, what: str, name: str, busy: str) -> Iterator[None]:
    """Holds a lock in the folder; TournamentBusy with the message `busy` if another process has it."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{what}-{hashlib.sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}.lock"
    lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TournamentBusy(busy) from None
        yield
    finally:
        os.close(lock)
