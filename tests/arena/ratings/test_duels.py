"""Games as columns: all values are kept, and the games of a pair stay together."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.duels import Duels, duels, score
from arena.ratings.estimates import Pools, connected, strongly_connected
from arena.ratings.match_statistics import in_pairs
from db.records import PairCount, RatedGame
from tests.kit.effort import tries
from tests.kit.game_lists import drawn, games, won


def rows(found: Duels) -> list[tuple[str, str, str, float]]:
    """The columns as games again."""
    return [
        (found.names[first], found.names[second], found.kinds[kind], float(score))
        for first, second, kind, score in zip(found.first, found.second, found.kind, found.score, strict=True)
    ]


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ((1.0, 0.0), 1.0),
        ((0.0, 1.0), 0.0),
        ((0.5, 0.5), 0.5),
        ((0.0, 0.0), 0.5),
        ((0.75, 0.25), 0.75),
        ((7.0, 1.0), 1.0),
        ((-3.0, 4.0), 0.0),
    ],
)
def test_what_is_scored_in_a_game_lies_between_a_loss_and_a_win(points: tuple[float, float], expected: float) -> None:
    assert score(RatedGame(("ann", "bob"), points)) == expected


@pytest.mark.costly
@settings(max_examples=tries(100))
@given(games())
def test_every_game_of_two_is_one_row(played: list[RatedGame]) -> None:
    found = duels(played)
    for_two = [game for game in played if len(game.names) == 2]
    assert Counter(rows(found)) == Counter((*game.names, game.rules, score(game)) for game in for_two)
    assert list(found.names) == sorted({name for game in for_two for name in game.names})
    assert (found.often == 1.0).all()


@pytest.mark.costly
@settings(max_examples=tries(100))
@given(games())
def test_every_game_for_two_is_in_one_pair(played: list[RatedGame]) -> None:
    pairs = in_pairs(played)
    assert Counter(game for pair in pairs for game in pair) == Counter(game for game in played if len(game.names) == 2)
    for pair in pairs:
        assert len({game.pair for game in pair}) == 1
        assert pair[0].pair is not None or len(pair) <= 2
    told = [pair[0].pair for pair in pairs if pair[0].pair is not None]
    assert len(told) == len(set(told))


def test_games_of_a_pair_are_grouped_in_any_order() -> None:
    listed = [won("ann", "bob", pair=1), won("cleo", "dan", pair=2), won("bob", "ann", pair=1)]
    assert in_pairs(listed) == [[listed[0], listed[2]], [listed[1]]]
    assert list(duels(listed).pair) == [0, 0, 1]


def test_without_recorded_pairs_consecutive_games_with_swapped_seats_are_a_pair() -> None:
    listed = [won("ann", "bob"), won("bob", "ann"), won("ann", "bob"), won("ann", "bob"), drawn("bob", "ann")]
    assert in_pairs(listed) == [listed[0:2], listed[2:3], listed[3:5]]


def test_games_of_different_kinds_or_not_consecutive_are_not_a_pair() -> None:
    chess = RatedGame(("bob", "ann"), (1.0, 0.0), rules="chess")
    assert in_pairs([won("ann", "bob"), chess]) == [[won("ann", "bob")], [chess]]
    told = [won("ann", "bob"), won("cleo", "dan", pair=1), won("bob", "ann")]
    assert in_pairs(told) == [[told[1]], [told[0]], [told[2]]]


def test_only_games_of_two_are_rows() -> None:
    assert rows(duels([won("ann", "bob", "cleo"), RatedGame(("ann",), (1.0,))])) == []
    assert duels([won("ann", "bob", "cleo")]).names == ()


def test_counted_pairs_equal_listed_pairs() -> None:
    counts = [
        PairCount("bob", "ann", "hex", 1.0, 0.5, 3),
        PairCount("bob", "ann", "hex", None, 0.0, 2),
        PairCount("cleo", "bob", "go", 0.5, None, 4),
    ]
    found = duels([won("ann", "zoe")], counts)
    assert (found.names, found.kinds) == (("ann", "bob", "cleo", "zoe"), ("", "go", "hex"))
    times = found.often[found.pair]
    assert dict(zip(rows(found), map(float, times), strict=True)) == {
        ("ann", "zoe", "", 1.0): 1,
        ("bob", "ann", "hex", 1.0): 3,
        ("ann", "bob", "hex", 0.5): 3,
        ("ann", "bob", "hex", 0.0): 2,
        ("cleo", "bob", "go", 0.5): 4,
    }
    both = [row for row, game in enumerate(rows(found)) if game[2] == "hex" and game[3] > 0.0]
    assert len({int(found.pair[row]) for row in both}) == 1
    assert found.often.sum() == 1 + 3 + 2 + 4


def test_where_keeps_only_the_given_rows_and_names() -> None:
    found = duels([won("ann", "bob", pair=1), won("cleo", "dan", pair=2), won("dan", "ann", pair=3)])
    kept = found.where(found.pair != 1, ["ann", "bob", "dan"])
    assert (kept.names, rows(kept)) == (("ann", "bob", "dan"), [("ann", "bob", "", 1.0), ("dan", "ann", "", 1.0)])
    assert (list(kept.pair), list(kept.often)) == ([0, 1], [1.0, 1.0])


# Pools, compared with the definition: whether there is a path from one player to the other.


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
