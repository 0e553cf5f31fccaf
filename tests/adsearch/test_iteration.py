"""Value iteration: published probabilities, and small graphs against an exhaustive search of all strategies."""

from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any, Self

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsearch import CHANCE, State, expectiminimax, games, iteration, minimax
from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.games.pig import Pig
from adsearch.games.tree import Tree
from adsearch.iteration import components
from adsearch.result import Bound
from adsearch.trace import Trace
from tests.kit.effort import tries
from tests.kit.every_game import positions
from tests.kit.game_facts import facts
from tests.kit.random_trees import trees

PIG = facts("games.json")["pig"]


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes by number: whose turn it is, or an end with its value for seat 0, and what follows (evenly, by chance)."""

    turns: tuple[int | None, ...]
    after: tuple[tuple[int, ...], ...]
    values: tuple[float, ...]


class At(State[int]):
    """A position on a graph; a move is the place of its node among those that follow."""

    chance = True

    def __init__(self, graph: Graph, node: int = 0) -> None:
        self.graph, self.node, self.turn = graph, node, graph.turns[node]

    def moves(self) -> tuple[int, ...]:
        return tuple(range(len(self.graph.after[self.node])))

    def chances(self) -> tuple[tuple[int, float], ...]:
        moves = self.moves()
        return tuple((move, 1 / len(moves)) for move in moves) if self.turn == CHANCE else ()

    def play(self, move: int) -> Self:
        return type(self)(self.graph, self.graph.after[self.node][move])

    def utilities(self) -> tuple[float, ...]:
        return (self.graph.values[self.node], -self.graph.values[self.node])

    def position(self) -> str:
        return str(self.node)


def graph(text: str) -> At:
    """The game on a graph such as "max: 1 2 | -1.0 | min: 0 2": a node for each part, an end where it is a number."""
    turns, after, values = [], [], []
    for part in text.split("|"):
        name, colon, nodes = part.strip().partition(":")
        turns.append({"max": 0, "min": 1, "chance": CHANCE}[name] if colon else None)
        after.append(tuple(map(int, nodes.split())))
        values.append(0.0 if colon else float(name))
    return At(Graph(tuple(turns), tuple(after), tuple(values)))


def random_graph(seed: int, *, inner: int, chance: bool) -> At:
    """A game on a graph of so many inner nodes, any of which may lead to any other, and four ends."""
    random = Random(seed)
    ends = random.sample((-1.0, -0.6, -0.25, 0.0, 0.3, 0.5, 1.0), 4)
    kinds = (0, 1, CHANCE) if chance else (0, 1)
    turns = (*(random.choice(kinds) for _ in range(inner)), None, None, None, None)
    after = [tuple(random.choices(range(inner + 4), k=random.choice((1, 2, 2, 3)))) for _ in range(inner)]
    for node in range(inner):
        if turns[node] == CHANCE and random.random() < 0.4:
            after[node] += (node,) * random.choice((3, 20))
    return At(Graph(turns, (*after, (), (), (), ()), (*[0.0] * inner, *ends)))


def chain_values(graph: Graph, follow: dict[int, int]) -> Any:
    """What each node is worth when players follow these choices; to go round for ever is worth 0."""
    size = len(graph.turns)
    steps = np.zeros((size, size))
    for node, after in enumerate(graph.after):
        if graph.turns[node] is None:
            steps[node, node] = 1.0
        else:
            for child in after if graph.turns[node] == CHANCE else [after[follow[node]]]:
                steps[node, child] += 1.0 / (len(after) if graph.turns[node] == CHANCE else 1)
    for _ in range(40):
        steps = steps @ steps
        steps /= steps.sum(axis=1, keepdims=True)
    return steps @ np.array(graph.values)


def solved_by_trying(graph: Graph) -> Any:
    """The best of MAX's fixed choices against the worst of MIN's, for every node: such games need no others."""
    nodes = [[node for node, turn in enumerate(graph.turns) if turn == seat] for seat in (0, 1)]
    mine, theirs = (list(product(*(range(len(graph.after[node])) for node in seat))) for seat in nodes)
    worst = [
        np.min(
            [chain_values(graph, dict(zip(nodes[0] + nodes[1], own + other, strict=True))) for other in theirs], axis=0
        )
        for own in mine
    ]
    return np.max(worst, axis=0)


@pytest.mark.parametrize(("goal", "chance"), list(PIG["first_player_wins"].items()))
def test_the_first_players_chance_at_pig_is_as_published(goal: str, chance: float) -> None:
    result = iteration.search(games.start(f"pig:goal={goal}"))
    assert (result.value + 1) / 2 == pytest.approx(chance, abs=1e-12)
    assert (result.exact, result.bound, result.move) == (True, Bound.EXACT, None)


@pytest.mark.parametrize(("goal", "chance"), [(2, 4 / 7), (3, 6 / 11)])
def test_piglet_comes_out_as_published(goal: int, chance: float) -> None:
    state = games.start(f"pig:goal={goal},sides=2,bust=1,points=fixed")
    assert (iteration.search(state).value + 1) / 2 == pytest.approx(chance, abs=1e-12)


def test_the_policy_of_pig_holds_what_wins_and_rolls_when_far_behind() -> None:
    solution = iteration.solve(games.start("pig:goal=20"))
    assert solution.policy[(10, 0), 0, 10, 0] == "hold"
    assert solution.policy[(0, 19), 0, 2, 0] == "roll"
    assert all(
        solution.policy[state.key] == "hold"
        for state in positions("pig:goal=20")
        if state.key in solution.policy and state.noisy_moves()
    )


def test_its_values_are_those_that_its_moves_lead_to() -> None:
    solution = iteration.solve(games.start("pig:goal=10"))
    seen = 0
    for state in positions("pig:goal=10"):
        after = [solution.values[state.play(move).key] for move in state.moves()]
        value = solution.values[state.key]
        if state.turn is None:
            assert value == state.utilities()[0]
        elif state.turn == CHANCE:
            odds = [chance for _, chance in state.chances()]
            assert value == pytest.approx(sum(map(float.__mul__, odds, after)), abs=1e-11)
        else:
            best = max(after) if state.turn == 0 else min(after)
            assert value == pytest.approx(best, abs=1e-11)
            assert solution.values[state.play(solution.policy[state.key]).key] == pytest.approx(best, abs=1e-9)
        seen += 1
    assert seen == len(solution.values)


@settings(max_examples=tries(75))
@given(tree=trees(depth=5, chance=True))
def test_without_repetition_it_is_expectiminimax(tree: Tree) -> None:
    expected, result = expectiminimax.search(tree), iteration.search(tree)
    assert result.value == pytest.approx(expected.value, abs=1e-12)
    assert result.exact
    if tree.turn != CHANCE:
        assert result.move is not None
        (child,) = (tree.play(result.move),)
        worth = iteration.solve(child).values[child.key]
        assert (-worth if tree.turn else worth) == pytest.approx(expected.value, abs=1e-9)


@pytest.mark.parametrize("spec", ["nap:n=9", "tictactoe", "dots:rows=1,columns=2", "maze:map=tiny,ghosts=1,steps=3"])
def test_without_chance_it_is_minimax(spec: str) -> None:
    state = games.start(spec)
    expected, result = minimax.search(state), iteration.search(state)
    assert (result.value, result.move) == (expected.value, expected.move)
    end: Any = state
    for move in result.line:
        end = end.play(move)
    assert end.turn is None
    assert end.utilities()[0] == result.value


@settings(max_examples=tries(200))
@given(seed=st.integers(0, 2**32), chance=st.booleans(), inner=st.integers(1, 5))
def test_on_graphs_it_agrees_with_exhaustive_search(seed: int, chance: bool, inner: int) -> None:
    start = random_graph(seed, inner=inner, chance=chance)
    solution = iteration.solve(start)
    expected = solved_by_trying(start.graph)
    for key, value in solution.values.items():
        assert value == pytest.approx(expected[int(str(key))], abs=1e-7), start.graph
    # The policy, followed by both, gets the values that it promises.
    follow = {int(str(key)): move for key, move in solution.policy.items()}
    everywhere = {node: follow.get(node, 0) for node in range(inner)}
    played = chain_values(start.graph, everywhere)
    for key, value in solution.values.items():
        assert played[int(str(key))] == pytest.approx(value, abs=1e-7), start.graph


@pytest.mark.parametrize(
    "state",
    [
        games.start("pig:goal=15"),
        games.start("pig:goal=20,sides=2,bust=1,points=fixed"),
        # An estimate here is a little too high, and would hold itself in a cycle of moves of one player.
        random_graph(2511, inner=13, chance=True),
        random_graph(3539, inner=11, chance=True),
    ],
    ids=["pig", "piglet", "graph 2511", "graph 3539"],
)
def test_estimated_limits_give_the_same_values_with_fewer_sweeps(
    state: State[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = iteration.solve(state)
    monkeypatch.setattr(iteration, "_FAST", 0.0)
    by_sweeps_alone = iteration.solve(state)
    assert found.values == pytest.approx(by_sweeps_alone.values, abs=1e-11)
    if isinstance(state, Pig):
        assert found.sweeps <= by_sweeps_alone.sweeps / 3


def test_if_both_can_pass_for_ever_the_value_is_0() -> None:
    assert iteration.search(graph("max: 1 2 | min: 0 3 | -0.5 | 0.7")).value == 0
    assert iteration.search(graph("max: 1 2 | min: 0 3 | 0.5 | 0.7")).value == 0.5
    assert iteration.search(graph("max: 1 2 | min: 0 3 | -0.7 | -0.5")).value == -0.5
    assert iteration.search(graph("max: 0")).value == 0


def test_the_winner_does_not_pass_for_ever() -> None:
    result = iteration.search(graph("max: 1 2 | min: 0 3 | 0.5 | 0.7"))
    assert result.move == 1
    assert result.line == (1,)


def test_a_line_ends_where_the_game_repeats() -> None:
    assert iteration.search(graph("max: 1 2 | min: 0 3 | -0.5 | 0.7")).line == (0, 0)


def test_values_in_a_cycle_do_not_support_each_other() -> None:
    # The gamble at node 2 wins at once or goes to node 4, which loses, but so slowly that at first it looks like 0.
    slow = " ".join(["4"] * 50 + ["5"] * 8 + ["0"])
    start = graph(f"max: 1 2 | max: 0 0 | chance: 3 4 | 1.0 | chance: {slow} | -1.0")
    result = iteration.search(start)
    assert result.value == pytest.approx(1 / 17, abs=1e-9)
    assert result.move == 1


def test_of_equal_moves_the_first_is_chosen() -> None:
    assert iteration.search(graph("max: 1 2 3 | 0.2 | 0.5 | 0.5")).move == 1


@settings(max_examples=tries(100))
@given(seed=st.integers(0, 2**32), size=st.integers(1, 12))
def test_components_lead_back_to_each_other_and_come_after_what_they_lead_to(seed: int, size: int) -> None:
    random = Random(seed)
    children = [tuple(random.choices(range(size), k=random.randint(0, 3))) for _ in range(size)]
    reach = {node: {node} for node in range(size)}
    for _ in range(size):
        for node in range(size):
            reach[node] |= {end for child in children[node] for end in reach[child]}
    found = list(components(children))
    assert sorted(node for component in found for node in component) == sorted(reach[0])
    done: set[int] = set()
    for component in found:
        for node in component:
            assert set(component) == {other for other in reach[node] if node in reach[other]}
            assert reach[node] <= done | set(component)
        done |= set(component)


def test_deep_games_need_no_deep_stack() -> None:
    length = 20_000
    text = " | ".join([*(f"max: {node + 1} {max(0, node - 1)}" for node in range(length)), "1.0"])
    assert iteration.search(graph(text)).value == 1


@pytest.mark.parametrize("tolerance", [0.5, 1e-3, 1e-15])
@pytest.mark.parametrize("unit", [1.0, 1e9])
def test_any_tolerance_and_any_size_of_utilities_will_do(tolerance: float, unit: float) -> None:
    start = graph(f"chance: 1 2 2 | {unit} | max: 0 3 | {-unit}")
    assert iteration.search(start, tolerance=tolerance).value == pytest.approx(unit, abs=unit * max(1e-12, tolerance))


def test_the_value_is_for_the_seat_to_move() -> None:
    start = graph("min: 1 2 | 0.5 | 0.25")
    result = iteration.search(start)
    assert (result.value, result.move) == (-0.25, 1)
    assert iteration.solve(start).values["0"] == 0.25


def test_a_trace_shows_the_moves_at_the_root() -> None:
    trace = Trace()
    iteration.search(graph("max: 1 2 | 0.25 | 0.5"), trace=trace)
    assert [(event.name, event.value) for event in trace.events] == [
        ("init", None),
        ("root->0", 0.25),
        ("root->1", 0.5),
    ]


def test_a_game_that_is_over_is_worth_its_utility() -> None:
    result = iteration.search(graph("-0.5"))
    assert (result.value, result.move, result.exact, result.distance) == (-0.5, None, True, 0)


def test_out_of_budget_it_still_returns_a_legal_move() -> None:
    state = games.start("pig:goal=10").play("3")
    for nodes in (0, 10, 500):
        result = iteration.search(state, budget=Budget(nodes=nodes))
        assert (result.move, result.exact, result.value) == ("roll", False, state.evaluate(0))
    assert iteration.search(state, budget=Budget(nodes=5_000)).exact


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("ludo:players=3", {}, "iteration is for two players"),
        ("pig", {"most": 1000}, "iteration: this game has more than 1,000 positions"),
        ("pig:goal=5", {"depth": 3}, "iteration solves the whole game and has no depth"),
        ("pig:goal=5", {"tolerance": 0.0}, "expected a tolerance between 0 and 1, got 0.0"),
    ],
)
def test_wrong_use_is_one_clear_error(spec: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSearch, match=message):
        iteration.search(games.start(spec), **options)
