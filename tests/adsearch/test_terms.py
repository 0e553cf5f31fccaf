"""Wrong arguments raise the same clear error in every algorithm; every search with a budget returns a legal move."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from adsearch import Budget, Result, Table, algorithms, games
from adsearch.errors import AdsearchError, BadSearch

TWO_PLAYERS = [
    *("minimax", "negamax", "alphabeta", "winning", "proof", "aspiration", "mtdf", "bisection", "pvs"),
    *("quiescence", "selective", "deepening", "parallel"),
]
PLAYS_DICE = ["expectiminimax", "expectimax", "maxn", "paranoid", "mcts", "iteration"]
LIMITED = [name for name in algorithms if name != "iteration"]


class Ticks:
    """A clock that goes on by one second each time it is read."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def search(name: str) -> Callable[..., Result[Any]]:
    found: Callable[..., Result[Any]] = algorithms[name].search
    return found


def test_every_algorithm_is_listed_and_has_a_search_with_a_contract() -> None:
    assert set(algorithms) == {*TWO_PLAYERS, *PLAYS_DICE}
    assert list(algorithms) == list(algorithms.names())
    for name, module in algorithms.items():
        assert module.__doc__, name
        assert module.search.__doc__, name
        parameters = inspect.signature(module.search).parameters
        assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in list(parameters.values())[1:]), (
            f"{name}: options are given by keyword"
        )
        assert {"depth", "budget", "trace"} <= set(parameters)


def test_an_unknown_algorithm_is_refused() -> None:
    with pytest.raises(BadSearch, match="no algorithm 'alphabta'; did you mean 'alphabeta'"):
        algorithms.find("alphabta")
    assert "alphabta" not in algorithms


@pytest.mark.parametrize("name", TWO_PLAYERS)
def test_games_with_chance_are_refused(name: str) -> None:
    with pytest.raises(
        BadSearch, match=f"{name} does not support chance, and this game has it; try expectiminimax or mcts"
    ):
        search(name)(games.start("pig"), budget=Budget(nodes=10))


@pytest.mark.parametrize("name", [*TWO_PLAYERS, "expectiminimax"])
def test_four_players_are_refused(name: str) -> None:
    with pytest.raises(BadSearch, match=f"{name} is for two players, this game has 3; try maxn or paranoid"):
        search(name)(games.start("tree:three"))


@pytest.mark.parametrize("name", LIMITED)
@pytest.mark.parametrize("depth", [-1, 1.5, "3", True])
def test_an_invalid_depth_is_refused(name: str, depth: Any) -> None:
    with pytest.raises(BadSearch, match=rf"{name}: expected a depth of 0 or more plies, got"):
        search(name)(games.start("tree:professors"), depth=depth)


@pytest.mark.parametrize("name", [name for name in algorithms if "alpha" in inspect.signature(search(name)).parameters])
def test_an_empty_window_is_refused(name: str) -> None:
    for alpha, beta in ((1, 1), (2, 1), (float("nan"), 1)):
        with pytest.raises(BadSearch, match="expected a window with alpha below beta"):
            search(name)(games.start("tree:professors"), alpha=alpha, beta=beta)


@pytest.mark.parametrize("name", ["minimax", "negamax", "alphabeta", "pvs", "mtdf", "deepening"])
def test_games_too_long_for_a_search_to_the_end_are_refused(name: str) -> None:
    with pytest.raises(BadSearch, match=f"{name}: this game can last 13440 plies; give a depth or a budget"):
        search(name)(games.start("checkers"))


@pytest.mark.parametrize("name", LIMITED)
@pytest.mark.parametrize("nodes", [0, 1, 2, 7, 50, 500])
def test_a_search_that_is_cut_off_has_a_legal_move(name: str, nodes: int) -> None:
    state = games.start("connect4" if name in TWO_PLAYERS else "tictactoe")
    result = search(name)(state, budget=Budget(nodes=nodes))
    assert result.move in state.moves()
    assert not result.exact
    assert result.nodes <= nodes + 1
    assert state.bounds[0] <= result.value <= state.bounds[1]


@pytest.mark.parametrize("name", LIMITED)
def test_the_clock_that_is_passed_in_ends_a_search(name: str) -> None:
    clock = Ticks()
    state = games.start("connect4" if name in TWO_PLAYERS else "tictactoe:m=4,n=4,k=4")
    result = search(name)(state, budget=Budget.seconds(200, clock))
    assert result.move in state.moves()
    # One look at the clock after the last node that was in time, and one for each search that noticed.
    assert clock.now <= 220


@pytest.mark.parametrize("name", algorithms.names())
def test_a_game_that_is_over_has_its_utility_and_no_move(name: str) -> None:
    over = games.load("tictactoe", "xxx/oo./...")
    result = search(name)(over)
    assert (result.value, result.move, result.line) == (1, None, ())
    assert result.exact


def test_budgets_and_tables_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadSearch, match="expected a budget of 0 or more nodes, got -1"):
        Budget(nodes=-1)
    with pytest.raises(BadSearch, match="expected both `until` and `clock`"):
        Budget(until=3.0)
    with pytest.raises(BadSearch, match="expected a table of 2 or more entries, got 1"):
        Table(1)
    with pytest.raises(AdsearchError, match="selective: expected a width of 1 or more moves, got 0"):
        search("selective")(games.start("connect4"), depth=2, width=0)
    with pytest.raises(AdsearchError, match="aspiration: expected a margin above 0, got 0"):
        search("aspiration")(games.start("connect4"), depth=2, margin=0)
    with pytest.raises(AdsearchError, match="expected alphabeta, pvs or mtdf as the algorithm, got 'dfs'"):
        search("deepening")(games.start("connect4"), depth=2, algorithm="dfs")
    with pytest.raises(AdsearchError, match="expected fail='soft' or 'hard', got 'firm'"):
        search("alphabeta")(games.start("connect4"), depth=2, fail="firm")
