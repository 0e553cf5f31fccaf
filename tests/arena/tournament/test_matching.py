"""A matching is maximum, also after vertices are removed; compared with brute force."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.swiss import Matching
from tests.kit.effort import tries


def sets(neighbours: list[list[int]]) -> list[int]:
    """The same graph as the sets of `Matching`."""
    return [sum(1 << other for other in row) for row in neighbours]


def largest(graph: list[list[int]], left: frozenset[int]) -> int:
    """The largest number of pairs of the remaining vertices, by brute force."""

    @cache
    def most(left: frozenset[int]) -> int:
        if not left:
            return 0
        one = min(left)
        rest = left - {one}
        return max([most(rest), *(1 + most(rest - {other}) for other in graph[one] if other in rest)])

    return most(left)


@settings(max_examples=tries(150))
@given(st.integers(1, 11), st.floats(0.05, 0.7), st.randoms(use_true_random=False))
def test_matchings_are_maximum_after_removals(players: int, density: float, random: Random) -> None:
    graph: list[list[int]] = [[] for _ in range(players)]
    for one, other in combinations(range(players), 2):
        if random.random() < density:
            graph[one].append(other)
            graph[other].append(one)
    left, matching = frozenset(range(players)), Matching(sets(graph))
    assert matching.size == largest(graph, left)
    while len(left) > 2:
        leaving = random.sample(sorted(left), random.randint(1, 2))
        left, matching = left - set(leaving), matching.without(*leaving)
        assert matching.size == largest(graph, left)


def test_odd_cycles_are_contracted() -> None:
    # Two triangles and a bridge: a greedy matching leaves two vertices unmatched.
    graph = sets([[1, 2], [0, 2], [0, 1, 3], [2, 4, 5], [3, 5], [3, 4]])
    assert Matching(graph).size == 3
    assert Matching(graph).without(2).size == 2
    assert Matching(graph).without(2, 3).size == 2
    assert Matching(graph).without(0, 1).size == 2


def test_two_vertices_that_lose_their_mates_are_matched_one_after_the_other() -> None:
    graph = sets([[4], [2, 4], [1, 4, 5], [4], [0, 1, 2, 3, 5], [2, 4]])
    assert Matching(graph).without(0, 1).size == 2


def test_a_search_in_a_dense_graph_ends_before_it_contracts_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # All are neighbours but the last two, whom a greedy matching leaves to each other: every removal then needs a
    # search. Searches through the whole graph took 28 s of one round of a swiss of 1,000 players.
    monkeypatch.delattr(Matching, "_contract")
    everybody = range(100)
    graph = [[other for other in everybody if other != one and one + other != 98 + 99] for one in everybody]
    matching = Matching(sets(graph))
    for one in range(0, 96, 2):
        matching = matching.without(one, one + 1)
        assert matching.size == (98 - one) // 2
