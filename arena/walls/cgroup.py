"""A control group (cgroup v2) for one agent: processor time of all its processes, how long none could run, and a pause.

This process can make one only as root, or in a part of the tree that was delegated to this user (`systemd-run --user
--scope --property Delegate=yes`). The kernel limits the group's memory where the parent group enables the memory
controller. How long no process could run (cpu.pressure) is known where the kernel has PSI.
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
"""Longest wait for killed processes to leave the group, in seconds."""
_NAME: Final = "arena-{warden}-{number}"


class Cgroup:
    """One group, empty at first."""

    def __init__(self, folder: Path) -> None:
        """FileExistsError or another OSError if it cannot be made."""
        folder.mkdir()
        self._folder = folder
        self._stat: int | None = None
        self._pressure: int | None = None
        self._freeze: int | None = None
        # The processor time that was read last.
        self._last = 0
        self._events: int | None = None
        try:
            self._stat = os.open(folder / "cpu.stat", os.O_RDONLY | os.O_CLOEXEC)
            with suppress(OSError):
                self._pressure = os.open(folder / "cpu.pressure", os.O_RDONLY | os.O_CLOEXEC)
            with suppress(OSError):  # since Linux 5.2
                self._freeze = os.open(folder / "cgroup.freeze", os.O_WRONLY | os.O_CLOEXEC)
                self._events = os.open(folder / "cgroup.events", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self.remove()
            raise

    def limit(self, memory: int) -> None:
        """Sets memory.max (bytes), and allows no swap; no effect without the memory controller."""
        for name, most in (("memory.max", memory), ("memory.swap.max", 0), ("memory.oom.group", 1)):
            with suppress(OSError):
                (self._folder / name).write_text(str(most))

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel has killed the group because of its memory limit (memory.events)."""
        try:
            return _number(rb"oom_group_kill (\d+)", (self._folder / "memory.events").read_bytes()) > 0
        except (OSError, ValueError):
            return False

    def open_procs(self) -> int:
        """A descriptor of cgroup.procs: a process that writes 0 to it joins the group."""
        return os.open(self._folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)

    def has_processes(self) -> bool:
        """Whether there is a process in the group."""
        try:
            return bool((self._folder / "cgroup.procs").read_text().split())
        except OSError:  # it is gone
            return False

    def cpu(self) -> int:
        """Nanoseconds of processor time that its processes have used, including ended ones (cpu.stat)."""
        if self._stat is None:
            raise ValueError("the group has been removed")
        with suppress(OSError):  # somebody else has removed it: nothing is used any more
            self._last = _number(rb"usage_usec (\d+)", os.pread(self._stat, 1000, 0)) * _MICROSECOND
        return self._last

    def freeze(self, wanted: bool) -> bool:
        """Pauses all its processes, which no signal undoes, or lets them go on; False if the kernel cannot."""
        if self._freeze is None or self._events is None:
            return False
        try:
            os.write(self._freeze, b"1" if wanted else b"0")
        except OSError:  # the group is gone
            return False
        return True

    def is_frozen(self) -> bool | None:
        """Whether all its processes are paused (cgroup.events); None if the kernel cannot freeze them."""
        if self._events is None:
            return None
        try:
            return b"frozen 1" in os.pread(self._events, 1000, 0)
        except OSError:  # the group is gone, and all in it
            return True

    def starved(self) -> int | None:
        """Nanoseconds in which at least one thread was ready and none ran (cpu.pressure, "full"); None if not known."""
        if self._pressure is None:
            return None
        try:
            return _number(rb"full .*total=(\d+)", os.pread(self._pressure, 1000, 0)) * _MICROSECOND
        except (OSError, ValueError):  # PSI is off, or the kernel is older than 5.13
            return None

    def remove(self) -> None:
        """Removes the group; its processes have ended."""
        for file in (self._stat, self._pressure, self._freeze, self._events):
            if file is not None:
                os.close(file)
        self._stat = self._pressure = self._freeze = self._events = None
        _remove(self._folder)


def make(memory: int | None = None) -> Cgroup | None:
    """A new group, limited to `memory` bytes where the kernel can do that; None if no group can be made."""
    if (parent := _parent()) is None:
        return None
    try:
        made = Cgroup(parent / _NAME.format(warden=os.getpid(), number=secrets.token_hex(4)))
    except OSError:
        return None
    if memory is not None:
        made.limit(memory)
    return made


@cache
def measures_waits() -> bool:
    """Whether agents get their own groups here, and these measure how long none of their threads could run."""
    if (group := make()) is None:
        return False
    known = group.starved() is not None
    group.remove()
    return known


def _remove_abandoned(parent: Path) -> None:
    """Removes the empty groups of wardens that have ended; a warden that is killed leaves its groups behind."""
    for folder in parent.glob(_NAME.format(warden="*", number="*")):
        if not os.path.exists(f"/proc/{folder.name.split('-')[1]}"):
            with suppress(OSError):
                folder.rmdir()


def end_left(warden: int) -> None:
    """Kills what a warden that has ended has left in its groups (cgroup.kill), and removes the groups."""
    if (parent := _parent()) is not None:
        for folder in parent.glob(_NAME.format(warden=warden, number="*")):
            with suppress(OSError):
                (folder / "cgroup.kill").write_text("1")
            _remove(folder)


def _remove(folder: Path) -> None:
    """Removes a group whose processes were killed; waits for those that have not ended yet."""
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
    """The group in which new groups are made: this process's own or the one above; None without cgroup v2."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text()
        own = re.search(r"^0::(/.*)$", Path("/proc/self/cgroup").read_text(), re.MULTILINE)
    except OSError:
        return None
    mount = re.search(r"^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 ", mounts, re.MULTILINE)
    if own is None or mount is None:
        return None
    inside = os.path.relpath(own[1], mount[1])
    found = None if inside.startswith("..") else parent_of_new(Path(mount[2], inside), Path(mount[2]))
    if found is not None:
        _remove_abandoned(found)
    return found


def parent_of_new(own: Path, top: Path) -> Path | None:
    """Where to make new groups: in `own`, a process's group below `top`, or in its parent; None if neither is writable.

    cgroup v2 lets a group that contains processes enable no memory controller for its children, so new groups are made
    beside it; unless it is limited itself, because they would escape its limits there."""
    places = [own] if own == top or _is_limited(own) else [own, own.parent]
    usable = [folder for folder in places if os.access(folder / "cgroup.procs", os.W_OK)]
    return next((folder for folder in usable if _limits_memory(folder)), usable[0] if usable else None)


def _is_limited(folder: Path) -> bool:
    for name in ("memory.max", "memory.high", "cpu.max", "pids.max"):
        with suppress(OSError):
            if not (folder / name).read_text().startswith("max"):
                return True
    return False


def _limits_memory(folder: Path) -> bool:
    try:
        return "memory" in (folder / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False


def _number(pattern: bytes, text: bytes) -> int:
    found = re.search(pattern, text)
    if found is None:
        raise ValueError(f"expected {pattern!r}")
    return int(found[1])
