"""Monte Carlo tree search: it finds wins, converges to known values, proves only correct values, and uses no hidden
information.
"""

from collections.abc import Iterator
from functools import cache
from itertools import count
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsearch import CHANCE, Trace, games, maxn, mcts
from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.games.tree import Tree, read
from adsearch.terms import root_seat
from adsearch.trace import EventKind
from tests.kit.effort import tries
from tests.kit.every_game import EVERY, SMALL
from tests.kit.game_facts import value
from tests.kit.places import TRUTHS
from tests.kit.random_trees import trees

# Wins


def won_in_three() -> Iterator[Any]:
    """The Connect-4 positions of tests/truths in which the side to move wins with its second disc from now."""
    for line in (TRUTHS / "connect4_positions.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        columns, score = line.split()
        state = games.start("connect4")
        for column in columns:
            state = state.play(int(column) - 1)
        discs_of_the_mover = len(columns) // 2
        if int(score) > 0 and 22 - int(score) == discs_of_the_mover + 2:
            yield state


def wins_at_once(state: Any) -> bool:
    """Whether the move that the search finds ends the game in favour of who makes it."""
    result = mcts.search(state, simulations=100)
    end = state.play(result.move)
    return end.turn is None and end.utilities()[state.turn] == 1.0 and result.value == 1.0 and result.exact


def test_it_finds_every_connect4_win_in_three_and_then_the_win_in_one() -> None:
    positions = list(won_in_three())
    assert len(positions) == 45
    for state in positions:
        result = mcts.search(state, simulations=1000)
        assert (result.value, result.exact, result.depth) == (1.0, True, None)
        after = state.play(result.move)
        assert after.turn is not None
        assert all(wins_at_once(after.play(reply)) for reply in after.moves())


@cache
def distance(spec: str, position: str) -> tuple[int, int]:
    """(the value for the side to move, plies to the end) of a game in which one wins or draws."""
    state: Any = games.load(spec, position)
    if state.turn is None:
        return int(-abs(state.utilities()[0])), 0
    below = [distance(spec, state.play(move).position()) for move in state.moves()]
    best = -min(value for value, _ in below)
    plies = [plies + 1 for value, plies in below if value == -best]
    return best, min(plies) if best > 0 else max(plies)


def test_it_finds_every_tictactoe_win_in_three_or_one() -> None:
    distance("tictactoe", games.start("tictactoe").position())
    found = 0
    for seed in range(400):
        random = Random(seed)
        state = games.start("tictactoe")
        while state.turn is not None:
            best, plies = distance("tictactoe", state.position())
            if best == 1 and plies in (1, 3):
                found += 1
                result = mcts.search(state, simulations=300, random=random)
                assert (result.value, result.exact) == (1.0, True)
                assert distance("tictactoe", state.play(result.move).position())[0] == -1
                break
            state = state.play(random.choice(state.moves()))
    assert found > 300


# Convergence


@pytest.mark.parametrize(
    ("spec", "simulations"),
    [
        ("connect4:rows=4,columns=4,line=3", 5000),
        ("nap:n=7", 2000),
        ("nap:n=9", 2000),
        ("nap:n=11", 5000),
        ("grundy:pile=10", 2000),
        ("grundy:piles=5+4", 500),
        ("dots:rows=1,columns=2", 10_000),
        ("tictactoe:m=2,n=4,k=2", 500),
    ],
)
def test_small_games_are_proven(spec: str, simulations: int) -> None:
    state = games.start(spec)
    result = mcts.search(state, simulations=simulations)
    assert (result.value, result.exact) == (value(state), True)
    assert value(state.play(result.move)) == value(state)
    end: Any = state
    for move in result.line:
        end = end.play(move)
    assert end.turn is None
    assert end.utilities()[0] == result.value


@pytest.mark.costly
def test_tictactoe_comes_out_as_a_draw() -> None:
    """Of one who is less curious, so that the mean is soon that of good play; in the end it is proven."""
    few, more = (mcts.search(games.start("tictactoe"), simulations=n, exploration=0.5) for n in (300, 10_000))
    assert few.value > more.value
    assert abs(more.value) < 0.25
    proven = mcts.search(games.start("tictactoe"), simulations=60_000, exploration=0.5)
    assert (proven.value, proven.exact) == (0.0, True)


def test_connect4_begins_in_the_middle() -> None:
    assert mcts.search(games.start("connect4"), simulations=3000).move == 3


def pig_values(start: Any) -> dict[Any, float]:
    """What every position of a game of Pig is worth to seat 0, by value iteration."""
    states, waiting = {start.key: start}, [start]
    while waiting:
        state = waiting.pop()
        for child in map(state.play, state.moves()):
            if child.key not in states:
                states[child.key] = child
                waiting.append(child)
    values = {key: state.utilities()[0] if state.turn is None else 0.0 for key, state in states.items()}
    below = {key: [state.play(move).key for move in state.moves()] for key, state in reversed(states.items())}
    for _ in range(60):
        for key, keys in below.items():
            if keys:
                worth = [values[child] for child in keys]
                turn = states[key].turn
                values[key] = sum(worth) / 6 if turn == CHANCE else min(worth) if turn else max(worth)
    return values


def test_pig_is_played_as_value_iteration_plays_it() -> None:
    start: Any = games.start("pig:goal=10")
    values = pig_values(start)
    for total in range(2, 11):
        state = games.load("pig:goal=10", f"0-0 next=0 total={total} choose")
        roll, hold = (values[state.play(move).key] for move in ("roll", "hold"))
        result = mcts.search(state, simulations=2000)
        assert result.move == ("roll" if roll > hold else "hold")
        assert result.value == pytest.approx(max(roll, hold), abs=0.15)
    assert result.move == "hold"


# Proofs


@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.parametrize("chance", [False, True])
@settings(max_examples=tries(75))
@given(data=st.data(), simulations=st.integers(1, 200))
def test_what_it_calls_exact_is_so(players: int, chance: bool, data: Any, simulations: int) -> None:
    tree = data.draw(trees(players=players, chance=chance))
    result = mcts.search(tree, simulations=simulations)
    if result.exact:
        assert result.value == pytest.approx(maxn.search(tree).value)
        if result.move is not None:
            values = maxn.search(tree.play(result.move)).values
            assert values is not None
            assert values[root_seat(tree)] == pytest.approx(result.value)


@pytest.mark.parametrize("players", [1, 2, 3])
@settings(max_examples=tries(30))
@given(data=st.data())
def test_small_trees_are_proven(players: int, data: Any) -> None:
    tree = data.draw(trees(players=players))
    result = mcts.search(tree, simulations=3000)
    assert (result.value, result.exact) == (maxn.search(tree).value, True)


@settings(max_examples=tries(50))
@given(tree=trees(depth=5), depth=st.integers(1, 4))
def test_at_a_limited_depth_it_proves_only_what_ends_before(tree: Tree, depth: int) -> None:
    result = mcts.search(tree, depth=depth, simulations=300)
    assert not result.exact or result.value == maxn.search(tree).value


def test_a_draw_is_taken_rather_than_what_looks_won() -> None:
    """`trap` loses to one answer of twelve."""
    node = {"trap": {str(at): 1 if at else -1 for at in range(12)}, "safe": 0}
    result = mcts.search(_tree(node), simulations=500)
    assert (result.move, result.value, result.exact) == ("safe", 0.0, True)


def test_a_win_ends_the_search() -> None:
    result = mcts.search(_tree({"lost": -1, "won": 1, "open": {"x": 1, "y": {"z": 0}}}), simulations=1000)
    assert (result.move, result.value, result.exact) == ("won", 1.0, True)
    assert result.nodes < 12


def test_with_three_seats_a_win_that_is_not_the_first_proves_nothing_for_the_others() -> None:
    """Seat 1 wins by `c` as well as by `b`; as it plays the first such, seat 0 gets 2 after `a`."""
    node = {"a": {"b": {"deeper": {"deepest": [2, 3, 0]}}, "c": [0, 3, 0]}, "d": [1, 0, 0]}
    tree = _tree(node, players=3, bounds=[0, 3])
    for seed in range(20):
        result = mcts.search(tree, simulations=200, random=Random(seed))
        assert (result.move, result.value, result.exact) == ("a", 2.0, True)


def test_a_throw_is_worth_the_mean_once_all_outcomes_are_proven() -> None:
    result = mcts.search(games.start("tree:coins"), simulations=1000)
    assert (result.value, result.exact, result.move, result.line) == (3.5, True, None, ())


# Hidden information


def chips_won_at_kuhn(seat: int, seed: int) -> float:
    """What the search wins in one game against a random player, seeing what an agent sees: a state from its view."""
    random = Random(seed)
    state: Any = games.start("kuhn")
    while state.turn is not None:
        if state.turn == seat:
            seen = games.load("kuhn", state.view(seat))
            move = mcts.search(seen, simulations=150, random=random).move
        else:
            move = random.choice(state.moves())
        state = state.play(move)
    return float(state.utilities()[seat])


@pytest.mark.costly
def test_it_beats_a_random_player_at_kuhn_poker() -> None:
    won = [sum(chips_won_at_kuhn(seat, seed) for seed in range(300)) for seat in (0, 1)]
    assert min(won) > 20
    assert sum(won) > 100


@pytest.mark.parametrize("said", ["", " check", " bet", " check bet"])
@pytest.mark.parametrize("card", ["J", "Q", "K"])
def test_hidden_cards_make_no_difference(card: str, said: str) -> None:
    seat = len(said.split()) % 2
    hands = [f"{card}{other}" if seat == 0 else f"{other}{card}" for other in "JQK?" if other != card]
    results = [mcts.search(games.load("kuhn", hand + said), simulations=200, random=Random(5)) for hand in hands]
    assert len(results) == 3
    assert results[0] == results[1] == results[2]
    assert not results[0].exact


def test_a_hidden_choice_makes_no_difference() -> None:
    start = games.start("rps:rounds=2")
    states = [start.play(choice) for choice in start.moves()]
    states.append(games.load("rps:rounds=2", states[0].view(1)))
    results = [mcts.search(state, simulations=300) for state in states]
    assert all(result == results[0] for result in results)


def test_the_other_does_not_answer_what_it_does_not_see() -> None:
    """A tree of moves alone would let seat 1 beat whatever seat 0 chose, for -1."""
    assert mcts.search(games.start("rps:rounds=1"), simulations=3000).value == pytest.approx(0.0, abs=0.1)


def test_kuhn_poker_is_worth_what_is_known() -> None:
    assert mcts.search(games.start("kuhn"), simulations=10_000).value == pytest.approx(-1 / 18, abs=0.05)


@pytest.mark.parametrize(
    ("view", "move"),
    [("K? check bet", "call"), ("?K bet", "call"), ("?J bet", "fold"), ("?K check", "bet"), ("J? check bet", "fold")],
)
def test_what_is_clear_at_kuhn_poker_is_played(view: str, move: str) -> None:
    assert mcts.search(games.load("kuhn", view), simulations=500).move == move


# Players, limits, settings


def test_three_play_ludo() -> None:
    state: Any = games.start("ludo:players=3,tokens=1")
    random = Random(3)
    moved = set()
    while state.turn is not None:
        if state.turn == CHANCE:
            move = random.choice(state.moves())
        else:
            move = mcts.search(state, simulations=5, random=random).move
            assert move in state.moves()
            moved.add(state.turn)
        state = state.play(move)
    assert moved == {0, 1, 2}


@pytest.mark.parametrize("spec", EVERY)
def test_every_game_is_searched(spec: str) -> None:
    state = games.start(spec)
    result = mcts.search(state, simulations=20)
    assert (result.move is None) == (state.turn == CHANCE)
    assert result.move is None or result.move in state.moves()
    low, high = state.bounds
    assert low <= (-result.value if state.zero_sum and state.turn == 1 else result.value) <= high


@pytest.mark.parametrize("spec", SMALL)
def test_the_same_seed_gives_the_same_result(spec: str) -> None:
    state = games.start(spec)
    one, two = (mcts.search(state, simulations=60, random=Random(9)) for _ in range(2))
    assert one == two
    assert mcts.search(state, simulations=60) == mcts.search(state, simulations=60, random=Random(0))


def test_unless_told_otherwise_there_are_a_thousand_simulations() -> None:
    state = games.start("connect4")
    assert mcts.search(state) == mcts.search(state, simulations=1000) == mcts.search(state, budget=Budget())


@pytest.mark.parametrize("spec", ["connect4", "pig", "kuhn", "ludo:players=3", "maze", "tree:three"])
@pytest.mark.parametrize("nodes", [0, 1, 2, 3, 5, 30, 500])
def test_a_budget_of_nodes_is_kept_and_leaves_a_legal_move(spec: str, nodes: int) -> None:
    state = games.start(spec)
    result = mcts.search(state, budget=Budget(nodes=nodes))
    assert result.nodes <= nodes + 1
    assert (result.move is None) == (state.turn == CHANCE)
    assert result.move is None or result.move in state.moves()


def test_time_that_is_up_stops_it_and_leaves_a_legal_move() -> None:
    state = games.start("connect4")
    for seconds in (0.0, 1.0, 10.0):
        ticks = count()
        result = mcts.search(state, budget=Budget.seconds(seconds, lambda ticks=ticks: float(next(ticks))))  # type: ignore[misc]
        assert result.move in state.moves()
        assert next(ticks) <= seconds + 2


def test_whichever_limit_comes_first_ends_it() -> None:
    state = games.start("connect4")
    few = mcts.search(state, simulations=10, budget=Budget(nodes=10**6))
    assert few == mcts.search(state, simulations=10)
    assert mcts.search(state, simulations=10**6, budget=Budget(nodes=300)).nodes <= 301


def test_of_equal_moves_the_first_is_chosen() -> None:
    assert mcts.search(_tree({"a": 0, "b": 0, "c": 0}), simulations=50).move == "a"
    lost = {label: {"x": {"y": -1}} for label in "abc"}
    assert mcts.search(_tree(lost), simulations=50).move == "a"


def test_at_a_depth_of_one_it_is_the_estimate_that_counts() -> None:
    node = {label: {"@estimate": [at / 10, -at / 10], "x": 0} for at, label in enumerate("abcd")}
    result = mcts.search(_tree(node), depth=1, simulations=500)
    assert (result.move, result.depth, result.exact) == ("d", 1, False)
    assert result.value == pytest.approx(0.3)
    mirrored = mcts.search(_tree(node), depth=1, simulations=500, evaluate=lambda state, seat: -state.evaluate(seat))
    assert mirrored.move == "a"


def test_an_endless_game_is_judged_after_400_plies() -> None:
    result = mcts.search(games.start("pig:goal=500"), simulations=3, rollout=lambda state, _: state.moves()[0])
    assert result.nodes == 3 * 401


def test_a_game_that_is_over_is_worth_its_utility() -> None:
    for spec, text in [("tictactoe", "xxx/oo./..."), ("kuhn", "QK bet call")]:
        state = games.load(spec, text)
        result = mcts.search(state)
        assert (result.value, result.move, result.line, result.exact) == (state.utilities()[0], None, (), True)


def test_a_depth_of_0_is_the_estimate() -> None:
    result = mcts.search(games.start("connect4"), depth=0)
    assert (result.value, result.move, result.nodes, result.exact) == (0.0, None, 1, False)


def test_a_rollout_of_one_s_own_is_asked_outside_the_tree() -> None:
    asked = []

    def first(state: Any, random: Random) -> Any:
        asked.append(state.position())
        return state.moves()[0]

    mcts.search(games.start("connect4"), simulations=1, rollout=first)
    assert len(asked) > 3
    assert asked[0].count("x") == 1


def test_the_trace_tells_each_simulation_s_way_through_the_tree() -> None:
    trace = Trace()
    mcts.search(games.start("connect4"), simulations=8, trace=trace)
    kinds = [event.kind for event in trace.events]
    assert kinds.count(EventKind.INIT) == 1
    assert kinds.count(EventKind.LEAF) == 8
    assert sorted({event.path[1] for event in trace.events[1:]}) == list("1234567")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"simulations": 0}, "expected 1 or more simulations, got 0"),
        ({"exploration": -1.0}, "expected an exploration of 0 or more, got -1"),
        ({"depth": -1}, "expected a depth of 0 or more plies, got -1"),
    ],
)
def test_limits_that_make_no_sense_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSearch, match=f"mcts: {message}"):
        mcts.search(games.start("connect4"), **settings)


def _tree(node: Any, **description: Any) -> Tree:
    drawn = read({"tree": {"root": node}, **description})
    return Tree.at(drawn, drawn.root)


def test_without_a_simulation_nothing_hidden_is_told_either() -> None:
    for first, others in (("Q", "JK"), ("K", "JQ")):
        values = {
            mcts.search(games.load("kuhn", first + other), budget=Budget(nodes=0), random=Random(3)).value
            for other in others
        }
        assert len(values) == 1
