"""Which kinds of walls hold on this machine: a small program runs behind each kind and tries to get out.

A director tests before its first game, and so does `arena doctor`. Only the test counts: a new kernel does not prove
that a system call works, nor an installed program that it runs.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from agents.errors import one_line
from arena.errors import ArenaError
from arena.match.allowance import Allowance, WallKind
from arena.walls import file_access, jail, seccomp
from arena.walls.jail import Walls

_ANSWERS_WITHIN: Final = 30.0
"""Time limit for the test program, in seconds."""
_TRIES: Final = """if True:
    import mmap, os, socket, sys
    if sys.argv[2] == "limits":
        print("held")
        sys.exit()
    out = []
    def attempt(what, does):
        try:
            does()
        except OSError:
            return
        out.append(what)
    def start():
        if os.fork() == 0:
            os._exit(0)
        os.wait()
    if sys.argv[2] == "sandbox":
        attempt("start a process", start)
        attempt("signal another process", lambda: os.kill(os.getppid(), 0))
    attempt("change a setting of the kernel", lambda: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))
    for place in ("/arena-probe", "/dev/arena-probe", "/etc/arena-probe", "/usr/arena-probe"):
        attempt(f"make {place}", lambda: os.close(os.open(place, os.O_CREAT | os.O_WRONLY)))
    attempt("share memory", lambda: mmap.mmap(-1, 4096))
    attempt("open a socket", lambda: socket.socket(socket.AF_UNIX))
    attempt("read a file", lambda: open(sys.argv[1]).close())
    try:
        open(sys.argv[1], "w").close()
    except OSError:
        pass
    print(", ".join(out) or "held")
"""

LIMITS_MEAN: Final = "an agent can read and change this user's files, open connections, and stop other processes"
_ADVICE: Final = {
    "libseccomp": "install libseccomp (Debian, Ubuntu: apt install libseccomp2; Fedora: dnf install libseccomp)",
    "landlock": "needs Linux 5.13 or newer with Landlock enabled (the kernel parameter lsm= must list landlock)",
    "interpreter": f"this user must be able to read and run {os.path.realpath(sys.executable)}",
    "bwrap": "install bubblewrap (apt install bubblewrap, dnf install bubblewrap)",
    "bwrap forbidden": (
        "bubblewrap is installed, but is not allowed to create namespaces (Ubuntu: the sysctl "
        "kernel.apparmor_restrict_unprivileged_userns; Debian: kernel.unprivileged_userns_clone; in a container of "
        "docker or podman: `arena docs install` lists the options)"
    ),
}


@dataclass(frozen=True, slots=True)
class Offer:
    """Whether a kind of walls holds here."""

    kind: WallKind
    holds: bool
    why: str = ""
    """What failed, if they do not hold."""
    advice: str = ""
    """What to install or to enable."""


@cache
def offer(kind: WallKind) -> Offer:
    """Whether walls of that kind hold here; tested once in the life of this process."""
    if kind is WallKind.LIMITS:
        failed = _try(kind)
        return Offer(kind, not failed, failed, _ADVICE["interpreter"] if "ermission denied" in failed else "")
    if sys.platform != "linux":
        return Offer(kind, False, f"it needs Linux, this is {sys.platform}")
    if kind is WallKind.CONTAINER:
        if shutil.which("bwrap") is None:
            return Offer(kind, False, "bwrap is not on the PATH", _ADVICE["bwrap"])
    else:
        try:
            file_access.landlock_version()
        except OSError as error:
            return Offer(kind, False, f"no Landlock: {one_line(str(error))}", _ADVICE["landlock"])
    try:
        seccomp.compiled(kind)
    except OSError as error:
        return Offer(kind, False, f"no system call filter: {one_line(str(error))}", _ADVICE["libseccomp"])
    got_out = _try(kind)
    advice = ""
    if "ermission denied" in got_out and kind is WallKind.SANDBOX:
        advice = _ADVICE["interpreter"]
    elif "namespace" in got_out or "uid map" in got_out:
        advice = _ADVICE["bwrap forbidden"]
    return Offer(kind, not got_out, got_out, advice)


def chosen(wanted: WallKind | None) -> Offer:
    """The walls for agents: the `wanted` kind (ArenaError if it does not hold here); by default a sandbox, or
    limits if no sandbox holds.

    A container must be asked for: it is for agents that start processes."""
    if wanted is not None:
        found = offer(wanted)
        if not found.holds:
            advice = f"; {found.advice}" if found.advice else ""
            raise ArenaError(f"walls: this machine offers no {wanted} ({found.why}){advice}. See: arena doctor")
        return found
    found = offer(WallKind.SANDBOX)
    if found.holds:
        return found
    limits = offer(WallKind.LIMITS)
    if not limits.holds:
        raise ArenaError(f"walls: no agent can be started here ({limits.why}). See: arena doctor")
    return Offer(WallKind.LIMITS, True, found.why, found.advice)


def _try(kind: WallKind) -> str:
    """What the walls failed to stop; empty if they hold."""
    with tempfile.TemporaryDirectory(prefix="arena-probe-") as folder:
        secret = Path(folder, "secret")
        secret.write_text("x")
        scratch = Path(folder, "scratch")
        scratch.mkdir()
        walls = Walls(
            kind, Allowance(threads=8), readable=file_access.interpreter(), filter=seccomp.compiled(kind), cpu=60
        )
        program = os.path.realpath(sys.executable)
        try:
            confined = jail.start([program, "-I", "-S", "-c", _TRIES, str(secret), kind], walls, scratch)
        except OSError as error:
            return f"they cannot be set up: {one_line(error.strerror or str(error))}"
        try:
            said, complaint = (
                jail.read_all(pipe.fileno(), _ANSWERS_WITHIN)[0].decode("utf-8", "replace")
                for pipe in (confined.stdout, confined.stderr)
            )
        finally:
            confined.kill_all()
            confined.remove()
        if not secret.read_text():
            return "it does not work: an agent could write to a file"
    if said.strip() == "held":
        return ""
    if said:
        return f"it does not work: an agent could {said.strip()}"
    return f"no program runs behind them: {one_line(complaint.strip().rpartition(chr(10))[2]) or 'no output'}"
