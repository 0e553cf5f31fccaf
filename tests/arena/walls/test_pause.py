"""Pauses: an agent is stopping, then stopped, and is at fault only for what it computes in either."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.match.allowance import WallKind
from arena.match.clock import MILLISECOND as MS
from arena.match.clock import SECOND
from arena.walls.agent_process import Pause
from tests.kit import behind_walls
from tests.kit.behind_walls import PYTHON, needs_linux


class Agent:
    """An agent that is paused: whether it is still, and what it has used. It is a jail's `Confined`, too."""

    quick_looks = 3

    def __init__(self) -> None:
        self.now = 0
        # How many looks it takes until it is still.
        self.still_after = 0
        self.orders: list[str] = []
        self.used: int | None = 0
        self.usage = SimpleNamespace(cpu=lambda: self.used, look=lambda: None, group=None)
        confined: Any = self
        self.pause = Pause(confined, lambda: self.now)

    def stop(self) -> bool:
        self.orders.append("stop")
        return True

    def stop_firmly(self) -> None:
        self.orders.append("stop firmly")

    def is_still(self) -> bool:
        self.still_after -= 1
        return self.still_after < 0

    def resume(self) -> None:
        self.orders.append("resume")

    def uses(self, time: int) -> None:
        """It uses that much processor time."""
        assert self.used is not None
        self.used += time


@pytest.fixture
def agent() -> Agent:
    return Agent()


@pytest.mark.parametrize("looks", [0, 1, 2])
def test_one_that_stops_soon_is_still_at_once(looks: int, agent: Agent) -> None:
    agent.still_after = looks
    assert agent.pause.begin()
    assert (agent.pause.is_still, agent.pause.look_at) == (True, None)
    agent.pause.end()
    assert (agent.pause.is_on, agent.pause.is_still) == (False, False)
    assert agent.orders == ["stop", "resume"]


def test_looks_come_later_and_later_until_it_is_still(agent: Agent) -> None:
    agent.still_after = 3 + 7
    assert agent.pause.begin()
    due = []
    for _ in range(7):
        assert agent.pause.look_at is not None
        due.append((agent.pause.look_at - agent.now) // MS)
        agent.now = agent.pause.look_at
        agent.uses(SECOND)  # in its own time
        assert agent.pause.look(may_resume=True) == ""
        assert not agent.pause.is_still
    assert due == [1, 1, 2, 4, 8, 16, 16]
    assert agent.orders == ["stop", *["stop firmly"] * 3, "resume", *["stop firmly"] * 3]
    assert agent.pause.look(may_resume=True) == ""
    assert (agent.pause.is_still, agent.pause.look_at) == (True, None)


def test_it_is_never_resumed_where_the_time_until_it_is_still_is_nobodys(agent: Agent) -> None:
    agent.still_after = 1000
    agent.pause.begin()
    for _ in range(100):
        agent.pause.look(may_resume=False)
    assert agent.orders == ["stop", *["stop firmly"] * 100]


def test_processes_that_were_just_started_are_found_before_and_after(agent: Agent) -> None:
    """What a child has used before the pause is no fault; what it uses in it is one, though nobody has seen it."""
    seen, unseen = SECOND, [SECOND]

    def look() -> None:
        agent.used = seen + sum(unseen)

    agent.usage.look = look
    agent.used = seen
    agent.pause.begin()
    assert agent.pause.fault() == ""
    unseen.append(6 * MS)
    assert agent.pause.fault().startswith("computed for 0.006 s")


@pytest.mark.parametrize(("used", "words"), [(5 * MS, ""), (6 * MS, "computed for 0.006 s while it was paused")])
def test_what_it_can_use_in_a_pause(used: int, words: str, agent: Agent) -> None:
    agent.uses(SECOND)
    agent.pause.begin()
    agent.uses(used)
    for told in (agent.pause.fault(), agent.pause.look(may_resume=True), agent.pause.fault()):
        assert told.startswith(words)
        assert bool(told) == bool(words)
    agent.pause.end()
    assert agent.pause.fault() == ""


def test_to_be_resumed_by_somebody_else_is_no_fault_and_does_not_last(agent: Agent) -> None:
    agent.pause.begin()
    agent.still_after = 1
    agent.uses(20 * MS)
    assert agent.pause.look(may_resume=True) == ""
    assert (agent.pause.woken, agent.pause.is_still) == (1, False)
    assert agent.orders[-1] == "stop firmly"
    assert agent.pause.look(may_resume=True) == ""
    assert agent.pause.is_still
    agent.uses(40 * MS)  # resumed again, now by itself, for all that is known
    assert agent.pause.look(may_resume=True).startswith("computed for 0.060 s")
    agent.pause.end()
    agent.pause.begin()
    agent.uses(20 * MS)
    assert agent.pause.fault().startswith("computed for 0.020 s")


def test_where_nothing_is_known_nobody_is_at_fault(agent: Agent) -> None:
    agent.used = None
    agent.pause.begin()
    assert agent.pause.look(may_resume=True) == agent.pause.fault() == ""


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
