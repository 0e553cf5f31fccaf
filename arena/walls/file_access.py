"""What an agent may read: as rules of Landlock for a sandbox, as mounts for a container.

A jail asks for it when it starts an agent. Everything is named by the server; an agent that finds a way past a name
finds the kernel. What cannot be read can neither be listed nor run.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

SYSTEM: Final = (
    *("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/share"),
    *("/usr/local/lib", "/usr/local/lib64", "/nix/store"),
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives"),
    *("/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf", "/etc/crypto-policies"),
    *(str(folder) for folder in Path("/etc").glob("java*")),
    *("/sys/devices/system/cpu/online", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat"),
)
"""What programs need of the system, where there is such a thing. Nothing in it is anybody's secret."""
PROGRAMS: Final = ("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin")
"""What programs that start programs need besides."""
DEVICES: Final = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
"""Not /dev/zero: who maps that for others to share holds memory that nobody counts."""
OWN: Final = "/agent"
"""The folder of an agent in a container, where nothing can be put in its place: all around it is read-only."""
_OWN_MOUNTS: Final = ("/proc/", "/sys/", "/dev/")
"""Of these a container has its own, or none."""
_SHEBANG: Final = 256
_MOST_EXPANDED: Final = 100_000


def of_program(command: Sequence[str]) -> tuple[str, ...]:
    """What the program of a command needs to run: itself, what interprets it, and the libraries beside its folder."""
    found: list[str] = []
    waiting = [command[0]]
    while waiting:
        program = waiting.pop()
        for path in {os.path.abspath(program), os.path.realpath(program)}:
            if path in found:
                continue
            found.append(path)
            folder = os.path.dirname(path)
            if os.path.basename(folder) == "bin":
                beside = ("lib", "lib64", "libexec", "pyvenv.cfg")
                found += [near for name in beside if os.path.exists(near := os.path.join(folder, "..", name))]
        waiting += [word for word in _interpreters(program) if word not in found]
    return tuple(dict.fromkeys(os.path.normpath(path) for path in found))


def _interpreters(program: str) -> list[str]:
    """What a script's first line names."""
    try:
        with open(program, "rb") as file:
            first = file.read(_SHEBANG).partition(b"\n")[0]
    except OSError:
        return []
    if not first.startswith(b"#!"):
        return []
    words = os.fsdecode(first[2:]).split()
    if words and os.path.basename(words[0]) == "env":
        named = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
        words = [words[0], shutil.which(named) or ""]
    else:
        words[1:] = []
    return [word for word in words if os.path.isabs(word)]


def beneath(paths: Iterable[str], hidden: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """`paths` without what is `hidden` in them: (path, whether all below it may be read, or it may only be listed)."""
    out_of_sight = {os.path.realpath(path) for path in hidden}
    waiting = [os.path.realpath(path) for path in paths]
    for _ in range(_MOST_EXPANDED):
        if not waiting:
            return
        path = waiting.pop()
        if path in out_of_sight:
            continue
        if not any(_is_inside(other, (path,)) for other in out_of_sight):
            yield path, True
            continue
        yield path, False
        try:
            waiting += [os.path.join(path, name) for name in os.listdir(path)]
        except OSError:
            continue


def landlock_rules(readable: Iterable[str], hidden: Iterable[str], own: Path, *, writes: bool) -> int:
    """A descriptor with rules: `readable` may be read and run, `own` be listed, and written to if it `writes`."""
    from landlock import FSAccess
    from landlock.plumbing import (
        PathBeneathAttr,
        RulesetAttr,
        get_add_rule,
        get_create_ruleset,
    )

    ctypes.set_errno(0)  # the library takes what an earlier call left there for a failure of its own
    everything = FSAccess.all()
    attributes = RulesetAttr(everything)
    rules: int = get_create_ruleset()(ctypes.byref(attributes), ctypes.sizeof(attributes), 0)
    files = FSAccess.EXECUTE | FSAccess.READ_FILE
    # A file that is deleted and still mapped fills the disk where nobody sees it: there is no right to delete.
    entries = FSAccess.READ_FILE | FSAccess.WRITE_FILE | FSAccess.READ_DIR | FSAccess.MAKE_REG | FSAccess.MAKE_DIR
    entries |= FSAccess.TRUNCATE & everything
    wanted = [
        (path, files | FSAccess.READ_DIR if whole else FSAccess.READ_DIR) for path, whole in beneath(readable, hidden)
    ]
    wanted += [(device, FSAccess.READ_FILE | FSAccess.WRITE_FILE) for device in DEVICES]
    wanted.append((str(own), entries if writes else FSAccess.READ_DIR))
    try:
        for path, access in wanted:
            try:
                place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue  # not here
            try:
                is_folder = os.path.isdir(path)
                ctypes.set_errno(0)
                rule = PathBeneathAttr(access if is_folder else access & FSAccess.all_file(), place)
                get_add_rule()(rules, 1, ctypes.byref(rule), 0)
            finally:
                os.close(place)
    except OSError:
        os.close(rules)
        raise
    return rules


def container(readable: Iterable[str], hidden: Iterable[str], disk: int) -> list[str]:
    """The command that makes a container and runs what follows in it, in its folder: bubblewrap with its arguments."""
    # Its first process is what runs in it, which goes behind walls itself; bubblewrap's own would stay outside of them.
    words = ["bwrap", "--unshare-all", "--as-pid-1", "--die-with-parent", "--cap-drop", "ALL", "--hostname", "arena"]
    # No terminals: there are some thousand for the whole machine.
    words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/dev/pts"]
    for folder in ("/tmp", "/dev/shm"):
        words += ["--size", str(disk), "--tmpfs", folder]
    there = {path for path in readable if os.path.exists(path) and not path.startswith(_OWN_MOUNTS)}
    shown = sorted(there | {os.path.realpath(path) for path in there})
    for path in shown:
        if not _is_inside(path, shown):
            words += ["--ro-bind", path, path]
    for place in sorted({path for path in hidden if os.path.isdir(path) and _is_inside(path, shown)}):
        words += ["--tmpfs", place]
        for path in shown:
            if _is_inside(path, (place,)):
                words += ["--ro-bind", path, path]
        words += ["--remount-ro", place]
    words += ["--size", str(disk), "--tmpfs", OWN, "--dev-bind", "/dev/null", "/dev/zero"]
    # What bubblewrap makes itself can be written to, and for root the settings of the kernel could be.
    for folder in ("/proc", "/dev/pts", "/dev", "/"):
        words += ["--remount-ro", folder]
    return [*words, "--chdir", OWN, "--"]


def _is_inside(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(folder.rstrip("/") + "/") for folder in folders)


def interpreter() -> tuple[str, ...]:
    """What a bare run of this process's Python needs."""
    program = os.path.realpath(sys.executable)
    return (program, *(path for name in ("lib", "lib64") if os.path.isdir(path := os.path.join(sys.base_prefix, name))))
