"""Attacks by system calls that no game needs."""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.attacks.attackers.agent import Situation

_NEW_USER, _NEW_MOUNTS, _NEW_NETWORK = 0x10000000, 0x00020000, 0x40000000


def use_odd_calls(at: Situation) -> None:
    """System calls in which kernels had security bugs."""
    room = ctypes.create_string_buffer(256)
    for name, arguments in (
        ("io_uring_setup", (4, ctypes.byref(room))),
        ("userfaultfd", (1,)),
        ("bpf", (0, ctypes.byref((ctypes.c_uint32 * 18)(2, 4, 8, 1)), 72)),
        ("perf_event_open", (ctypes.byref((ctypes.c_uint32 * 32)(1, 128)), 0, -1, -1, 0)),
        ("memfd_secret", (0,)),
        ("fsopen", (b"tmpfs", 0)),
    ):
        made = at.attempt(f"call {name}", lambda name=name, arguments=arguments: at.call(name, *arguments))  # type: ignore[misc]
        if made is not None:
            os.close(made)
    if at.attempt("make a file of memory", lambda: os.close(os.memfd_create("x"))) is None:
        print("no file of memory")


def become_somebody_else(at: Situation) -> None:
    at.attempt("change its personality", lambda: at.call("personality", 0x0040000))
    at.attempt("become root", lambda: os.setuid(0) if os.getuid() else os.setuid(1))
    at.attempt("change its groups", lambda: os.setgroups([0]))
    at.attempt("change its root", lambda: os.chroot("/"))


def leave_the_namespaces(at: Situation) -> None:
    """What it can do in new namespaces."""
    checked, libc = at.checked, at.libc
    at.attempt("mount", lambda: checked(libc.mount(b"none", os.fsencode(os.getcwd()), b"tmpfs", 0, None)))
    at.attempt("unmount", lambda: checked(libc.umount2(b"/tmp", 2)))
    at.attempt("open a tree", lambda: os.close(at.call("open_tree", -100, b"/", 1)))
    at.attempt("enter another's namespaces", lambda: at.call("setns", 0, 0))
    handle = ctypes.create_string_buffer(136)
    at.attempt("open by a handle", lambda: os.close(at.call("open_by_handle_at", -100, ctypes.byref(handle), 0)))
    at.attempt("make namespaces", lambda: checked(libc.unshare(_NEW_USER | _NEW_MOUNTS | _NEW_NETWORK)))
    at.attempt("mount in namespaces", lambda: checked(libc.mount(b"none", b"/mnt", b"tmpfs", 0, None)))


def speak_for_another_processor(at: Situation) -> None:
    """32-bit system calls (int 0x80), which an incomplete filter lets through."""
    if platform.machine() != "x86_64":
        print(f"refused: no such calls on {platform.machine()}")
        return
    at.attempt("call as x32 does", lambda: at.checked(at.libc.syscall(0x40000000 + 39)))
    # mov eax, 20 (getpid); int 0x80; ret
    code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    place = ctypes.addressof(ctypes.c_char.from_buffer(code))
    print("calls as i386 does", flush=True)
    at.attempt("call as i386 does", lambda: _expect(ctypes.CFUNCTYPE(ctypes.c_int)(place)(), os.getpid()))


def _expect(got: int, wanted: int) -> None:
    if got != wanted:
        raise OSError(f"got {got}")


def write_into_the_kernel(at: Situation) -> None:
    """Opens the kernel's settings for writing: nothing is written, but it could be."""
    for path in ("core_pattern", "hostname", "panic"):
        at.attempt(f"open {path}", lambda path=path: _open_to_write(f"/proc/sys/kernel/{path}"))  # type: ignore[misc]
    for path in ("/proc/sysrq-trigger", "/proc/sys/vm/drop_caches", "/sys/power/state", "/sys/kernel/uevent_helper"):
        at.attempt(f"open {path}", lambda path=path: _open_to_write(path))  # type: ignore[misc]
    for path in ("oom_score_adj", "comm", "timerslack_ns", "autogroup"):
        if at.kind != "container":  # where it is its own and seen by nobody
            at.attempt(f"open its own {path}", lambda path=path: _open_to_write(f"/proc/self/{path}"))  # type: ignore[misc]


def _open_to_write(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY))
