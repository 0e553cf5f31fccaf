"""Landlock, by its system calls: a ruleset says which files a process can use, and for what."""

from __future__ import annotations

import ctypes
import errno
import os
from enum import IntFlag
from functools import cache
from typing import Final

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


def version() -> int:
    """The version of Landlock (its ABI); OSError if this kernel has none, or has switched it off."""
    return _call(_CREATE, None, ctypes.c_size_t(0), _VERSION)


def ruleset() -> int:
    """The descriptor of a new ruleset: it allows nothing of all that Landlock can refuse here."""
    asked = _Ruleset(_all())
    return _call(_CREATE, ctypes.byref(asked), ctypes.c_size_t(ctypes.sizeof(asked)), 0)


def allow(rules: int, path: str, access: int) -> None:
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
    return sum((right for since, right in _SINCE.items() if version() >= since), (1 << 13) - 1)


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
