"""The system call filter (seccomp) of an agent: which calls the kernel allows, with which arguments.

The director writes the filter once; a jail passes it to the process that becomes an agent. In a sandbox or container, a
call that is not named here fails with ENOSYS, so that programs try an older call. A call that is named as refused fails
with EPERM ("not permitted"), so that people can read why. What a runtime uses where it can, and lives without, fails
with the error that it expects.

The list says what is allowed, not what is forbidden, because new kernels bring new system calls.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import struct
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from arena.match.allowance import WallKind

# Writes a system call filter as BPF code: each call has a list of rules, and the first rule that fits decides.


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


SELF: Final = 0x5EC0AAAA
"""Placeholder in the filter for the PID of the agent's process, which is known only when that exists."""

_ALLOWED: Final = """
    read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek _llseek close
    dup dup2 dup3 pipe pipe2 sendfile sendfile64 copy_file_range
    stat fstat lstat newfstatat fstatat64 stat64 fstat64 lstat64 statx statfs fstatfs access faccessat faccessat2
    readlink readlinkat
    getcwd chdir fchdir getdents getdents64 umask readahead
    mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 symlink symlinkat link linkat
    ftruncate ftruncate64 fsync fdatasync
    munmap mremap mprotect msync mlock munlock mlock2 brk pkey_alloc pkey_free pkey_mprotect
    get_mempolicy membarrier
    execve execveat exit exit_group wait4 waitid waitpid
    futex_wait futex_waitv set_robust_list get_robust_list
    set_tid_address rseq restart_syscall arch_prctl set_thread_area get_thread_area riscv_flush_icache
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64
    sigaltstack sigreturn signalfd signalfd4 pause alarm getitimer setitimer
    timerfd_create timerfd_settime timerfd_gettime nanosleep gettimeofday time times
    getrusage sysinfo uname getcpu getrandom
    poll ppoll ppoll_time64 select _newselect pselect6 pselect6_time64 epoll_create epoll_create1 epoll_ctl
    epoll_ctl_old epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2
    getpid gettid getppid getpgrp getuid geteuid getgid getegid getresuid getresgid getgroups
    capget sched_get_priority_max sched_get_priority_min getrlimit ugetrlimit setrlimit
    recvfrom recvmsg recvmmsg shutdown getsockname getpeername getsockopt
"""

_REFUSED: Final = """
    fork vfork timer_create rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal pidfd_getfd
    ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp
    socket connect bind listen accept accept4 setsockopt sendmsg sendmmsg
    truncate truncate64 mknod mknodat chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat
    utime utimes futimesat utimensat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
    flock sync syncfs name_to_handle_at open_by_handle_at
    migrate_pages move_pages mbind set_mempolicy
    setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset personality
    unshare setns mount umount umount2 pivot_root chroot move_mount open_tree fsopen fsmount fsconfig mount_setattr
    add_key request_key keyctl shmget shmat shmdt shmctl semget semop semctl semtimedop msgget msgsnd msgrcv msgctl
    mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify memfd_create memfd_secret
    inotify_init inotify_init1 inotify_add_watch fanotify_init fanotify_mark
    bpf perf_event_open userfaultfd seccomp
    init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff acct quotactl syslog
    settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname iopl ioperm modify_ldt vhangup
    splice tee vmsplice
"""
"""Calls that fail with EPERM. The list need not be complete: a call in no list fails with ENOSYS.

timer_create is here because a timer can send SIGCONT, which wakes a paused agent."""

_LEAVE_GROUP: Final = "setsid setpgid"
"""Calls that take a process out of its process group."""
_SCHEDULING: Final = "sched_setaffinity sched_setscheduler sched_setparam sched_setattr setpriority ioprio_set"
"""Calls with which an agent could choose how long it waits for a processor."""
_ABOUT_A_PROCESS: Final = """
    getpgid getsid sched_getaffinity sched_getscheduler sched_getparam sched_getattr
    sched_rr_get_interval sched_rr_get_interval_time64
"""
"""Calls that tell something about the process that their first argument names; 0 is the caller."""
_SIGNALS: Final = {"kill": 1, "tkill": 1, "tgkill": 2}
"""Calls that send a signal, each with the position of the signal's number."""
_QUEUED_SIGNALS: Final = {"rt_sigqueueinfo": 1, "rt_tgsigqueueinfo": 2}
_WAKES: Final = int(signal.SIGCONT)
_CLOCKS: Final = "clock_gettime clock_gettime64 clock_getres clock_getres_time64"
_CLONE_THREAD: Final = 0x00010000
_CLONE_SIGNAL: Final = 0xFF
_CLONE_FILES: Final = 0x00000400
_CLONE_VFORK: Final = 0x00004000
"""The caller waits for its child, and no signal but SIGKILL stops it. Programs do that with processes, not threads."""
_CLOSE_RANGE_UNSHARE: Final = 2
_UNCHANGED: Final = 0xFFFFFFFF
"""Of an id: it stays as it is."""
_CLONE_APART: Final = 0x00008000 | 0x00002000 | 0x00800000
"""CLONE_PARENT, CLONE_PTRACE, CLONE_UNTRACED."""
_CLONE_NAMESPACES: Final = 0x7E020080
"""CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET."""
_FCNTL: Final = (0, 1, 2, 3, 4, 1030, 1032)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ: no locks, leases, owners, signals."""
_IOCTL: Final = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS (is it a terminal?), TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX."""
_PRCTL: Final = (3, 15, 16, 23, 29, 30, 38, 39, 0x53564D41)
"""PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_CAPBSET_READ, PR_SET_TIMERSLACK, PR_GET_TIMERSLACK,
PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_SET_VMA."""
_MAP_SHARED: Final = 0x01
_MAP_ANONYMOUS: Final = 0x20
_MAP_GROWSDOWN: Final = 0x100
_MAP_HUGETLB: Final = 0x40000
_ADVICE: Final = (*range(5), *range(8, 12), *range(14, 20), 22, 23, 102, 103)
"""What programs advise about their memory: NORMAL, RANDOM, SEQUENTIAL, WILLNEED, DONTNEED, FREE, REMOVE, DONTFORK,
DOFORK, HUGEPAGE, NOHUGEPAGE, DONTDUMP, DODUMP, WIPEONFORK, KEEPONFORK, POPULATE_READ, POPULATE_WRITE, GUARD_INSTALL,
GUARD_REMOVE. Not COLLAPSE: it runs for minutes, and no signal ends it."""
_FADV_DONTNEED: Final = 4
_FUTEX_PRIVATE: Final = 0x80
_FUTEX_COMMAND: Final = 0x7F
_FUTEX_WAKES: Final = (1, 3, 4, 5, 7, 10, 12)
"""WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, UNLOCK_PI, WAKE_BITSET, CMP_REQUEUE_PI."""
_USUAL_CLOCKS: Final = is_(0, 0, 0xFFFFFFF0)
"""The ids below 16: clocks of the machine, and of the calling process and thread."""
_CLOCKS_OF_PROCESSES: Final = 0x80000000
"""The bit of a clock id by which it names a process or a thread."""
_OF_A_THREAD: Final = is_(0, 0x80000006, 0x80000007)
"""Processor time of a thread: the kernel knows only the caller's own threads by such an id."""
_OF_ITSELF: Final = is_(0, 0xFFFFFFFA)
_OF_THIS_THREAD: Final = is_(0, 0xFFFFFFFE)
"""Processor time of the calling process and thread, as the C library encodes it."""
_O_NAMELESS: Final = os.O_TMPFILE & ~os.O_DIRECTORY if sys.platform == "linux" else 0
_AF_UNIX: Final = 1
_SOCK_STREAM: Final = 1
_SOCK_TYPE: Final = 0xF

_ALLOWS: Final = Rule(ALLOW)
_REFUSES: Final = Rule(fails(errno.EPERM))
_IS_NOT_THERE: Final = Rule(fails(errno.ENOSYS))
_IS_WRONG: Final = Rule(fails(errno.EINVAL))
_IS_NOT_SUPPORTED: Final = Rule(fails(errno.EOPNOTSUPP))
_DOES_NOTHING: Final = Rule(fails(0))


@cache
def compiled(kind: WallKind) -> bytes:
    """The filter for walls of this kind, as BPF code. OSError without libseccomp; for limits it is then empty."""
    if kind is WallKind.LIMITS:
        # Everything that an agent starts is paused and killed in one call, and none chooses its scheduling.
        refused = {name: [_REFUSES] for name in f"{_LEAVE_GROUP} {_SCHEDULING}".split()}
        try:
            return written(refused, other=ALLOW, foreign=ALLOW)
        except OSError:
            return b""
    return written(rules(kind), other=fails(errno.ENOSYS), foreign=KILL)


def rules(kind: WallKind) -> dict[str, list[Rule]]:
    """The rules of a sandbox or a container, by the names of calls."""
    found = {name: [_REFUSES] for name in f"{_REFUSED} {_LEAVE_GROUP} {_SCHEDULING}".split()}
    found |= {name: [_ALLOWS] for name in _ALLOWED.split()}
    return found | _with_arguments() | (_of_a_container() if kind is WallKind.CONTAINER else _of_a_sandbox())


def _with_arguments() -> dict[str, list[Rule]]:
    """Calls that are allowed only with certain arguments."""
    found: dict[str, list[Rule]] = {}
    for name, place, values in (("fcntl", 1, _FCNTL), ("ioctl", 1, _IOCTL), ("prctl", 0, _PRCTL)):
        found[name] = [Rule(ALLOW, (is_(place, value),)) for value in values]
    found["fcntl64"] = found["fcntl"]
    # O_RDONLY with O_TRUNC is a way to write past Landlock before its ABI version 3; a file without a name (O_TMPFILE)
    # fills the disk unseen.
    for name, place in (("open", 1), ("openat", 2)):
        found[name] = [
            Rule(ALLOW, (is_(place, mode, os.O_ACCMODE | os.O_TRUNC | _O_NAMELESS),))
            for mode in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC, os.O_RDWR | os.O_TRUNC)
        ]
    found["creat"] = [_ALLOWS]
    # Not counted as the agent's memory: shared anonymous memory, and huge pages, which the machine has reserved. No
    # limit stops memory that grows by itself (MAP_GROWSDOWN).
    found["mmap"] = found["mmap2"] = [
        *(Rule(_REFUSES.action, (is_(3, kind, kind),)) for kind in (_MAP_HUGETLB, _MAP_GROWSDOWN)),
        Rule(_REFUSES.action, (is_(3, _MAP_SHARED | _MAP_ANONYMOUS, _MAP_SHARED | _MAP_ANONYMOUS),)),
        _ALLOWS,
    ]
    # Other advice throws what others read out of the page cache (PAGEOUT, COLD), or shares pages (MERGEABLE).
    found["madvise"] = [*(Rule(ALLOW, (is_(2, advice),)) for advice in _ADVICE), _IS_WRONG]
    # Files dropped from the page cache would have to be read from the disk again, by the opponent.
    found["fadvise64"] = [Rule(_DOES_NOTHING.action, (is_(3, _FADV_DONTNEED),)), _ALLOWS]
    # A timer on a processor-time clock of another process slows that process.
    found["clock_nanosleep"] = [Rule(ALLOW, (clock,)) for clock in (_USUAL_CLOCKS, _OF_ITSELF, _OF_THIS_THREAD)]
    found["clock_nanosleep_time64"] = found["clock_nanosleep"]
    # A thread with its own table of open files could have as many files again.
    found["close_range"] = [Rule(ALLOW, (is_(2, 0, _CLOSE_RANGE_UNSHARE),))]
    # fallocate reserves gigabytes between two polls, also past the end of a file, which RLIMIT_FSIZE does not count.
    # After EOPNOTSUPP, programs write zeros instead.
    found["fallocate"] = [_IS_NOT_SUPPORTED]
    # Landlock does not close the extended attributes of files that cannot be opened.
    for name in ("getxattr", "listxattr"):
        found |= {f"{which}{name}": [_IS_NOT_SUPPORTED] for which in ("", "l", "f")}
    # An agent that yields all the time would wait by choice.
    found["sched_yield"] = [_DOES_NOTHING]
    # asyncio needs a pair of connected sockets. No datagram sockets: they could send to a path. setsockopt is refused
    # (larger buffers), and sendmsg (open files in transit are not counted).
    found["socketpair"] = [Rule(ALLOW, (is_(0, _AF_UNIX), is_(1, _SOCK_STREAM, _SOCK_TYPE)))]
    found["sendto"] = [Rule(ALLOW, is_null(4))]
    # Only for itself (PID 0): it could lower the limits of this user's other processes.
    found["prlimit64"] = [Rule(ALLOW, (is_(0, 0),))]
    return found


def _of_a_sandbox() -> dict[str, list[Rule]]:
    """Calls about processes, in a sandbox: it starts new threads only, signals itself, and learns nothing of others."""
    # Threads must share the table of open files of their process, which is limited and counted once.
    thread = _CLONE_THREAD | _CLONE_FILES
    found = {
        "clone": [
            Rule(ALLOW, (is_(0, thread, thread | _CLONE_NAMESPACES | _CLONE_APART | _CLONE_VFORK),)),
            Rule(_REFUSES.action, (is_(0, 0, _CLONE_THREAD),)),
        ]
    }
    for name, place in _SIGNALS.items():
        found[name] = [Rule(_REFUSES.action, (is_(place, _WAKES),)), Rule(ALLOW, (is_(0, SELF),)), _REFUSES]
    # EPERM would end a JVM.
    itself = [Rule(ALLOW, (is_(0, pid),)) for pid in (0, SELF)]
    found |= {name: [*itself, _IS_NOT_THERE] for name in _ABOUT_A_PROCESS.split()}
    found["getpriority"] = [*(Rule(ALLOW, (is_(0, 0), is_(1, pid))) for pid in (0, SELF)), _IS_NOT_THERE]
    # Processor time of other processes.
    clocks = [Rule(ALLOW, (clock,)) for clock in (is_(0, 0, _CLOCKS_OF_PROCESSES), _OF_A_THREAD, _OF_ITSELF)]
    found |= {name: [*clocks, _IS_WRONG] for name in _CLOCKS.split()}
    # Two agents that map the same file could wake each other. Threads of one process need no such futex.
    wakes = [Rule(_IS_WRONG.action, (is_(1, command, _FUTEX_PRIVATE | _FUTEX_COMMAND),)) for command in _FUTEX_WAKES]
    found["futex"] = found["futex_time64"] = [*wakes, _ALLOWS]
    return found


def _of_a_container() -> dict[str, list[Rule]]:
    """Calls about processes, in a container: an agent sees its own alone, and does with them as it likes, but wakes
    none: a signal could wake one that is paused."""
    thread = _CLONE_THREAD | _CLONE_FILES
    allowed = f"fork vfork futex futex_time64 getpriority {_ABOUT_A_PROCESS} {_CLOCKS}"
    found = {name: [_ALLOWS] for name in allowed.split()}
    for name, place in (_SIGNALS | _QUEUED_SIGNALS).items():
        found[name] = [Rule(_REFUSES.action, (is_(place, _WAKES),)), _ALLOWS]
    # The effective id alone, of which a process without privileges has one: make asks for it in each child.
    for name in ("setresuid", "setresgid"):
        found[name] = [Rule(ALLOW, (is_(0, _UNCHANGED), is_(2, _UNCHANGED))), _REFUSES]
    found["clone"] = [
        # A child must end with SIGCHLD: with SIGCONT it would wake a paused parent.
        Rule(ALLOW, (is_(0, signal.SIGCHLD, _CLONE_NAMESPACES | _CLONE_THREAD | _CLONE_SIGNAL),)),
        Rule(ALLOW, (is_(0, thread, _CLONE_NAMESPACES | thread | _CLONE_VFORK),)),
    ]
    return found
