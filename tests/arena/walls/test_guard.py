"""The guard at the end of a turn: who was kept waiting by the machine has as much on top, and nobody has more."""

from types import SimpleNamespace
from typing import Any

import pytest

from agents.protocol import Failed, FromPlayer, Turn, Verdict
from arena.match.clock import MILLISECOND as MS
from arena.walls.guard import Guard, Orders, _Phase

GAME = 7


class Turning:
    """A turn of 1 s of an agent that never answers, on a machine that takes as much of it as `waits` says."""

    def __init__(self, *, cpu: float | None, waits: float) -> None:
        self.now = 0
        self.told: list[FromPlayer] = []
        self.guard = Guard(Orders("", "", "ann", ("agent",), ""), self.told.append, lambda: self.now)
        self.guard.agent = self._agent(cpu, waits)
        self.guard._phase, self.guard._game = _Phase.PLAYING, GAME
        self.guard.ask(Turn(game=GAME, id="1", ply=1, events=(), left=None, budget=None, limit=1_000 * MS))

    def _agent(self, cpu: float | None, waits: float) -> Any:
        def of_turn(spent: int) -> tuple[int | None, int]:
            return None if cpu is None else round(cpu * spent), round(waits * spent)

        def nothing(*_: object) -> None:
            return None

        meter = SimpleNamespace(of_turn=of_turn, look=nothing, begin_turn=nothing, of_game=nothing)
        confined = SimpleNamespace(go_on=nothing, memory=None)
        return SimpleNamespace(
            meter=meter, confined=confined, write=nothing, excess=nothing, kill=nothing, read=nothing,
            next_line=nothing, read_log=nothing, log=lambda _: "", silent=False,
        )  # fmt: skip

    def ends(self) -> float:
        """After how many milliseconds the guard gives the agent up."""
        while not self.told:
            assert self.guard.wake is not None
            self.now = max(self.guard.wake, self.now + MS)
            self.guard.tick()
        (failed,) = self.told
        assert isinstance(failed, Failed)
        assert failed.verdict is Verdict.TIME
        assert failed.spent == self.now
        return self.now / MS


def test_who_was_not_kept_waiting_is_late_at_once() -> None:
    assert Turning(cpu=1.0, waits=0.0).ends() == 1_000


def test_who_was_kept_waiting_gets_as_much_on_top() -> None:
    # A fifth of all the time is taken: of 1.25 s one is left.
    assert Turning(cpu=0.8, waits=0.2).ends() == pytest.approx(1_250, abs=2)


def test_nobody_gets_more_than_as_much_again() -> None:
    assert Turning(cpu=0.1, waits=0.9).ends() == pytest.approx(2_000, abs=2)


def test_who_sleeps_was_not_kept_waiting() -> None:
    assert Turning(cpu=0.0, waits=0.01).ends() == pytest.approx(1_010, abs=2)


def test_threads_that_keep_each_other_waiting_get_nothing() -> None:
    assert Turning(cpu=1.0, waits=3.0).ends() == 1_000


def test_where_nobody_knows_the_processor_time_there_is_nothing_on_top() -> None:
    assert Turning(cpu=None, waits=0.5).ends() == 1_000
