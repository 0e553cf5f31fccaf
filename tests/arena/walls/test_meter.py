"""What a turn costs an agent that is blocked because its warden waits for a processor: a simulated agent and warden."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from agents.protocol import Failed, FromPlayer, Move, Turn, to_line
from arena.match.clock import MILLISECOND as MS
from arena.match.clock import charged
from arena.walls import meter
from arena.walls.guard import Guard, _Phase
from arena.walls.meter import Meter
from arena.walls.warden_settings import WardenSettings

GAME = 7
FULL_PIPE = 64 * 1024
SMALL_WRITES = 16 * 2049
"""What a full pipe of 16 pages holds at least: no page has room for one more write of 2049 bytes, or the last part of
a longer one."""


class Turning:
    """A turn of 1 s, with a real guard and meter; the kernel's counters are those of this object."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = self.cpu = self.ready = self.own_wait = self.own_cpu = 0
        self.lines: list[bytes] = []
        self.unread = 0
        self.told: list[FromPlayer] = []
        patch.setattr(meter, "own_wait", lambda: self.own_wait)
        patch.setattr(meter, "thread_time_ns", lambda: self.own_cpu)
        self.guard = Guard(WardenSettings("", "", "ann", ("agent",), ""), self.told.append, lambda: self.now)
        self.guard.agent = self._agent()
        self.guard._phase, self.guard._game = _Phase.PLAYING, GAME
        self.guard.ask(Turn(game=GAME, id="1", ply=1, events=(), left=None, budget=None, limit=1_000 * MS))
        self.guard.tick()

    def _agent(self) -> Any:
        def nothing(*_: object, **__: object) -> None:
            return None

        threads = SimpleNamespace(longest=lambda _: self.ready, look=nothing, start_span=nothing, unsure=False)
        usage: Any = SimpleNamespace(
            cpu=lambda: self.cpu, user=lambda: 0, memory=nothing, single_process=False, group=None
        )
        confined: Any = SimpleNamespace(pid=0, usage=usage, cpu=None, memory=None, resume=nothing)
        measured = Meter(confined)
        measured._threads = threads  # type: ignore[assignment]
        measured.start_span()
        measured.close = nothing  # type: ignore[method-assign]
        pause = SimpleNamespace(end=nothing, fault=lambda: "", look_at=None, is_on=False, is_still=True)
        return SimpleNamespace(
            meter=measured, pause=pause, confined=confined, write=nothing,
            excess=nothing,
            stop=nothing, look=nothing, prepare=nothing, report=nothing, kill=nothing, read=self._read,
            next_line=lambda: self.lines.pop() if self.lines else None,
            read_log=lambda: 0, log=lambda _: "", log_bytes=0, stdout_ended=False, ask_where_busy=nothing,
        )  # fmt: skip

    def _read(self) -> int:
        size, self.unread = self.unread, 0
        return size

    def passes(self, ms: int, *, agent: str = "sleeps", warden: str = "sleeps") -> None:
        """Each of them sleeps, waits for a processor or computes for so long."""
        self.now += ms * MS
        self.cpu += ms * MS * (agent == "computes")
        self.ready += ms * MS * (agent != "sleeps")
        self.own_wait += ms * MS * (warden == "waits")
        self.own_cpu += ms * MS * (warden == "computes")

    def reads(self, size: int) -> None:
        """The warden wakes up and finds so many bytes, takes 1 ms for them, and becomes idle."""
        self.unread = size
        self.guard.read_stdout()
        self.passes(1, warden="computes")
        self.guard.tick()

    def cost(self) -> float:
        """The agent's move is read now: what it is charged, in milliseconds."""
        self.lines = [to_line(Move(GAME, "1", "e2e4"))]
        self.guard.read_stdout()
        (move,) = self.told
        assert isinstance(move, Move)
        assert isinstance(move.spent, int)
        assert isinstance(move.cpu, int)
        assert isinstance(move.delay, int)
        return charged(move.spent, move.cpu, move.delay) / MS


@pytest.fixture
def turning(monkeypatch: pytest.MonkeyPatch) -> Turning:
    return Turning(monkeypatch)


@pytest.mark.parametrize("size", [FULL_PIPE, SMALL_WRITES])
def test_an_agent_is_not_charged_while_its_warden_waits_and_its_pipe_is_full(turning: Turning, size: int) -> None:
    for _ in range(5):
        turning.passes(3, agent="computes")
        turning.passes(90, warden="waits")
        turning.reads(size)
    assert turning.cost() == 5 * (3 + 1)


def test_waits_of_the_warden_between_two_reads_count_too(turning: Turning) -> None:
    turning.reads(FULL_PIPE)
    turning.unread = FULL_PIPE
    turning.guard.read_stdout()
    turning.passes(90, warden="waits")  # while it works on what it has read
    turning.guard.tick()
    turning.passes(10)
    assert turning.cost() == 1 + 10


def test_an_agent_whose_pipe_is_not_full_is_charged_for_sleeping(turning: Turning) -> None:
    for _ in range(5):
        turning.passes(90, warden="waits")
        turning.reads(100)
    assert turning.cost() == 5 * (90 + 1)


def test_the_deadline_moves_by_what_is_not_charged(turning: Turning) -> None:
    for _ in range(30):
        turning.passes(90, warden="waits")
        turning.reads(FULL_PIPE)
    assert turning.told == []
    turning.passes(971)
    turning.guard.tick()
    assert [type(message) for message in turning.told] == [Failed]


def test_an_agent_that_computes_while_its_pipe_is_full_pays_for_it_and_for_later_sleep(turning: Turning) -> None:
    for _ in range(5):
        turning.passes(90, agent="computes", warden="waits")
        turning.reads(FULL_PIPE)
    turning.passes(400)
    assert turning.cost() >= 5 * 90 + 400


@pytest.mark.parametrize("seed", range(100))
def test_whatever_happens_computing_is_charged_and_no_more_sleep_is_free_than_the_warden_waited(
    turning: Turning, seed: int
) -> None:
    dice = random.Random(seed)
    for _ in range(dice.randrange(20)):
        agent, warden = (dice.choice(["sleeps", "waits", "computes"]) for _ in range(2))
        turning.passes(dice.randrange(20), agent=agent, warden=warden)
        if dice.random() < 0.5:
            turning.reads(dice.choice([100, FULL_PIPE]))
    cost = turning.cost() * MS
    slept = turning.now - turning.ready
    assert turning.cpu <= cost <= turning.now
    assert cost >= turning.cpu + slept - turning.own_wait
