"""Built-in agents: their names and options, and the errors for wrong ones."""

import re
import subprocess
import sys

import pytest

from adsearch import algorithms
from agents import BadAgent, builtin
from agents.builtin.alphabeta import AlphaBeta
from agents.builtin.mcts import Mcts
from agents.builtin.thinker import Thinker

SPOILT = {
    "alphabta": "no agent 'alphabta'; did you mean 'alphabeta'?",
    "zzz": "no agent 'zzz'; there is random, greedy, minimax,",
    "": "no agent ''; there is random,",
    "pvs:dept=4": "pvs: no option 'dept'; did you mean 'depth'?",
    "pvs:zzz=4": "pvs: no option 'zzz'; there is table, ordering, depth",
    "pvs:depth": "pvs: expected an option such as seed=7, got 'depth'",
    "pvs:,": "pvs: expected an option such as seed=7, got ''",
    "pvs:depth=2,depth=3": "pvs: option depth is given twice",
    "pvs:depth=two": "pvs: depth: expected a whole number, got 'two'",
    "pvs:depth=": "pvs: depth: expected a whole number, got ''",
    "pvs:depth=0": "pvs: depth: expected from 1 to 250, got 0",
    "pvs:table=yes": "pvs: table: expected true or false, got 'yes'",
    "pvs:seconds=0": "pvs: seconds: expected from 0.001 to 86400, got 0.0",
    "pvs:seconds=nan": "pvs: seconds: expected a number, got 'nan'",
    "pvs:nodes=0": "pvs: nodes: expected 1 or more, got 0",
    "pvs:share=2": "pvs: share: expected from 0.01 to 1, got 2.0",
    "selective:width=0": "selective: width: expected 1 or more, got 0",
    "mcts:simulations=0": "mcts: simulations: expected 1 or more, got 0",
    "mcts:exploration=-1": "mcts: exploration: expected from 0 to 1000, got -1.0",
    "expectiminimax:pruning=star3": "expectiminimax: pruning: expected none, star1, star2, got 'star3'",
    "pvs:rounds=0": "pvs: rounds: expected from 1 to 250, got 0",
    "pvs:rounds=2,depth=4": "pvs: expected depth or rounds, got both",
    "pvs:weights=": "pvs: weights: expected a text, got ''",
    "pvs:weights=score": "pvs: weights: expected weights such as pellets:-2+nearest:9, got 'score'",
    "pvs:weights=score:nan": "pvs: weights: expected weights such as pellets:-2+nearest:9, got 'score:nan'",
    "pvs:weights=score:1+score:2": "pvs: weights: the weight of score is given twice",
    "greedy:depth=2": "greedy: no option 'depth'; there is evaluate, weights, shuffle, seed",
    "random:depth=2": "random: no option 'depth'; there is seed",
}


def test_there_is_an_agent_for_every_algorithm_that_can_play() -> None:
    assert set(builtin.names()) - {"random", "greedy", "cfr"} <= set(algorithms.names())
    assert {"random", "minimax", "alphabeta", "pvs", "expectiminimax", "mcts"} <= set(builtin.names())


def test_options_are_read_by_their_types() -> None:
    agent = builtin.find("alphabeta:depth=6, table=FALSE,seconds=1.5,shuffle=true").make()
    assert isinstance(agent, AlphaBeta)
    assert (agent.depth, agent.table, agent.ordering, agent.seconds, agent.shuffle) == (6, False, True, 1.5, True)
    other = builtin.find("mcts:exploration=2,simulations=50").make()
    assert isinstance(other, Mcts)
    assert (other.exploration, other.simulations) == (2, 50)


@pytest.mark.parametrize(("spec", "words"), SPOILT.items())
def test_a_mistake_names_what_is_possible(spec: str, words: str) -> None:
    with pytest.raises(BadAgent, match=f"^{re.escape(words)}"):
        builtin.find(spec)


@pytest.mark.parametrize("name", builtin.names())
def test_every_agent_says_what_it_does_and_what_may_be_set(name: str) -> None:
    found = builtin.find(name)
    assert re.fullmatch(r"[A-Z].{10,95}\.", found.about)
    names = [setting.name for setting in found.settings]
    assert "seed" in names
    assert len(set(names)) == len(names)
    assert all(setting.about and setting.expected for setting in found.settings)
    # Every default may be given as text, too.
    given = ",".join(f"{s.name}={str(s.default).lower()}" for s in found.settings if s.default is not None)
    assert type(builtin.find(f"{name}:{given}" if given else name).make()) is found.agent


def test_all_searching_agents_take_the_same_limits() -> None:
    limits = ("depth", "rounds", "seconds", "nodes", "share", "evaluate", "weights", "endgames", "shuffle", "seed")
    for found in builtin.every():
        if issubclass(found.agent, Thinker):
            assert tuple(setting.name for setting in found.settings)[-len(limits) :] == limits


def test_each_call_makes_another_agent() -> None:
    found = builtin.find("pvs")
    assert found.make() is not found.make()


def test_importing_the_kit_loads_no_sockets_and_no_messages() -> None:
    code = "import sys, agents; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"zmq", "msgspec", "msgpack", "asyncio", "argparse", "adsearch.mcts"} & set(loaded)


@pytest.mark.parametrize(
    ("spec", "clocked", "unclocked"),
    [
        ("random", False, False),
        ("random:seed=7", True, True),
        ("mcts:simulations=50", False, False),
        ("mcts:simulations=50,seed=7", True, True),
        ("mcts:seed=7", False, True),
        ("pvs", False, True),
        ("pvs:depth=4", True, True),
        ("minimax:nodes=2000", True, True),
        ("minimax:depth=4,shuffle=true", False, False),
        ("minimax:rounds=2", True, True),
        ("greedy", True, True),
        ("greedy:shuffle=true", False, False),
    ],
)
def test_it_is_known_who_always_plays_the_same_moves(spec: str, clocked: bool, unclocked: bool) -> None:
    found = builtin.find(spec)
    assert (found.repeats(clocked=True), found.repeats(clocked=False)) == (clocked, unclocked)
