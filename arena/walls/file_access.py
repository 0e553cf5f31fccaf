"""The files that an agent can read: as Landlock rules for a sandbox, as mounts for a container; and Landlock's system
calls. The server names every path, and the kernel enforces the rules. A path that cannot be read can neither be listed
nor executed.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import IntFlag
from functools import cache
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
"""System files that programs need, as far as they exist. None of them is secret."""
PROGRAMS: Final = ("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin")
"""Additional folders for programs that start programs."""
DEVICES: Final = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
"""Not /dev/zero: memory that is a shared mapping of it is not counted."""
OWN: Final = "/agent"
"""The folder of an agent in a container. Everything around it is read-only, so it cannot be replaced."""
_OWN_MOUNTS: Final = ("/proc/", "/sys/", "/dev/")
"""Folders that are not mounted from the system: a container has its own, or none."""
_SHEBANG: Final = 256
"""Bytes of a script's first line that are read."""
_MOST_EXPANDED: Final = 100_000
"""Paths that are examined; the rest is not readable."""


def of_program(command: Sequence[str]) -> tuple[str, ...]:
    """The files that a command's program needs: itself, its interpreter, and the libraries beside its `bin` folder."""
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
    """The programs in a script's first line (#!)."""
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
    """`paths` without what is `hidden` in them: (path, whether all below is readable; else it can only be listed)."""
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
    """The descriptor of a Landlock ruleset: `readable` can be read and executed; `own` can be listed, and if `writes`
    also written to."""
    # No right to delete: a deleted file that is still mapped would fill the disk unseen.
    files = Access.READ_FILE | Access.WRITE_FILE | Access.TRUNCATE
    entries = files | Access.READ_DIR | Access.MAKE_REG | Access.MAKE_DIR
    everything = Access.EXECUTE | Access.READ_FILE | Access.READ_DIR
    rules = ruleset()
    try:
        for path, whole in beneath(readable, hidden):
            allow_path(rules, path, everything if whole else Access.READ_DIR)
        for device in DEVICES:
            allow_path(rules, device, Access.READ_FILE | Access.WRITE_FILE)
        allow_path(rules, str(own), entries if writes else Access.READ_DIR)
    except OSError:
        os.close(rules)
        raise
    return rules


def container(
    readable: Iterable[str], hidden: Iterable[str], disk: int, links: Iterable[tuple[str, str]] = ()
) -> list[str]:
    """The bubblewrap command that makes a container; the command that follows it runs in the folder `OWN`, which has
    `links`: (path, name)."""
    # --as-pid-1: the first process is ours, behind the same walls; bubblewrap's own would stay outside of them.
    words = ["bwrap", "--unshare-all", "--as-pid-1", "--die-with-parent", "--cap-drop", "ALL", "--hostname", "arena"]
    # No pseudo-terminals: the whole machine has only a few thousand.
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
    for path, name in links:
        words += ["--symlink", path, f"{OWN}/{name}"]
    # Folders made by bubblewrap are writable, and root could write the kernel's settings in /proc.
    for folder in ("/proc", "/dev/pts", "/dev", "/"):
        words += ["--remount-ro", folder]
    return [*words, "--chdir", OWN, "--"]


def _is_inside(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(folder.rstrip("/") + "/") for folder in folders)


def interpreter() -> tuple[str, ...]:
    """The files that this process's Python needs to run without modules."""
    program = os.path.realpath(sys.executable)
    return (program, *(path for name in ("lib", "lib64") if os.path.isdir(path := os.path.join(sys.base_prefix, name))))


# Landlock, by its system calls: a ruleset says which files a process can use, and for what.


_CREATE, _ADD = 444, 445
_VERSION: Final = 1
_PATH_BENEATH: Final = 1
_SINCE: Final = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""Rights that later versions have added: to link and rename across folders, to truncate, to control devices."""


class Access(IntFlag):
    """What can be allowed. All but `_OF_FILES` is for folders."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    TRUNCATE = 1 << 14


_OF_FILES: Final = Access.EXECUTE | Access.WRITE_FILE | Access.READ_FILE | Access.TRUNCATE


class _Ruleset(ctypes.Structure):
    _fields_ = (("handled", ctypes.c_uint64),)


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def landlock_version() -> int:
    """The version of Landlock (its ABI); OSError if this kernel has none, or has switched it off."""
    return _call(_CREATE, None, ctypes.c_size_t(0), _VERSION)


def ruleset() -> int:
    """The descriptor of a new ruleset: it allows nothing of all that Landlock can refuse here."""
    asked = _Ruleset(_all())
    return _call(_CREATE, ctypes.byref(asked), ctypes.c_size_t(ctypes.sizeof(asked)), 0)


def allow_path(rules: int, path: str, access: int) -> None:
    """Adds a path to a ruleset: a file, or a folder with all that is below it. One that does not exist is left out."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        possible = access & _all() if os.path.isdir(path) else access & _all() & _OF_FILES
        _call(_ADD, rules, _PATH_BENEATH, ctypes.byref(_Beneath(possible, place)), 0)
    finally:
        os.close(place)


@cache
def _all() -> int:
    """All rights that this kernel knows, also those that nobody gets."""
    return sum((right for since, right in _SINCE.items() if landlock_version() >= since), (1 << 13) - 1)


def _call(number: int, *arguments: object) -> int:
    """Makes a system call; OSError if it fails."""
    result = _libc().syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        error = ctypes.get_errno()
        why = {errno.ENOSYS: "this kernel has none", errno.EOPNOTSUPP: "it is switched off"}.get(error)
        raise OSError(error, why or os.strerror(error))
    return int(result)


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc
