"""A file lock: only one process at a time runs a tournament."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import TournamentBusy


@contextmanager
def tournament_lock(folder: Path, name: str) -> Iterator[None]:
    """Holds the lock of the tournament of that name; TournamentBusy if another process has it.

    It is an flock: the kernel releases it when the process ends, even when the process is killed."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"running-{hashlib.sha256(name.encode()).hexdigest()[:16]}.lock"
    lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TournamentBusy(
                f"another process is running tournament {name!r}; stop that process first (Ctrl-C)"
            ) from None
        yield
    finally:
        os.close(lock)
