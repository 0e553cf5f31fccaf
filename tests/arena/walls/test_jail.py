"""The jail, with real processes: they are confined, paused and killed, and leave no files."""

from __future__ import annotations

import errno
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.protocol import MESSAGE_BYTES, Verdict
from arena.match.allowance import MEBIBYTE, Allowance, WallKind
from arena.walls import jail, usage
from arena.walls.agent_process import STDERR_KEPT, AgentProcess
from arena.walls.jail import Confined, Excess, NoProgram, Walls
from arena.walls.run_folder import clear
from arena.walls.usage import LINUX, KernelMemory, Usage, buffer_of_a_file, descendants
from tests.kit import behind_walls
from tests.kit.behind_walls import needs_linux

PYTHON = (sys.executable, "-I", "-S", "-c")


def program(source: str) -> tuple[str, ...]:
    """A command that runs this Python."""
    return (*PYTHON, source)


def wait_for(confined: Confined) -> int:
    """The exit code of the process, once it has ended."""
    while (code := confined.exit()) is None:
        os.sched_yield()
    return code


def finish(agent: AgentProcess) -> bytes:
    """All complete lines that the agent writes until its stdout ends, joined."""
    said = []
    while not agent.stdout_ended:
        agent.read()
        while (line := agent.next_line()) is not None:
            said.append(line)
    return b"|".join(said)


@pytest.mark.parametrize(
    ("ending", "code"), [("pass", 0), ("import os; os._exit(7)", 7), ("import os; os.abort()", -6)]
)
def test_it_is_known_how_a_process_ended(ending: str, code: int, tmp_path: Path) -> None:
    confined = jail.start(program(ending), Walls(), tmp_path)
    assert wait_for(confined) == code
    confined.kill_all()
    assert confined.exit() == code
    assert confined.cpu is not None
    assert confined.cpu > 0
    confined.remove()
    assert list(tmp_path.iterdir()) == []


def test_killing_ends_the_whole_group(tmp_path: Path) -> None:
    source = "import os, time; os.fork(); os.fork(); os.write(1, b'x'); time.sleep(1000)"
    confined = jail.start(program(source), Walls(), tmp_path)
    said = b""
    os.set_blocking(confined.stdout.fileno(), True)
    while len(said) < 4:
        said += os.read(confined.stdout.fileno(), 4)
    family = descendants(confined.pid)
    assert len(family) == (3 if LINUX else 0)
    confined.kill_all()
    assert os.read(confined.stdout.fileno(), 1) == b""  # the other end is closed
    assert confined.exit() == -signal.SIGKILL
    confined.remove()


def told(confined: Confined) -> bytes:
    """The next output of the process."""
    os.set_blocking(confined.stdout.fileno(), True)
    return os.read(confined.stdout.fileno(), 1)


@pytest.mark.skipif(not LINUX, reason="only Linux tells what another process uses")
def test_an_unseen_child_counts_once_it_is_reaped(tmp_path: Path) -> None:
    source = """if True:
        import os, sys, time
        child = os.fork()
        while not child and time.process_time() < 0.1:
            pass
        os.wait() if child else os._exit(0)
        os.write(1, b"x")
        time.sleep(1000)
    """
    confined = jail.start(program(source), Walls(), tmp_path)
    assert told(confined) == b"x"
    used = confined.usage.cpu()
    assert used is not None
    assert used >= 90_000_000
    confined.kill_all()
    confined.remove()


@pytest.mark.skipif(not LINUX, reason="only Linux tells what another process uses")
def test_a_helper_that_was_seen_counts_on_when_it_is_gone_and_only_once(tmp_path: Path) -> None:
    source = """if True:
        import os, sys, time
        child = os.fork()
        while not child and time.process_time() < 0.1:
            pass
        if not child:
            os.write(1, b"x")
            sys.stdin.read(1)
            os._exit(0)
        os.wait()
        os.write(1, b"y")
        time.sleep(1000)
    """
    confined = jail.start(program(source), Walls(), tmp_path)
    assert told(confined) == b"x"
    confined.usage.look()
    before = confined.usage.cpu()
    os.write(confined.stdin.fileno(), b"x")
    assert told(confined) == b"y"
    after = confined.usage.cpu()
    assert before is not None
    assert after is not None
    assert before <= after < before + 90_000_000
    confined.kill_all()
    confined.remove()


@pytest.mark.skipif(not LINUX, reason="only Linux tells what another process uses")
def test_what_a_family_uses_is_counted_together(tmp_path: Path) -> None:
    source = """if True:
        import os, sys, time
        child = os.fork()
        while time.process_time() < 0.05:
            pass
        os.write(1, b"x")
        time.sleep(1000)
    """
    confined = jail.start(program(source), Walls(), tmp_path)
    os.set_blocking(confined.stdout.fileno(), True)
    said = b""
    while len(said) < 2:
        said += os.read(confined.stdout.fileno(), 2)
    alone = confined.usage.cpu()
    confined.usage.look()
    together = confined.usage.cpu()
    assert alone is not None
    assert together is not None
    assert together - alone >= 50_000_000
    memory = confined.usage.memory()
    assert memory is not None
    assert memory > 1 << 20
    confined.kill_all()
    assert confined.cpu is not None
    assert confined.cpu >= 100_000_000
    assert confined.memory == memory
    confined.remove()


def test_of_a_process_that_is_gone_nothing_is_known() -> None:
    usage = Usage(2**22 + 1)  # larger than any PID
    usage.look()
    assert usage.cpu() == (0 if LINUX else None)
    assert usage.memory() is None


@pytest.mark.parametrize("command", ["/no/such/program", "no-such-program-anywhere", "/", __file__])
def test_a_wrong_program_is_distinguished_from_a_failing_system(command: str, tmp_path: Path) -> None:
    with pytest.raises(NoProgram):
        jail.start([command], Walls(), tmp_path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError, match="No such file") as problem:
        jail.start([command], Walls(), tmp_path / "missing")
    assert not isinstance(problem.value, NoProgram)


def test_walls_that_cannot_be_put_up_are_no_fault_of_the_program(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=os.strerror(errno.EINVAL)) as problem:
        jail.start(program("pass"), Walls(allowance=Allowance(memory=2**70)), tmp_path)
    assert not isinstance(problem.value, NoProgram)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("files", "memory", "excess"),
    [(4, 128, None), (50, 128, Excess.MEMORY), (50, 1024, Excess.OPEN_FILES)],
    ids=["few", "more than memory for them", "more than eight processes may have"],
)
def test_sockets_of_all_processes_in_a_container_are_counted(
    files: int, memory: int, excess: Excess | None, tmp_path: Path
) -> None:
    """The kernel can have a buffer for each, which is counted nowhere else."""
    source = """if True:
        import os, socket, sys, time
        for _ in range(12):
            if os.fork() == 0:
                kept = [socket.socketpair() for _ in range(int(sys.argv[1]) // 2)]
                os.write(1, b"x")
                time.sleep(1000)
        time.sleep(1000)
    """
    assert excess_of(12, (*behind_walls.PYTHON, source, str(files)), memory, tmp_path) is excess


def excess_of(said: int, command: tuple[str, ...], memory: int, scratch: Path, **others: Any) -> Excess | None:
    """What the program uses too much of in a container, after it has written `said` letters."""
    allowance = Allowance(memory=memory * MEBIBYTE, **others)
    confined = behind_walls.start(command, WallKind.CONTAINER, scratch, allowance=allowance)
    for _ in range(said):
        assert confined.stdout.read(1) == b"x"
    confined.usage.look()
    excess = confined.excess()
    confined.kill_all()
    confined.remove()
    return excess


def test_files_that_processes_inherit_count_once(tmp_path: Path) -> None:
    """Twenty workers of a pool have each other's pipes open."""
    source = """if True:
        import os, time
        pipes = [os.pipe() for _ in range(25)]
        for _ in range(20):
            if os.fork() == 0:
                os.write(1, b"x")
                time.sleep(1000)
        time.sleep(1000)
    """
    assert excess_of(20, (*behind_walls.PYTHON, source), 256, tmp_path) is None


def test_the_first_process_of_a_container_is_not_the_agents(tmp_path: Path) -> None:
    """The process that made it is not counted either: an agent gets all its threads."""
    source = """if True:
        import os, threading, time
        started = [threading.Thread(target=time.sleep, args=(1000,), daemon=True) for _ in range(19)]
        for thread in started:
            thread.start()
        os.write(1, b"x")
        time.sleep(1000)
    """
    assert excess_of(1, (*behind_walls.PYTHON, source), 256, tmp_path, threads=20) is None
    if os.getuid() == 0:  # the kernel lets nobody else start one more
        assert excess_of(1, (*behind_walls.PYTHON, source), 256, tmp_path, threads=19) is not None


@pytest.mark.skipif(
    not usage._share_memory(os.getpid(), os.getpid()), reason="this kernel compares no processes (kcmp)"
)
def test_a_child_in_its_parents_memory_is_not_counted_as_having_as_much(tmp_path: Path) -> None:
    """The state between vfork and exec, here for long."""
    source = """if True:
        import ctypes, os, time
        kept = bytearray(b"x") * (60 << 20)
        libc = ctypes.CDLL(None)
        stack = ctypes.create_string_buffer(1 << 16)
        top = ctypes.c_void_p(ctypes.addressof(stack) + (1 << 16) - 64)
        pause = ctypes.cast(libc.pause, ctypes.c_void_p)
        assert libc.clone(pause, top, 0x100 | 17, None) > 0
        os.write(1, b"x")
        time.sleep(1000)
    """
    confined = jail.start((*behind_walls.PYTHON, source), Walls(), tmp_path)
    assert told(confined) == b"x"
    confined.usage.look()
    assert confined.usage.memory_and_threads()[0] > 110 * MEBIBYTE
    assert 60 * MEBIBYTE < confined.usage.memory_and_threads(once=True)[0] < 80 * MEBIBYTE
    confined.kill_all()
    confined.remove()


def test_a_pid_that_is_reused_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    confined = jail.start(program("input()"), Walls(), tmp_path)
    other = os.getppid()
    with monkeypatch.context() as patch:
        patch.setattr(confined.usage, "family", lambda: {confined.pid, other})
        patch.setattr("arena.walls.usage.start_time", lambda _: 1)
        confined.usage.look()
        assert other in confined.usage.seen
    confined.usage.look()
    assert confined.usage.seen == [confined.pid]
    confined.kill_all()
    confined.remove()


def test_a_file_in_a_container_is_memory_and_counts_once(tmp_path: Path) -> None:
    """However many processes share it."""
    source = """if True:
        import mmap, os, time
        with open("/dev/shm/shared", "w+b") as file:
            file.truncate(48 << 20)
            kept = mmap.mmap(file.fileno(), 48 << 20)
        kept.write(bytes(48 << 20))
        for _ in range(3):
            os.fork()
        kept[-1] = 1
        os.write(1, b"x")
        time.sleep(1000)
    """
    assert excess_of(8, (*behind_walls.PYTHON, source), 160, tmp_path) is None
    assert excess_of(8, (*behind_walls.PYTHON, source), 64, tmp_path) is Excess.MEMORY


def test_a_container_whose_first_process_has_ended_has_written_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """bubblewrap may run a moment longer, and sees the files of the machine."""
    confined = behind_walls.start((*behind_walls.PYTHON, "input()"), WallKind.CONTAINER, tmp_path)
    monkeypatch.setattr("arena.walls.usage.children", lambda _: [])
    assert confined.excess() is None
    confined.kill_all()
    confined.remove()


@pytest.mark.skipif(not LINUX, reason="only Linux tells what another process uses")
def test_what_the_kernel_knows_of_a_process_is_counted_also_when_its_first_thread_has_ended(tmp_path: Path) -> None:
    source = """if True:
        import ctypes, os, platform, threading, time
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        place = libc.mmap(None, ctypes.c_size_t(40_000 * 4096), 0, 0x22, -1, ctypes.c_long(0))
        for page in range(0, 20_000, 2):
            libc.mprotect(ctypes.c_void_p(place + page * 4096), 4096, 1)
        kept = [os.eventfd(0) for _ in range(40)]
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        os.write(1, b"x")
        libc.syscall({"x86_64": 60, "aarch64": 93}[platform.machine()], 0)
    """
    confined = jail.start(program(source), Walls(), tmp_path)
    assert told(confined) == b"x"
    while "Z (zombie)" not in Path(f"/proc/{confined.pid}/status").read_text():
        os.sched_yield()
    held = KernelMemory()
    assert held.look([confined.pid], threads=True) >= 40 * buffer_of_a_file() + 20_000 * 512
    assert held.files >= 40
    confined.kill_all()
    confined.remove()


def check_excess(confined: Confined, excess: Excess | None) -> None:
    """Fails unless that is too much while the agent runs and at rest; ends the agent."""
    confined.usage.look()
    for at_rest in (False, True):
        assert confined.excess(at_rest=at_rest) is excess
    confined.kill_all()
    confined.remove()


@needs_linux
@pytest.mark.parametrize("kind", WallKind)
@pytest.mark.parametrize(("watched", "excess"), [(900, None), (1100, Excess.WATCHES)])
def test_watches_are_counted_however_few_the_files_are(
    watched: int, excess: Excess | None, kind: WallKind, tmp_path: Path
) -> None:
    """The same file is watched under each number that it can have; a number may be free again afterwards."""
    source = """if True:
        import os, select, sys, time
        files, watchers, left = [os.eventfd(0) for _ in range(6)], [select.epoll() for _ in range(6)], int(sys.argv[1])
        for watcher in watchers:
            for file in files:
                for number in range(20, 60):
                    if left:
                        watcher.register(os.dup2(file, number), select.EPOLLIN)
                        os.close(number)
                        left -= 1
        os.write(1, b"x")
        time.sleep(1000)
    """
    confined = behind_walls.start((*behind_walls.PYTHON, source, str(watched)), kind, tmp_path)
    assert confined.stdout.read(1) == b"x"
    check_excess(confined, excess)


@needs_linux
@pytest.mark.parametrize(("numbers", "excess"), [(64, None), (1000, Excess.WATCHES)])
def test_where_files_can_have_many_numbers_few_of_them_have_many_watches(
    numbers: int, excess: Excess | None, tmp_path: Path
) -> None:
    source = """if True:
        import os, resource, select, time
        watcher, most = select.epoll(), resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        for file in (0, 1):
            for number in range(10, most):
                watcher.register(os.dup2(file, number), select.EPOLLIN)
                os.close(number)
        os.write(1, b"x")
        time.sleep(1000)
    """
    allowance = Allowance(open_files=numbers)
    confined = behind_walls.start((*behind_walls.PYTHON, source), WallKind.SANDBOX, tmp_path, allowance=allowance)
    assert confined.stdout.read(1) == b"x"
    assert confined.excess() is excess
    confined.kill_all()
    confined.remove()


@needs_linux
@pytest.mark.parametrize(("processes", "timers", "excess"), [(1, 50, None), (3, 20, None), (3, 30, Excess.WATCHES)])
def test_timers_are_counted_because_they_run_out_in_the_opponents_turn(
    processes: int, timers: int, excess: Excess | None, tmp_path: Path
) -> None:
    source = """if True:
        import ctypes, os, sys, time
        processes, timers = map(int, sys.argv[1:])
        for number in range(processes):
            if number == processes - 1 or os.fork() == 0:
                assert all(ctypes.CDLL(None).timerfd_create(1, 0) > 0 for _ in range(timers))
                os.write(1, b"x")
                time.sleep(1000)
    """
    command = (*behind_walls.PYTHON, source, str(processes), str(timers))
    confined = behind_walls.start(command, WallKind.CONTAINER, tmp_path)
    for _ in range(processes):
        assert confined.stdout.read(1) == b"x"
    check_excess(confined, excess)


@needs_linux
def test_files_that_nobody_may_count_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For an ordinary user the kernel hides the files of a program that cannot be read; from root it hides nothing."""
    source = "import os, time; kept = [os.pipe() for _ in range(10)]; os.write(1, b'x'); time.sleep(1000)"
    confined = behind_walls.start((*behind_walls.PYTHON, source), WallKind.SANDBOX, tmp_path)
    assert confined.stdout.read(1) == b"x"
    assert confined.excess() is None
    listed = os.listdir

    def refused(folder: str) -> list[str]:
        if str(folder) == f"/proc/{confined.pid}/fd":
            raise PermissionError
        return listed(folder)

    monkeypatch.setattr(os, "listdir", refused)
    assert confined.excess(at_rest=True) is None  # once can be a mistake
    assert confined.excess(at_rest=True) is Excess.HIDDEN
    confined.kill_all()
    confined.remove()


@pytest.mark.skipif(not os.path.exists("/proc/self/syscall"), reason="this system tells no system calls of a process")
def test_files_that_a_thread_waits_for_are_counted_though_they_are_closed(tmp_path: Path) -> None:
    source = """if True:
        import os, select, threading, time
        def wait(poll):
            poll.poll()
        for _ in range(3):
            poll, files = select.poll(), [os.eventfd(0) for _ in range(20)]
            for file in files:
                poll.register(file, select.POLLIN)
            thread = threading.Thread(target=wait, args=(poll,), daemon=True)
            thread.start()
            while open(f"/proc/self/task/{thread.native_id}/syscall").read().split()[0] not in ("7", "271", "73"):
                pass
            for file in files:
                os.close(file)
        os.write(1, b"x")
        time.sleep(1000)
    """
    confined = jail.start(program(source), Walls(), tmp_path)
    assert told(confined) == b"x"
    held = KernelMemory()
    held.look([confined.pid], threads=False)
    assert held.files < 20
    held.look([confined.pid], threads=True)
    assert held.files >= 60
    confined.kill_all()
    confined.remove()


def test_a_file_grows_no_larger_than_it_may(tmp_path: Path) -> None:
    source = "open('x', 'wb').write(b'x' * 200_000)"
    agent = AgentProcess.start(program(source), Walls(allowance=Allowance(disk=100_000)), tmp_path)
    wait_for(agent.confined)
    verdict, words = agent.how_it_ended()
    assert (verdict, words) == (Verdict.CRASHED, "exited with code 1: OSError: [Errno 27] File too large")
    assert (agent.confined.folder / "x").stat().st_size == 100_000
    agent.kill()


@pytest.mark.costly
def test_processor_time_has_its_limit(tmp_path: Path) -> None:
    agent = AgentProcess.start(program("while True: pass"), Walls(cpu=1), tmp_path)
    assert wait_for(agent.confined) in (-signal.SIGKILL, -signal.SIGXCPU)
    agent.kill()


def test_writing_to_an_agent_that_reads_nothing_does_not_block(tmp_path: Path) -> None:
    source = "import sys, time; time.sleep(1000)"
    agent = AgentProcess.start(program(source), Walls(), tmp_path)
    agent.write(b"x" * 10_000_000)
    assert agent.writer() is not None
    agent.hang_up()
    assert agent.writer() is not None
    agent.kill()


def test_an_agent_that_closed_its_stdin_is_not_written_to(tmp_path: Path) -> None:
    agent = AgentProcess.start(
        program("import os; os.close(0); print('closed', flush=True); input()"), Walls(), tmp_path
    )
    assert finish(agent) == b"closed"
    agent.write(b"hello\n")
    agent.write(b"anybody there?\n")
    assert agent.writer() is None
    agent.kill()


def test_lines_arrive_whole_and_a_line_that_is_too_long_arrives_at_once(tmp_path: Path) -> None:
    source = f"""if True:
        import os
        os.write(1, b"one\\ntwo\\r\\n\\nthr")
        os.write(1, b"ee\\nhalf")
        os.write(1, b"x" * {MESSAGE_BYTES})
    """
    agent = AgentProcess.start(program(source), Walls(), tmp_path)
    one, two, empty, three, rest = finish(agent).split(b"|")
    assert (one, two, empty, three) == (b"one", b"two\r", b"", b"three")
    assert len(rest) > MESSAGE_BYTES
    agent.kill()


def test_half_a_line_at_the_end_is_no_line(tmp_path: Path) -> None:
    agent = AgentProcess.start(program("print('whole'); print('half', end='')"), Walls(), tmp_path)
    assert finish(agent) == b"whole"
    agent.kill()


def test_of_stderr_the_end_is_kept(tmp_path: Path) -> None:
    source = "import os\nfor n in range(300): os.write(2, b'%1023d\\n' % n)"
    agent = AgentProcess.start(program(source), Walls(), tmp_path)
    while agent.confined.exit() is None:
        agent.read_log()
    assert agent.how_it_ended() == (Verdict.CRASHED, "exited with code 0: 299")
    assert agent.log_bytes == 300 * 1024
    assert len(agent.log(10**9)) == STDERR_KEPT
    assert agent.log(1024).strip() == "299"
    agent.start_log()
    assert (agent.log_bytes, agent.log(100)) == (0, "")
    agent.kill()
    assert agent.log(100) == ""


def test_a_signal_without_a_name_is_shown_by_its_number(tmp_path: Path) -> None:
    agent = AgentProcess.start(program("import os; os.kill(os.getpid(), 40)"), Walls(), tmp_path)
    if wait_for(agent.confined) == -40:
        assert agent.how_it_ended()[1] == "was killed by signal 40"
    agent.kill()


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("MemoryError", Verdict.MEMORY),
        ("terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc", Verdict.MEMORY),
        ("FATAL ERROR: JavaScript heap out of memory\n 1: 0x7f node\n", Verdict.MEMORY),
        ("MemoryError\nnext line", Verdict.CRASHED),
        ("", Verdict.CRASHED),
    ],
)
def test_an_agent_that_reports_no_memory_gets_the_verdict_memory(said: str, verdict: Verdict, tmp_path: Path) -> None:
    agent = AgentProcess.start(program(f"import sys; sys.stderr.write({said!r}); sys.exit(1)"), Walls(), tmp_path)
    wait_for(agent.confined)
    assert agent.how_it_ended()[0] is verdict
    agent.kill()


@pytest.mark.costly
def test_no_folder_is_too_deep_or_too_closed_to_be_cleared(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("x")
    folder = tmp_path / "folder"
    folder.mkdir()
    source = """if True:
        import os
        os.symlink("../outside", "way-out")
        os.mkfifo("pipe")
        for name in ("a", "b"):
            os.mkdir(name)
            open(f"{name}/file", "w").close()
        os.symlink("../../outside", "a/way-out")
        for _ in range(3000):
            os.mkdir("deeper and deeper")
            os.chdir("deeper and deeper")
    """
    assert os.spawnv(os.P_WAIT, sys.executable, [*PYTHON, f"import os; os.chdir({str(folder)!r})\n{source}"]) == 0
    (folder / "b").chmod(0)
    folder.chmod(0)
    clear(folder)
    assert not folder.exists()
    assert (outside / "precious").exists()


def test_a_folder_that_cannot_be_looked_at_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "file").write_bytes(bytes(10_000))
    assert 10_000 <= jail._size(tmp_path) < 100_000
    look = os.scandir

    def refuse(path: Path) -> object:
        if path.name == "closed":
            raise PermissionError(errno.EACCES, "closed")
        return look(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert jail._size(tmp_path) == float("inf")


@pytest.mark.costly
@pytest.mark.parametrize("noise", ["'x' * 60_000", "'x'; time.sleep(0.01)"])
def test_endless_output_is_not_read_for_ever(noise: str, tmp_path: Path) -> None:
    source = f"import signal, time\nsignal.signal(signal.SIGUSR1, signal.SIG_IGN)\nwhile True: print({noise})"
    agent = AgentProcess.start(program(f"import sys\nsys.stdout = sys.stderr\n{source}"), Walls(), tmp_path)
    while not agent.read_log():
        os.sched_yield()
    agent.ask_where_busy()  # the agent ends
    agent.kill()
