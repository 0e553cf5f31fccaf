"""Control groups: the processor time of all an agent's processes is known, however short they live."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic_ns

import pytest

from agents.protocol import Verdict
from arena.match.allowance import MEBIBYTE, Allowance, WallKind
from arena.walls import cgroup, jail, meter, probe, seccomp
from arena.walls.agent_process import AgentProcess
from arena.walls.cgroup import Cgroup
from arena.walls.file_access import interpreter
from arena.walls.jail import Walls
from arena.walls.usage import LINUX
from tests.kit.burners import burning

LIMITS_MEMORY = (parent := cgroup._parent()) is not None and cgroup._limits_memory(parent)
"""Whether agents get their own groups here, and the kernel limits the memory of these."""

needs_pressure = pytest.mark.skipif(
    not cgroup.measures_waits(), reason="no control group that measures waits can be made here"
)
needs_groups = pytest.mark.skipif(cgroup._parent() is None, reason="no control group can be made here")


@pytest.fixture
def group() -> Iterator[Cgroup]:
    made = cgroup.make()
    assert made is not None
    yield made
    made.remove()


def joined(group: Cgroup, code: str, *, core: int | None = None) -> subprocess.Popen[bytes]:
    """A program that joins the group before its first line runs."""
    procs = group.open_procs()
    bound = "" if core is None else f"os.sched_setaffinity(0, {{{core}}}); "
    program = f"import os; {bound}os.write({procs}, b'0'); os.close({procs}); exec({code!r})"
    process = subprocess.Popen([sys.executable, "-I", "-S", "-c", program], stdout=subprocess.PIPE, pass_fds=[procs])
    os.close(procs)
    return process


@needs_groups
def test_children_that_live_for_a_moment_are_counted(group: Cgroup) -> None:
    code = """if True:
        import time
        for _ in range(50):
            if not (child := os.fork()):
                while time.process_time() < 0.005:
                    pass
                os._exit(0)
            os.waitpid(child, 0)
        times = os.times()
        print(times.children_user + times.children_system, flush=True)
    """
    with joined(group, code) as process:
        said, _ = process.communicate()
    assert process.returncode == 0
    assert float(said) > 0.2
    assert group.cpu() > float(said) * 1e9 * 0.9


@pytest.mark.costly
@needs_pressure
def test_who_cannot_run_although_it_is_ready_starves(group: Cgroup) -> None:
    core = max(os.sched_getaffinity(0))
    code = "import time\nwhile time.process_time() < 0.3: pass\n"
    with burning(4, [core]), joined(group, code, core=core) as process:
        process.communicate()
    assert (group.starved() or 0) > 50_000_000
    assert group.cpu() > 280_000_000


@needs_pressure
def test_a_sleeping_thread_does_not_wait(group: Cgroup) -> None:
    began = monotonic_ns()
    with joined(group, "import time; time.sleep(0.5)") as process:
        process.communicate()
    assert (group.starved() or 0) + group.cpu() <= monotonic_ns() - began - 500_000_000


@needs_groups
def test_an_agent_in_a_container_is_in_a_group_of_its_own_and_the_group_goes_with_it(tmp_path: Path) -> None:
    kind = WallKind.CONTAINER
    if not (offer := probe.offer(kind)).holds:
        pytest.skip(f"this machine offers no container: {offer.why}")
    confined = jail.start(["sleep", "1000"], Walls(kind=kind, filter=seccomp.compiled(kind)), tmp_path)
    try:
        group, agent = confined.usage.group, confined.usage.pid
        assert group is not None
        first = Path(f"/proc/{agent}/stat").read_text().split()[3]
        assert sorted((group._folder / "cgroup.procs").read_text().split()) == sorted([first, str(agent)])
        assert not [file for file in open_files(agent) if "cgroup" in file]
    finally:
        confined.kill_all()
        confined.remove()
    assert not group._folder.exists()


def open_files(pid: int) -> Iterator[str]:
    """The process's open files, without those that it closes in the meantime, such as a library that it loads."""
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            yield os.readlink(file)


@needs_groups
def test_what_a_warden_that_is_gone_has_left_is_ended(tmp_path: Path) -> None:
    code = (
        "from arena.walls import cgroup; import subprocess, sys; group = cgroup.make(); procs = group.open_procs();"
        "subprocess.Popen([sys.executable, '-I', '-S', '-c', "
        'f\'import os, time; os.write({procs}, b"0"); os.write(1, b"x"); time.sleep(1000)\'], pass_fds=[procs])'
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as warden:
        assert warden.stdout is not None
        assert warden.stdout.read(1) == b"x"
        warden.wait()
        cgroup.end_left(warden.pid)
        assert warden.stdout.read() == b""  # no process has it open any more
    parent = cgroup._parent()
    assert parent is not None
    assert not list(parent.glob(f"arena-{warden.pid}-*"))


def test_where_nothing_says_who_waited_no_descriptor_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "_parent", lambda: tmp_path)
    monkeypatch.setattr(cgroup, "_EMPTY_WITHIN", 0)
    before = len(os.listdir("/proc/self/fd"))
    assert [cgroup.make() for _ in range(5)] == [None] * 5
    assert len(os.listdir("/proc/self/fd")) == before
    assert not list(tmp_path.iterdir())


@needs_pressure
def test_waits_are_known_in_a_container_where_groups_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [kind for kind in WallKind if meter.counts_waits(kind)] == [WallKind.SANDBOX, WallKind.CONTAINER]
    monkeypatch.setattr(cgroup, "measures_waits", lambda: False)
    assert [kind for kind in WallKind if meter.counts_waits(kind)] == [WallKind.SANDBOX]
    assert meter.counts_waits(None) is LINUX


@pytest.mark.skipif(not LIMITS_MEMORY, reason="no control group whose memory is limited can be made here")
def test_the_kernel_ends_what_has_too_much_in_all_its_processes(tmp_path: Path) -> None:
    """Also if the warden does not look."""
    kind = WallKind.CONTAINER
    if not (offer := probe.offer(kind)).holds:
        pytest.skip(f"this machine offers no container: {offer.why}")
    code = """if True:
        import os, time
        for _ in range(6):
            if not os.fork():
                kept = bytearray(os.urandom(1)) * (20 << 20)
                time.sleep(1000)
        time.sleep(1000)
    """
    walls = Walls(kind, Allowance(memory=80 * MEBIBYTE), filter=seccomp.compiled(kind), readable=interpreter())
    agent = AgentProcess(jail.start([os.path.realpath(sys.executable), "-I", "-S", "-c", code], walls, tmp_path))
    try:
        while agent.confined.exit() is None:
            os.sched_yield()
        assert agent.how_it_ended() == (Verdict.MEMORY, "was killed by SIGKILL")
    finally:
        agent.kill()


@pytest.mark.parametrize(
    ("own", "above", "expected"),
    [("memory pids", "", "own"), ("", "memory pids", "above"), ("", "pids", "own"), ("memory", "memory", "own")],
)
def test_new_groups_are_made_where_memory_can_be_limited(own: str, above: str, expected: str, tmp_path: Path) -> None:
    """A group with processes cannot limit groups inside it: then new groups are made beside it."""
    folders = {"own": tmp_path / "slice" / "scope", "above": tmp_path / "slice"}
    folders["own"].mkdir(parents=True)
    for name, controllers in (("own", own), ("above", above)):
        (folders[name] / "cgroup.procs").write_text("")
        (folders[name] / "cgroup.subtree_control").write_text(controllers)
    assert cgroup.parent_of_new(folders["own"], tmp_path) == folders[expected]
    assert cgroup.parent_of_new(tmp_path, tmp_path) is None


def test_a_group_that_somebody_else_removes_uses_nothing_more(group: Cgroup) -> None:
    used = group.cpu()
    group._folder.rmdir()
    assert group.cpu() == used
    assert group.is_frozen()
    assert not group.freeze(True)
    assert not group.has_processes()
