"""The code of system call filters, run here as the kernel runs it: rules compare what the kernel compares."""

from __future__ import annotations

import ctypes
import errno
import random
import struct
import sys
from collections.abc import Iterator, Sequence

import pytest

from arena.match.allowance import WallKind
from arena.walls import seccomp
from arena.walls.seccomp import ALLOW, Rule, fails, is_, is_null
from tests.kit.behind_walls import needs_linux
from tests.kit.effort import SOAK

pytestmark = needs_linux

CONFINED = (WallKind.SANDBOX, WallKind.CONTAINER)
OWN = 4321
"""The PID of the agent in these tests."""
HIGH = (0, 1 << 32, 0xFFFFFFFF << 32, 1 << 63)
"""Bits that the kernel does not read of an int."""


def decided(code: bytes, call: int, arguments: Sequence[int], architecture: int | None = None) -> int:
    """The action of a filter for a call."""
    native = seccomp._library().seccomp_arch_native()
    data = struct.pack("=IIQ6Q", call, native if architecture is None else architecture, 0, *_six(arguments))
    program = list(struct.iter_unpack("=HBBI", code))
    at = value = 0
    while True:
        what, yes, no, operand = program[at]
        at += 1
        match what:
            case 0x20:
                (value,) = struct.unpack_from("=I", data, operand)
            case 0x54:
                value &= operand
            case 0x15:
                at += yes if value == operand else no
            case 0x35:
                at += yes if value >= operand else no
            case 0x06:
                return int(operand)
            case _:
                raise AssertionError(what)


def _six(arguments: Sequence[int]) -> list[int]:
    return [each & 0xFFFFFFFFFFFFFFFF for each in (*arguments, *[0] * 6)][:6]


def number_of(name: str) -> int:
    """The number of a call; the test is skipped where this system has no such call."""
    number = int(seccomp._library().seccomp_syscall_resolve_name(name.encode()))
    if number < 0:
        pytest.skip(f"this system has no {name}")
    return number


def filter_of(kind: WallKind) -> bytes:
    """The filter of an agent, with its PID."""
    return seccomp.compiled(kind).replace(struct.pack("=I", seccomp.SELF), struct.pack("=I", OWN))


def ask(kind: WallKind, name: str, *arguments: int) -> int:
    """What the filter does with that call."""
    return decided(filter_of(kind), number_of(name), arguments)


def errors(action: int) -> int | None:
    """The errno of a call that fails by this action; None: it is allowed."""
    assert action == ALLOW or action >> 16 == 5
    return None if action == ALLOW else action & 0xFFFF


@pytest.mark.parametrize("high", HIGH)
def test_the_first_rule_that_fits_decides(high: int) -> None:
    code = seccomp.written(
        {
            "read": [
                Rule(fails(1), (is_(0, 7), is_(1, 0b10, 0b11))),
                Rule(fails(2), (is_(0, 7),)),
                Rule(ALLOW, is_null(2)),
            ]
        },
        other=fails(9),
        foreign=seccomp.KILL,
    )
    read, write = number_of("read"), number_of("write")
    assert decided(code, read, (7 | high, 0b10 | high, 0)) == fails(1)
    assert decided(code, read, (7 | high, 0b1110 | high, 0)) == fails(1)
    assert decided(code, read, (7 | high, 0b11, 0)) == fails(2)
    assert decided(code, read, (8, 0b10, 0)) == ALLOW
    assert decided(code, read, (8, 0b10, high)) == (fails(9) if high else ALLOW)
    assert decided(code, read, (8, 0b10, 1 | high)) == fails(9)
    assert decided(code, write, (7, 0b10, 0)) == fails(9)
    assert decided(code, read, (7, 0b10, 0), architecture=0x40000003) == seccomp.KILL


def test_a_call_that_this_system_does_not_have_is_left_out() -> None:
    names = {"read": [Rule(ALLOW)], "no_such_call": [Rule(fails(1))]}
    assert seccomp.written(names, other=seccomp.KILL, foreign=ALLOW) == seccomp.written(
        {"read": [Rule(ALLOW)]}, other=seccomp.KILL, foreign=ALLOW
    )


@pytest.mark.parametrize("kind", WallKind)
def test_the_filter_is_short_enough_for_the_kernel_and_each_jump_lands_in_it(kind: WallKind) -> None:
    program = list(struct.iter_unpack("=HBBI", seccomp.compiled(kind)))
    assert len(program) < 4096
    for at, (_, yes, no, _) in enumerate(program):
        assert at + max(yes, no) < len(program)
    assert program[-1][0] == 0x06


AS_INTS: dict[str, tuple[int, int, int, int | None]] = {
    # call: (position, an allowed value, one that is not, its error)
    "fcntl": (1, 3, 1024, errno.ENOSYS),
    "ioctl": (1, 0x541B, 0x5412, errno.ENOSYS),
    "prctl": (0, 15, 1, errno.ENOSYS),
    "openat": (2, 0, 0o1000, errno.ENOSYS),
    "madvise": (2, 4, 21, errno.EINVAL),
    "fadvise64": (3, 3, 4, 0),
    "clock_nanosleep": (0, 1, (~77 << 3 | 2) & 0xFFFFFFFF, errno.ENOSYS),
    "close_range": (2, 4, 2, errno.ENOSYS),
    "socketpair": (0, 1, 2, errno.ENOSYS),
    "prlimit64": (0, 0, 77, errno.ENOSYS),
}
"""Calls that are allowed by an argument that the kernel takes as an int, everywhere."""
IN_A_SANDBOX: dict[str, tuple[int, int, int, int | None]] = {
    "kill": (0, OWN, 77, errno.EPERM),
    "tgkill": (0, OWN, 77, errno.EPERM),
    "sched_getaffinity": (0, OWN, 77, errno.ENOSYS),
    "sched_getscheduler": (0, 0, 77, errno.ENOSYS),
    "sched_getparam": (0, 0, 77, errno.ENOSYS),
    "sched_getattr": (0, 0, 77, errno.ENOSYS),
    "sched_rr_get_interval": (0, 0, 77, errno.ENOSYS),
    "getpgid": (0, 0, 77, errno.ENOSYS),
    "getsid": (0, OWN, 77, errno.ENOSYS),
    "getpriority": (1, OWN, 77, errno.ENOSYS),
    "clock_gettime": (0, (~77 << 3 | 6) & 0xFFFFFFFF, (~77 << 3 | 2) & 0xFFFFFFFF, errno.EINVAL),
    "clock_getres": (0, 0xFFFFFFFA, (~77 << 3 | 3) & 0xFFFFFFFF, errno.EINVAL),
    "futex": (1, 0x81, 1, errno.EINVAL),
}


@pytest.mark.parametrize("high", HIGH)
@pytest.mark.parametrize("name", AS_INTS)
@pytest.mark.parametrize("kind", CONFINED)
def test_high_bits_of_an_int_change_nothing(kind: WallKind, name: str, high: int) -> None:
    check(kind, name, *AS_INTS[name], high)


@pytest.mark.parametrize("high", HIGH)
@pytest.mark.parametrize("name", IN_A_SANDBOX)
def test_high_bits_of_an_int_change_nothing_in_a_sandbox(name: str, high: int) -> None:
    check(WallKind.SANDBOX, name, *IN_A_SANDBOX[name], high)


def check(kind: WallKind, name: str, place: int, allowed: int, refused: int, error: int | None, high: int) -> None:
    """Fails unless the one value is allowed and the other refused, with the other arguments as they are usual."""
    usual = {"socketpair": (1, 1, 0, 0, 0, 0)}.get(name, (0,) * 6)
    for value, expected in ((allowed, None), (refused, error)):
        arguments = [*usual[:place], value | high, *usual[place + 1 :]]
        assert errors(ask(kind, name, *arguments)) == expected


@pytest.mark.parametrize("high", HIGH)
@pytest.mark.parametrize(
    ("name", "place", "kinds"),
    [
        *(("kill", 1, CONFINED), ("tkill", 1, CONFINED), ("tgkill", 2, CONFINED)),
        *(("rt_sigqueueinfo", 1, CONFINED), ("rt_tgsigqueueinfo", 2, CONFINED)),
    ],
)
def test_nobody_sends_the_signal_that_resumes(name: str, place: int, kinds: tuple[WallKind, ...], high: int) -> None:
    for kind in kinds:
        queued = name.startswith("rt_") and kind is WallKind.SANDBOX
        for signal in range(65):
            arguments = [OWN, OWN, OWN]
            arguments[place] = signal | high
            refused = signal == 18 or queued
            assert errors(ask(kind, name, *arguments)) == (errno.EPERM if refused else None)


@pytest.mark.parametrize("kind", CONFINED)
def test_a_thread_is_started_and_nobody_waits_for_it_where_no_signal_stops_it(kind: WallKind) -> None:
    as_glibc = 0x3D0F00
    assert errors(ask(kind, "clone", as_glibc)) is None
    for waits in (0x4000, 0x4000 | 1 << 32):
        assert errors(ask(kind, "clone", as_glibc | waits)) == errno.ENOSYS
    with_process = {WallKind.SANDBOX: errno.EPERM, WallKind.CONTAINER: None}
    assert errors(ask(kind, "clone", 0x4000 | 0x100 | 17)) == with_process[kind]


def test_the_addresses_of_64_bits_are_compared_whole() -> None:
    for kind in CONFINED:
        assert errors(ask(kind, "sendto", 1, 2, 3, 0, 0)) is None
        for address in (1, 1 << 32, 1 << 63):
            assert errors(ask(kind, "sendto", 1, 2, 3, 0, address)) == errno.ENOSYS


@pytest.mark.parametrize("kind", CONFINED)
def test_memory_that_is_not_counted_is_refused_whatever_other_bits_say(kind: WallKind) -> None:
    for others in (0, 0x2, 0x10, 0x4000, 1 << 40, 1 << 63):
        for allowed in (0x01, 0x20):
            assert errors(ask(kind, "mmap", 0, 0, 0, allowed | others)) is None
        for refused in (0x21, 0x40000, 0x100, 0x40020, 0x120, 0x40121):
            assert errors(ask(kind, "mmap", 0, 0, 0, refused | others)) == errno.EPERM


@pytest.mark.parametrize("kind", CONFINED)
def test_extended_attributes_are_not_supported(kind: WallKind) -> None:
    for name in ("getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr"):
        assert errors(ask(kind, name)) == errno.EOPNOTSUPP


def test_a_shared_futex_wakes_nobody_in_a_sandbox() -> None:
    waits, wakes = (0, 6, 8, 9, 11, 13), (1, 3, 4, 5, 7, 10, 12)
    for real_time in (0, 0x100):
        for command in (*waits, *wakes):
            assert errors(ask(WallKind.SANDBOX, "futex", 0, command | real_time | 0x80)) is None
            told = errors(ask(WallKind.SANDBOX, "futex", 0, command | real_time))
            assert told == (errno.EINVAL if command in wakes else None)
    for name in ("futex_wake", "futex_requeue"):
        assert name not in seccomp.rules(WallKind.SANDBOX)


def expected(kind: WallKind, name: str, arguments: Sequence[int]) -> int:
    """What the rules say, worked out another way: from whole arguments of 64 bits."""
    for action, tests in seccomp.rules(kind).get(name, []):
        if all(_holds(test, arguments) for test in tests):
            return action
    return fails(errno.ENOSYS)


def _holds(test: seccomp.Test, arguments: Sequence[int]) -> bool:
    argument, half = divmod(test.place - 16, 8)
    whole = arguments[argument] & 0xFFFFFFFFFFFFFFFF
    shift = 0 if (half == 0) == (sys.byteorder == "little") else 32
    value = OWN if test.value == seccomp.SELF else test.value
    return (whole >> shift) & test.mask == value


def drawn(draw: random.Random, name: str, kind: WallKind) -> Iterator[list[int]]:
    """Arguments near those that the rules of a call name, with random high bits, negative and huge."""
    named = [test.value for _, tests in seccomp.rules(kind)[name] for test in tests] or [0]
    for _ in range(400 if SOAK else 4):
        yield [
            draw.choice(
                [
                    draw.choice(named) | draw.choice(HIGH),
                    draw.choice(named) ^ (1 << draw.randrange(64)),
                    -draw.choice(named),
                    draw.getrandbits(64),
                    draw.getrandbits(32),
                    OWN,
                ]
            )
            for _ in range(6)
        ]


@pytest.mark.parametrize("kind", CONFINED)
def test_the_code_does_what_the_rules_say_for_random_arguments(kind: WallKind) -> None:
    draw = random.Random(kind)
    code = filter_of(kind)
    for name in seccomp.rules(kind):
        number = int(seccomp._library().seccomp_syscall_resolve_name(name.encode()))
        for arguments in drawn(draw, name, kind) if number >= 0 else ():
            assert decided(code, number, arguments) == expected(kind, name, arguments), (name, arguments)


@pytest.mark.parametrize("kind", WallKind)
def test_calls_of_the_x32_abi_are_not_there(kind: WallKind) -> None:
    if seccomp._library().seccomp_arch_native() != 0xC000003E:
        pytest.skip("only x86-64 has calls of another kind under the same architecture")
    for name in ("read", "setsid", "kill"):
        assert errors(decided(seccomp.compiled(kind), number_of(name) | 0x40000000, ())) == errno.ENOSYS


def test_without_libseccomp_limits_have_no_filter_and_others_do_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ctypes.CDLL:
        raise OSError(f"{name}: cannot open shared object file")

    seccomp.compiled.cache_clear()
    seccomp._library.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", missing)
    try:
        assert seccomp.compiled(WallKind.LIMITS) == b""
        with pytest.raises(OSError, match=r"libseccomp\.so\.2: cannot open"):
            seccomp.compiled(WallKind.SANDBOX)
    finally:
        seccomp.compiled.cache_clear()
        seccomp._library.cache_clear()
