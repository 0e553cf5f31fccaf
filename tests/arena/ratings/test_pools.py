"""Pools, compared with the definition: whether there is a path from one player to the other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.pools import Pools, connected, strongly_connected
from tests.kit.effort import tries

NAMES = [f"player{number}" for number in range(9)]
EDGES = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=14)


def reached(start: str, ways: list[tuple[str, str]]) -> set[str]:
    """All players with a path from `name`."""
    found = {start}
    while more := {there for here, there in ways if here in found} - found:
        found |= more
    return found


def groups(ways: list[tuple[str, str]]) -> set[frozenset[str]]:
    """Groups of players with paths in both directions."""
    return {frozenset(other for other in reached(name, ways) if name in reached(other, ways)) for name in NAMES}


def in_order(pools: Pools) -> bool:
    return list(pools) == sorted((tuple(sorted(pool)) for pool in pools), key=lambda pool: (-len(pool), pool))


@settings(max_examples=tries(200))
@given(EDGES)
def test_those_who_met_if_only_by_others_between_them_are_one_pool(met: list[tuple[str, str]]) -> None:
    found = connected(NAMES, met)
    assert set(map(frozenset, found)) == groups(met + [(other, one) for one, other in met])
    assert in_order(found)


@settings(max_examples=tries(200))
@given(EDGES)
def test_those_who_scored_against_each_other_if_only_by_others_are_one_group(scored: list[tuple[str, str]]) -> None:
    found = strongly_connected(NAMES, scored)
    assert set(map(frozenset, found)) == groups(scored)
    assert sum(map(len, found)) == len(NAMES)
    assert in_order(found)


def test_the_largest_pool_is_the_first_and_equal_ones_are_in_alphabetical_order() -> None:
    met = [("zoe", "yan"), ("dan", "cleo"), ("xena", "bob"), ("yan", "ann")]
    names = ["zoe", "yan", "xena", "dan", "cleo", "bob", "ann", "eve"]
    assert connected(names, met) == (("ann", "yan", "zoe"), ("bob", "xena"), ("cleo", "dan"), ("eve",))


@pytest.mark.costly
def test_a_long_way_is_no_deep_recursion() -> None:
    names = [f"player{number:05}" for number in range(20_000)]
    ring = list(zip(names, [*names[1:], names[0]], strict=True))
    assert connected(names, ring) == strongly_connected(names, ring) == (tuple(names),)
    assert len(strongly_connected(names, ring[:-1])) == len(names)


def test_nobody_is_no_pool() -> None:
    assert connected([], []) == strongly_connected([], []) == ()
