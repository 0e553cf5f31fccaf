"""Which promises of docs/security.md are held here, for agents behind the walls that they get by default.

It concludes from what `sandboxes.py` has tried. Behind limits alone much is kept in part or not at all, whatever the
machine; the same names stand in the document, with the tests that hold each promise.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from arena.play.machine.finding import Finding, Health, found, unknown
from arena.walls.kinds import WallKind


class Promise(StrEnum):
    """One promise, by the name that it has in the document."""

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


HELD: Final = "held"
_BEHIND_LIMITS: Final = {
    Promise.OTHER_FILES: "not held: an agent reads and writes what this user may",
    Promise.NETWORK: "not held: an agent opens any connection",
    Promise.OTHER_PROCESSES: "not held: an agent stops and signals this user's processes",
    Promise.SYSTEM_CALLS: "not held: an agent makes almost any system call",
    Promise.IMPORTS: "held in part: what is not listed is out of the way, but can be read",
    Promise.MEMORY: "held in part: memory in files without a name is not counted",
    Promise.DISK: "held in part: only its own folder is limited, not /tmp or /dev/shm",
    Promise.SHARED_QUOTAS: "held in part: an agent can open all terminals of the machine",
    Promise.OFF_TURN: "held in part: a timer of the system can wake an agent",
    Promise.WAITING: "not held: waiting for a processor counts as thinking",
    Promise.KILLED_WHOLE: "held in part: a process that left its session is ended late",
}
"""What limits alone do not hold."""
_SANDBOX: Final = "needs the sandbox (see walls, above)"
_NAMESPACES: Final = (
    "the kernel counts for each agent where this user may make user namespaces "
    "(Debian: the sysctl kernel.unprivileged_userns_clone; Ubuntu: kernel.apparmor_restrict_unprivileged_userns)"
)
_ORDINARY_USER: Final = "the kernel never counts for root: let an ordinary user run tournaments"


def findings(kind: WallKind, counts: str, why: str, *, root: bool, waits: bool) -> list[Finding]:
    """Each promise, kept or not. `kind`: the walls by default; `counts`, `why`: who counts threads
    (`sandboxes.count_threads`); `waits`: whether it is known how long an agent behind them waits for a processor."""
    behind = _BEHIND_LIMITS if kind is WallKind.LIMITS else {}
    by_trying = {Promise.THREADS: threads(counts, why, root=root), Promise.SHARED_QUOTAS: quotas(counts)}
    if not waits:
        value = "not held: waiting counts as thinking, for this system does not say who waits"
        by_trying[Promise.WAITING] = _promise(Promise.WAITING, value, "run nothing else beside a tournament")
    return [
        _promise(each, behind[each], _SANDBOX) if each in behind else by_trying.get(each) or _promise(each, HELD)
        for each in Promise
    ]


def _promise(promise: Promise, value: str, advice: str = "") -> Finding:
    return found("promises", promise, value, advice)


def threads(counts: str, why: str, *, root: bool) -> Finding:
    """Whether an agent that starts endless threads is stopped at once."""
    if counts == "kernel":
        return _promise(Promise.THREADS, HELD)
    if counts == "nobody":
        return unknown("promises", Promise.THREADS, "not held: this system counts no threads")
    if counts in ("apart", "warden"):
        value = "held in part: counted by the warden, up to 40 times a second"
        return _promise(Promise.THREADS, value, _ORDINARY_USER if root else _NAMESPACES)
    advice = "no agent can be started like this (Ubuntu: the sysctl kernel.apparmor_restrict_unprivileged_userns)"
    value = f"not held: counting them failed: {why or 'nothing was said'}"
    return Finding("promises", Promise.THREADS, value, Health.PROBLEM, advice)


def quotas(counts: str) -> Finding:
    """Whether what the kernel counts for each user is counted for each agent apart: in a namespace of its own."""
    if counts in ("kernel", "apart"):
        return _promise(Promise.SHARED_QUOTAS, HELD)
    if counts == "nobody":
        return unknown("promises", Promise.SHARED_QUOTAS, "not held: this system counts nothing for each agent")
    value = "held in part: agents share the signals and timers that one user may have"
    return _promise(Promise.SHARED_QUOTAS, value, _NAMESPACES)
