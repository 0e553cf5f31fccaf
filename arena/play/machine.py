"""The findings of `arena doctor`: what this machine offers to a tournament, and what makes clocks unfair here.

Facts come from /proc and /sys (a caller can pass other folders), from timed sleeps and writes, and from a test of each
kind of walls. One small function judges each fact; one that the system does not give is "unknown", never an error.
Nothing on the machine is changed.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from adsearch import form
from adsearch.plugins import broken
from agents.errors import one_line
from arena import installation
from arena.installation import Extra
from arena.match.allowance import GIBIBYTE, MEBIBYTE, Allowance, WallKind
from arena.play import cores
from arena.walls import meter

if TYPE_CHECKING:
    from arena.walls.probe import Offer

__all__ = ["Finding", "Health", "findings"]


def findings(folder: Path | None) -> list[Finding]:
    """All findings about this machine. `folder`: that of the database; None if the database is not a local file."""
    return [
        *of_sandboxes(),
        *of_processors(),
        *of_memory(),
        *of_disk(folder),
        *of_system(),
        *of_extras(),
    ]


# One finding: one fact about the machine, and what it means for a tournament.


PROC: Final = Path("/proc")
SYS: Final = Path("/sys")
UNFAIR: Final = "and its clock may keep running"
"""Part of some advice: why it is unfair to make a player wait."""


class Health(StrEnum):
    """What a finding means for a tournament."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact about this machine, and its verdict."""

    area: str
    name: str
    value: str
    verdict: Health
    advice: str = ""
    """What the user can do; empty if nothing is wrong."""


def found(area: str, name: str, value: str, advice: str = "") -> Finding:
    """A finding: `WARNING` if there is advice, else `OK`."""
    return Finding(area, name, value, Health.WARNING if advice else Health.OK, advice)


def unknown(area: str, name: str, value: str = "not available on this system") -> Finding:
    """A finding about a fact that this system does not provide."""
    return Finding(area, name, value, Health.UNKNOWN)


def size(count: int) -> str:
    """`count` bytes in GiB or MiB, for people."""
    return f"{count / GIBIBYTE:.1f} GiB" if count >= GIBIBYTE else f"{count / MEBIBYTE:.0f} MiB"


def read_file(file: Path) -> str:
    """The text of a file, stripped; empty if the file cannot be read."""
    try:
        return file.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def control_groups(proc: Path, sysfs: Path) -> Iterator[Path]:
    """The folders of the control groups (cgroup v2) of this process, the innermost first."""
    top = sysfs / "fs/cgroup"
    for line in read_file(proc / "self/cgroup").splitlines():
        if line.startswith("0::/"):
            inside = Path(os.path.normpath(line.removeprefix("0::")))
            for group in (inside, *inside.parents):
                yield top / group.relative_to("/")


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


# What arena runs on: the operating system, Python, libraries, and the limit on open files.


_PLAYERS_LEAST: Final = 128
"""Below this number of players there is a warning."""
_MORE_FILES: Final = "raise the hard limit on open files (ulimit -Hn; on Linux in /etc/security/limits.conf)"


def of_system() -> list[Finding]:
    """What arena runs on."""
    return [
        found("system", "arena", installation.version()),
        operating_system(platform.system(), platform.release(), platform.machine()),
        *_software(),
        search(form.form(), form.why_interpreted()),
        open_files(),
    ]


def operating_system(name: str, release: str, processor: str) -> Finding:
    """Whether arena runs on this operating system."""
    value = " ".join(filter(None, (name, release, processor)))
    if name in ("Linux", "Darwin"):
        return found("system", "platform", value)
    return Finding("system", "platform", value, Health.PROBLEM, "arena runs on Linux and macOS; on Windows use WSL 2")


def _software() -> list[Finding]:
    import zmq

    python = f"{platform.python_version()} ({platform.python_implementation()})"
    others = [found("system", "Python", python), found("system", "SQLite", sqlite3.sqlite_version)]
    if zmq.has("ipc"):
        return [*others, found("system", "ZeroMQ", zmq.zmq_version())]
    advice = "pyzmq needs a libzmq with ipc: pip install --force-reinstall pyzmq"
    return [*others, Finding("system", "ZeroMQ", f"{zmq.zmq_version()} without ipc", Health.PROBLEM, advice)]


def search(of_adsearch: str, why: str) -> Finding:
    """The form in which agents search; `why` it is not the compiled one, and what to do."""
    if why.endswith(form.AGAIN):
        return found("system", "search", of_adsearch, why)
    return found("system", "search", f"{of_adsearch}: {why}" if why else of_adsearch)


def open_files() -> Finding:
    """For how many players the limit on open files is enough."""
    with suppress(ImportError):
        from arena.errors import ArenaError
        from arena.play import control

        try:
            players = control.most_players()
        except ArenaError as error:
            return Finding("system", "open files", str(error), Health.PROBLEM, _MORE_FILES)
        advice = "" if players >= _PLAYERS_LEAST else _MORE_FILES
        return found("system", "open files", f"enough for {players:,} players at the same time", advice)
    return unknown("system", "open files")


# Which optional parts of arena are installed, what each is for, and the command that installs it; and which packages
# that add to arena cannot be loaded.


PURPOSES: Final = {
    "spreadsheet": "rosters in the format .xlsx",
    "postgres": "a database on a PostgreSQL server",
    "web": "web pages of a ladder",
    "scale": "games on several machines, over Dask",
    "openspiel": "games of OpenSpiel",
    "pettingzoo": "games as environments of PettingZoo",
    "browser": "tests of the pages in Chromium",
    "bench": "benchmarks beside easyAI",
    "test": "`make test`",
    "mutants": "`make mutants`",
    "fast": "`make fast`",
    "release": "`make release`",
}
"""What each extra is for."""
_FOR_PLAYERS: Final = ("spreadsheet", "postgres", "web", "scale", "openspiel", "pettingzoo")
"""The extras that add to the commands; the others are for those who change the code, in a clone."""

_UPDATE: Final = "update that package, or uninstall it"


def of_extras() -> list[Finding]:
    """The extras that can be of use here, and what packages offer that cannot be loaded."""
    found = {extra.name: extra for extra in installation.extras()}
    wanted = PURPOSES if installation.is_clone() else _FOR_PLAYERS
    extras = [found[name] for name in wanted if name in found]
    told = [of_extra(extra, installation.command(extra.name) if extra.missing else "") for extra in extras]
    wrong = [Finding("extras", "plugin", str(error), Health.WARNING, _UPDATE) for error in broken("arena.")]
    return told + wrong


def of_extra(extra: Extra, command: str) -> Finding:
    """Whether an extra is installed; if it is not, the command that installs it."""
    value = f"installed: {PURPOSES[extra.name]}"
    if extra.missing:
        value = f"not {value}; to install: {command}"
    return Finding("extras", extra.name, value, Health.OK)


# Which kinds of walls work on this machine: a small program runs behind each kind and tries to get out. Installed
# packages and kernel versions prove nothing here. A director runs the same tests (walls/probe.py).


_ELSEWHERE: Final = "run agents that you do not trust on a machine where it works"
_MEANS: Final = {
    WallKind.LIMITS: "work: memory, threads, processor time and open files are limited",
    WallKind.SANDBOX: "works: other files, other processes and the network are out of reach",
    WallKind.CONTAINER: "works: as a sandbox, for agents that start processes",
}
_START_THREADS: Final = """if True:
    import os, runpy, sys, threading
    before = os.readlink("/proc/self/ns/user")
    runpy.run_path(sys.argv[1])["make_user_namespace"](4)
    try:
        for _ in range(16):
            threading.Thread(target=threading.Event().wait, daemon=True).start()
        print("warden" if os.readlink("/proc/self/ns/user") == before else "apart")
    except RuntimeError:
        print("kernel")
"""


def of_sandboxes() -> list[Finding]:
    """Which walls work: each kind is tested."""
    try:
        from arena.walls import confine, meter, probe
    except ImportError as error:
        return [Finding("walls", "limits", f"not available: {one_line(str(error))}", Health.PROBLEM, _ELSEWHERE)]
    default = probe.chosen(None).kind
    return [
        *(of_walls(probe.offer(kind)) for kind in WallKind),
        default_walls(default, probe.LIMITS_MEAN),
        of_landlock(),
        *of_promises(
            default,
            *count_threads(confine.__file__),
            root=os.getuid() == 0,
            waits=meter.counts_waits(default),
        ),
    ]


def of_walls(offer: Offer) -> Finding:
    """Whether one kind of walls works, and what to do if it does not."""
    if offer.holds:
        return found("walls", offer.kind, _MEANS[offer.kind])
    advice = offer.advice or _ELSEWHERE
    if offer.kind is WallKind.CONTAINER:
        advice += "; only agents that start processes need it"
    return found("walls", offer.kind, offer.why, advice)


def default_walls(kind: WallKind, limits_mean: str) -> Finding:
    """The walls that agents get if nothing else is chosen."""
    if kind is WallKind.LIMITS:
        return found("walls", "default", f"only limits: {limits_mean}", "run only agents that you trust")
    return found("walls", "default", f"agents that are not built in run in a {kind}")


def of_landlock() -> Finding:
    """The version of Landlock in this kernel; Landlock restricts access to files."""
    from arena.walls import file_access

    try:
        return found("walls", "Landlock", f"ABI version {file_access.landlock_version()}")
    except OSError:
        return unknown("walls", "Landlock", "not available")


def count_threads(confine: str) -> tuple[str, str]:
    """Who counts an agent's threads, and the last line of errors. `confine`: the program that confines agents.

    "kernel"; "warden"; "apart" (the warden counts threads, the kernel counts signals and timers for each agent);
    "nobody"; or empty if the test program could not be started."""
    if sys.platform != "linux":
        return "nobody", ""
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _START_THREADS, confine],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return "", one_line(str(error))
    return done.stdout.strip(), one_line(done.stderr.strip().rpartition("\n")[2])


# Which promises of docs/developers/security.md this machine keeps for agents.


class Promise(StrEnum):
    """One promise, named as in the document."""

    OTHER_FILES = "other files"
    NETWORK = "network"
    OTHER_PROCESSES = "other processes"
    SYSTEM_CALLS = "system calls"
    IMPORTS = "imports"
    MEMORY = "memory"
    DISK = "disk"
    THREADS = "threads"
    SHARED_QUOTAS = "shared quotas"
    OFF_TURN = "off turn"
    WAITING = "time waiting"
    KILLED_WHOLE = "killed whole"


KEPT: Final = "kept"
_BEHIND_LIMITS: Final = {
    Promise.OTHER_FILES: "not kept: an agent can read and write what this user can",
    Promise.NETWORK: "not kept: an agent can open any connection",
    Promise.OTHER_PROCESSES: "not kept: an agent can signal and stop this user's processes",
    Promise.SYSTEM_CALLS: "not kept: an agent can make almost any system call",
    Promise.IMPORTS: "kept in part: unlisted modules are not on the import path, but an agent can read them",
    Promise.MEMORY: "kept in part: memory in files without a name (memfd_create) is not counted",
    Promise.DISK: "kept in part: only its own folder is limited, not /tmp or /dev/shm",
    Promise.SHARED_QUOTAS: "kept in part: an agent can open all pseudo-terminals of the machine",
    Promise.OFF_TURN: "kept in part: an agent can resume itself; processor time finds it on Linux, nothing on macOS",
    Promise.WAITING: "not kept: waiting for a processor is charged as thinking",
    Promise.KILLED_WHOLE: "kept in part: a process that left its session (setsid) is killed late",
}
"""Promises that `limits` does not keep, and how far it keeps each."""
_SANDBOX: Final = "needs a sandbox (see walls, above)"
_NAMESPACES: Final = (
    "allow this user to create user namespaces; then the kernel counts for each agent "
    "(Debian: the sysctl kernel.unprivileged_userns_clone; Ubuntu: kernel.apparmor_restrict_unprivileged_userns)"
)
_ORDINARY_USER: Final = "the kernel does not count threads for root: run tournaments as an ordinary user"


def of_promises(kind: WallKind, counts: str, why: str, *, root: bool, waits: bool) -> list[Finding]:
    """One finding for each promise. `kind`: the default walls; `counts`, `why`: the result of
    `sandboxes.count_threads`; `waits`: whether the time that an agent waits for a processor can be measured."""
    behind = _BEHIND_LIMITS if kind is WallKind.LIMITS else {}
    tested = {Promise.THREADS: threads(counts, why, root=root), Promise.SHARED_QUOTAS: quotas(counts)}
    if not waits:
        value = "not kept: waiting is charged as thinking: this system does not measure it"
        tested[Promise.WAITING] = _promise(Promise.WAITING, value, "run nothing else during a tournament")
    return [
        _promise(each, behind[each], _SANDBOX) if each in behind else tested.get(each) or _promise(each, KEPT)
        for each in Promise
    ]


def _promise(promise: Promise, value: str, advice: str = "") -> Finding:
    return found("promises", promise, value, advice)


def threads(counts: str, why: str, *, root: bool) -> Finding:
    """Whether the kernel refuses an agent more threads than allowed, or the warden counts them."""
    if counts == "kernel":
        return _promise(Promise.THREADS, KEPT)
    if counts == "nobody":
        return unknown("promises", Promise.THREADS, "not kept: threads cannot be counted on this system")
    if counts in ("apart", "warden"):
        value = "kept in part: counted by the warden, up to 40 times a second"
        return _promise(Promise.THREADS, value, _ORDINARY_USER if root else _NAMESPACES)
    advice = "no agent can be started here (Ubuntu: see the sysctl kernel.apparmor_restrict_unprivileged_userns)"
    value = f"not kept: the test failed: {why or 'no output'}"
    return Finding("promises", Promise.THREADS, value, Health.PROBLEM, advice)


def quotas(counts: str) -> Finding:
    """Whether each agent has its own user namespace, in which the kernel counts its signals and timers separately."""
    if counts in ("kernel", "apart"):
        return _promise(Promise.SHARED_QUOTAS, KEPT)
    if counts == "nobody":
        return unknown("promises", Promise.SHARED_QUOTAS, "not kept: this system has no separate count for each agent")
    value = "kept in part: all agents share this user's limit on pending signals and timers"
    return _promise(Promise.SHARED_QUOTAS, value, _NAMESPACES)
