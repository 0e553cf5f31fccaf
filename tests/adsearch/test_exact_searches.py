"""All exact searches of zero-sum games agree with a definition of six lines, on random trees and on the games."""

from collections.abc import Callable
from functools import partial
from math import ceil, floor, inf
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsearch import (
    Result,
    Table,
    Trace,
    alphabeta,
    aspiration,
    bisection,
    deepening,
    expectiminimax,
    games,
    minimax,
    mtdf,
    negamax,
    parallel,
    pvs,
    quiescence,
)
from adsearch.games.tree import Tree
from adsearch.result import Bound
from adsearch.terms import root_seat
from tests.kit.effort import tries
from tests.kit.game_facts import facts
from tests.kit.places import TRUTHS
from tests.kit.random_trees import random_tree, trees, uniform_tree, wins_and_losses

Search = Callable[..., Result[Any]]

EXACT: dict[str, Search] = {
    "minimax": minimax.search,
    "negamax": negamax.search,
    "expectiminimax": expectiminimax.search,
    "star1": partial(expectiminimax.search, pruning="star1"),
    "star2": partial(expectiminimax.search, pruning="star2"),
    "alphabeta": alphabeta.search,
    "alphabeta failing hard": partial(alphabeta.search, fail="hard"),
    "alphabeta with a table": partial(alphabeta.search, table=True),
    "alphabeta with all": partial(alphabeta.search, table=True, ordering=True),
    "alphabeta in reverse": partial(alphabeta.search, ordering=lambda state: tuple(reversed(state.moves()))),
    "aspiration": aspiration.search,
    "aspiration from a wrong guess": partial(aspiration.search, guess=2.5, margin=0.01, table=True),
    "mtdf": mtdf.search,
    "mtdf from a wrong guess": partial(mtdf.search, guess=99.0, ordering=True),
    "mtdf without a table": partial(mtdf.search, table=False),
    "bisection": bisection.search,
    "parallel": parallel.search,
    "pvs": pvs.search,
    "pvs with a table": partial(pvs.search, table=True),
    "pvs with all": partial(pvs.search, table=True, ordering=True),
    "deepening": deepening.search,
    "deepening alphabeta": partial(deepening.search, algorithm="alphabeta"),
    "deepening mtdf": partial(deepening.search, algorithm="mtdf"),
    "deepening without aids": partial(deepening.search, table=False, ordering=False),
}
CUTTING = [name for name in EXACT if name not in ("minimax", "negamax", "expectiminimax")]
every_search = pytest.mark.parametrize("name", EXACT)


def truth(state: Any, depth: float = inf) -> float:
    """The value to seat 0, looking `depth` plies ahead: the definition."""
    if state.turn is None or depth == 0:
        return float(state.evaluate(0))
    values = [truth(state.play(move), depth - 1) for move in state.moves()]
    return max(values) if state.turn == 0 else min(values)


def told(state: Any, value: float) -> float:
    """`value`, which is seat 0's, for the seat to move."""
    return -value if root_seat(state) else value


def true_distance(state: Any) -> int:
    """Plies to the end when winners hurry and losers hold out."""
    if state.turn is None:
        return 0
    value = truth(state)
    plies = [true_distance(child) for child in map(state.play, state.moves()) if truth(child) == value]
    return 1 + (min(plies) if told(state, value) > 0 else max(plies))


def check(name: str, state: Tree, depth: int | None = None) -> None:
    """The value is right, and the move and the line lead to it."""
    result = EXACT[name](state, depth=depth)
    left = inf if depth is None else depth
    assert result.value == told(state, truth(state, left)), (name, state.position())
    assert result.move in state.moves()
    assert truth(state.play(result.move), left - 1) == truth(state, left)
    end: Any = state
    for move in result.line:
        end = end.play(move)
    assert end.turn is None or len(result.line) == depth
    assert result.line[0] == result.move
    assert told(state, end.evaluate(0)) == result.value
    if depth is None:
        assert result.exact
        assert result.bound is Bound.EXACT


@every_search
@settings(max_examples=tries(50))
@given(tree=trees())
def test_to_the_end_the_value_is_the_true_one(name: str, tree: Tree) -> None:
    check(name, tree)


@every_search
@settings(max_examples=tries(50))
@given(tree=trees(), depth=st.integers(1, 5))
def test_at_any_depth_the_value_is_that_of_the_definition(name: str, tree: Tree, depth: int) -> None:
    if not name.startswith("deepening"):
        check(name, tree, depth)
        return
    # Deepening stops where the value is proven, which may be before that depth.
    result = EXACT[name](tree, depth=depth)
    assert result.depth is not None
    assert result.value == told(tree, truth(tree, inf if result.exact else depth))


@every_search
@settings(max_examples=tries(30))
@given(tree=trees(players=1))
def test_a_single_player_takes_the_best(name: str, tree: Tree) -> None:
    check(name, tree)


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=tries(50))
@given(tree=wins_and_losses(depth=5))
def test_distances_are_right_where_they_are_told(name: str, tree: Tree) -> None:
    result = EXACT[name](tree)
    if name.startswith(("minimax", "negamax", "deepening")) and result.value:
        assert result.distance is not None
    if result.distance is not None and result.value:
        assert result.distance == true_distance(tree)
    if name.startswith("deepening") and result.value:
        assert len(result.line) == result.distance


@pytest.mark.parametrize("name", ["minimax", "alphabeta", "parallel", "pvs"])
def test_of_equal_moves_the_first_is_chosen(name: str) -> None:
    for seed in range(300):
        tree = random_tree(Random(seed))
        first = next(move for move in tree.moves() if truth(tree.play(move)) == truth(tree))
        assert EXACT[name](tree).move == first


WINDOWED: dict[str, Search] = {
    name: EXACT[name]
    for name in (
        *("alphabeta", "alphabeta failing hard", "alphabeta with all", "parallel", "pvs", "pvs with all"),
        *("star1", "star2"),
    )
} | {"quiescence": quiescence.search}


@pytest.mark.parametrize("name", WINDOWED)
@settings(max_examples=tries(100))
@given(tree=trees(), low=st.floats(-3, 3), width=st.floats(0.001, 3), depth=st.integers(1, 5))
def test_outside_its_window_a_result_is_a_bound_on_the_right_side(
    name: str, tree: Tree, low: float, width: float, depth: int
) -> None:
    value = told(tree, truth(tree, depth))
    if name == "quiescence":
        value = quiescence.search(tree, depth=depth).value
    high = low + width
    result = WINDOWED[name](tree, depth=depth, alpha=low, beta=high)
    if result.value <= low:
        assert value <= result.value
        assert result.bound is Bound.UPPER
    elif result.value >= high:
        assert value >= result.value
        assert result.bound is Bound.LOWER
    else:
        assert value == result.value
        assert result.bound is Bound.EXACT
    if name.endswith("hard"):
        assert low <= result.value <= high
    assert not (result.exact and result.bound is not Bound.EXACT)


@settings(max_examples=tries(100))
@given(tree=trees(depth=5))
def test_alphabeta_and_pvs_visit_no_more_than_minimax(tree: Tree) -> None:
    nodes = minimax.search(tree).nodes
    assert alphabeta.search(tree).nodes <= nodes
    visited: set[tuple[str, ...]] = set()
    trace = Trace()
    pvs.search(tree, trace=trace)
    visited = {event.path for event in trace.events}
    assert len(visited) <= nodes


@pytest.mark.parametrize(("depth", "width"), [(2, 3), (3, 3), (4, 3), (5, 2), (6, 2), (3, 5), (4, 4)])
def test_in_the_best_order_alphabeta_sees_exactly_the_least_leaves(depth: int, width: int) -> None:
    tree = uniform_tree(depth, width, Random(depth * 10 + width))

    def best_first(state: Any) -> list[Any]:
        return sorted(state.moves(), key=lambda move: truth(state.play(move)), reverse=state.turn == 0)

    trace = Trace()
    assert alphabeta.search(tree, ordering=best_first, trace=trace).value == truth(tree)
    leaves = [event for event in trace.events if len(event.path) == depth + 1]
    assert len(leaves) == width ** ceil(depth / 2) + width ** floor(depth / 2) - 1


GAMES = [
    "tictactoe:m=3,n=3,k=3",
    "tictactoe:m=2,n=3,k=2",
    "nap:n=9",
    "grundy:pile=11",
    "grundy:piles=6+5",
    "dots:rows=1,columns=2",
    "maze:map=tiny,ghosts=1,steps=3",
    *(
        f"tree:{name}"
        for name in ("professors", "binary", "window", "textbook", "best_first", "worst_first", "horizon")
    ),
]


@pytest.mark.costly
@pytest.mark.parametrize("spec", GAMES)
def test_on_every_small_game_all_agree(spec: str) -> None:
    state = games.start(spec)
    values = {}
    for name, search in EXACT.items():
        result = search(state)
        values[name] = result.value
        assert result.exact, name
        after: Any = state
        for move in result.line:
            after = after.play(move)
        assert after.turn is None
        assert after.utilities()[0] == result.value
    assert len(set(values.values())) == 1, values


@pytest.mark.parametrize(
    "spec", ["connect4", "tictactoe:m=4,n=4,k=4", "othello:size=6", "checkers", "dots", "nap:n=20", "maze:ghosts=1"]
)
@pytest.mark.parametrize("plies", [0, 7])
def test_at_one_depth_tables_and_ordering_change_nothing(spec: str, plies: int) -> None:
    state, random = games.start(spec), Random(spec)
    for _ in range(plies):
        state = state.play(random.choice(state.moves()))
    for depth in (1, 2, 3):
        plain = alphabeta.search(state, depth=depth)
        for name in CUTTING:
            if "star" not in name and "without aids" not in name:
                result = EXACT[name](state, depth=depth)
                if result.depth == depth:
                    assert result.value == plain.value, (name, depth)


def test_a_table_may_be_kept_from_move_to_move() -> None:
    for seed in range(20):
        random, table = Random(seed), Table()
        state: Any = games.start("connect4")
        while state.turn is not None:
            plain = alphabeta.search(state, depth=3)
            kept = pvs.search(state, depth=3, table=table, ordering=True)
            assert kept.value == plain.value
            state = state.play(random.choice(state.moves()))


LECTURES = facts("trees.json")


def test_the_lectures_windows() -> None:
    window = games.start("tree:window")
    assert alphabeta.search(window, alpha=9, beta=11).value == 7
    assert alphabeta.search(window, alpha=9, beta=11, fail="hard").value == 9
    assert alphabeta.search(window, beta=7).value == 3


@pytest.mark.parametrize(("name", "pruned"), [("four_leaves", ["g"]), ("binary", ["4", "G"])])
def test_the_lectures_cut_offs(name: str, pruned: list[str]) -> None:
    assert LECTURES[name]["alphabeta_prunes"] == pruned
    trace = Trace()
    alphabeta.search(games.start(f"tree:{name}"), trace=trace)
    seen = {event.path[-1] for event in trace.events}
    assert not seen & set(pruned)


def test_othello_on_four_by_four_is_lost_by_eight_discs() -> None:
    assert deepening.search(games.start("othello:size=4")).value == -8


@pytest.mark.costly
@pytest.mark.parametrize(
    "spec", ["connect4:rows=4,columns=4", "connect4:rows=4,columns=5", "connect4:rows=5,columns=4"]
)
def test_small_boards_of_connect4_are_draws(spec: str) -> None:
    result = mtdf.search(games.start(spec), ordering=True)
    assert (result.value, result.exact) == (0, True)


@pytest.mark.costly
@pytest.mark.parametrize(("size", "expected"), list(facts("games.json")["dots_and_boxes"]["values"].items()))
def test_dots_and_boxes_come_out_as_published(size: str, expected: float) -> None:
    rows, columns = size.split("x")
    assert mtdf.search(games.start(f"dots:rows={rows},columns={columns}"), ordering=True).value == expected


POSITIONS = [row.split() for row in (TRUTHS / "connect4_positions.txt").read_text().splitlines() if row[0] != "#"]


@pytest.mark.costly
def test_the_published_positions_of_connect4_get_their_exact_score() -> None:
    assert len(POSITIONS) == 300
    for columns, score in POSITIONS:
        state: Any = games.start("connect4")
        for column in columns:
            state = state.play(state.from_text(column))
        result = deepening.search(state)
        assert result.exact
        assert result.distance is not None
        assert result.value == (int(score) > 0) - (int(score) < 0)
        end = state
        for move in result.line:
            end = end.play(move)
        assert end.utilities()[state.turn] == result.value
        assert len(result.line) == result.distance
        if result.value:
            discs_of_the_winner = (len(columns) + result.distance + 1) // 2
            assert int(score) == result.value * (22 - discs_of_the_winner), columns


def test_a_line_that_null_windows_found_leads_to_the_value() -> None:
    # Of replies with the same bound in the table, mtdf once went on with one that was worse.
    check("mtdf", random_tree(Random(19646)))
