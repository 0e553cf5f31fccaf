"""The system call filter (seccomp) of an agent: which calls the kernel allows, with which arguments.

The director compiles the filter once, with libseccomp; a jail passes it to the process that becomes an agent. In a
sandbox or container, a call that is not named here fails with ENOSYS, so that programs try an older call. A call that
is named as refused fails with EPERM ("not permitted"), so that people can read why.

The list says what is allowed, not what is forbidden, because new kernels bring new system calls.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from arena.walls.kinds import WallKind

SELF: Final = 0x5EC0AAAA
"""Placeholder in the filter for the PID of the agent's process, which is known only when that exists."""

_ALLOWED: Final = """
    read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek _llseek close
    dup dup2 dup3 pipe pipe2 sendfile sendfile64 copy_file_range
    stat fstat lstat newfstatat fstatat64 stat64 fstat64 lstat64 statx statfs fstatfs access faccessat faccessat2
    readlink readlinkat getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
    getcwd chdir fchdir getdents getdents64 umask readahead
    mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 symlink symlinkat link linkat
    ftruncate ftruncate64 fsync fdatasync
    munmap mremap mprotect madvise msync mlock munlock mlock2 brk pkey_alloc pkey_free pkey_mprotect
    get_mempolicy membarrier
    execve execveat exit exit_group wait4 waitid waitpid
    futex futex_time64 futex_wait futex_wake futex_requeue futex_waitv set_robust_list get_robust_list
    set_tid_address rseq restart_syscall arch_prctl set_thread_area get_thread_area riscv_flush_icache
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64
    sigaltstack sigreturn signalfd signalfd4 pause alarm getitimer setitimer
    timerfd_create timerfd_settime timerfd_gettime nanosleep clock_gettime clock_gettime64 clock_getres
    clock_getres_time64 gettimeofday time times getrusage sysinfo uname getcpu getrandom
    poll ppoll ppoll_time64 select _newselect pselect6 pselect6_time64 epoll_create epoll_create1 epoll_ctl
    epoll_ctl_old epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2
    getpid gettid getppid getpgid getpgrp getsid getuid geteuid getgid getegid getresuid getresgid getgroups
    capget getpriority sched_getaffinity sched_getparam sched_getscheduler sched_getattr
    sched_get_priority_max sched_get_priority_min sched_rr_get_interval getrlimit ugetrlimit setrlimit
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
_CLONE_THREAD: Final = 0x00010000
_CLONE_SIGNAL: Final = 0xFF
_CLONE_FILES: Final = 0x00000400
_CLOSE_RANGE_UNSHARE: Final = 2
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
_FADV_DONTNEED: Final = 4
_FIRST_CLOCK_OF_OTHERS: Final = 16
_OWN_CLOCKS: Final = (0xFFFFFFFA, 0xFFFFFFFE)
"""Processor-time clocks of the calling process and thread, as the C library encodes them."""
_O_NAMELESS: Final = os.O_TMPFILE & ~os.O_DIRECTORY if sys.platform == "linux" else 0
_AF_UNIX: Final = 1
_SOCK_STREAM: Final = 1
_SOCK_TYPE: Final = 0xF

_Rule = tuple[int, str, tuple[Any, ...]]
"""Action, name of the call, and conditions on its arguments, which must all be met."""


@cache
def compiled(kind: WallKind) -> bytes:
    """The filter for walls of this kind, as BPF code.

    OSError, RuntimeError, TypeError or ImportError if libseccomp does not work here; for limits it is then empty."""
    try:
        import pyseccomp  # finds and loads libseccomp, which takes 20 ms
    except (ImportError, OSError, RuntimeError, TypeError):
        if kind is WallKind.LIMITS:
            return b""
        raise
    if kind is WallKind.LIMITS:
        return _written(_of_limits(pyseccomp))
    made = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.ENOSYS))
    # Calls of another architecture, for example of 32-bit programs.
    made.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    refused = pyseccomp.ERRNO(errno.EPERM)
    rules: list[_Rule] = [(pyseccomp.ALLOW, name, ()) for name in _ALLOWED.split()]
    # An agent that yields all the time would wait by choice: sched_yield does nothing and returns 0.
    rules.append((pyseccomp.ERRNO(0), "sched_yield", ()))
    rules += _with_arguments(pyseccomp)
    rules += _of_processes(pyseccomp, refused, kind)
    named = {name for _, name, _ in rules}
    rules += [(refused, name, ()) for name in f"{_REFUSED} {_LEAVE_GROUP} {_SCHEDULING}".split() if name not in named]
    for action, name, conditions in rules:
        # Calls of other architectures, or too new for this libseccomp, are left out.
        if pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) >= 0:
            made.add_rule(action, name, *conditions)
    return _written(made)


def _of_limits(pyseccomp: Any) -> Any:
    """The filter of `limits`: allows all calls except those that leave the process group, so that everything an agent
    starts is paused and killed in one call, and those that choose its scheduling."""
    made = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    made.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.ALLOW)
    for name in f"{_LEAVE_GROUP} {_SCHEDULING}".split():
        made.add_rule(pyseccomp.ERRNO(errno.EPERM), name)
    return made


def _written(made: Any) -> bytes:
    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()


def _with_arguments(pyseccomp: Any) -> Iterator[_Rule]:
    """Calls that are allowed only with certain arguments."""
    allow, argument, equal, masked = pyseccomp.ALLOW, pyseccomp.Arg, pyseccomp.EQ, pyseccomp.MASKED_EQ
    for name, place, values in (
        ("fcntl", 1, _FCNTL),
        ("fcntl64", 1, _FCNTL),
        ("ioctl", 1, _IOCTL),
        ("prctl", 0, _PRCTL),
    ):
        for value in values:
            yield allow, name, (argument(place, equal, value),)
    # O_RDONLY with O_TRUNC is a way to write past Landlock before its ABI version 3; a file without a name (O_TMPFILE)
    # fills the disk unseen.
    for name, place in (("open", 1), ("openat", 2)):
        for mode in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC, os.O_RDWR | os.O_TRUNC):
            yield allow, name, (argument(place, masked, os.O_ACCMODE | os.O_TRUNC | _O_NAMELESS, mode),)
    yield allow, "creat", ()
    # Not counted as the agent's memory: shared anonymous memory, and huge pages, which the machine has reserved. No
    # limit stops memory that grows by itself (MAP_GROWSDOWN).
    looked_at = _MAP_SHARED | _MAP_ANONYMOUS | _MAP_HUGETLB | _MAP_GROWSDOWN
    for name in ("mmap", "mmap2"):
        for kinds in (0, _MAP_SHARED, _MAP_ANONYMOUS):
            yield allow, name, (argument(3, masked, looked_at, kinds),)
        for kinds in (_MAP_SHARED | _MAP_ANONYMOUS, _MAP_HUGETLB, _MAP_GROWSDOWN):
            yield pyseccomp.ERRNO(errno.EPERM), name, (argument(3, masked, kinds, kinds),)
    # Higher clock ids are processor-time clocks of other processes; a timer on such a clock slows that process.
    for name in ("clock_nanosleep", "clock_nanosleep_time64"):
        yield allow, name, (argument(0, pyseccomp.LT, _FIRST_CLOCK_OF_OTHERS),)
        for clock in _OWN_CLOCKS:
            yield allow, name, (argument(0, masked, 0xFFFFFFFF, clock),)
    # A thread with its own table of open files could have as many files again.
    yield allow, "close_range", (argument(2, masked, _CLOSE_RANGE_UNSHARE, 0),)
    # fallocate reserves gigabytes between two polls, also past the end of a file, which RLIMIT_FSIZE does not count.
    # After EOPNOTSUPP, programs write zeros instead.
    yield pyseccomp.ERRNO(errno.EOPNOTSUPP), "fallocate", ()
    # Files dropped from the page cache would have to be read from the disk again, by the opponent.
    yield pyseccomp.ERRNO(0), "fadvise64", (argument(3, equal, _FADV_DONTNEED),)
    yield allow, "fadvise64", (argument(3, pyseccomp.NE, _FADV_DONTNEED),)
    # asyncio needs a pair of connected sockets. No datagram sockets: they could send to a path. setsockopt is refused
    # (larger buffers), and sendmsg (open files in transit are not counted).
    yield allow, "socketpair", (argument(0, equal, _AF_UNIX), argument(1, masked, _SOCK_TYPE, _SOCK_STREAM))
    yield allow, "sendto", (argument(4, equal, 0),)
    # Only for itself (PID 0): it could lower the limits of this user's other processes.
    yield allow, "prlimit64", (argument(0, equal, 0),)


def _of_processes(pyseccomp: Any, refused: int, kind: WallKind) -> Iterator[_Rule]:
    """Calls that start processes or send signals. In a sandbox: only new threads, and signals to itself."""
    allow, argument, masked = pyseccomp.ALLOW, pyseccomp.Arg, pyseccomp.MASKED_EQ
    # Threads must share the table of open files of their process, which is limited and counted once.
    thread = _CLONE_THREAD | _CLONE_FILES
    if kind is WallKind.CONTAINER:
        for name in ("fork", "vfork", "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
            yield allow, name, ()
        # A child must end with SIGCHLD: with SIGCONT it would wake a paused parent.
        looked_at = _CLONE_NAMESPACES | _CLONE_THREAD | _CLONE_SIGNAL
        yield allow, "clone", (argument(0, masked, looked_at, signal.SIGCHLD),)
        yield allow, "clone", (argument(0, masked, _CLONE_NAMESPACES | thread, thread),)
        return
    yield allow, "clone", (argument(0, masked, thread | _CLONE_NAMESPACES | _CLONE_APART, thread),)
    yield refused, "clone", (argument(0, masked, _CLONE_THREAD, 0),)
    for name in ("kill", "tkill", "tgkill"):
        yield allow, name, (argument(0, pyseccomp.EQ, SELF),)
        yield refused, name, (argument(0, pyseccomp.NE, SELF),)
