"""The clock of a turn that is stopped from outside."""

from adsearch import games
from agents import builtin
from agents.builtin.thinker import Thinker
from arena.as_engine.host import FOREVER, Turn


def test_a_stopped_clock_has_no_time_left_and_says_so() -> None:
    turn = Turn(held=True)
    turn.allow(60, 5)
    assert turn.clock.elapsed() < turn.clock.left
    turn.over()
    turn.stop()
    assert (turn.clock.elapsed(), turn.clock.remaining(), turn.clock.stopped) == (60, 0, True)
    assert turn.released.is_set()
    assert turn.seconds() < 60


def test_a_turn_that_is_stopped_costs_a_built_in_agent_nothing_later() -> None:
    agent = builtin.find("pvs").make()
    assert isinstance(agent, Thinker)
    state = games.start("connect4")
    agent.begin(state, 0)
    turn = Turn()
    turn.allow(FOREVER, FOREVER)
    turn.over()
    turn.stop()
    assert agent.choose(state, turn.clock) in state.moves()
    assert agent.late == 0
