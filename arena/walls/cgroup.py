"""A control group of an agent's own: Linux says exactly what all its processes use, and for how long none could run.

Only where this process may make one: as root, or in a part of the tree that was handed to this user, as `systemd-run
--user --scope --property Delegate=yes` does. No controller is needed, but the kernel must account for pressure.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import monotonic, sleep
from typing import Final

_MICROSECOND: Final = 1000
_EMPTY_WITHIN: Final = 1.0
"""Seconds that killed processes take to be gone, at most."""
_NAME: Final = "arena-{warden}-{number}"


class Cgroup:
    """One group, empty at first."""

    def __init__(self, folder: Path) -> None:
        """FileExistsError or another OSError where it cannot be made."""
        folder.mkdir()
        self._folder = folder
        self._files: list[int] = []
        try:
            for name in ("cpu.stat", "cpu.pressure"):
                self._files.append(os.open(folder / name, os.O_RDONLY | os.O_CLOEXEC))
            self.starved()
        except (OSError, ValueError) as error:
            self.remove()
            raise OSError(f"no account of pressure: {error}") from error

    def door(self) -> int:
        """A descriptor; a process that writes 0 to it joins."""
        return os.open(self._folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)

    def holds_any(self) -> bool:
        """Whether a process has joined it."""
        return bool((self._folder / "cgroup.procs").read_text().split())

    def cpu(self) -> int:
        """Nanoseconds of processor time that its processes have used, the ended ones too."""
        return _number(rb"usage_usec (\d+)", self._files[0]) * _MICROSECOND

    def starved(self) -> int:
        """Nanoseconds in which some of its threads were ready to run and none ran."""
        return _number(rb"full .*total=(\d+)", self._files[1]) * _MICROSECOND

    def remove(self) -> None:
        """Its processes have ended."""
        for file in self._files:
            os.close(file)
        self._files.clear()
        _remove(self._folder)


def make() -> Cgroup | None:
    """A new group below this process's own; None where that cannot be."""
    if (parent := _parent()) is None:
        return None
    try:
        return Cgroup(parent / _NAME.format(warden=os.getpid(), number=secrets.token_hex(4)))
    except OSError:
        return None


@cache
def can_be_made() -> bool:
    """Whether agents get groups of their own here."""
    if (group := make()) is None:
        return False
    group.remove()
    return True


def end_left(warden: int) -> None:
    """Ends what a warden that is gone has left in its groups, and removes them."""
    if (parent := _parent()) is not None:
        for folder in parent.glob(_NAME.format(warden=warden, number="*")):
            with suppress(OSError):
                (folder / "cgroup.kill").write_text("1")
            _remove(folder)


def _remove(folder: Path) -> None:
    """Its processes have been killed; they may still be on their way out."""
    give_up = monotonic() + _EMPTY_WITHIN
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            if monotonic() > give_up:
                return
            sleep(0.002)
        else:
            return


@cache
def _parent() -> Path | None:
    """The folder of the group in which this process is; None without control groups of the second version."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text()
        own = re.search(r"^0::(/.*)$", Path("/proc/self/cgroup").read_text(), re.MULTILINE)
    except OSError:
        return None
    mount = re.search(r"^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 ", mounts, re.MULTILINE)
    if own is None or mount is None:
        return None
    inside = os.path.relpath(own[1], mount[1])
    folder = Path(mount[2], inside)
    return folder if not inside.startswith("..") and os.access(folder / "cgroup.procs", os.W_OK) else None


def _number(pattern: bytes, file: int) -> int:
    found = re.search(pattern, os.pread(file, 1000, 0))
    if found is None:
        raise ValueError(f"expected {pattern!r}")
    return int(found[1])
