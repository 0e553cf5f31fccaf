"""Functions as Kaggle's competitions have them play as they are."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

from adsearch import games
from agents import kaggle
from agents.agent import Clock
from agents.errors import BadAgent
from agents.loading import load

FUNCTION = """
import json

def centre(columns):
    return columns // 2

def my_agent(observation, configuration):
    assert observation["board"] is observation.board
    print(json.dumps([observation, configuration]))
    return centre(configuration.columns)
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "submission.py"
    file.write_text(text)
    return file


def test_the_last_function_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agent: Any = load(str(written(tmp_path, FUNCTION)))()
    agent.seat = 1
    state = games.start("connect4").play(3)
    agent.begin(state, 1)
    assert agent.choose(state, Clock(2.0, 2.0)) == 3
    observation, configuration = eval(capsys.readouterr().out)
    assert observation["board"] == [0] * 38 + [1] + [0] * 3
    assert (observation["mark"], observation["step"]) == (2, 1)
    assert [configuration[name] for name in ("columns", "rows", "inarow")] == [7, 6, 4]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (FUNCTION.replace("observation, configuration)", "obs, config)"), ""),
        (f"{FUNCTION}\ndef other(a):\n    pass\n", ":my_agent"),
        (f"{FUNCTION}\ndef mean_reward(rewards):\n    pass\n", ""),
    ],
)
def test_short_names_and_a_named_function_do_too(text: str, name: str, tmp_path: Path) -> None:
    agent = load(f"{written(tmp_path, text)}{name}")
    assert agent.__name__ == "my_agent"


@pytest.mark.parametrize(
    "text",
    [
        FUNCTION.replace("observation, configuration)", "observation, configuration, more)"),
        "from json import loads\n",
    ],
)
def test_other_functions_are_no_agents(text: str, tmp_path: Path) -> None:
    with pytest.raises(BadAgent, match="expected a subclass of Agent"):
        load(str(written(tmp_path, text)))
    assert not kaggle.is_in(text.encode())


def test_it_is_seen_without_running_the_file() -> None:
    assert kaggle.is_in(FUNCTION.encode())
    assert not kaggle.is_in(f"from agents import Agent\nclass Mine(Agent):\n    pass\n{FUNCTION}".encode())
    assert not kaggle.is_in(b"def agent(")


def test_another_game_is_refused(tmp_path: Path) -> None:
    agent = load(str(written(tmp_path, FUNCTION)))()
    with pytest.raises(BadAgent, match="plays connect4 and tictactoe"):
        agent.begin(games.start("othello"), 0)


def test_a_named_function_may_call_its_parameters_anything_and_take_the_observation_alone(tmp_path: Path) -> None:
    text = "def first(o):\n    return o.mark\n\ndef second(a, b):\n    return b.rows\n\ndef third(a, b, c):\n    pass\n"
    file = written(tmp_path, text)
    state = games.start("connect4")
    for name, choice in (("first", 1), ("second", 6)):
        agent: Any = load(f"{file}:{name}")()
        agent.seat = 0
        assert agent.choose(state, Clock(2.0, 2.0)) == choice
    with pytest.raises(BadAgent):
        load(f"{file}:third")
    assert kaggle.function_in(text.encode()) == "third"
    assert kaggle.function_in(f"{FUNCTION}\n{text}".encode()) == "my_agent"
    assert kaggle.function_in(b"x = 1") == ""
    assert kaggle.function_in(b"def agent(") is None


NOTEBOOK = """
!pip install kaggle-environments
%matplotlib inline
from pathlib import Path
try:
    from kaggle_environments import evaluate, make, utils
except ImportError:
    raise

env = make("connectx", debug=True)
BOOK = "/kaggle_simulations/agent/book.txt"

def my_agent(obs, config):
    return int(Path(BOOK).read_text())

def mean_reward(rewards):
    return sum(r[0] for r in rewards) / len(rewards)

env.run([my_agent, "random"])
results = evaluate("connectx", [my_agent, "random"])
print("mean:", mean_reward(results))
for result in results:
    raise SystemExit(result)
import sys, kaggle_environments as ke
ke.run()
sys.exit(my_agent)
"""


def test_of_a_notebook_the_agent_alone_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text("5")
    file = written(tmp_path, NOTEBOOK)
    agent: Any = load(str(file))()
    agent.seat = 0
    assert agent.choose(games.start("connect4"), Clock(2.0, 2.0)) == 5
    assert kaggle.function_in(NOTEBOOK.encode()) == "my_agent"


def test_an_error_in_a_notebook_has_its_line(tmp_path: Path) -> None:
    file = written(tmp_path, f"{NOTEBOOK}\nnothing\n")
    with pytest.raises(BadAgent, match=rf"line {NOTEBOOK.count(chr(10)) + 2}: NameError"):
        load(str(file))
    with pytest.raises(BadAgent, match="line 2: SyntaxError"):
        load(str(written(tmp_path, "!pip\ndef (:\n")))


def test_an_observation_can_be_copied_and_asked_for_what_it_does_not_have() -> None:
    seen = kaggle.Struct(board=[1, 2])
    for copied in (copy.copy(seen), copy.deepcopy(seen), pickle.loads(pickle.dumps(seen))):
        assert copied == seen
        assert copied.board == [1, 2]
    assert not hasattr(seen, "step")
    assert getattr(seen, "step", 7) == 7
