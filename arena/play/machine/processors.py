"""Processors: what keeps a player waiting while its clock runs, and what makes one game's clock unlike another's.

Cores, quotas and load are read from /proc and /sys; how late a sleep ends is measured for a quarter of a second.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.play import cores
from arena.play.machine.finding import PROC, SYS, UNFAIR, Finding, control_groups, found, read_file, unknown
from arena.walls import meter
from arena.walls.kinds import WallKind

_OTHERS_MOST: Final = 0.10
"""The share of all processors."""
_STOLEN_MOST: Final = 0.01
_LOAD_MOST: Final = 0.5
"""Of each processor."""
_LATE_MOST: Final = 500_000
"""Nanoseconds, in the middle; a clock has a margin for the rest."""
_LATEST_MOST: Final = 10_000_000
"""Nanoseconds, once."""
_SLEEPS: Final = 200
_SLEEP: Final = 1_000_000
"""Nanoseconds."""


@dataclass(frozen=True, slots=True)
class Spent:
    """How all processors have spent their time since the machine started, in ticks."""

    total: int
    idle: int
    stolen: int
    """By other virtual machines on the same host."""


def findings(*, proc: Path = PROC, sysfs: Path = SYS) -> list[Finding]:
    """What decides whether two players' clocks run alike."""
    before, own = spent(proc), time.process_time()
    late = lateness()
    after, own = spent(proc), time.process_time() - own
    processors = os.cpu_count()
    return [
        cores_there(cores.physical(), processors),
        waits([kind for kind in WallKind if not meter.counts_waits(kind)], known=meter.counts_waits(None)),
        quota(proc, sysfs),
        governor(sysfs),
        load(_load_average(), processors, taken_by_others(before, after, own)),
        steal(after),
        timer(late),
    ]


def cores_there(there: list[int], processors: int | None) -> Finding:
    """How many games at once get a core each; `there` has one processor of each core."""
    if not there:
        return unknown("clocks", "cores", f"{processors or 'some'} processors; this system binds no process to one")
    if len(there) == 1:
        advice = "use a machine with more: what runs beside a player keeps it waiting, and games take longer"
        return found("clocks", "cores", "1: referee and players share it", advice)
    games = len(there) - 1
    at_once = "1 game at a time has a core to itself" if games == 1 else f"{games} games at once have a core each"
    of = "" if processors in (None, len(there)) else f" ({processors} processors)"
    return found("clocks", "cores", f"{len(there)}{of}: {at_once}")


def waits(charged: list[WallKind], *, known: bool) -> Finding:
    """Who is charged for waiting for a processor, because nobody knows how long it was."""
    if not known:
        value = "waiting for a processor counts as thinking, for this system does not say who waits"
        return found("clocks", "waiting", value, "run nothing else beside a tournament")
    value = "waiting for a processor is not charged, except behind limits"
    if WallKind.CONTAINER in charged:
        value += (
            " and in a container: there it is not either, if the tournament has a control group of its own "
            "(systemd-run --user --scope --property Delegate=yes arena run ...)"
        )
    return found("clocks", "waiting", value)


def quota(proc: Path, sysfs: Path) -> Finding:
    """Whether a group that this process is in may use processors for a part of the time alone."""
    quotas = [read_file(folder / "cpu.max").partition(" ")[::2] for folder in control_groups(proc, sysfs)]
    version_1 = sysfs / "fs/cgroup/cpu"
    quotas.append((read_file(version_1 / "cpu.cfs_quota_us"), read_file(version_1 / "cpu.cfs_period_us")))
    shares = [int(most) / int(of) for most, of in quotas if most.isdecimal() and of.isdecimal() and int(of)]
    if shares:
        advice = f"who is over it stands still, {UNFAIR}: give whole processors (Docker: --cpuset-cpus)"
        return found("clocks", "quota", f"as much time as {min(shares):.3g} processors have", advice)
    if not (sysfs / "fs/cgroup").is_dir():
        return unknown("clocks", "quota")
    return found("clocks", "quota", "none: the processors are there all the time")


def governor(sysfs: Path) -> Finding:
    """Whether processors change their speed with what there is to do."""
    files = sysfs.glob("devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
    governors = sorted({text for file in files if (text := read_file(file))})
    if not governors:
        return unknown("clocks", "frequency", "not told, as usual in virtual machines")
    if governors == ["performance"]:
        return found("clocks", "frequency", "always the highest (performance)")
    advice = (
        "a processor that rested starts slowly; until it is switched on: sudo cpupower frequency-set -g performance"
    )
    return found("clocks", "frequency", f"changes with the load ({', '.join(governors)})", advice)


def spent(proc: Path) -> Spent | None:
    """How the processors have spent their time; None if the system does not say."""
    fields = read_file(proc / "stat").partition("\n")[0].split()
    if len(fields) < 9 or fields[0] != "cpu" or not all(field.isdecimal() for field in fields[1:]):
        return None
    ticks = [int(field) for field in fields[1:9]]  # user nice system idle iowait irq softirq steal
    return Spent(sum(ticks), ticks[3] + ticks[4], ticks[7])


def taken_by_others(before: Spent | None, after: Spent | None, own: float) -> float | None:
    """The share of all processors that other processes took, where this one used `own` seconds."""
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
    """What else runs here."""
    facts = [] if average is None else [f"{average:.1f} in the last minute on {processors or 'some'} processors"]
    facts += [] if taken is None else [f"others take {taken:.0%} now"]
    if not facts:
        return unknown("clocks", "load")
    much = (average or 0.0) > _LOAD_MOST * (processors or 1) or (taken or 0.0) > _OTHERS_MOST
    advice = "end what else runs (see top): it keeps players waiting, and games take longer" if much else ""
    return found("clocks", "load", "; ".join(facts), advice)


def steal(now: Spent | None) -> Finding:
    """What other virtual machines took from this one."""
    if now is None or not now.total:
        return unknown("clocks", "stolen")
    share = now.stolen / now.total
    advice = "the host has too few processors for its virtual machines: ask for some of your own, or another host"
    return found("clocks", "stolen", f"{share:.1%} of the time by the host", advice if share > _STOLEN_MOST else "")


def lateness(
    *,
    sleeps: int = _SLEEPS,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], int] = time.perf_counter_ns,
) -> list[int]:
    """How many nanoseconds too late this process wakes from each of some sleeps of a millisecond."""
    late = []
    for _ in range(sleeps):
        begun = clock()
        sleep(_SLEEP / 1e9)
        late.append(clock() - begun - _SLEEP)
    return late


def timer(late: list[int]) -> Finding:
    """How precise waiting is."""
    middle, worst = statistics.median(late), max(late)
    value = f"a wait ends {middle / 1e6:.2f} ms late, at worst {worst / 1e6:.1f} ms"
    much = middle > _LATE_MOST or worst > _LATEST_MOST
    return found("clocks", "timer", value, "the machine is busy, saves power, or is a slow virtual one" if much else "")
