"""Which promises of docs/developers/security.md this machine keeps, for agents behind the default walls.

The answers follow from the tests in `sandboxes.py`. Behind `limits` many promises are kept in part or not at all, on
any machine. The document has a section with the same name for each promise, and lists the tests of it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from arena.match.allowance import WallKind
from arena.play.machine.finding import Finding, Health, found, unknown


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


def findings(kind: WallKind, counts: str, why: str, *, root: bool, waits: bool) -> list[Finding]:
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
