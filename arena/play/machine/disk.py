"""Whether results are safe on the disk, how long that takes, and whether there is room for more.

What is written to find out is gone when the answer is there.
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

from arena.play.machine.finding import PROC, Finding, Health, found, read_file, size, unknown
from arena.walls.kinds import GIBIBYTE

_NETWORK: Final = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "drvfs", "fuse.glusterfs", "fuse.sshfs", "gfs2", "glusterfs", "gpfs"}
    | {"lustre", "ncpfs", "nfs", "nfs4", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs"}
)
"""File systems that another machine, or the host of this one, may write to as well."""
_FLEETING: Final = frozenset({"tmpfs", "ramfs"})
_SYNC_MOST: Final = 0.05
"""Seconds; a finished game is on the disk after two or three."""
_FREE_LEAST: Final = GIBIBYTE
_SYNCS: Final = 20
_SYNCS_WITHIN: Final = 0.5


def findings(folder: Path | None, *, proc: Path = PROC) -> list[Finding]:
    """Whether results are safe in the database's folder, and whether there is room."""
    if folder is None:
        of_database = [unknown("disk", "database", "not a file on this machine")]
    else:
        of_database = [writing(folder)]
        if of_database[0].verdict is not Health.PROBLEM:
            of_database += [file_system(folder, proc), room("room", folder)]
    return [*of_database, temporary()]


def writing(folder: Path) -> Finding:
    """How long a little takes to be safe on the disk."""
    where = folder.absolute()
    try:
        times = sync_times(folder)
    except OSError as error:
        value = f"{where}: nothing can be written ({error.strerror})"
        advice = "make the folder, or name a database elsewhere (--db, ARENA_DB)"
        return Finding("disk", "database", value, Health.PROBLEM, advice)
    middle, worst = statistics.median(times), max(times)
    value = f"{where}: a write is safe after {middle * 1000:.2f} ms, at worst {worst * 1000:.1f} ms"
    advice = "each result waits for that: put the database on a faster disk" if middle > _SYNC_MOST else ""
    return found("disk", "database", value, advice)


def sync_times(folder: Path, *, clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """Seconds that each of some small writes takes until it is on the disk; OSError where none can be made."""
    times: list[float] = []
    begun = clock()
    with tempfile.TemporaryFile(dir=folder) as file:
        while not times or (len(times) < _SYNCS and clock() - begun < _SYNCS_WITHIN):
            before = clock()
            os.write(file.fileno(), bytes(4096))
            os.fsync(file.fileno())
            times.append(clock() - before)
    return times


def file_system(folder: Path, proc: Path) -> Finding:
    """Whether SQLite may keep a journal there that several processes share (WAL)."""
    kind = mounted(folder, read_file(proc / "self/mounts"))
    if kind is None:
        return unknown("disk", "file system")
    if kind in _NETWORK:
        advice = "SQLite's journal (WAL) breaks on what machines share: put the database on a disk of this machine"
        return Finding("disk", "file system", f"{kind}, shared with other machines", Health.PROBLEM, advice)
    fleeting = "it is gone when the machine stops: put the database on a disk" if kind in _FLEETING else ""
    return found("disk", "file system", kind, fleeting)


def mounted(folder: Path, mounts: str) -> str | None:
    """The type of the file system that the folder is on, by a table of mounts as in /proc/self/mounts."""
    where = os.path.realpath(folder)
    best, kind = "", None
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        place = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[1])
        # The last of several at one place hides the others.
        if len(place) >= len(best) and (where == place or where.startswith(place.rstrip("/") + "/")):
            best, kind = place, fields[2]
    return kind


def temporary() -> Finding:
    """How much more may be written where agents have their own folders."""
    try:
        return room("temporary", Path(tempfile.gettempdir()))
    except OSError as error:
        advice = "set TMPDIR to a folder that can be written to"
        return Finding("disk", "temporary", error.strerror or str(error), Health.PROBLEM, advice)


def room(name: str, folder: Path) -> Finding:
    """How much more may be written in that folder."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return unknown("disk", name)
    advice = "make room: a full disk ends a tournament" if free < _FREE_LEAST else ""
    return found("disk", name, f"{size(free)} free in {folder.absolute()}", advice)
