"""Every built-in agent in every game: it plays legal moves to the end, or is refused before the start."""

import re
import subprocess
import sys
from typing import Any

import pytest

from adsearch import Budget, State, algorithms, games
from adsearch.errors import BadSearch
from agents import Agent, CannotPlay, Clock, builtin, practice
from agents.builtin.alphabeta import AlphaBeta
from agents.builtin.thinker import NODES, shuffled
from agents.hosting import legal, reported
from tests.kit.every_game import EVERY, LARGE

DETERMINISTIC = ("minimax", "negamax", "alphabeta", "pvs", "mtdf", "quiescence", "selective")
WITHOUT_LIMITS = ("random", "greedy", "cfr")
SEARCHING = [name for name in builtin.names() if name not in ("random", "cfr")]
MOST_PLIES = 60
"""So much is played of a large game."""


def quick(name: str, nodes: int) -> str:
    """The agent, thinking little."""
    return name if name in WITHOUT_LIMITS else f"{name}:nodes={nodes}"


@pytest.mark.parametrize("game", EVERY)
@pytest.mark.parametrize("name", builtin.names())
def test_every_agent_plays_every_game_or_is_refused(name: str, game: str) -> None:
    state = games.start(game)
    try:
        builtin.check_can_play(name, state)
    except CannotPlay as refused:
        able = str(refused).partition("these can: ")[2].split(", ")
        assert {"random", "mcts"} <= set(able)
        assert name not in able
        with pytest.raises(CannotPlay):
            practice(game, *[name] * state.players)
        return
    large = game in LARGE
    players = [quick(name, 12 if large else 60), *[quick("random", 0)] * (state.players - 1)]
    played = practice(game, *players, max_plies=MOST_PLIES if large else None)
    assert large or played.verdict == "normal"


@pytest.mark.parametrize("game", EVERY)
@pytest.mark.parametrize("name", [name for name in builtin.names() if name not in WITHOUT_LIMITS])
def test_who_is_refused_is_who_the_search_refuses(name: str, game: str) -> None:
    state = games.start(game)
    if state.hidden:
        assert name == "mcts" or refused(name, state)
        return
    try:
        algorithms[name].search(state, depth=1, budget=Budget(nodes=1))
        assert not refused(name, state)
    except BadSearch:
        assert refused(name, state)


def refused(name: str, state: State[Any]) -> bool:
    """Whether the agent is refused in such a game."""
    try:
        builtin.check_can_play(name, state)
    except CannotPlay:
        return True
    return False


def test_a_refusal_names_those_that_can_play() -> None:
    with pytest.raises(CannotPlay) as raised:
        builtin.check_can_play("minimax:depth=3", games.start("pig"))
    assert str(raised.value) == (
        "minimax cannot play pig: minimax does not support chance, and this game has it; "
        "these can: random, greedy, expectiminimax, expectimax, maxn, paranoid, mcts"
    )
    with pytest.raises(CannotPlay, match="pvs cannot play kuhn: it has hidden information; these can: "):
        builtin.check_can_play("pvs", games.start("kuhn"))
    with pytest.raises(CannotPlay, match="pvs is for two players, this game has 4"):
        builtin.check_can_play("pvs", games.start("ludo"))


def choice(spec: str, state: State[Any], clock: Clock | None = None) -> tuple[Any, dict[str, Any]]:
    """What the agent plays, and what it tells."""
    agent = builtin.find(spec).make()
    agent.begin(state, state.turn or 0)
    move = agent.choose(state, clock or Clock())
    assert legal(move, state) == move
    return move, reported(agent, state)


@pytest.mark.parametrize("name", SEARCHING)
def test_an_agent_sees_a_win_and_tells_of_its_thinking(name: str) -> None:
    state = games.load("tictactoe", after("tictactoe", "a1 a2 b1 b2"))
    move, told = choice(name, state)
    assert state.to_text(move) == "c1"
    assert set(told) == {"depth", "score", "nodes", "line"}
    assert told["score"] == 1.0
    assert told["line"][0] == "c1"
    assert told["depth"] >= 1


def after(game: str, texts: str) -> str:
    """The position after these moves."""
    state = games.start(game)
    for text in texts.split():
        state = state.play(state.from_text(text))
    return state.position()


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_a_depth_is_reached_and_not_passed(name: str) -> None:
    state = games.start("connect4")
    for depth in (1, 3):
        assert choice(f"{name}:depth={depth}", state)[1]["depth"] == depth
        assert choice(f"{name}:depth={depth}", state, Clock(1000, 1000))[1]["depth"] == depth


@pytest.mark.parametrize("name", [name for name in builtin.names() if name not in (*WITHOUT_LIMITS, "mcts")])
def test_a_number_of_nodes_is_kept_and_the_last_whole_depth_is_played(name: str) -> None:
    state = games.start("connect4")
    _, told = choice(f"{name}:nodes=500", state)
    assert told["nodes"] <= 501
    assert told["depth"] >= 2


def test_without_clock_or_limit_the_nodes_are_limited() -> None:
    assert NODES / 10 < choice("pvs", games.start("othello"))[1]["nodes"] <= NODES + 1
    assert choice("mcts", games.start("connect4"))[1]["nodes"] > 1000


def test_a_seconds_limit_ends_a_turn_without_a_clock() -> None:
    instants = iter(range(10**9))
    clock = Clock(now=lambda: next(instants) / 1000)
    _, told = choice("pvs:seconds=0.5", games.start("connect4"), clock)
    assert 300 < told["nodes"] < 600


def test_a_search_that_knows_no_better_move_takes_the_first_unless_shuffled() -> None:
    state = games.start("nap:n=60")
    move, _ = choice("minimax:depth=1", state)
    assert move == state.moves()[0]
    taken_moves = {choice(f"minimax:depth=1,shuffle=true,seed={seed}", state)[0] for seed in range(20)}
    assert len(taken_moves) > 3


def test_a_shuffled_state_is_the_same_state() -> None:
    state = games.start("connect4")
    other = shuffled(state, Agent().random)
    assert sorted(other.moves()) == list(state.moves())
    assert other.moves() != state.moves()
    assert other.moves() == other.moves()
    assert (other.key, other.turn, other.play(3).key) == (state.key, state.turn, state.play(3).key)


def test_a_single_move_is_played_without_thinking() -> None:
    state = games.start("nap:n=1")
    assert len(state.moves()) == 1
    assert choice("pvs", state) == (state.moves()[0], {})


def test_what_was_found_out_is_kept_for_the_next_turn() -> None:
    agent = builtin.find("alphabeta:nodes=500").make()
    assert isinstance(agent, AlphaBeta)
    state = games.start("connect4")
    agent.begin(state, 0)
    agent.choose(state, Clock())
    assert not isinstance(agent.table, bool)
    assert len(agent.table) > 100
    agent.begin(state, 0)
    assert len(agent.table) == 0


def test_the_same_seed_plays_the_same_game_in_another_process() -> None:
    code = f"""if True:
        from agents import builtin, practice
        for game in ("connect4:rows=5,columns=5", "pig:goal=8"):
            for name in builtin.names():
                try:
                    print(practice(game, name if name == "random" else name + ":nodes=80,shuffle=true", "random",
                                   seed=5, max_plies={MOST_PLIES}).moves)
                except Exception as error:
                    print(type(error).__name__)
    """

    def once(hash_seed: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout

    assert once("1") == once("2")


def test_a_depth_in_rounds_is_the_plies_of_all_that_move_in_a_round() -> None:
    for game, plies in (("connect4", 4), ("maze:3,map=open", 8), ("maze:random2,map=open", 6), ("ludo:players=2", 8)):
        agent = builtin.find("maxn:rounds=2").make()
        agent.begin(games.start(game), 0)
        assert agent.depth == plies, game  # type: ignore[attr-defined]


def test_a_greedy_ghost_runs_at_the_runner_from_anywhere() -> None:
    played = practice("maze:1,map=open,steps=8", "greedy:evaluate=pellets,weights=pellets:1", "greedy")
    found: Any = played.states
    distances = [state.distance(state.runner_at, state.ghosts_at[0]) for state in found if state.turn == 0]
    assert distances[0] == 8
    assert max(distances[4:]) <= 2


def test_with_the_score_as_evaluation_a_runner_goes_back_and_forth_and_with_the_whole_one_it_does_not() -> None:
    game = "maze:1,map=thrashing,steps=10"
    thrashing = practice(game, "minimax:rounds=2,evaluate=score", "greedy")
    cured = practice(game, "minimax:rounds=2", "greedy")
    assert [move for who, move in thrashing.moves if who == 0][:8] == ["n", "s"] * 4
    assert cured.utilities == (516.0, -516.0)


@pytest.mark.parametrize(
    ("spec", "game", "words"),
    [
        ("greedy:evaluate=scor", "maze:1", "cannot play maze: no feature 'scor'; did you mean 'score'?"),
        ("pvs:weights=corner:2", "othello", "cannot play othello: no feature 'corner'; did you mean 'corners'?"),
        (
            "pvs:evaluate=score",
            "nap",
            "cannot play nap: no feature 'score'; the evaluation of this game has no features",
        ),
    ],
)
def test_an_agent_is_refused_where_its_features_are_missing(spec: str, game: str, words: str) -> None:
    with pytest.raises(CannotPlay, match=re.escape(f"{spec} {words}")):
        builtin.check_can_play(spec, games.start(game))


@pytest.mark.parametrize("name", SEARCHING)
def test_every_agent_that_evaluates_uses_the_weights_that_it_is_given(name: str) -> None:
    scores = []
    limits = ",depth=1,simulations=20" if name == "mcts" else ""
    for weights in ("", ",weights=score:1+pellets:50"):
        agent = builtin.find(f"{name}:shuffle=false{weights}{limits}").make()
        state = games.start("maze:0,map=open")
        agent.begin(state, 0)
        agent.choose(state, Clock())
        scores.append(reported(agent, state)["score"])
    assert scores[0] != scores[1]
