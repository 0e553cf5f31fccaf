"""Tie-breaks: examples by hand, their definitions, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings import points
from arena.ratings.points import TIEBREAKS, standings, tiebreaks
from db.records import RatedGame
from db.scores import Score, Scores
from tests.kit.effort import tries

Game = tuple[str, str, float]
"""Two names, and the points of the first."""
# Quarters, so that every sum is exact.
GAMES = st.lists(
    st.builds(
        lambda names, share: (names[0], names[1], share),
        st.permutations("abcde"),
        st.sampled_from((0.0, 0.25, 0.5, 0.75, 1.0)),
    ),
    max_size=30,
)


def counted(games: Sequence[Game]) -> Scores:
    """The points of these games."""
    return points.of(RatedGame((first, second), (share, 1 - share)) for first, second, share in games)


def broken(*games: Game) -> dict[str, dict[str, float]]:
    """The tie-breaks of all players."""
    results = counted(games)
    return tiebreaks(results.players, results.head_to_head)


def ranked(*games: Game) -> list[tuple[int, str]]:
    """The ranks of all players, in order."""
    return [(line.rank, line.name) for line in standings(counted(games))]


def sides(games: Sequence[Game]) -> list[tuple[str, float, str]]:
    """Each game from the view of both players."""
    return [side for first, second, share in games for side in ((first, share, second), (second, 1 - share, first))]


def test_all_of_them_in_a_small_tournament() -> None:
    # Points: ann 2, bob 2, cleo 1.5, dan 0.5.
    found = broken(
        ("ann", "bob", 1), ("cleo", "ann", 0.5), ("ann", "dan", 0.5), ("bob", "cleo", 1), ("dan", "bob", 0),
        ("cleo", "dan", 1),
    )  # fmt: skip
    assert found["ann"] == {
        "direct": 1, "sonneborn_berger": 2 + 0.75 + 0.25, "buchholz": 4, "buchholz_cut1": 3.5, "wins": 1,
        "wins_second": 0,
    }  # fmt: skip
    assert found["bob"] == {
        "direct": 0, "sonneborn_berger": 1.5 + 0.5, "buchholz": 4, "buchholz_cut1": 3.5, "wins": 2, "wins_second": 1,
    }  # fmt: skip


def test_every_game_against_the_same_opponent_counts_and_the_cut_takes_one_of_them() -> None:
    found = broken(("ann", "bob", 1), ("bob", "ann", 1), ("ann", "bob", 1), ("bob", "ann", 0.5))
    assert found["bob"]["buchholz"] == 4 * 2.5
    assert found["bob"]["buchholz_cut1"] == 3 * 2.5
    assert found["ann"]["buchholz_cut1"] == 3 * 1.5


def test_who_has_met_nobody_has_zeros() -> None:
    assert set(tiebreaks({"ann": Score()}, {})["ann"].values()) == {0}


# Which of them decides.


def test_of_two_with_equal_points_who_won_their_game_is_before() -> None:
    order = ranked(("bob", "ann", 1), ("ann", "cleo", 1), ("dan", "bob", 1), ("dan", "cleo", 1))
    assert order == [(1, "dan"), (2, "bob"), (3, "ann"), (4, "cleo")]


def test_then_who_scored_against_the_better_ones_is_before() -> None:
    # Bob has beaten the player who has points.
    order = ranked(("bob", "cleo", 1), ("ann", "dan", 1), ("cleo", "dan", 1), ("cleo", "eve", 1))
    assert order[:3] == [(1, "cleo"), (2, "bob"), (3, "ann")]


def test_then_who_met_the_better_ones_is_before() -> None:
    order = ranked(("cleo", "ann", 1), ("dan", "bob", 1), ("dan", "cleo", 1))
    assert order == [(1, "dan"), (2, "cleo"), (3, "bob"), (4, "ann")]


def test_then_it_is_asked_without_the_weakest_opponent() -> None:
    # Bob has lost to those with 3 and 1 points, ann to those with 2 and 2.
    first, second = ("cleo", "bob", 1), ("dan", "bob", 1)
    third, fourth = ("eve", "ann", 1), ("finn", "ann", 1)
    others = (("cleo", "gil", 1), ("cleo", "gil", 1), ("eve", "gil", 1), ("finn", "gil", 1))
    places = {name: rank for rank, name in ranked(first, second, third, fourth, *others)}
    assert places["bob"] < places["ann"]


def test_then_more_wins_are_before() -> None:
    results = Scores()
    results.player("ann").add(2, 1.0, wins=0, losses=0, wins_second=0)
    results.player("bob").add(2, 1.0, wins=1, losses=1, wins_second=0)
    assert [line.name for line in standings(results)] == ["bob", "ann"]


def test_then_more_wins_in_another_seat_than_the_first_are_before() -> None:
    assert ranked(("ann", "cleo", 1), ("dan", "bob", 0)) == [(1, "bob"), (2, "ann"), (3, "cleo"), (3, "dan")]


@settings(max_examples=tries(100))
@given(games=GAMES)
def test_standings_ask_them_in_their_order(games: list[Game]) -> None:
    assert TIEBREAKS == ("direct", "sonneborn_berger", "buchholz", "buchholz_cut1", "wins", "wins_second")
    table = standings(counted(games))
    keys = [(line.points, *(line.tiebreaks[name] for name in TIEBREAKS)) for line in table]
    assert keys == sorted(keys, reverse=True)
    assert all((one == other) == (a.rank == b.rank) for (one, a), (other, b) in pairwise(zip(keys, table, strict=True)))


@settings(max_examples=tries(100))
@given(games=GAMES)
def test_they_are_what_their_definitions_say(games: list[Game]) -> None:
    results = counted(games)
    found = tiebreaks(results.players, results.head_to_head)
    total = {name: sum(share for one, share, _ in sides(games) if one == name) for name in results.players}
    for name in total:
        mine = [(share, total[other]) for one, share, other in sides(games) if one == name]
        assert found[name]["direct"] == sum(share for share, other in mine if other == total[name])
        assert found[name]["sonneborn_berger"] == sum(share * other for share, other in mine)
        assert found[name]["buchholz"] == sum(other for _, other in mine)
        assert found[name]["buchholz_cut1"] == sum(sorted(other for _, other in mine)[1:])
        assert found[name]["wins"] == sum(share == 1 for share, _ in mine)
        assert found[name]["wins_second"] == sum(second == name and share == 0 for _, second, share in games)
