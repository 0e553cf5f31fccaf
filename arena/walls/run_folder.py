"""The folder of one running director: its sockets, and the files that its players need.

The folder is new and has mode 0700; its path is short, because a socket's path must be under 100 bytes. The folder is
locked while its director runs. An unlocked one was left by a killed director, and the next director removes it.
"""

from __future__ import annotations

import os
import secrets
import tempfile
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_PREFIX: Final = "arena-run-"
_TRIES: Final = 20
_RETRY_EVERY: Final = 0.01
"""Seconds between two tries to lock a folder."""
_OPENED: Final = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_LONGEST: Final = 60
"""Bytes of the folder's path: a name in it must still fit into a socket's address."""


class RunFolder:
    """A new run folder, removed at the end of the `with` block."""

    def __init__(self) -> None:
        parent = tempfile.gettempdir()
        if len(os.fsencode(parent)) > _LONGEST - len(_PREFIX) - 8 or not parent.isprintable():
            parent = "/tmp"
        for left in Path(parent).glob(f"{_PREFIX}*"):
            remove_abandoned(left)
        self.path, self._lock = _made(parent)
        self.scratch = self.path / "scratch"
        self.scratch.mkdir(mode=0o700)

    @property
    def players(self) -> str:
        """The referee's address for players."""
        return players_address(self.path)

    @property
    def control(self) -> str:
        """The director's address for the referee."""
        return control_address(self.path)

    def remove(self) -> None:
        """Removes the folder and all in it."""
        _remove(self.path)
        os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.remove()


def _made(parent: str) -> tuple[Path, int]:
    """A new folder, and the descriptor that keeps it locked."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        if (lock := locked(path)) is not None:
            return path, lock


def players_address(folder: Path) -> str:
    """The address for players in that folder."""
    return f"ipc://{folder}/players"


def control_address(folder: Path) -> str:
    """The address of the director in that folder."""
    return f"ipc://{folder}/control"


def live_address(folder: Path) -> str:
    """The address in that folder where the director publishes its games."""
    return f"ipc://{folder}/live"


def remove_abandoned(folder: Path, *, patience: float = 0.0) -> None:
    """Removes a run folder whose director has ended; does nothing if it still runs, or if another process removes the
    folder. `patience`: seconds to wait for the lock, which a director that was just killed may keep a little longer."""
    try:
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            return
        try:
            lock = os.open(folder, _OPENED)
        except PermissionError:
            folder.chmod(0o700)
            lock = os.open(folder, _OPENED)
    except OSError:
        return  # another process has removed it
    try:
        give_up = time.monotonic() + patience
        while not (taken := _take(lock)) and time.monotonic() < give_up:
            time.sleep(_RETRY_EVERY)
        if taken:
            _remove(folder)
    finally:
        os.close(lock)


def clear(folder: Path) -> None:
    """Removes `folder` with all its content, however deep and whatever its permissions."""
    folder.chmod(0o700)
    # Inner directories are moved up before they are emptied: no recursion, no long path, few open descriptors.
    mark = secrets.token_hex(8)
    number = count()
    while entries := list(os.scandir(folder)):
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry)
                continue
            os.chmod(entry, 0o700)
            for inner in list(os.scandir(entry)):
                if inner.is_dir(follow_symlinks=False):
                    os.chmod(inner, 0o700)
                    os.rename(inner, folder / f"{mark}-{next(number)}")
                else:
                    os.unlink(inner)
            os.rmdir(entry)
    folder.rmdir()


def _remove(folder: Path) -> None:
    """Removes a run folder, as far as possible."""
    for _ in range(_TRIES):
        with suppress(OSError):  # an ending warden removes its agent's folder inside at the same time
            clear(folder)
        if not folder.exists():
            return


def locked(folder: Path) -> int | None:
    """A descriptor that keeps the new `folder` locked; None if another process removed it before it was locked."""
    with suppress(FileNotFoundError):
        lock = os.open(folder, _OPENED)
        if _take(lock) and folder.exists():
            return lock
        os.close(lock)
    return None


def _take(lock: int) -> bool:
    """Locks the folder if it is free (flock); the lock ends with the process."""
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
