"""Glicko-2: the paper's worked example, players who do not play, and extreme results."""

from __future__ import annotations

import json
from math import isfinite, sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadRating
from arena.ratings.systems.glicko2 import Glicko2Rating, RatedOpponent, periods, rated_after, ratings
from db.records import RatedGame
from tests.kit.effort import tries
from tests.kit.game_lists import drawn, games, won
from tests.kit.places import RATING_TRUTHS

TRUTH = json.loads((RATING_TRUTHS / "expected.json").read_text("utf-8"))["glicko2"]


def test_the_worked_example_of_the_paper() -> None:
    start = TRUTH["start"]
    met = [RatedOpponent(*game) for game in TRUTH["games"]]
    after = rated_after(Glicko2Rating(start["r"], start["rd"], start["sigma"]), met, tau=start["tau"])
    assert after.rating == pytest.approx(TRUTH["r_full"], abs=1e-3)
    assert after.deviation == pytest.approx(TRUTH["rd_full"], abs=1e-3)
    assert after.volatility == pytest.approx(TRUTH["sigma"], abs=1e-5)


def test_a_new_player_has_the_start_rating_and_its_deviation_shrinks() -> None:
    after = ratings([[won("ann", "bob")]])
    assert after["ann"].rating - 1500.0 == pytest.approx(1500.0 - after["bob"].rating)
    # By hand, with the paper's formulas: g = 0.66907, v = 8.9355, phi' = 1.67123.
    assert after["ann"].rating == pytest.approx(1662.31, abs=0.01)
    assert after["ann"].deviation == pytest.approx(290.32, abs=0.01)
    assert after["ann"].games == 1


def test_the_deviation_of_an_absent_player_grows_up_to_that_of_a_new_player() -> None:
    first = ratings([[won("ann", "bob")]])["ann"]
    second = ratings([[won("ann", "bob")], [drawn("cleo", "dan")]])["ann"]
    assert (second.rating, second.volatility, second.games) == (first.rating, first.volatility, 1)
    assert second.deviation == pytest.approx(sqrt(first.deviation**2 + (173.7178 * first.volatility) ** 2))
    for_long = ratings([[won("ann", "bob")], *[[drawn("cleo", "dan")]] * 3000])["ann"]
    assert for_long.deviation == 350.0


def test_no_deviation_grows_before_the_first_game() -> None:
    late = ratings([[drawn("cleo", "dan")]] * 5 + [[won("ann", "bob")]], deviation=200.0)
    assert late["ann"] == ratings([[won("ann", "bob")]], deviation=200.0)["ann"]


def test_all_games_of_a_period_count_with_the_ratings_from_before_it() -> None:
    played = [won("ann", "bob"), won("bob", "cleo"), won("cleo", "ann"), drawn("ann", "cleo")]
    assert ratings([played]) == ratings([played[::-1]])
    assert ratings([played[:2], played[2:]]) != ratings([played])


def test_in_a_game_of_more_than_two_each_pair_of_seats_is_a_share_of_a_game() -> None:
    after = ratings([[won("ann", "bob", "cleo")]])
    assert after["bob"].rating == pytest.approx(1500.0)
    # Two wins in one game of three have the weight of one win.
    assert after["ann"].rating == pytest.approx(ratings([[won("ann", "bob")]])["ann"].rating)
    assert after["ann"].games == 1


def test_a_steady_result_keeps_the_volatility_and_a_turn_of_luck_raises_it() -> None:
    steady = [[won("ann", "bob"), won("bob", "ann")] * 10] * 10
    turned = [*steady, [won("ann", "bob")] * 20]
    assert ratings(steady)["ann"].volatility < 0.06 < ratings(turned, tau=1.2)["ann"].volatility


def test_periods_are_rounds_where_all_games_have_one() -> None:
    one, two = (
        RatedGame(("ann", "bob"), (1, 0), round=1, finished="2024-05-02"),
        RatedGame(("ann", "bob"), (0, 1), round=2),
    )
    assert periods([two, one, two]) == [[one], [two, two]]


def test_periods_are_otherwise_the_days_on_which_games_were_over() -> None:
    early = RatedGame(("ann", "bob"), (1, 0), finished="2024-05-01T23:59:59Z", round=3)
    late = RatedGame(("ann", "bob"), (0, 1), finished="2024-05-02T00:00:00Z")
    assert periods([late, early, late]) == [[early], [late, late]]


def test_games_without_rounds_and_days_are_one_period() -> None:
    played = [won("ann", "bob"), RatedGame(("ann", "bob"), (0, 1), round=1)]
    assert periods(played) == [played]
    assert periods([]) == []
    assert ratings(periods([])) == {}


@pytest.mark.costly
@pytest.mark.parametrize("many", [1, 100, 5000])
@pytest.mark.parametrize("tau", [0.2, 0.5, 1.2, 10.0])
def test_thousands_of_wins_in_one_period_stay_within_bounds(many: int, tau: float) -> None:
    one = [won("ann", "bob")] * many
    other = [won("bob", "ann")] * many
    for played in ([one], [one] * 5, [one, other] * 5, [one, one, other, [won("cleo", "ann")] * many, other]):
        for rated in ratings(played, tau=tau).values():
            assert all(map(isfinite, (rated.rating, rated.deviation, rated.volatility)))
            assert abs(rated.rating - 1500.0) <= 4000.0
            assert 0.0 < rated.deviation <= 350.0


@settings(max_examples=tries(150))
@given(
    st.builds(Glicko2Rating, st.floats(-1e6, 1e6), st.floats(1e-6, 1e4), st.floats(1e-6, 10.0)),
    st.lists(
        st.builds(
            RatedOpponent,
            st.floats(-1e6, 1e6),
            st.floats(1e-6, 1e4),
            st.floats(0.0, 1.0),
            st.sampled_from([1.0, 0.1, 1e4]),
        )
    ),
    st.floats(1e-6, 10.0),
)
def test_a_period_always_ends_in_finite_numbers(player: Glicko2Rating, met: list[RatedOpponent], tau: float) -> None:
    after = rated_after(player, met, tau=tau)
    assert all(map(isfinite, (after.rating, after.deviation, after.volatility)))
    assert after.deviation > 0.0
    assert after.volatility > 0.0


@pytest.mark.costly
@settings(max_examples=tries(60))
@given(st.lists(games(longest=10), max_size=8), st.randoms(use_true_random=False))
def test_the_order_within_periods_changes_nothing_and_swapped_results_mirror(
    played: list[list[RatedGame]], random: Random
) -> None:
    after = ratings(played)
    shuffled = [random.sample(period, len(period)) for period in played]
    assert ratings(shuffled) == after
    swapped = [[RatedGame(game.names, tuple(-points for points in game.points)) for game in some] for some in played]
    for name, rated in ratings(swapped).items():
        assert rated.rating - 1500.0 == pytest.approx(1500.0 - after[name].rating, abs=1e-6)
        assert rated.deviation == pytest.approx(after[name].deviation)


@pytest.mark.parametrize("name", ["start", "deviation", "volatility", "tau"])
@pytest.mark.parametrize("number", [float("nan"), float("inf"), -1e9])
def test_settings_out_of_range_are_refused(name: str, number: float) -> None:
    with pytest.raises(BadRating, match=f"expected a {name} .* got {number:g}".replace("+", r"\+")):
        ratings([], **{name: number})
