"""A program of another language as an agent: it plays the moves that the same agent plays in Python."""

import sys

import pytest

from adsearch import games
from agents import Clock, builtin
from arena.as_engine.program import ProgramAgent


def program(*arguments: str, rules: str = "tictactoe", seat: int = 0) -> ProgramAgent:
    agent = ProgramAgent((sys.executable, *arguments))
    agent.rules, agent.seat = rules, seat
    return agent


def test_it_plays_a_game_and_any_other_position_as_in_python() -> None:
    agent = program("-m", "agents", "pvs:depth=2")
    known = builtin.find("pvs:depth=2").make()
    try:
        state = games.start("tictactoe")
        processes = set()
        while state.turn is not None:
            if state.turn == 0:
                known.begin(state, 0)
                move = agent.choose(state, Clock(5, 1))
                assert move == known.choose(state, Clock())
                processes.add(agent._process and agent._process.pid)
            else:
                move = state.moves()[-1]
            state = state.play(move)
        assert len(processes) == 1
        elsewhere = games.load("tictactoe", "xo./xo./...")
        assert elsewhere.to_text(agent.choose(elsewhere, Clock())) == "a3"
    finally:
        agent.end(None, "void")
    assert agent._process is None


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("exit(3)", "ended with exit code 3"),
        ("print('hello', flush=True); input()", "expected a JSON object"),
        ('print(\'{"type":"bye"}\', flush=True); input()', "expected ready from .*, got bye"),
    ],
)
def test_a_program_that_does_not_speak_the_protocol_is_a_clear_error(code: str, message: str) -> None:
    agent = program("-c", code)
    with pytest.raises(ValueError, match=message):
        agent.choose(games.start("tictactoe"), Clock())
    assert agent._process is None
