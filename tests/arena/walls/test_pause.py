"""Pauses: an agent is stopping, then stopped, and is at fault only for what it computes in either."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.match.clock import MILLISECOND as MS
from arena.match.clock import SECOND
from arena.walls.kinds import WallKind
from arena.walls.pause import Pause
from tests.kit import behind_walls
from tests.kit.behind_walls import PYTHON, needs_linux


class Agent:
    """An agent that is paused: whether it is still, and what it has used. It is a jail's `Confined`, too."""

    def __init__(self) -> None:
        self.now = 0
        self.still = False
        self.orders: list[str] = []
        self.program: int | None = 0
        self.kernel = 0
        self.usage = SimpleNamespace(
            cpu=lambda: None if self.program is None else self.program + self.kernel, user=lambda: self.program
        )
        confined: Any = self
        self.pause = Pause(confined, lambda: self.now)

    def stop(self) -> bool:
        self.orders.append("stop")
        return True

    def stop_firmly(self) -> None:
        self.orders.append("stop firmly")

    def is_still(self) -> bool:
        return self.still

    def resume(self) -> None:
        self.orders.append("resume")

    def uses(self, program: int, kernel: int = 0) -> None:
        """It uses that much processor time in user mode, and in the kernel."""
        assert self.program is not None
        self.program += program
        self.kernel += kernel


@pytest.fixture
def agent() -> Agent:
    made = Agent()
    assert made.pause.begin()
    return made


def test_looks_come_later_and_later_until_it_stands_still(agent: Agent) -> None:
    due = []
    for _ in range(7):
        assert agent.pause.look_at is not None
        due.append((agent.pause.look_at - agent.now) // MS)
        agent.now = agent.pause.look_at
        assert agent.pause.look() == ""
    assert due == [1, 1, 2, 4, 8, 16, 16]
    assert agent.orders == ["stop", *["stop firmly"] * 7]
    agent.still = True
    assert agent.pause.look() == ""
    assert agent.pause.look_at is None
    assert agent.pause.is_still
    agent.pause.end()
    assert agent.orders[-1] == "resume"


def test_it_takes_as_long_as_the_machine_needs(agent: Agent) -> None:
    for _ in range(100):
        agent.now += 16 * MS
        assert agent.pause.look() == ""
    assert agent.pause.fault() == ""


@pytest.mark.parametrize(
    ("program", "kernel", "words"),
    [
        (50 * MS, 0, ""),
        (51 * MS, 0, "computed for 0.05 s after it was told to stop"),
        (0, 9 * SECOND, ""),
        (0, 11 * SECOND, "kept the processor for 11 s in system calls"),
        # The kernel divides by samples.
        (90 * MS, 400 * MS, ""),
        (110 * MS, 400 * MS, "computed for 0.11 s"),
    ],
)
def test_what_it_can_use_while_it_is_stopping(program: int, kernel: int, words: str, agent: Agent) -> None:
    agent.uses(program, kernel)
    assert agent.pause.fault() == agent.pause.look()
    assert agent.pause.look().startswith(words)
    assert bool(words) == bool(agent.pause.look())


@pytest.mark.parametrize(("used", "words"), [(5 * MS, ""), (6 * MS, "computed for 0.006 s while it was paused")])
def test_what_it_can_use_while_it_is_stopped(used: int, words: str, agent: Agent) -> None:
    agent.uses(40 * MS)
    agent.still = True
    assert agent.pause.look() == ""
    agent.uses(0, used)
    assert agent.pause.fault().startswith(words)
    assert agent.pause.look().startswith(words)
    assert bool(words) == bool(agent.pause.fault())


def test_to_be_resumed_by_somebody_else_is_no_fault_and_does_not_last(agent: Agent) -> None:
    agent.still = True
    agent.pause.look()
    agent.still = False
    agent.uses(20 * MS)
    assert agent.pause.look() == ""
    assert (agent.pause.woken, agent.pause.is_still) == (1, False)
    assert agent.orders[-1] == "stop firmly"
    agent.still = True
    assert agent.pause.look() == ""
    assert agent.pause.fault() == ""
    agent.still = False
    agent.uses(40 * MS)
    agent.pause.look()  # resumed again, now by itself, for all that is known
    assert agent.pause.look().startswith("computed for 0.06 s")


def test_where_nothing_is_known_nobody_is_at_fault(agent: Agent) -> None:
    agent.program = None
    assert agent.pause.look() == agent.pause.fault() == ""


def test_each_pause_counts_for_itself(agent: Agent) -> None:
    for _ in range(10):
        agent.uses(40 * MS)
        assert agent.pause.look() == ""
        agent.pause.end()
        agent.uses(10 * SECOND)
        agent.pause.begin()


@needs_linux
@pytest.mark.parametrize("kind", WallKind)
def test_a_real_agent_stands_still_and_goes_on(kind: WallKind, tmp_path: Path) -> None:
    source = """if True:
        import os, threading
        for _ in range(3):
            threading.Thread(target=input).start()
        os.write(1, b"x")
        while True:
            pass
    """
    confined = behind_walls.start((*PYTHON, source), kind, tmp_path)
    assert confined.stdout.read(1) == b"x"
    confined.usage.look()
    for _ in range(3):
        assert confined.stop()
        confined.stop_firmly()
        while not confined.is_still():
            os.sched_yield()
        before = confined.usage.cpu()
        assert before is not None
        for _ in range(1000):
            os.sched_yield()
        assert confined.is_still()
        # A thread that has stopped may need some microseconds to leave its processor.
        assert (confined.usage.cpu() or 0) < before + MS
        confined.resume()
        while (confined.usage.cpu() or 0) < before + MS:
            os.sched_yield()
        assert not confined.is_still()
    confined.kill_all()
    assert confined.exit() == -signal.SIGKILL
    confined.remove()
