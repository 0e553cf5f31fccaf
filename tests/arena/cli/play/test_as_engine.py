"""`arena engine uci` and `arena engine gtp`: which agents they run, and what they refuse."""

from pathlib import Path

import pytest

from tests.kit.arena_program import arena
from tests.kit.engine_talk import our_engine

RAM = """
from agents import Agent

class Ram(Agent):
    def choose(self, state, clock):
        return state.from_text("h2h4")
"""


@pytest.mark.parametrize("protocol", ["uci", "gtp"])
@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("human", "expected an agent that is a built-in, a file, a folder or cmd:PROGRAM, got 'human'"),
        ("pvss", "no player 'pvss'; did you mean 'pvs'?"),
        ("pvs:dept=3", "pvs: no option 'dept'; did you mean 'depth'?"),
        ("cmd:./missing", "no program './missing': expected an executable file"),
        ("missing.py", "no file 'missing.py'"),
        ("maxn:evaluate=nothing", "maxn:evaluate=nothing cannot play"),
    ],
)
def test_what_is_not_an_agent_is_refused_in_one_line(
    protocol: str, agent: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.streams.claim", lambda: None)
    ended = arena(protocol, agent, cwd=tmp_path)
    assert ended.code == 2
    assert ended.out == ""
    assert message in " ".join(ended.err.split())


@pytest.mark.costly
def test_a_file_and_a_recorded_agent_are_engines(tmp_path: Path) -> None:
    (tmp_path / "ram.py").write_text(RAM)
    assert arena("play", "chess", "ram.py", "random", "--max-plies", "2", "--quiet", cwd=tmp_path).code == 0
    for agent, name in (("ram.py:Ram", "ram"), ("ram@1", "ram@1")):
        with our_engine("uci", agent, cwd=tmp_path) as engine:
            engine.say("uci", "go movetime 100")
            assert engine.hear("id name") == [f"id name {name}"]
            assert engine.hear("bestmove")[-1] == "bestmove h2h4"
            engine.say("quit")
            assert engine.ended() == (0, "")


def test_an_agent_whose_file_names_another_game_plays_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "ram.py").write_text('"""arena check ram.py --game go"""' + RAM)
    with our_engine("uci", "ram.py", cwd=tmp_path) as engine:
        engine.say("quit")
        assert engine.ended() == (0, "arena: warning: ram.py names the game go, and plays chess here\n")
