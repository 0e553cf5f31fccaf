"""The guard at the end of a turn: the deadline moves by the time that the agent waited for a processor, not by more."""

from types import SimpleNamespace
from typing import Any

import pytest

from agents.protocol import Failed, FromPlayer, Ready, Turn, Verdict
from arena.match.clock import MILLISECOND as MS
from arena.match.clock import SECOND, charged, waited
from arena.walls.guard import Guard, _Phase
from arena.walls.meter import Used
from arena.walls.warden_settings import WardenSettings

GAME = 7


class Turning:
    """A turn of 1 s of an agent that never answers. `cpu`: the share of the time in which it computes; `ready`: the
    share in which it runs or waits for a processor."""

    def __init__(
        self, *, cpu: float | None, ready: float, unsure_until: int = -1, command: tuple[str, ...] = ("agent",)
    ) -> None:
        self.now = 0
        self.told: list[FromPlayer] = []
        self.asked_where: list[bool] = []
        self.guard = Guard(WardenSettings("", "", "ann", command, ""), self.told.append, lambda: self.now)
        self.cpu, self.ready, self.unsure_until = cpu, ready, unsure_until
        self.guard.agent = self._agent()
        self.guard._phase, self.guard._game = _Phase.PLAYING, GAME

    def asked(self) -> "Turning":
        self.guard.ask(Turn(game=GAME, id="1", ply=1, events=(), left=None, budget=None, limit=1_000 * MS))
        return self

    def starting(self) -> "Turning":
        """It must get ready instead, within 5 s."""
        self.guard._phase, self.guard._hello = _Phase.STARTING, 0
        return self

    def _agent(self) -> Any:
        def so_far(wall: int) -> Used:
            if self.cpu is None:
                return Used(wall, None, 0)
            cpu = round(self.cpu * wall)
            return Used(wall, cpu, wall - charged(wall, cpu, waited(wall, cpu, round(self.ready * wall))))

        def nothing(*_: object, **__: object) -> None:
            return None

        meter = SimpleNamespace(
            so_far=so_far,
            look=lambda: self.now < self.unsure_until,
            start_span=nothing,
            of_game=nothing,
            note_idle=nothing,
        )
        pause = SimpleNamespace(end=nothing, fault=lambda: "", look_at=None, is_on=False, is_still=True)
        return SimpleNamespace(
            meter=meter, pause=pause, confined=SimpleNamespace(memory=None), write=nothing, excess=nothing,
            stop=nothing, look=nothing, prepare=nothing, report=nothing,
            kill=nothing, read=lambda: 0, next_line=nothing, read_log=lambda: 0, log=lambda _: "",
            stdout_ended=False, ask_where_busy=lambda: self.asked_where.append(True),
        )  # fmt: skip

    def ends(self) -> tuple[float, Failed]:
        """After how many milliseconds the guard fails the agent, and its `failed`."""
        while not self.told:
            assert self.guard.wake is not None
            self.now = max(self.guard.wake, self.now + MS)
            self.guard.tick()
        (failed,) = self.told
        assert isinstance(failed, Failed)
        return self.now / MS, failed


def late_after(**agent: Any) -> float:
    """After how many milliseconds the agent is late in a turn of 1 s."""
    after, failed = Turning(**agent).asked().ends()
    assert failed.verdict is Verdict.TIME
    assert failed.spent is not None
    assert charged(failed.spent, failed.cpu, failed.delay) > 1_000 * MS
    return after


@pytest.mark.parametrize(("command", "asked"), [(("python", "-m", "agents", "a.py"), 1), (("node", "a.js"), 0)])
def test_only_an_agent_of_the_kit_is_asked_where_it_is(command: tuple[str, ...], asked: int) -> None:
    """The signal opens the debugger of Node.js, whose words would then stand in the agent's log."""
    turning = Turning(cpu=1.0, ready=1.0, command=command).asked()
    turning.ends()
    assert len(turning.asked_where) == asked


def test_an_agent_that_did_not_wait_is_late_immediately() -> None:
    assert late_after(cpu=1.0, ready=1.0) == 1_001


@pytest.mark.parametrize("share", [0.8, 0.5, 0.1, 0.02])
def test_the_deadline_moves_by_the_time_waited(share: float) -> None:
    assert late_after(cpu=share, ready=1.0) == pytest.approx(1_000 / share, abs=3)


def test_sleeping_is_not_waiting() -> None:
    assert late_after(cpu=0.0, ready=0.0) == 1_001
    assert late_after(cpu=0.1, ready=0.2) == pytest.approx(1_000 / 0.9, abs=3)


def test_threads_that_wait_for_each_other_get_no_more_time() -> None:
    assert late_after(cpu=1.0, ready=1.0) == late_after(cpu=2.0, ready=1.0) == 1_001


def test_without_processor_times_the_deadline_does_not_move() -> None:
    assert late_after(cpu=None, ready=1.0) == 1_001


def test_an_agent_that_may_be_waiting_is_looked_at_only_once_more() -> None:
    assert late_after(cpu=1.0, ready=1.0, unsure_until=10_000 * MS) == pytest.approx(1_002, abs=1)


def test_a_turn_has_an_absolute_limit() -> None:
    after, failed = Turning(cpu=0.0, ready=1.0).asked().ends()
    assert after == pytest.approx(70_000, abs=2)
    assert failed.verdict is Verdict.TIME
    assert failed.spent is not None
    assert charged(failed.spent, failed.cpu, failed.delay) == 0


def test_the_deadline_for_ready_moves_by_the_time_waited() -> None:
    after, failed = Turning(cpu=0.5, ready=1.0).starting().ends()
    assert after == pytest.approx(10_000, abs=3)
    assert (failed.verdict, failed.detail) == (Verdict.UNREADY, "did not say ready within 5.0 s")


def test_an_agent_whose_threads_do_not_stop_in_time_has_not_been_ready() -> None:
    turning = Turning(cpu=1.0, ready=1.0).starting()
    turning.guard.agent.pause.is_still = False  # type: ignore[union-attr]
    turning.guard._answer = Ready(GAME)
    _, failed = turning.ends()
    assert (failed.verdict, failed.detail) == (Verdict.UNREADY, "did not stop after ready within 5.0 s")


@pytest.mark.parametrize("still", [True, False])
def test_between_games_an_agent_that_does_not_stop_is_ended_soon(still: bool) -> None:
    turning = Turning(cpu=1.0, ready=1.0)
    agent: Any = turning.guard.agent
    turning.guard._phase, turning.guard._pause_at = _Phase.IDLE, 20 * MS
    resumed = []

    def stop() -> None:
        agent.pause.is_on, agent.pause.is_still = True, still
        agent.pause.look_at = None if still else turning.now + MS

    def look(*, may_resume: bool) -> None:
        resumed.append(may_resume)
        agent.pause.look_at = None if still else turning.now + 16 * MS

    agent.look, agent.stop = look, stop
    while turning.now < SECOND and turning.guard.agent is not None:
        turning.now += MS
        turning.guard.tick()
    assert (turning.guard.agent is None) is not still
    assert not any(resumed)
    assert still or 120 * MS < turning.now < 200 * MS
    assert not turning.told


def test_an_agent_that_only_waited_is_not_unready() -> None:
    after, failed = Turning(cpu=0.0, ready=1.0).starting().ends()
    assert after == pytest.approx(110_000, abs=2)
    assert (failed.verdict, failed.detail) == (
        Verdict.VOID,
        "was not ready after 110 s: the machine was too busy with other programs",
    )
