"""Expectiminimax and its pruning, on random trees with chance, on the games, and on an exam question."""

from math import inf
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adsearch import CHANCE, Budget, Trace, alphabeta, expectiminimax, games
from adsearch.errors import BadSearch
from adsearch.expectiminimax import Pruning
from adsearch.games.tree import Tree, read
from adsearch.terms import root_seat
from tests.kit.effort import tries
from tests.kit.random_trees import random_tree, trees

PRUNINGS: tuple[Pruning, ...] = ("star1", "star2")


def truth(state: Any, depth: float = inf) -> float:
    """The expected value to seat 0: the definition."""
    if state.turn is None or depth == 0:
        return float(state.evaluate(0))
    if state.turn == CHANCE:
        return float(sum(chance * truth(state.play(outcome), depth - 1) for outcome, chance in state.chances()))
    values = [truth(state.play(move), depth - 1) for move in state.moves()]
    return max(values) if state.turn == 0 else min(values)


def for_the_mover(state: Any, value: float) -> float:
    return -value if root_seat(state) else value


def visited(trace: Trace) -> set[tuple[str, ...]]:
    return {event.path for event in trace.events}


@pytest.mark.parametrize("pruning", ["none", *PRUNINGS])
@settings(max_examples=tries(200))
@given(tree=trees(chance=True), depth=st.integers(1, 5))
def test_the_value_is_that_of_the_definition(pruning: Pruning, tree: Tree, depth: int) -> None:
    result = expectiminimax.search(tree, depth=depth, pruning=pruning)
    assert result.value == pytest.approx(for_the_mover(tree, truth(tree, depth)), abs=1e-12)
    if tree.turn == CHANCE:
        assert result.move is None
    else:
        assert result.move is not None
        assert truth(tree.play(result.move), depth - 1) == pytest.approx(truth(tree, depth), abs=1e-12)


@pytest.mark.parametrize("pruning", PRUNINGS)
@settings(max_examples=tries(100))
@given(tree=trees(chance=True), depth=st.integers(1, 5), low=st.floats(-3, 3))
def test_a_table_and_an_ordering_change_no_value(pruning: Pruning, tree: Tree, depth: int, low: float) -> None:
    plain = expectiminimax.search(tree, depth=depth, pruning=pruning)
    both = expectiminimax.search(tree, depth=depth, pruning=pruning, table=True, ordering=True)
    assert both.value == pytest.approx(plain.value, abs=1e-12)
    window = expectiminimax.search(tree, depth=depth, pruning=pruning, table=True, alpha=low)
    assert window.value == pytest.approx(plain.value, abs=1e-12) or plain.value <= window.value <= low


@pytest.mark.parametrize("spec", ["pig:goal=12", "ludo:players=2"])
def test_a_table_saves_nodes_in_games_where_positions_repeat(spec: str) -> None:
    state = games.start(spec)
    for pruning in PRUNINGS:
        plain, known = (expectiminimax.search(state, depth=4, pruning=pruning, table=table) for table in (False, True))
        assert known.value == pytest.approx(plain.value, abs=1e-12)
        assert known.nodes < plain.nodes


def test_star2_needs_the_best_move_first() -> None:
    """MAX has 8 moves, after each one of 4 outcomes MIN has 8 moves."""
    random = Random(1)
    outcomes = [[random.randrange(100) for _ in range(8)] for _ in range(8 * 4)]

    def nodes(pruning: Pruning, leaves: list[list[int]]) -> int:
        replies = [{f"m{at}": leaf for at, leaf in enumerate(each)} | {"@turn": "MIN"} for each in leaves]
        moves = {
            f"M{at}": {"@turn": "chance"} | {f"o{each}": replies[4 * at + each] for each in range(4)} for at in range(8)
        }
        drawn = read({"bounds": [0, 100], "tree": {"root": moves}})
        return expectiminimax.search(Tree.at(drawn, drawn.root), pruning=pruning).nodes

    best_first = sorted(map(sorted, outcomes), key=min, reverse=True)
    worst_first = [each[::-1] for each in reversed(best_first)]
    assert nodes("star2", best_first) < nodes("star1", best_first) / 2
    assert nodes("star2", worst_first) > nodes("star1", worst_first)


@pytest.mark.parametrize("pruning", PRUNINGS)
@settings(max_examples=tries(200))
@given(tree=trees(chance=True, depth=5))
def test_pruning_visits_no_more_positions(pruning: Pruning, tree: Tree) -> None:
    plain, pruned = Trace(), Trace()
    nodes = expectiminimax.search(tree, trace=plain).nodes
    result = expectiminimax.search(tree, trace=pruned, pruning=pruning)
    assert visited(pruned) <= visited(plain)
    assert pruning == "star2" or result.nodes <= nodes


@pytest.mark.parametrize("pruning", PRUNINGS)
@settings(max_examples=tries(150))
@given(tree=trees(chance=True), low=st.floats(-3, 3), width=st.floats(0.001, 3), depth=st.integers(1, 5))
@example(tree=random_tree(Random(4556), chance=True), low=-3.78e-205, width=1.0, depth=4)
def test_outside_its_window_a_result_is_a_bound(
    pruning: Pruning, tree: Tree, low: float, width: float, depth: int
) -> None:
    value, high = for_the_mover(tree, truth(tree, depth)), low + width
    result = expectiminimax.search(tree, depth=depth, pruning=pruning, alpha=low, beta=high)
    if result.value <= low:
        assert value <= result.value + 1e-12
    elif result.value >= high:
        assert value >= result.value - 1e-12
    else:
        assert result.value == pytest.approx(value, abs=1e-12)


@settings(max_examples=tries(100))
@given(tree=trees())
def test_without_chance_star1_is_alphabeta(tree: Tree) -> None:
    star, plain = expectiminimax.search(tree, pruning="star1"), alphabeta.search(tree)
    assert (star.value, star.move, star.nodes) == (plain.value, plain.move, plain.nodes)


def test_the_coins_are_worth_what_the_lecture_says() -> None:
    assert expectiminimax.search(games.start("tree:coins")).value == 3.5


@pytest.mark.parametrize("pruning", PRUNINGS)
def test_utilities_that_are_bounded_below_only_prune_from_below(pruning: Pruning) -> None:
    """The exam: MIN may go to a node worth 2, and every utility is 1 or more. After a first outcome of 4, chance 1/2,
    the second node is worth 2.5 at least, and MIN need not look at its other outcomes."""
    start = games.start("tree:bounded_below")
    assert list(start.bounds) == [1, inf]
    trace = Trace()
    result = expectiminimax.search(start, pruning=pruning, trace=trace)
    assert (result.value, result.move) == (-2, "B")
    assert visited(trace) == {
        ("A",),
        *((("A", *path.split())) for path in ("B", "B b1", "B b2", "C", "C c1", "D", "D d1")),
    }


def test_utilities_without_bounds_prune_nothing() -> None:
    tree = {"A": {"B": {"@turn": "chance", "b1": 2, "b2": 2}, "C": {"@turn": "chance", "c1": 4, "c2": 3}}}
    from adsearch.games.tree import read

    drawn = read({"root": "MIN", "bounds": [None, None], "tree": tree})
    start = Tree.at(drawn, drawn.root)
    for pruning in PRUNINGS:
        assert expectiminimax.search(start, pruning=pruning).nodes >= expectiminimax.search(start).nodes


@pytest.mark.parametrize(
    ("spec", "depth"),
    [("pig:goal=10", 6), ("ludo:players=2,tokens=2", 4), ("kuhn", 5), ("maze:map=tiny,ghosts=random", 5)],
)
def test_on_games_of_chance_pruning_changes_nothing(spec: str, depth: int) -> None:
    start = games.start(spec)
    plain = expectiminimax.search(start, depth=depth)
    for pruning in PRUNINGS:
        pruned = expectiminimax.search(start, depth=depth, pruning=pruning)
        assert pruned.value == pytest.approx(plain.value, abs=1e-12)


def test_a_game_that_may_never_end_needs_a_depth_or_a_budget() -> None:
    start = games.start("pig")
    with pytest.raises(BadSearch, match="expectiminimax: this game has no limit of plies; give a depth or a budget"):
        expectiminimax.search(start)
    result = expectiminimax.search(start.play("4"), budget=Budget(nodes=2000))
    assert result.move in ("roll", "hold")
    assert result.depth is not None
    assert result.depth >= 3
    assert result.nodes <= 2001


def test_a_window_without_pruning_is_refused() -> None:
    with pytest.raises(BadSearch, match="a window needs pruning"):
        expectiminimax.search(games.start("kuhn"), alpha=0, beta=1)
    with pytest.raises(BadSearch, match="expected pruning none, star1 or star2, got 'star3'"):
        expectiminimax.search(games.start("kuhn"), pruning="star3")  # type: ignore[arg-type]
