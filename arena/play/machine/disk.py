"""Whether results are safe on the disk, how long a synced write takes, and how much space is free.

The test file has no name and is deleted when the measurement ends.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from arena.match.allowance import GIBIBYTE
from arena.play.machine.finding import PROC, Finding, Health, found, read_file, size, unknown

_NETWORK: Final = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "drvfs", "fuse.glusterfs", "fuse.sshfs", "gfs2", "glusterfs", "gpfs"}
    | {"lustre", "ncpfs", "nfs", "nfs4", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs"}
)
"""File systems that another machine, or the host of this virtual machine, can write to as well."""
_IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
_SYNC_MOST: Final = 0.05
"""Longest good time of a synced write, in seconds; recording a game takes two or three such writes."""
_FREE_LEAST: Final = GIBIBYTE
_SYNCS: Final = 20
_SYNCS_WITHIN: Final = 0.5
"""Time limit for all test writes, in seconds."""


def findings(folder: Path | None, *, proc: Path = PROC) -> list[Finding]:
    """Whether results are safe in the database's folder, and how much space is free."""
    if folder is None:
        of_database = [unknown("disk", "database", "not a file on this machine")]
    else:
        of_database = [writing(folder)]
        if of_database[0].verdict is not Health.PROBLEM:
            of_database += [file_system(folder, proc), free_space("free space", folder)]
    return [*of_database, temporary()]


def writing(folder: Path) -> Finding:
    """How long a synced write of 4 KiB takes."""
    where = folder.absolute()
    try:
        times = sync_times(folder)
    except OSError as error:
        value = f"{where}: not writable ({error.strerror})"
        advice = "create the folder, or choose another database (--db, ARENA_DB)"
        return Finding("disk", "database", value, Health.PROBLEM, advice)
    middle, worst = statistics.median(times), max(times)
    value = f"{where}: a synced 4 KiB write takes {middle * 1000:.2f} ms (median), {worst * 1000:.1f} ms at worst"
    advice = "every result waits for synced writes: put the database on a faster disk" if middle > _SYNC_MOST else ""
    return found("disk", "database", value, advice)


def sync_times(folder: Path, *, clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """Seconds that each write of 4 KiB with fsync takes; OSError if the folder is not writable."""
    times: list[float] = []
    started = clock()
    with tempfile.TemporaryFile(dir=folder) as file:
        while not times or (len(times) < _SYNCS and clock() - started < _SYNCS_WITHIN):
            before = clock()
            os.write(file.fileno(), bytes(4096))
            os.fsync(file.fileno())
            times.append(clock() - before)
    return times


def file_system(folder: Path, proc: Path) -> Finding:
    """Whether SQLite's write-ahead log (WAL), which several processes share, works in the folder."""
    kind = mounted(folder, read_file(proc / "self/mounts"))
    if kind is None:
        return unknown("disk", "file system")
    if kind in _NETWORK:
        advice = "SQLite's write-ahead log (WAL) can fail on a shared file system: put the database on a local disk"
        return Finding("disk", "file system", f"{kind}, shared with other machines", Health.PROBLEM, advice)
    advice = "its files are lost when the machine stops: put the database on a disk" if kind in _IN_MEMORY else ""
    return found("disk", "file system", kind, advice)


def mounted(folder: Path, mounts: str) -> str | None:
    """The type of the folder's file system. `mounts`: a table in the format of /proc/self/mounts."""
    where = os.path.realpath(folder)
    best, kind = "", None
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        place = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[1])
        # If several file systems are mounted at the same place, the last one hides the others.
        if len(place) >= len(best) and (where == place or where.startswith(place.rstrip("/") + "/")):
            best, kind = place, fields[2]
    return kind


def temporary() -> Finding:
    """Free space in the folder for temporary files, where agents get their own folders."""
    try:
        return free_space("temporary", Path(tempfile.gettempdir()))
    except OSError as error:
        advice = "set TMPDIR to a writable folder"
        return Finding("disk", "temporary", error.strerror or str(error), Health.PROBLEM, advice)


def free_space(name: str, folder: Path) -> Finding:
    """Free space on the folder's disk."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return unknown("disk", name)
    advice = "free some space: a full disk stops a tournament" if free < _FREE_LEAST else ""
    return found("disk", name, f"{size(free)} free in {folder.absolute()}", advice)
