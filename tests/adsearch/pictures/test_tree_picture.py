"""Pictures of trees: the data of every node, for game trees and search trees."""

from random import Random

import pytest

from adsearch import alphabeta, expectiminimax, games, minimax, mtdf, negamax, pvs, winning
from adsearch.budget import Budget
from adsearch.errors import BadSearch
from adsearch.pictures.tree_drawing import as_svg
from adsearch.pictures.tree_picture import MOST, Node, Picture, Shape, game_tree, search_tree
from adsearch.result import Bound
from adsearch.trace import Trace
from adsearch.trace_calls import Nodes
from tests.kit.every_game import AnyState
from tests.kit.game_facts import facts, value
from tests.kit.random_trees import random_tree


def searched(state: AnyState, algorithm: AnyState = alphabeta, **options: AnyState) -> Picture:
    trace = Trace()
    return search_tree(state, trace, algorithm.search(state, trace=trace, **options))


def test_trees_show_themselves_and_are_one_line_of_text() -> None:
    state = games.start("tree:professors")
    trace = Trace()
    picture = search_tree(state, trace, alphabeta.search(state, trace=trace))
    assert picture._repr_svg_() == as_svg(picture)
    assert repr(picture) == (
        "<Picture Search tree: 20 nodes. The value of A is 1. Best play: D, L, U. Not visited: R, S.>"
    )
    assert game_tree(state)._repr_svg_() == as_svg(game_tree(state))


def left_out(picture: Picture) -> list[str]:
    return [node.label for node in picture.root.walk() if not node.visits]


def best(picture: Picture) -> list[str]:
    return [node.label for node in picture.root.walk() if node.best]


def nodes(picture: Picture, state: AnyState) -> list[tuple[Node, AnyState]]:
    """Every node that is drawn with the position it stands for."""

    def below(node: Node, state: AnyState) -> list[tuple[Node, AnyState]]:
        pairs = [(node, state)]
        for child in node.children:
            pairs += below(child, state.play(state.from_text(child.label)))
        return pairs

    return below(picture.root, state)


@pytest.mark.parametrize("name", ["professors", "binary", "four_leaves"])
def test_a_search_shows_the_branches_that_the_lecture_prunes(name: str) -> None:
    picture = searched(games.start(f"tree:{name}"))
    wanted = facts("trees.json")[name].get("alphabeta_prunes", ["R", "S"])
    assert left_out(picture) == wanted
    assert all(node.cut for node in picture.root.walk() if not node.visits)
    assert picture.root.value == facts("trees.json")[name]["minimax"]


def test_a_search_shows_values_windows_and_the_best_line() -> None:
    picture = searched(games.start("tree:professors"))
    by_label = {node.label: node for node in picture.root.walk()}
    assert (by_label["C"].shape, by_label["C"].value, by_label["C"].window) == (Shape.MIN, -3.0, "[-9, +inf]")
    assert by_label["R"] == Node("R", Shape.END, visits=0, cut=True)
    assert best(picture) == ["A", "D", "L", "U"]
    assert picture.description == "20 nodes. The value of A is 1. Best play: D, L, U. Not visited: R, S."


def test_children_stand_in_the_order_of_the_game_whatever_the_order_of_the_search() -> None:
    picture = searched(games.start("tree:professors"), ordering=lambda state: tuple(reversed(state.moves())))
    assert [child.label for child in picture.root.children] == ["B", "C", "D"]
    assert left_out(picture) == ["E", "G"]


def test_the_whole_tree_has_the_minimax_value_of_every_node() -> None:
    for seed in range(60):
        state = random_tree(Random(seed))
        for node, position in nodes(game_tree(state), state):
            assert node.value == value(position)


@pytest.mark.parametrize("algorithm", [minimax, alphabeta, pvs, mtdf])
def test_a_search_shows_the_value_of_the_root_and_of_the_best_line(algorithm: AnyState) -> None:
    options = {"table": False} if algorithm is mtdf else {}
    for seed in range(60):
        state = random_tree(Random(seed))
        picture = searched(state, algorithm, **options)
        assert picture.root.value == value(state)
        assert all(node.value == value(state) for node in picture.root.walk() if node.best)


def test_minimax_shows_the_whole_tree() -> None:
    for seed in range(60):
        state = random_tree(Random(seed))
        root = game_tree(state).root
        assert searched(state, minimax).root == Node(
            root.label, root.shape, root.seat, root.value, best=True, children=root.children
        )


def test_expectiminimax_shows_the_whole_tree_with_probabilities() -> None:
    picture = searched(games.start("tree:coins"), expectiminimax)
    assert picture.root.value == game_tree(games.start("tree:coins")).root.value == 3.5
    assert [child.probability for child in picture.root.children] == [0.5, 0.5]
    assert {node.shape for node in picture.root.walk()} == {Shape.CHANCE, Shape.MAX, Shape.MIN, Shape.END}


def test_negamax_tells_every_value_for_the_parent_and_the_root() -> None:
    state = games.start("tree:professors").play("B")
    assert state.turn == 1
    assert searched(state, negamax).root.value == 9.0
    assert searched(state, alphabeta).root.value == -9.0


def test_a_node_that_was_searched_again_shows_its_last_value() -> None:
    picture = searched(games.start("tree:worst_first"), pvs)
    by_label = {node.label: node for node in picture.root.walk()}
    assert (by_label["C"].visits, by_label["C"].value) == (2, 3.0)


def test_three_players_have_seats_and_a_value_each() -> None:
    picture = game_tree(games.start("tree:three"))
    assert picture.root.value == (1.0, 2.0, 6.0)
    assert [node.player for node in (picture.root, picture.root.children[0])] == ["seat 0", "seat 1"]
    assert best(picture) == ["A", "B", "D", "d1"]


def test_one_player_is_max() -> None:
    picture = game_tree(games.start("tree:alone"))
    assert (picture.root.shape, picture.root.value) == (Shape.MAX, 9.0)


@pytest.mark.parametrize("spec", ["nap:4", "tictactoe", "grundy:12", "tree:coins"])
def test_a_tree_that_is_cut_short_has_the_value_of_every_node(spec: str) -> None:
    state = games.start(spec)
    picture = game_tree(state, depth=2)
    assert sum(node.more for node in picture.root.walk()) > 0
    for node, position in nodes(picture, state):
        if spec != "tree:coins":
            assert node.value == alphabeta.search(position, table=True).value * (-1 if position.turn == 1 else 1)
        else:
            assert node.value == game_tree(position).root.value


@pytest.mark.parametrize("spec", ["connect4", "ludo", "pig", "checkers"])
def test_a_tree_that_is_too_large_to_be_solved_has_no_values(spec: str) -> None:
    picture = game_tree(games.start(spec), depth=1)
    assert [node.value for node in picture.root.walk() if node.value is not None] == []
    assert best(picture) == []


def test_where_something_is_hidden_only_the_ends_have_values() -> None:
    for node in game_tree(games.start("kuhn")).root.walk():
        assert (node.value is not None) == (node.shape is Shape.END)


def test_what_chance_decides_is_on_no_best_line() -> None:
    assert best(game_tree(games.start("tree:coins"))) == []
    assert best(game_tree(games.start("tree:bounded_below"))) == ["A", "B"]


def test_a_tree_of_nothing_is_one_node() -> None:
    over = games.start("tree:alone").play("D").play("d1")
    for picture in (game_tree(over), game_tree(games.start("nap"), depth=0), searched(over, minimax)):
        assert picture.root.children == ()


@pytest.mark.parametrize("spec", ["nap", "pig", "connect4", "tictactoe"])
def test_a_tree_that_is_too_large_is_refused_at_once(spec: str) -> None:
    with pytest.raises(BadSearch, match=r"at most 2,000 nodes .*; limit its depth \(--depth\)"):
        game_tree(games.start(spec))


def test_a_search_that_is_too_large_is_refused() -> None:
    state, trace = games.start("connect4"), Trace()
    result = minimax.search(state, depth=4, trace=trace)
    assert len(trace.events) > MOST
    with pytest.raises(BadSearch, match="at most 2,000 nodes"):
        search_tree(state, trace, result)


def test_a_trace_that_was_not_kept_whole_is_refused() -> None:
    state, trace = games.start("tree:professors"), Trace(keep=10)
    alphabeta.search(state, trace=trace)
    with pytest.raises(BadSearch, match="at most 2,000 nodes"):
        search_tree(state, trace)


def test_the_trace_of_another_position_is_refused() -> None:
    trace = Trace()
    minimax.search(games.start("nap:4"), trace=trace)
    with pytest.raises(BadSearch, match="a search that started at 'A'"):
        search_tree(games.start("tree:professors"), trace)
    with pytest.raises(BadSearch, match="where '4' is not a legal move"):
        search_tree(games.start("nap:3"), trace)
    with pytest.raises(BadSearch, match="a search that started at 'root'"):
        search_tree(games.start("nap:3"), Trace())


def test_a_depth_below_nothing_is_refused() -> None:
    with pytest.raises(BadSearch, match="expected a depth of 0 or more plies to draw, got -1"):
        game_tree(games.start("nap:4"), depth=-1)


def test_a_search_that_its_budget_ended_can_be_drawn() -> None:
    for most in range(1, 22):
        picture = searched(games.start("tree:professors"), budget=Budget(nodes=most))
        assert sum(node.visits for node in picture.root.walk()) <= most + 1


@pytest.mark.parametrize(
    ("spec", "depth", "drawn"),
    [("tictactoe", 2, [1, 3, 12]), ("nap:4", None, [1, 2, 6, 5]), ("connect4", 1, [1, 4]), ("pig", 1, [1, 6])],
)
def test_positions_of_one_parent_that_are_equal_up_to_symmetry_are_drawn_once(
    spec: str, depth: int | None, drawn: list[int]
) -> None:
    state = games.start(spec)
    picture = game_tree(state, depth=depth, fold=True)
    generation = [picture.root]
    for count in drawn:
        assert len(generation) == count
        generation = [child for node in generation for child in node.children]
    assert all(node.visits for node in picture.root.walk())
    for node, position in nodes(picture, state):
        if node.children:
            assert sum(child.alike for child in node.children) == len(position.moves())
    if state.turn == 0:
        assert "equal up to symmetry" in picture.description
        assert picture.root.value == game_tree(state, depth=depth).root.value


@pytest.mark.parametrize(
    ("spec", "moves", "names"),
    [
        ("grundy:7", "1+6 2+4", ["7+", "6-1-", "4-2-1+"]),
        ("nap:9", "7 3", ["{}", "{7}", "{3,7}"]),
        ("tree:professors", "C G", ["A", "C", "G"]),
        ("tictactoe", "b2", [".../.../...", ".../.x./..."]),
    ],
)
def test_nodes_can_show_the_names_of_positions(spec: str, moves: str, names: list[str]) -> None:
    state = games.start(spec)
    for number, (move, name) in enumerate(zip(["", *moves.split()], names, strict=True)):
        state = state.play(state.from_text(move)) if number else state
        root = game_tree(state, depth=0, nodes=Nodes.POSITIONS).root
        assert (root.name, root.player) == (name, "MIN" if state.turn else "MAX")
        root = game_tree(state, depth=0, nodes=Nodes.PROBLEMS).root
        assert (root.name, root.player) == (f"W({name})", "AND" if state.turn else "OR")


def test_a_search_tree_names_pruned_positions_too() -> None:
    state, trace = games.start("grundy:7"), Trace()
    picture = search_tree(state, trace, winning.search(state, trace=trace), nodes=Nodes.POSITIONS)
    names = [node.name for node in picture.root.walk()]
    assert "" not in names
    assert [node.name for node in picture.root.walk() if not node.visits] == ["3-2-1-1-", "3-2-2+", "4-2-1+"]


@pytest.mark.parametrize("spec", ["pig", "tree:coins", "tree:three", "tree:alone"])
def test_only_games_of_max_and_min_have_problems(spec: str) -> None:
    with pytest.raises(BadSearch, match="nodes as problems, OR and AND: expected a game of MAX and MIN without chance"):
        game_tree(games.start(spec), depth=1, nodes=Nodes.PROBLEMS)


def test_an_explicit_tree_has_no_boards() -> None:
    with pytest.raises(BadSearch, match="expected a game with a board"):
        game_tree(games.start("tree:coins"), nodes=Nodes.BOARDS)


def test_a_value_that_is_only_a_bound_says_so() -> None:
    state, trace = games.start("tree:window"), Trace()
    result = alphabeta.search(state, trace=trace, alpha=9, beta=11)
    picture = search_tree(state, trace, result)
    assert picture.root.bound is Bound.UPPER
    assert [child.bound for child in picture.root.children] == [Bound.UPPER] * 3
    assert "The value of root is at most 7." in picture.description
    assert ">≤7</text>" in as_svg(picture)
