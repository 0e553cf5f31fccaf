"""The sizes of games: counted as remembered positions, they are those of the whole tree and of the real searches."""

from functools import reduce
from operator import xor
from typing import Any

import pytest
from hypothesis import given, settings

from adsearch import alphabeta, games, minimax
from adsearch.budget import Budget, OutOfBudget
from adsearch.count import count
from adsearch.errors import BadSearch
from adsearch.games.tree import Tree, read
from adsearch.height import height
from adsearch.size import alphabeta_nodes, best_case_leaves, size
from adsearch.wrapped import Seen, watched
from tests.kit.effort import tries
from tests.kit.game_facts import facts
from tests.kit.random_trees import trees

LECTURE = (3, 4, 4, 4, 4, 5, 5, 6, 6, 7, 8, 8, 8, 8, 8, 8, 9)
"""The Salem-Spencer numbers of 4 to 20, as the first lecture prints them."""
GRUNDY = (0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1, 3, 2, 4, 3, 0)
"""The nimbers of a pile of 0 to 20 (OEIS A002188)."""


@pytest.mark.costly
def test_nap_is_as_large_as_it_is_known_to_be() -> None:
    trees = [size(games.start(f"nap:{n}")).tree for n in range(4, 21)]
    assert tuple(tree.height for tree in trees) == LECTURE
    assert [tree.nodes for tree in trees[:5]] == [29, 86, 217, 446, 929]
    assert trees[-1].nodes == 39_692_669


def test_tictactoe_is_as_large_as_published() -> None:
    found, known = size(games.start("tictactoe")), facts("games.json")["tictactoe"]
    assert (found.tree.nodes, found.tree.leaves) == (known["nodes"], known["games"])
    assert (found.positions, found.up_to_symmetry, found.tree.value) == (5478, 765, 0)


def test_nimbers_of_grundys_game_are_the_published_ones_and_piles_add_by_xor() -> None:
    assert tuple(size(games.start(f"grundy:{pile}")).tree.nimber for pile in range(1, 21)) == GRUNDY[1:]
    for piles in ((5, 4), (5, 5), (6, 8), (3, 6, 9), (7, 13)):
        several = size(games.start(f"grundy:piles={'+'.join(map(str, piles))}"))
        assert several.tree.nimber == reduce(xor, (GRUNDY[pile] for pile in piles))


@pytest.mark.parametrize("spec", ["nap:9", "nap:10", "grundy:11", "grundy:piles=5+6"])
def test_an_impartial_game_is_lost_by_the_player_to_move_exactly_if_its_nimber_is_0(spec: str) -> None:
    tree = size(games.start(spec)).tree
    assert (tree.nimber == 0) == (tree.value == -1)


@pytest.mark.parametrize(
    "spec", ["nap:9", "grundy:12", "tictactoe", "tree:professors", "connect4:rows=4,columns=4,line=2"]
)
def test_it_agrees_with_count_height_minimax_and_alphabeta(spec: str) -> None:
    start: Any = games.start(spec)
    for state in (start, start.play(start.moves()[-1])):
        found = size(state)
        assert (found.tree.nodes, found.tree.leaves) == count(state)
        assert found.tree.height == height(state)
        assert alphabeta_nodes(state) == alphabeta.search(state).nodes


@settings(max_examples=tries(100))
@given(tree=trees(depth=5))
def test_on_random_trees_too(tree: Tree) -> None:
    found = size(tree)
    assert (found.tree.nodes, found.tree.leaves, found.tree.height) == (*count(tree), height(tree))
    assert found.positions == found.up_to_symmetry == found.tree.nodes == minimax.search(tree).nodes
    result = alphabeta.search(tree)
    assert alphabeta_nodes(tree) == result.nodes
    assert found.tree.value == (-result.value if tree.turn == 1 else result.value)


def test_with_chance_or_several_players_only_the_tree_is_measured() -> None:
    for spec in ("kuhn", "tree:coins", "tree:three", "maze:map=tiny,ghosts=2,steps=1"):
        state = games.start(spec)
        found = size(state)
        assert (found.tree.nodes, found.tree.leaves) == count(state)
        assert found.tree.value is found.tree.nimber is alphabeta_nodes(state) is None


@pytest.mark.parametrize(("width", "depth"), [(3, 2), (2, 3), (4, 4), (7, 1), (5, 0)])
def test_in_the_best_order_alphabeta_looks_at_as_many_leaves_as_the_formula_says(width: int, depth: int) -> None:
    """All leaves of the tree are equal, so that the first move is always a best one."""

    def node(left: int) -> Any:
        return {str(at): node(left - 1) for at in range(width)} if left else 0

    drawn = read({"tree": {"root": node(depth)}})
    seen = Seen()
    alphabeta.search(watched(Tree.at(drawn, drawn.root), seen))
    assert len(seen.leaves) == best_case_leaves(width, depth)


def test_what_does_not_end_is_refused_and_a_budget_ends_the_count() -> None:
    for measure in (size, alphabeta_nodes):
        with pytest.raises(BadSearch, match="longer than 250 plies"):
            measure(games.start("pig"))
        with pytest.raises(OutOfBudget):
            measure(games.start("tictactoe"), Budget(nodes=100))
