"""Which kinds of walls work on this machine: a small program runs behind each kind and tries to get out.

Installed packages and kernel versions prove nothing here. A director runs the same tests (walls/probe.py).
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from agents.errors import one_line
from arena.match.allowance import WallKind
from arena.play.machine import promises
from arena.play.machine.finding import Finding, Health, found, unknown

if TYPE_CHECKING:
    from arena.walls.probe import Offer


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


def findings() -> list[Finding]:
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
        *promises.findings(
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
    from arena.walls import landlock

    try:
        return found("walls", "Landlock", f"ABI version {landlock.version()}")
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
