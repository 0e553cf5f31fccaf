"""Winning: the values against the definition, and the strategies against every reply."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adsearch import games, winning
from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.games.tree import Tree
from adsearch.result import Bound
from adsearch.table import Table
from adsearch.trace import Trace
from adsearch.winning import Strategy
from tests.kit.effort import tries
from tests.kit.game_facts import facts, value
from tests.kit.random_trees import trees, wins_and_losses

NAP = facts("games.json")["nap"]


def sign(number: float) -> int:
    """1, 0 or -1."""
    return (number > 0) - (number < 0)


def told(state: Any, number: float) -> float:
    """`number`, which is seat 0's, for the seat to move."""
    return -number if state.turn == 1 else number


def holds(state: Any, strategy: Strategy[Any]) -> bool:
    """Whether the strategy has a legal move wherever its seat moves, an answer to every reply, and always wins if it
    says so, or else never loses."""
    if state.turn is None:
        worth = state.utilities()[strategy.seat]
        return not strategy.moves and (worth > 0 if strategy.wins else worth == 0)
    if strategy.wins and not all(after.wins for after in strategy.moves.values()):
        return False
    if state.turn == strategy.seat:
        if len(strategy.moves) != 1 or not set(strategy.moves) <= set(state.moves()):
            return False
    elif tuple(strategy.moves) != state.moves():
        return False
    return all(after.seat == strategy.seat for after in strategy.moves.values()) and all(
        holds(state.play(move), after) for move, after in strategy.moves.items()
    )


@pytest.mark.parametrize(("n", "outcome"), list(NAP["first_player"].items()))
def test_it_knows_who_wins_nap(n: str, outcome: str) -> None:
    state = games.start(f"nap:n={n}")
    result = winning.search(state)
    assert (result.value, result.exact, result.bound) == (1 if outcome == "win" else -1, True, Bound.EXACT)
    if outcome == "win":
        assert result.move in NAP["winning_first_moves"][n]


@pytest.mark.parametrize("n", range(1, 15))
def test_one_seat_has_a_strategy_for_nap_and_it_always_wins(n: int) -> None:
    state = games.start(f"nap:n={n}")
    strategy = winning.strategy(state)
    assert strategy is not None
    assert strategy.seat == (0 if winning.search(state).value > 0 else 1)
    assert holds(state, strategy)
    assert winning.strategy(state, seat=1 - strategy.seat) is None


def test_nap_is_known_up_to_twenty_numbers() -> None:
    winners = [winning.search(games.start(f"nap:n={n}")) for n in range(12, 21)]
    assert [result.value for result in winners] == [-1, -1, -1, -1, -1, 1, -1, -1, -1]
    assert winners[-1].nodes < 20_000


@pytest.mark.parametrize(("pile", "outcome"), list(facts("games.json")["grundy"]["first_player"].items()))
def test_it_knows_who_wins_grundys_game(pile: str, outcome: str) -> None:
    assert winning.search(games.start(f"grundy:pile={pile}")).value == (1 if outcome == "win" else -1)


def test_where_nobody_can_force_a_win_the_value_is_0_and_the_move_keeps_the_draw() -> None:
    state: Any = games.start("tictactoe")
    for _ in range(9):
        result = winning.search(state)
        assert (result.value, result.exact, result.bound) == (0, True, Bound.EXACT)
        assert winning.strategy(state) is None
        assert value(state.play(result.move)) == 0
        state = state.play(result.move)
    assert state.turn is None


def test_it_stops_at_the_first_move_that_wins() -> None:
    state = games.start("nap:n=4")
    trace = Trace()
    result = winning.search(state, trace=trace, table=False)
    assert result.move == 1
    assert all(event.path[1] == "1" for event in trace.events[1:])
    assert trace.events[-1].cutoff


@settings(max_examples=tries(150))
@given(tree=trees(depth=5), table=st.booleans())
def test_the_value_has_the_sign_of_the_games_and_is_a_bound_on_the_right_side(tree: Tree, table: bool) -> None:
    true = told(tree, value(tree))
    result = winning.search(tree, table=table)
    assert sign(result.value) == sign(true)
    if result.bound is Bound.EXACT:
        assert result.exact
        assert result.value == true
    else:
        assert not result.exact
        assert result.value > 0 if result.bound is Bound.LOWER else result.value < 0
        assert result.value <= true if result.bound is Bound.LOWER else result.value >= true
    if true >= 0:
        assert sign(told(tree, value(tree.play(result.move or "")))) == sign(true)


@settings(max_examples=tries(150))
@given(tree=wins_and_losses(depth=5))
def test_where_wins_and_losses_are_all_there_is_the_value_is_exact(tree: Tree) -> None:
    result = winning.search(tree)
    assert (result.value, result.exact, result.bound) == (told(tree, value(tree)), True, Bound.EXACT)


@settings(max_examples=tries(150))
@given(tree=trees(depth=5), seat=st.integers(0, 1))
def test_a_seat_has_a_strategy_exactly_where_it_can_force_a_win(tree: Tree, seat: int) -> None:
    worth = value(tree) if seat == 0 else -value(tree)
    strategy = winning.strategy(tree, seat=seat)
    assert (strategy is not None) == (worth > 0)
    if strategy is not None:
        assert strategy.seat == seat
        assert holds(tree, strategy)
    result = winning.search(tree, seat=seat)
    assert (result.value > 0 if seat == tree.turn else result.value < 0) == (worth > 0)
    secured = result.value if seat == tree.turn else -result.value
    assert secured <= worth if worth > 0 else secured >= worth


@settings(max_examples=tries(100))
@given(tree=trees(depth=5), depth=st.integers(0, 5), table=st.booleans())
def test_what_lies_beyond_the_depth_counts_as_0(tree: Tree, depth: int, table: bool) -> None:
    def cut(state: Any, left: int) -> float:
        if state.turn is None or left == 0:
            return float(state.utilities()[0]) if state.turn is None else 0.0
        values = [cut(state.play(move), left - 1) for move in state.moves()]
        return max(values) if state.turn == 0 else min(values)

    result = winning.search(tree, depth=depth, table=table)
    assert sign(result.value) == sign(told(tree, cut(tree, depth)))
    if result.exact:
        assert result.value == told(tree, value(tree))


@settings(max_examples=tries(50))
@given(tree=trees(players=1, depth=4))
def test_a_single_player_wins_where_a_leaf_is_a_win(tree: Tree) -> None:
    result = winning.search(tree)
    assert (result.value > 0) == (value(tree) > 0)
    strategy = winning.strategy(tree)
    assert (strategy is not None) == (value(tree) > 0)
    assert strategy is None or holds(tree, strategy)


def test_a_search_that_is_cut_off_still_has_a_legal_move() -> None:
    state = games.start("connect4")
    for nodes in (0, 1, 10, 1000):
        result = winning.search(state, budget=Budget(nodes=nodes))
        assert result.move in state.moves()
        assert not result.exact
        assert result.nodes <= nodes + 1


def test_one_budget_is_used_for_both_searches() -> None:
    state = games.start("tictactoe")
    whole = winning.search(state).nodes
    assert winning.search(state, budget=Budget(nodes=whole)).exact
    cut = winning.search(state, budget=Budget(nodes=whole - 1))
    assert not cut.exact
    assert cut.move in state.moves()


def test_a_strategy_is_read_off_a_table_that_knows_it() -> None:
    class Counting(Table):
        written = 0

        def put(self, *entry: Any) -> None:
            self.written += 1
            super().put(*entry)

    state, table = games.start("nap:n=11"), Counting()
    winning.search(state, table=table)
    written = table.written
    assert winning.strategy(state, table=table) is not None
    assert table.written == written


def test_a_small_table_forgets_but_does_not_err() -> None:
    for n in range(1, 12):
        state, table = games.start(f"nap:n={n}"), Table(8)
        strategy = winning.strategy(state, table=table)
        assert strategy is not None
        assert holds(state, strategy)


def test_positions_that_are_reached_twice_share_their_strategy() -> None:
    strategy = winning.strategy(games.start("nap:n=20"))
    assert strategy is not None
    seen: set[int] = set()
    waiting = [strategy]
    while waiting:
        strategy = waiting.pop()
        if id(strategy) not in seen:
            seen.add(id(strategy))
            waiting += strategy.moves.values()
    assert len(seen) < 20_000


def test_a_game_that_is_over_is_worth_its_utility() -> None:
    over = games.load("nap:n=2", "1 2")
    result = winning.search(over)
    assert (result.value, result.move, result.exact, result.distance) == (-1, None, True, 0)
    assert winning.strategy(over) is not None
    assert winning.strategy(over, seat=0) is None


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("pig", {}, "does not support chance"),
        ("ludo:players=3", {}, "for two players"),
        ("nap", {"seat": 2}, "expected a seat from 0 to 1, got 2"),
        ("nap", {"seat": -1}, "expected a seat from 0 to 1, got -1"),
        ("nap", {"depth": -1}, "expected a depth of 0 or more plies, got -1"),
    ],
)
def test_wrong_use_is_one_clear_error(spec: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSearch, match=message):
        winning.search(games.start(spec), **options)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("spec", ["tictactoe", "tictactoe:m=3,n=4,k=4", "connect4:rows=4,columns=4"])
def test_each_seat_never_loses_a_drawn_game(spec: str, seat: int) -> None:
    state = games.start(spec)
    strategy = winning.defence(state, seat=seat)
    assert strategy is not None
    assert (strategy.seat, strategy.wins) == (seat, False)
    assert holds(state, strategy)


@given(trees())
def test_a_seat_has_a_defence_unless_the_other_side_wins(state: Tree) -> None:
    for seat in (0, 1):
        worth = value(state) if seat == 0 else -value(state)
        strategy = winning.defence(state, seat=seat)
        assert (strategy is None) == (worth < 0)
        if strategy is not None:
            assert strategy.wins == (worth > 0)
            assert holds(state, strategy)


def test_a_defence_that_is_not_found_in_time_is_none() -> None:
    assert winning.defence(games.start("connect4"), budget=Budget(nodes=100)) is None
