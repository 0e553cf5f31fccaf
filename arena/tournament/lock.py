"""One process at a time runs a tournament."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import TournamentBusy


@contextmanager
def alone(folder: Path, name: str) -> Iterator[None]:
    """Inside the block this process is the only one that runs the tournament of that name; TournamentBusy otherwise.

    The lock goes with the process, however that ends."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"running-{hashlib.sha256(name.encode()).hexdigest()[:16]}.lock"
    lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TournamentBusy(
                f"tournament {name!r} is being run by another process; end that first (Ctrl-C there)"
            ) from None
        yield
    finally:
        os.close(lock)
