"""The system call filter, tested by small programs: calls that work, that are refused, that do not exist."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import pytest

from arena.match.allowance import WallKind
from arena.walls import confine, file_access, seccomp
from tests.kit import behind_walls, needs
from tests.kit.behind_walls import need, needs_linux, run

pytestmark = needs_linux

CONFINED = (WallKind.SANDBOX, WallKind.CONTAINER)
ATTEMPT = """if True:
    import ctypes, errno, os, resource, signal, sys

    libc = ctypes.CDLL(None, use_errno=True)
    here = sys.argv[1]

    def checked(result):
        if result < 0:
            raise OSError(ctypes.get_errno(), "refused")
        return result

    def call(number, *arguments):
        return checked(libc.syscall(number, *arguments))

    try:
        {does}
    except OSError as error:
        print(errno.errorcode[error.errno])
    else:
        print("done")
"""

CLONE = {"x86_64": 56, "aarch64": 220}.get(platform.machine())
WORKS = {
    "signals itself": "os.kill(os.getpid(), 0)",
    "signals its thread": "signal.pthread_kill(__import__('threading').get_ident(), 0)",
    "raises a signal": "signal.signal(signal.SIGUSR1, lambda *_: None); signal.raise_signal(signal.SIGUSR1)",
    "has a pair of streams": "a, b = __import__('socket').socketpair(); a.send(b'x'); b.recv(1)",
    "closes many files": "checked(libc.close_range(60, 64, 0))",
    "waits for files": "__import__('select').epoll().close()",
    "asks for its limits": "resource.getrlimit(resource.RLIMIT_NOFILE)",
    "lowers its limits": "resource.setrlimit(resource.RLIMIT_NOFILE, (32, 64))",
    "asks for its processors": "os.sched_getaffinity(0)",
    "draws random bytes": "os.urandom(8)",
    "sleeps": "__import__('time').sleep(0)",
    "sets a timer": "signal.setitimer(signal.ITIMER_REAL, 1000)",
    "names itself": "checked(libc.prctl(15, b'name', 0, 0, 0))",
    "reads": "os.close(os.open(here, os.O_RDONLY))",
    "maps memory": "__import__('mmap').mmap(-1, 1 << 20, flags=0x22)",
    "writes to nothing": "open('/dev/null', 'wb').close()",
    "reads its own clocks": "[__import__('time').clock_gettime(clock) for clock in (0, 1, 2, 3, 0xFFFFFFFA - 2**32)]",
    "reads the clock of a thread": (
        "time = __import__('time'); threads = __import__('threading'); "
        "time.clock_gettime(time.pthread_getcpuclockid(threads.get_ident()))"
    ),
    "asks how it is scheduled": "os.sched_getscheduler(0), os.sched_getparam(0), os.getpriority(0, 0)",
    "advises about its memory": "[__import__('mmap').mmap(-1, 4096, flags=0x22).madvise(each) for each in (0, 4, 8)]",
}
"""Calls that every agent can make."""

REFUSED = {
    "opens a unix socket": ("__import__('socket').socket(1)", "EPERM"),
    "opens an internet socket": ("__import__('socket').socket(2)", "EPERM"),
    "opens a netlink socket": ("__import__('socket').socket(16, 3)", "EPERM"),
    "has a pair of datagrams": ("__import__('socket').socketpair(1, 2)", "ENOSYS"),
    "enlarges a socket": ("__import__('socket').socketpair()[0].setsockopt(1, 7, 1 << 20)", "EPERM"),
    "sends an open file": ("__import__('socket').send_fds(__import__('socket').socketpair()[0], [b'x'], [0])", "EPERM"),
    "has a table of files of its own": ("checked(libc.close_range(900, 999, 2))", "ENOSYS"),
    "locks a file": ("__import__('fcntl').flock(os.open(here, os.O_RDONLY), 1)", "EPERM"),
    "locks a part of a file": ("__import__('fcntl').lockf(os.open(here, os.O_RDONLY), 5)", "ENOSYS"),
    "leases a file": ("__import__('fcntl').fcntl(os.open(here, os.O_RDONLY), 1024, 0)", "ENOSYS"),
    "has a file's signals sent": ("__import__('fcntl').fcntl(0, 8, os.getppid())", "ENOSYS"),
    "types into a terminal": ("__import__('fcntl').ioctl(0, 0x5412, b'x')", "ENOSYS"),
    "changes a mode": ("os.chmod(here, 0o600)", "EPERM"),
    "changes an owner": ("os.chown(here, 0, 0)", "EPERM"),
    "changes a file's time": ("os.utime(here)", "EPERM"),
    "marks a file": ("os.setxattr(here, 'user.told', b'x')", "EPERM"),
    "truncates by name": ("os.truncate(here, 0)", "EPERM"),
    "truncates what it opens to read": ("os.open(here, os.O_RDONLY | os.O_TRUNC)", "ENOSYS"),
    "reserves room": ("checked(libc.fallocate(0, 0, 0, 1 << 20))", "ENOTSUP"),
    "reserves room past the end of a file": ("checked(libc.fallocate(0, 1, 0, 1 << 20))", "ENOTSUP"),
    "has a timer send a signal": (
        "checked(libc.timer_create(1, ctypes.byref((ctypes.c_int * 32)(0, 0, 18)), ctypes.byref(ctypes.c_void_p())))",
        "EPERM",
    ),
    "has memory that grows by itself": ("__import__('mmap').mmap(-1, 1 << 20, flags=0x122)", "EPERM"),
    "makes a pipe with a name": ("os.mkfifo('pipe')", "EPERM"),
    "traces its parent": ("checked(libc.ptrace(16, os.getppid(), 0, 0))", "EPERM"),
    "opens a process": ("os.pidfd_open(os.getppid())", "EPERM"),
    "lowers its parent's limits": ("resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (9, 9))", "ENOSYS"),
    "takes another processor": ("os.sched_setaffinity(0, os.sched_getaffinity(0))", "EPERM"),
    "changes its priority": ("os.setpriority(os.PRIO_PROCESS, 0, 1)", "EPERM"),
    "changes its scheduler": ("os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))", "EPERM"),
    "becomes another user": ("os.setresuid(os.getuid(), os.getuid(), os.getuid())", "EPERM"),
    "makes a namespace": ("checked(libc.unshare(0x10000000))", "EPERM"),
    "mounts": ("checked(libc.mount(b'none', b'/', b'tmpfs', 0, None))", "EPERM"),
    "changes its root": ("os.chroot('/')", "EPERM"),
    "shares memory without a name": ("__import__('mmap').mmap(-1, 1 << 20)", "EPERM"),
    "shares memory": ("checked(libc.shmget(77, 4096, 0o1666))", "EPERM"),
    "leaves a message": ("checked(libc.msgget(77, 0o1666))", "EPERM"),
    "shares a semaphore": ("checked(libc.semget(77, 1, 0o1666))", "EPERM"),
    "takes a huge page": ("__import__('mmap').mmap(-1, 1 << 21, flags=0x40022)", "EPERM"),
    "sleeps by the clock of another": (
        "checked(libc.syscall({'x86_64': 230, 'aarch64': 115}[os.uname().machine], (~os.getppid() << 3) | 2, 0, 0, 0))",
        "ENOSYS",
    ),
    "reads an extended attribute": ("os.getxattr('/etc', 'user.told')", "ENOTSUP"),
    "lists extended attributes": ("os.listxattr('/etc')", "ENOTSUP"),
    "throws its memory out": ("__import__('mmap').mmap(-1, 4096, flags=0x22).madvise(21)", "EINVAL"),
    "resumes itself": ("os.kill(os.getpid(), signal.SIGCONT)", "EPERM"),
    "resumes itself with high bits": (
        "checked(libc.syscall({'x86_64': 62, 'aarch64': 129}[os.uname().machine], "
        "ctypes.c_long(os.getpid()), ctypes.c_long(18 | 1 << 32)))",
        "EPERM",
    ),
    "resumes its thread": ("signal.pthread_kill(__import__('threading').get_ident(), signal.SIGCONT)", "EPERM"),
    "makes a file of memory": ("os.memfd_create('x')", "EPERM"),
    "watches files": ("checked(libc.inotify_init())", "EPERM"),
    "outlives its warden": ("checked(libc.prctl(1, 0, 0, 0, 0))", "ENOSYS"),
    "makes itself readable": ("checked(libc.prctl(0x59616d61, -1, 0, 0, 0))", "ENOSYS"),
    "has a ring of calls": ("call(425, 1, None)", "ENOSYS"),
    "clones by the new call": ("call(435, None, 0)", "ENOSYS"),
    "makes a call that nobody knows": ("call(99999)", "ENOSYS"),
}
"""Calls that no agent can make, and their errors."""

BY_KIND = {
    "forks": ("os.fork() or os._exit(0)", "EPERM", "done"),
    "starts a program": ("os.posix_spawn('/usr/bin/true', ['true'], {})", "EPERM", "done"),
    "runs a program": ("__import__('subprocess').run(['/usr/bin/true'], check=True)", "EPERM", "done"),
    "keeps its effective user": ("os.setresuid(-1, os.getuid(), -1)", "EPERM", "done"),
    "keeps its effective group": ("os.setresgid(-1, os.getgid(), -1)", "EPERM", "done"),
    "acts as another user": ("os.setresuid(-1, os.getuid() + 1, -1)", "EPERM", "EINVAL"),
    "starts a child that wakes it": (
        f"call({CLONE}, 18, 0, 0, 0, 0) or os._exit(0)",
        "EPERM",
        "ENOSYS",
    ),
    "asks whether its parent lives": ("os.kill(os.getppid(), 0)", "EPERM", "done"),
    "signals its group": ("os.kill(0, 0)", "EPERM", "done"),
    "signals everybody": ("os.kill(-1, 0)", "EPERM", "ESRCH"),
    "asks for the processors of its parent": ("os.sched_getaffinity(os.getppid())", "ENOSYS", "done"),
    "asks how its parent is scheduled": ("os.sched_getscheduler(os.getppid())", "ENOSYS", "done"),
    "asks for the priority of its parent": ("os.getpriority(0, os.getppid())", "ENOSYS", "done"),
    "reads the clock of its parent": (
        "__import__('time').clock_gettime((~os.getppid() << 3) | 2)",
        "EINVAL",
        "done",
    ),
    "wakes others that map the same file": (
        "call({'x86_64': 202, 'aarch64': 98}[os.uname().machine], ctypes.byref(ctypes.c_int(0)), 1, 1, 0, 0, 0)",
        "EINVAL",
        "done",
    ),
}
"""Calls that depend on the kind: in a sandbox, and in a container, where an agent sees only its own processes."""


def attempt(does: str, kind: WallKind, folder: Path) -> str:
    """What the program `does`, with a readable file: "done", or the name of its error."""
    need(kind)
    target = folder / "target"
    target.write_text("whole")
    answer = run(ATTEMPT.format(does=does), kind, folder, str(target), readable=(str(target),))
    assert target.read_text() == "whole"
    return answer


@pytest.mark.parametrize("kind", CONFINED)
@pytest.mark.parametrize("does", WORKS.values(), ids=WORKS)
def test_an_agent_may(does: str, kind: WallKind, tmp_path: Path) -> None:
    assert attempt(does, kind, tmp_path) == "done"


@pytest.mark.parametrize("kind", CONFINED)
@pytest.mark.parametrize(("does", "told"), REFUSED.values(), ids=REFUSED)
def test_an_agent_may_not(does: str, told: str, kind: WallKind, tmp_path: Path) -> None:
    assert attempt(does, kind, tmp_path) == told


@pytest.mark.parametrize("kind", CONFINED)
@pytest.mark.parametrize(("does", "in_sandbox", "in_container"), BY_KIND.values(), ids=BY_KIND)
def test_processes_are_for_a_container(
    does: str, in_sandbox: str, in_container: str, kind: WallKind, tmp_path: Path
) -> None:
    assert attempt(does, kind, tmp_path) == (in_sandbox if kind is WallKind.SANDBOX else in_container)


@pytest.mark.parametrize("kind", WallKind)
@pytest.mark.parametrize("does", ["os.setsid()", "os.setpgid(0, 0)"])
def test_nobody_leaves_the_group_in_which_all_are_stopped_and_killed(does: str, kind: WallKind, tmp_path: Path) -> None:
    if not seccomp.compiled(kind):
        pytest.skip(needs.package("the library libseccomp", "libseccomp2"))
    assert attempt(f"os.fork() and os._exit(0); {does}" if kind is WallKind.LIMITS else does, kind, tmp_path) == "EPERM"


@pytest.mark.parametrize("kind", CONFINED)
def test_threads_work(kind: WallKind, tmp_path: Path) -> None:
    source = """if True:
        import threading
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(4) as pool:
            print(sum(pool.map(len, ["x"] * 100)), end=" ")
        threads = [threading.Thread(target=print, args=("x",), kwargs={"end": ""}) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    """
    assert run(source, kind, tmp_path) == "100 " + "x" * 20


JAVA: str = """
import java.lang.management.*;
public class Agent {
    public static void main(String[] words) throws Exception {
        Thread other = new Thread(() -> { try { Thread.sleep(100000); } catch (InterruptedException end) { } });
        other.setDaemon(true);
        other.start();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long own = threads.getCurrentThreadCpuTime(), others = threads.getThreadCpuTime(other.getId());
        System.gc();
        System.out.print(own > 0 && others >= 0 && Runtime.getRuntime().availableProcessors() > 0);
    }
}
"""
NODE: str = """
const { Worker } = require("node:worker_threads");
const cell = new Int32Array(new SharedArrayBuffer(4));
const source = `
    const cell = require("node:worker_threads").workerData;
    Atomics.store(cell, 0, 1);
    Atomics.notify(cell, 0);
`;
new Worker(source, { eval: true, workerData: cell });
Atomics.wait(cell, 0, 0);
process.stdout.write(String(cell[0] === 1 && process.cpuUsage().user > 0));
"""


@pytest.mark.costly
@pytest.mark.parametrize("kind", CONFINED)
def test_a_jvm_measures_its_threads_and_collects(kind: WallKind, tmp_path: Path) -> None:
    (tmp_path / "Agent.java").write_text(JAVA)
    subprocess.run([needs.program("javac"), "Agent.java"], cwd=tmp_path, check=True)
    java = os.path.realpath(needs.program("java"))
    readable = (*file_access.of_program([java]), os.path.dirname(os.path.dirname(java)), str(tmp_path))
    run = [java, "-Xmx64m", "-XX:-UsePerfData", "-cp", str(tmp_path), "Agent"]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    assert behind_walls.said(behind_walls.start(run, kind, scratch, readable=readable)) == "true"


@pytest.mark.costly
@pytest.mark.parametrize("kind", CONFINED)
def test_a_worker_of_node_shares_memory_and_wakes_its_parent(kind: WallKind, tmp_path: Path) -> None:
    node = needs.program("node")
    readable = file_access.of_program([node])
    assert behind_walls.said(behind_walls.start([node, "-e", NODE], kind, tmp_path, readable=readable)) == "true"


@pytest.mark.parametrize("kind", CONFINED)
def test_a_file_is_copied_with_its_metadata_as_far_as_there_are_any(kind: WallKind, tmp_path: Path) -> None:
    """shutil goes on without extended attributes, if they are not supported."""
    source = """if True:
        import os, shutil, sys
        sys.path[:0] = [os.path.dirname(os.__file__)]
        shutil._copyxattr(os.__file__, "copy")
        print("gone on")
    """
    assert run(source, kind, tmp_path) == "gone on"


@pytest.mark.parametrize("kind", CONFINED)
def test_asyncio_works(kind: WallKind, tmp_path: Path) -> None:
    source = """if True:
        import asyncio
        async def both():
            return await asyncio.gather(asyncio.sleep(0, "one"), asyncio.to_thread(str, "two"))
        print(*asyncio.run(both()))
    """
    assert run(source, kind, tmp_path) == "one two"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86-64 has calls of other kinds beside its own")
@pytest.mark.parametrize("kind", CONFINED)
def test_calls_by_their_other_numbers_are_not_there(kind: WallKind, tmp_path: Path) -> None:
    as_x32 = "print(ctypes.CDLL(None).syscall(0x40000000 + 39))"  # getpid
    assert run(f"import ctypes; print('asks', flush=True); {as_x32}", kind, tmp_path) in ("asks", "asks\n-1")


def test_the_number_of_the_agents_process_is_put_into_the_filter_of_a_sandbox() -> None:
    need(WallKind.SANDBOX)
    placeholder = seccomp.SELF.to_bytes(4, "little" if platform.machine() != "s390x" else "big")
    code = seccomp.compiled(WallKind.SANDBOX)
    assert len(code) % confine.INSTRUCTION == 0
    compared = [code[at : at + 4] for at in range(confine.INSTRUCTION // 2, len(code), confine.INSTRUCTION)]
    assert placeholder in compared
    assert code.count(placeholder) == compared.count(placeholder)
    assert placeholder not in seccomp.compiled(WallKind.CONTAINER)
    assert placeholder not in seccomp.compiled(WallKind.LIMITS)


def test_both_sides_know_the_same_placeholder() -> None:
    assert confine.SELF == seccomp.SELF
    assert seccomp.SELF > 2**22, "no process has that number"


def test_the_filter_is_the_same_each_time() -> None:
    for kind in CONFINED:
        need(kind)
        assert seccomp.compiled(kind) == seccomp.compiled(kind)
