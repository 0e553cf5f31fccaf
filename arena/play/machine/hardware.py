"""The findings about processors, memory and disks: what they offer to a tournament, and what makes clocks unfair here.
Facts come from /proc and /sys (a caller can pass other folders), and from timed sleeps and writes.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.match.allowance import GIBIBYTE, MEBIBYTE, Allowance, WallKind
from arena.play import cores
from arena.play.machine.finding import (
    PROC,
    SYS,
    UNFAIR,
    Finding,
    Health,
    control_groups,
    found,
    read_file,
    size,
    unknown,
)
from arena.walls import meter

# Processors: what makes a player wait while its clock runs, or makes clocks differ between games.


_OTHERS_MOST: Final = 0.10
"""Share of all processors that other processes can use without a warning."""
_STOLEN_MOST: Final = 0.01
"""Share of the time that the host of a virtual machine can take without a warning."""
_LOAD_MOST: Final = 0.5
"""Load average per processor above which there is a warning."""
_LATE_MOST: Final = 500_000
"""Median lateness of a sleep above which there is a warning, in nanoseconds; clocks have a margin for less."""
_LATEST_MOST: Final = 10_000_000
"""Worst lateness of a sleep above which there is a warning, in nanoseconds."""
_SLEEPS: Final = 200
_SLEEP: Final = 1_000_000
"""Length of each test sleep, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class ProcessorTimes:
    """How all processors have spent their time since the machine started, in clock ticks."""

    total: int
    idle: int
    stolen: int
    """Taken by the host for other virtual machines ("steal" in /proc/stat)."""


def of_processors(*, proc: Path = PROC, sysfs: Path = SYS) -> list[Finding]:
    """What decides whether clocks are fair."""
    before, own = processor_times(proc), time.process_time()
    late = lateness()
    after, own = processor_times(proc), time.process_time() - own
    processors = os.cpu_count()
    return [
        games_with_cores(cores.physical(), processors),
        waits([kind for kind in WallKind if not meter.counts_waits(kind)], known=meter.counts_waits(None)),
        quota(proc, sysfs),
        governor(sysfs),
        load(_load_average(), processors, taken_by_others(before, after, own)),
        steal(after),
        timer(late),
    ]


def games_with_cores(there: list[int], processors: int | None) -> Finding:
    """How many games at the same time get their own core. `there`: one processor of each physical core."""
    if not there:
        return unknown("clocks", "cores", f"{processors or 'some'} processors; a process cannot be bound to one")
    if len(there) == 1:
        advice = "use a machine with more cores: players wait for other processes, and games take longer"
        return found("clocks", "cores", "1: the referee and the players share it", advice)
    games = len(there) - 1
    playing = "1 game at a time has its own core" if games == 1 else f"{games} games at the same time have a core each"
    of = "" if processors in (None, len(there)) else f" ({processors} processors)"
    return found("clocks", "cores", f"{len(there)}{of}: {playing}")


def waits(charged: list[WallKind], *, known: bool) -> Finding:
    """Whether waiting for a processor is charged. `charged`: the walls behind which this time cannot be measured."""
    if not known:
        value = "waiting for a processor is charged as thinking: this system does not measure it"
        return found("clocks", "waiting", value, "run nothing else during a tournament")
    value = "waiting for a processor is not charged, except behind limits"
    if WallKind.CONTAINER in charged:
        value += (
            " and in a container; give the tournament its own control group, and it is not charged in a container "
            "either (systemd-run --user --scope --property Delegate=yes arena run ...)"
        )
    return found("clocks", "waiting", value)


def quota(proc: Path, sysfs: Path) -> Finding:
    """Whether a control group of this process has a CPU quota (cpu.max, or cpu.cfs_quota_us of version 1)."""
    quotas = [read_file(folder / "cpu.max").partition(" ")[::2] for folder in control_groups(proc, sysfs)]
    version_1 = sysfs / "fs/cgroup/cpu"
    quotas.append((read_file(version_1 / "cpu.cfs_quota_us"), read_file(version_1 / "cpu.cfs_period_us")))
    shares = [int(most) / int(of) for most, of in quotas if most.isdecimal() and of.isdecimal() and int(of)]
    if shares:
        advice = f"a player over the quota is paused, {UNFAIR}: give whole processors (Docker: --cpuset-cpus)"
        return found("clocks", "quota", f"the time of {min(shares):.3g} processors", advice)
    if not (sysfs / "fs/cgroup").is_dir():
        return unknown("clocks", "quota")
    return found("clocks", "quota", "none")


def governor(sysfs: Path) -> Finding:
    """Whether processors change their frequency with the load."""
    files = sysfs.glob("devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
    governors = sorted({text for file in files if (text := read_file(file))})
    if not governors:
        return unknown("clocks", "frequency", "not reported (normal in a virtual machine)")
    if governors == ["performance"]:
        return found("clocks", "frequency", "always the highest (governor: performance)")
    advice = "an idle processor starts slowly; until the next reboot: sudo cpupower frequency-set -g performance"
    return found("clocks", "frequency", f"changes with the load (governor: {', '.join(governors)})", advice)


def processor_times(proc: Path) -> ProcessorTimes | None:
    """The times in the first line of /proc/stat; None if the system does not report them."""
    fields = read_file(proc / "stat").partition("\n")[0].split()
    if len(fields) < 9 or fields[0] != "cpu" or not all(field.isdecimal() for field in fields[1:]):
        return None
    ticks = [int(field) for field in fields[1:9]]  # user nice system idle iowait irq softirq steal
    return ProcessorTimes(sum(ticks), ticks[3] + ticks[4], ticks[7])


def taken_by_others(before: ProcessorTimes | None, after: ProcessorTimes | None, own: float) -> float | None:
    """The share of all processors that other processes used, if this process used `own` seconds."""
    if before is None or after is None or after.total <= before.total:
        return None
    total = after.total - before.total
    busy = total - (after.idle - before.idle) - (after.stolen - before.stolen)
    return min(1.0, max(0.0, (busy - own * os.sysconf("SC_CLK_TCK")) / total))


def _load_average() -> float | None:
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return None


def load(average: float | None, processors: int | None, taken: float | None) -> Finding:
    """How busy the machine is with other programs."""
    facts = [] if average is None else [f"load average {average:.1f} (1 minute) on {processors or 'some'} processors"]
    facts += [] if taken is None else [f"other programs use {taken:.0%} now"]
    if not facts:
        return unknown("clocks", "load")
    much = (average or 0.0) > _LOAD_MOST * (processors or 1) or (taken or 0.0) > _OTHERS_MOST
    advice = "stop other programs (see top): players wait for them, and games take longer" if much else ""
    return found("clocks", "load", "; ".join(facts), advice)


def steal(now: ProcessorTimes | None) -> Finding:
    """The share of processor time that the host took for other virtual machines."""
    if now is None or not now.total:
        return unknown("clocks", "stolen")
    share = now.stolen / now.total
    value = f"{share:.1%} of the processor time since boot, taken by the host"
    advice = "the host has too few processors for its virtual machines: ask for dedicated ones, or use another host"
    return found("clocks", "stolen", value, advice if share > _STOLEN_MOST else "")


def lateness(
    *,
    sleeps: int = _SLEEPS,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], int] = time.perf_counter_ns,
) -> list[int]:
    """How many nanoseconds too late each of `sleeps` sleeps of 1 ms ends."""
    late = []
    for _ in range(sleeps):
        started = clock()
        sleep(_SLEEP / 1e9)
        late.append(clock() - started - _SLEEP)
    return late


def timer(late: list[int]) -> Finding:
    """How late a sleep ends."""
    middle, worst = statistics.median(late), max(late)
    value = f"a 1 ms sleep ends {middle / 1e6:.2f} ms late (median), {worst / 1e6:.1f} ms at worst"
    much = middle > _LATE_MOST or worst > _LATEST_MOST
    advice = "stop other programs and switch power saving off; a virtual machine may stay slow"
    return found("clocks", "timer", value, advice if much else "")


# Whether the free memory is enough for all agents that play at the same time, each with its full limit.


_SWAP_MOST: Final = 64 * MEBIBYTE
"""Bytes in swap above which there is a warning."""


def of_memory(*, proc: Path = PROC, sysfs: Path = SYS) -> list[Finding]:
    """Whether there is enough memory for all agents that play at the same time, and whether swap is in use."""
    known = {
        name: int(kibibytes) * 1024 for name, kibibytes in re.findall(r"(\w+): +(\d+) kB", read_file(proc / "meminfo"))
    }
    free = known.get("MemAvailable")
    for folder in control_groups(proc, sysfs):
        most, now = read_file(folder / "memory.max"), read_file(folder / "memory.current")
        if free is not None and most.isdecimal() and now.isdecimal():
            # The kernel gives inactive file cache back when memory is needed.
            cache = re.search(r"^inactive_file (\d+)$", read_file(folder / "memory.stat"), re.MULTILINE)
            free = min(free, max(0, int(most) - int(now) + int(cache[1] if cache else 0)))
    used = known["SwapTotal"] - known["SwapFree"] if {"SwapTotal", "SwapFree"} <= known.keys() else None
    return [memory_free(free, max(1, len(cores.physical()) - 1)), swap(used)]


def memory_free(free: int | None, games: int) -> Finding:
    """Whether two agents for each of `games` games fit into `free` bytes."""
    each = Allowance().memory
    if free is None or each is None:
        return unknown("memory", "free")
    value = f"{size(free)}; an agent can use up to {size(each)}"
    if free >= 2 * games * each:
        return found("memory", "free", value)
    playing = "a game has" if games == 1 else f"{games} games at the same time have"
    advice = f'{playing} {2 * games} agents: lower their limit (memory = "{max(1, free // (2 * games) // MEBIBYTE)}M")'
    return found("memory", "free", value, advice)


def swap(used: int | None) -> Finding:
    """Whether memory was swapped out to the disk."""
    if used is None:
        return unknown("memory", "swap")
    advice = f"a player waits while swapped memory is read back, {UNFAIR}: stop other programs"
    value = f"{size(used)} in use" if used else "not in use"
    return found("memory", "swap", value, advice if used > _SWAP_MOST else "")


# Whether results are safe on the disk, how long a synced write takes, and how much space is free.


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


def of_disk(folder: Path | None, *, proc: Path = PROC) -> list[Finding]:
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
