"""Writes a system call filter as BPF code: each call has a list of rules, and the first rule that fits decides.

BPF sees an argument as two numbers of 32 bits. A rule looks at the low one, as the kernel does where it takes an int:
no high bits let a call pass that a rule refuses. Where the kernel takes a pointer, a rule looks at both.
"""

from __future__ import annotations

import ctypes
import errno
import struct
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

ALLOW: Final = 0x7FFF0000
KILL: Final = 0x80000000
"""Ends the process, with SIGSYS."""

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_CALL, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
"""Where the kernel puts the number of the call, its architecture, and its arguments, each of 8 bytes."""
_LOW, _HIGH = (0, 4) if sys.byteorder == "little" else (4, 0)
_ALL: Final = 0xFFFFFFFF
_X86_64: Final = 0xC000003E
_X32: Final = 0x40000000
"""On x86-64: this bit in its number makes a call one of the x32 ABI."""


class Test(NamedTuple):
    """A condition on 32 bits of an argument: those in `mask` are those of `value`."""

    place: int
    value: int
    mask: int = _ALL


class Rule(NamedTuple):
    """What happens to a call whose arguments meet all conditions."""

    action: int
    tests: tuple[Test, ...] = ()


def fails(error: int) -> int:
    """The action by which a call fails with this errno; 0: it does nothing, and returns 0."""
    return 0x00050000 | error


def is_(argument: int, value: int, mask: int = _ALL) -> Test:
    """Whether the low 32 bits of an argument are `value`, where `mask` is set."""
    return Test(_ARGUMENTS + 8 * argument + _LOW, value & mask, mask)


def is_null(argument: int) -> tuple[Test, Test]:
    """Whether all 64 bits of an argument are 0."""
    return tuple(Test(_ARGUMENTS + 8 * argument + half, 0) for half in (_LOW, _HIGH))  # type: ignore[return-value]


def written(calls: Mapping[str, Sequence[Rule]], *, other: int, foreign: int) -> bytes:
    """The filter, as BPF code. `calls`: their rules, by name; a call that this system does not have is left out.

    `other`: the action for all other calls, and where no rule fits; `foreign`: for calls of another architecture, such
    as those of 32-bit programs. OSError if libseccomp, which knows the numbers of calls, is missing."""
    library = _library()
    native = library.seccomp_arch_native()
    code = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, native), (_RETURN, 0, 0, foreign), (_LOAD, 0, 0, _CALL)]
    if native == _X86_64:
        code += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, fails(errno.ENOSYS))]
    for name, rules in calls.items():
        if (number := library.seccomp_syscall_resolve_name(name.encode())) >= 0:
            block = _block(rules, other)
            code += [(_EQUAL, 0, len(block), number), *block]
    code.append((_RETURN, 0, 0, other))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _block(rules: Sequence[Rule], other: int) -> list[tuple[int, int, int, int]]:
    """The instructions for one call: they end with its action."""
    block = []
    for action, tests in rules:
        part: list[tuple[int, int, int, int]] = [(_RETURN, 0, 0, action)]
        for place, value, mask in reversed(tests):
            part.insert(0, (_EQUAL, 0, len(part), value))
            if mask != _ALL:
                part.insert(0, (_AND, 0, 0, mask))
            part.insert(0, (_LOAD, 0, 0, place))
        block += part
    return [*block, (_RETURN, 0, 0, other)]


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_arch_native.restype = ctypes.c_uint32
    library.seccomp_syscall_resolve_name.argtypes = [ctypes.c_char_p]
    return library
