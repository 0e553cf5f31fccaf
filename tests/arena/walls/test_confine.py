"""The steps that confine a new process, one by one: `confine.py` is run as the jail runs it."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from arena.match.allowance import WallKind
from arena.play.cores import physical
from arena.walls import confine
from arena.walls.usage import descendants
from tests.kit import ordinary_user
from tests.kit.behind_walls import need, needs_linux
from tests.kit.ordinary_user import open_folder
from tests.kit.places import ROOT

pytestmark = needs_linux

CONFINE: Final = Path(confine.__file__)
SHOW: Final = ("/usr/bin/cat", "/proc/self/status")


def confined(
    *steps: str, command: tuple[str, ...], python: str = sys.executable, program: Path = CONFINE, **others: Any
) -> tuple[str, str]:
    """The output of a program after these steps, and what is on the status descriptor."""
    told, status = os.pipe()
    try:
        done = subprocess.run(
            [python, "-I", "-S", str(program), str(status), *steps, "--", *command],
            pass_fds=(status,),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            **others,
        )
    finally:
        os.close(status)
    with open(told) as reader:
        return done.stdout, reader.read()


def status_after(*steps: str, **others: Any) -> dict[str, str]:
    """/proc/self/status of a program after these steps."""
    shown, told = confined(*steps, command=SHOW, **others)
    assert told == "."
    return {name: value.strip() for name, _, value in (line.partition(":") for line in shown.splitlines())}


def test_a_limit_is_set_for_good_and_never_raised() -> None:
    source = "import resource; print(*resource.getrlimit(resource.RLIMIT_NOFILE))"
    before = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    for wanted, got in ((20, 20), (before + 1, before)):
        shown, _ = confined(f"RLIMIT_NOFILE={wanted}", command=(sys.executable, "-I", "-S", "-c", source))
        assert shown.split() == [str(got), str(got)]


def test_limits_are_set_in_their_order_and_all_of_them() -> None:
    limits = {"RLIMIT_CORE": 0, "RLIMIT_NOFILE": 30, "RLIMIT_FSIZE": 1000, "RLIMIT_CPU": 7}
    shown = ", ".join(f"resource.getrlimit(resource.{name})[1]" for name in limits)
    steps = [f"{name}={number}" for name, number in limits.items()]
    words, _ = confined(*steps, command=(sys.executable, "-I", "-S", "-c", f"import resource; print({shown})"))
    assert [int(word) for word in words.split()] == list(limits.values())


def test_a_core_is_the_only_one() -> None:
    core = physical()[-1]
    assert status_after(f"core={core}")["Cpus_allowed_list"] == str(core)


def test_rights_are_given_up_also_for_what_is_run_later() -> None:
    found = status_after("capabilities=0")
    assert [int(found[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")] == [0, 0, 0, 0]
    assert found["NoNewPrivs"] == "1"


def test_without_that_step_nothing_is_given_up() -> None:
    found = status_after()
    assert found["NoNewPrivs"] == Path("/proc/self/status").read_text().partition("NoNewPrivs:")[2].split()[0]
    assert (int(found["CapEff"], 16) > 0) == (os.getuid() == 0)


def test_a_program_ignores_no_signal_that_its_starter_ignored() -> None:
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    of_the_c_library = 1 << 31 | 1 << 32
    assert int(status_after(preexec_fn=ignore)["SigIgn"], 16) & ~of_the_c_library == 0


@pytest.mark.costly
def test_threads_are_counted_for_an_ordinary_user() -> None:
    """The kernel does not count root's threads: there the warden counts."""
    user = ordinary_user.IDENTITY
    made = subprocess.run(["unshare", "--user", "true"], capture_output=True, cwd="/", **user)
    if made.returncode:
        pytest.skip(f"ordinary users may make no namespaces here, so threads are not counted: {made.stderr!r}")
    source = """if True:
        import threading
        wait, started = threading.Event(), 1
        try:
            for _ in range(20):
                threading.Thread(target=wait.wait, daemon=True).start()
                started += 1
        except RuntimeError:
            pass
        print(started)
        wait.set()
    """
    with open_folder() as folder:
        used = ordinary_user.installation(folder)
        command, program = (used.python, "-I", "-S", "-c", source), used.sources / CONFINE.relative_to(ROOT)
        shown, told = confined(
            "user_namespace=5", command=command, python=used.python, program=program, cwd="/", **user
        )
    assert (shown.strip(), told) == ("5", ".")


@pytest.mark.parametrize(
    ("steps", "command", "told"),
    [
        ((), ("/no/such/program",), ".program 2"),
        ((), ("/",), ".program 13"),
        (("core=4095",), SHOW, "walls 22"),
        (("capabilities=0", "landlock=99"), SHOW, "walls 9"),
        (("seccomp=99",), SHOW, "walls 9"),
        (("RLIMIT_NO_SUCH_THING=1",), SHOW, "walls 22"),
        (("parent=1",), SHOW, ""),
    ],
    ids=["no program", "a folder", "no such core", "no rules", "no filter", "no such limit", "parent is gone"],
)
def test_errors_are_reported_and_the_program_does_not_run(
    steps: tuple[str, ...], command: tuple[str, ...], told: str
) -> None:
    assert confined(*steps, command=command) == ("", told)


def test_the_program_does_not_have_the_status_descriptor() -> None:
    source = "import os; print(*os.listdir('/proc/self/fd'))"
    shown, _ = confined(command=(sys.executable, "-I", "-S", "-c", source))
    assert shown.split() == ["0", "1", "2", "3"]  # the last is the folder that is being listed


HOLDER = """if True:
    import sys, time
    from pathlib import Path
    from arena.walls import file_access, jail, seccomp
    from arena.match.allowance import WallKind
    from arena.walls.jail import Walls
    kind = WallKind(sys.argv[1])
    walls = Walls(kind, readable=file_access.interpreter(), filter=seccomp.compiled(kind))
    python = file_access.interpreter()[0]
    confined = jail.start([python, "-I", "-S", "-c", "print(1, flush=True); input()"], walls, Path(sys.argv[2]))
    while not confined.stdout.read(1):
        pass
    print("runs", flush=True)
    time.sleep(1000)
"""


def is_there(pid: int) -> bool:
    """Whether the process still runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("kind", WallKind)
def test_an_agent_ends_when_its_warden_is_killed(kind: WallKind, tmp_path: Path) -> None:
    need(kind)
    holder = subprocess.Popen(
        [sys.executable, "-P", "-c", HOLDER, kind, str(tmp_path)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"runs\n"
        family = descendants(holder.pid)
        assert family
        assert all(map(is_there, family))
        holder.kill()
        while any(map(is_there, family)):
            os.sched_yield()
    assert holder.returncode == -signal.SIGKILL
