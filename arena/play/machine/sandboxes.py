"""Which kinds of walls work on this machine (a small program runs behind each kind and tries to get out), and which
promises of docs/developers/security.md they keep for agents. Installed packages and kernel versions prove nothing
here. A director runs the same tests (walls/probe.py).
"""

from __future__ import annotations

import os
import subprocess
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from agents.errors import one_line
from arena.match.allowance import WallKind
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


# Which promises of docs/developers/security.md this machine keeps, for agents behind the default walls.


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
