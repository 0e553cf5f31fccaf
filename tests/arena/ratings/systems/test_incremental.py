"""Incremental Elo: published examples, what a game changes, and random lists of games."""

from __future__ import annotations

from math import isfinite

import pytest
from hypothesis import given, settings

from arena.errors import BadRating
from arena.ratings.scale import expected_score
from arena.ratings.systems.incremental import Elo, EloRating, ratings
from db.records import RatedGame
from tests.kit.effort import tries
from tests.kit.game_lists import drawn, games, won


def test_of_two_equals_the_winner_gains_half_of_k_and_the_loser_loses_it() -> None:
    assert ratings([won("ann", "bob")]) == {"ann": EloRating(1510.0, 1), "bob": EloRating(1490.0, 1)}
    assert ratings([won("ann", "bob")], k=32, start=1000) == {"ann": EloRating(1016.0, 1), "bob": EloRating(984.0, 1)}
    assert ratings([drawn("ann", "bob")])["ann"] == EloRating(1500.0, 1)


@pytest.mark.parametrize(
    ("difference", "expected"),
    # 400 points are odds of 10 to 1. The others: the example of five opponents in Wikipedia's "Elo rating system".
    [(0, 0.5), (400, 10 / 11), (-400, 1 / 11), (4, 0.51), (136, 0.69), (225, 0.79), (27, 0.54), (-107, 0.35)],
)
def test_the_expected_score_is_the_published_one(difference: float, expected: float) -> None:
    assert expected_score(difference) == pytest.approx(expected, abs=0.005)
    assert expected_score(difference) == pytest.approx(1 / (1 + 10 ** (-difference / 400)), abs=1e-12)


def test_no_difference_is_too_large() -> None:
    assert expected_score(1e9) == 1.0
    assert expected_score(-1e9) == 0.0


def test_the_better_gains_less_from_the_same_win() -> None:
    after = ratings([won("ann", "bob"), won("ann", "bob")])
    assert 1510.0 < after["ann"].rating < 1520.0
    assert after["ann"].rating + after["bob"].rating == pytest.approx(3000.0)


def test_the_order_of_play_counts() -> None:
    one, other = won("ann", "bob"), won("bob", "ann")
    assert ratings([one, other])["ann"].rating < 1500.0 < ratings([other, one])["ann"].rating


def test_no_rating_is_below_the_floor() -> None:
    after = ratings([won("ann", "bob")] * 50, k=400, start=200, floor=150)
    assert after["bob"] == EloRating(150.0, 50)
    assert after["ann"].rating > 200


def test_in_a_game_of_more_than_two_each_pair_of_seats_has_a_share_of_k() -> None:
    after = ratings([won("ann", "bob", "cleo", "dan")], k=30)
    assert [after[name].rating for name in ("ann", "bob", "cleo", "dan")] == [1515.0, 1505.0, 1495.0, 1485.0]
    assert after["ann"].games == 1


def test_places_of_a_game_for_more_are_won_or_lost_whole() -> None:
    # Second of three has half of the points, which is a win against the last.
    after = ratings([RatedGame(("ann", "bob", "cleo"), (1.0, 0.75, 0.0))], k=20)
    assert after["bob"].rating == pytest.approx(1500.0)


def test_games_can_be_fed_one_at_a_time() -> None:
    elo = Elo()
    played = [won("ann", "bob"), drawn("bob", "cleo"), won("cleo", "ann")]
    changed = [elo.play(game) for game in played]
    assert set(changed[1]) == {"bob", "cleo"}
    assert elo.rated() == ratings(played)
    assert list(elo.rated()) == ["ann", "bob", "cleo"]


def test_games_of_one_player_do_not_change_its_rating() -> None:
    assert ratings([RatedGame(("ann",), (1.0,))]) == {}
    assert ratings([won("ann", "ann")]) == {"ann": EloRating(1500.0, 1)}


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"k": -1.0}, "expected a k from 0 to 1e"),
        ({"k": float("nan")}, "got nan"),
        ({"start": 50.0}, "start 50 and floor 100"),
        ({"floor": float("-inf")}, "floor -inf"),
    ],
)
def test_settings_out_of_range_are_refused(numbers: dict[str, float], message: str) -> None:
    with pytest.raises(BadRating, match=message):
        ratings([], **numbers)


@pytest.mark.costly
@settings(max_examples=tries(100))
@given(games())
def test_any_games_give_finite_ratings_whose_sum_is_what_it_was(played: list[RatedGame]) -> None:
    after = ratings(played, floor=-1e6)
    assert all(isfinite(rated.rating) for rated in after.values())
    assert sum(rated.rating for rated in after.values()) == pytest.approx(1500.0 * len(after))
    assert sum(rated.games for rated in after.values()) == sum(
        len(game.names) for game in played if len(game.names) > 1
    )


@pytest.mark.costly
@settings(max_examples=tries(100))
@given(games())
def test_swapping_all_results_mirrors_the_ratings(played: list[RatedGame]) -> None:
    swapped = [RatedGame(game.names, tuple(-points for points in game.points)) for game in played]
    mirrored = ratings(swapped, start=0.0, floor=-1e6)
    for name, rated in ratings(played, start=0.0, floor=-1e6).items():
        assert mirrored[name].rating == pytest.approx(-rated.rating, abs=1e-6)
