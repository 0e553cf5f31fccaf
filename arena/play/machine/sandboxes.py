"""Which kinds of walls hold on this machine: each is put up around a small program that tries to get out.

Nothing is judged by what is installed or by the kernel's version. A director makes the same trials (walls/probe.py).
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from agents.errors import one_line
from arena.play.machine import promises
from arena.play.machine.finding import Finding, Health, found, unknown
from arena.walls.kinds import WallKind

if TYPE_CHECKING:
    from arena.walls.probe import Offer


_ELSEWHERE: Final = "let strangers' agents play on a machine where it holds"
_MEANS: Final = {
    WallKind.LIMITS: "hold: memory, processor time and files are bounded",
    WallKind.SANDBOX: "holds: no other file, process or connection is in reach",
    WallKind.CONTAINER: "holds: the same for agents that start processes",
}
_START_THREADS: Final = """if True:
    import os, runpy, sys, threading
    before = os.readlink("/proc/self/ns/user")
    runpy.run_path(sys.argv[1])["count_apart"](4)
    try:
        for _ in range(16):
            threading.Thread(target=threading.Event().wait, daemon=True).start()
        print("warden" if os.readlink("/proc/self/ns/user") == before else "apart")
    except RuntimeError:
        print("kernel")
"""


def findings() -> list[Finding]:
    """Which walls hold, each of them tried."""
    try:
        from arena.walls import confine, meter, probe
    except ImportError as error:
        return [Finding("walls", "limits", f"not here: {one_line(str(error))}", Health.PROBLEM, _ELSEWHERE)]
    default = probe.chosen(None).kind
    return [
        *(of_walls(probe.offer(kind)) for kind in WallKind),
        by_default(default, probe.LIMITS_MEAN),
        landlock(_landlock_version()),
        *promises.findings(
            default,
            *count_threads(confine.__file__),
            root=os.getuid() == 0,
            waits=meter.counts_waits(default),
        ),
    ]


def of_walls(offer: Offer) -> Finding:
    """Whether one kind of walls holds, and what to do where it does not."""
    if offer.holds:
        return found("walls", offer.kind, _MEANS[offer.kind])
    advice = offer.advice or _ELSEWHERE
    if offer.kind is WallKind.CONTAINER:
        advice += "; only agents that must start processes of their own need it"
    return found("walls", offer.kind, offer.why, advice)


def by_default(kind: WallKind, limits_mean: str) -> Finding:
    """Behind which walls an agent is where nobody asks for others."""
    if kind is WallKind.LIMITS:
        return found("walls", "by default", f"limits alone: {limits_mean}", "let nobody play whom you do not trust")
    return found("walls", "by default", f"an agent is behind a {kind}")


def landlock(version: int | None) -> Finding:
    """What the kernel has of that which keeps files out of reach."""
    if version is None:
        return unknown("walls", "Landlock", "not here")
    return found("walls", "Landlock", f"the kernel has its version {version}")


def _landlock_version() -> int | None:
    try:
        from landlock.plumbing import landlock_abi_version

        return int(landlock_abi_version())
    except (ImportError, OSError):
        return None


def count_threads(confine: str) -> tuple[str, str]:
    """Who counts an agent's threads, tried with the program that confines agents, and what was said.

    "kernel"; "warden"; "apart" where the warden does, but the kernel counts signals and timers for each agent;
    "nobody"; or nothing where no agent could be started."""
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
