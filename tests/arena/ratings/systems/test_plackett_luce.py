"""Plackett-Luce, compared with a likelihood that sums over all orders, and with known properties of the model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from math import exp, factorial, log
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.errors import BadRating
from arena.ratings import bradley_terry
from arena.ratings.duels import Numbers, duels
from arena.ratings.estimates import Estimates
from arena.ratings.systems import plackett_luce
from arena.ratings.systems.plackett_luce import fit
from db.records import RatedGame
from tests.kit.effort import tries
from tests.kit.game_lists import drawn, games, won

ELO = 400.0 / log(10.0)


def written_out(strength: Sequence[float] | Numbers, names: Sequence[str], played: Sequence[RatedGame]) -> float:
    """The log-likelihood of games by the definition (slow), with ties as the average over all orders."""
    total = 0.0
    for game in played:
        by_place = [
            [names.index(name) for name, points in zip(game.names, game.points, strict=True) if points == level]
            for level in sorted(set(game.points), reverse=True)
        ]
        orders = list(product(*map(permutations, by_place)))
        for order in orders:
            left = [player for place in order for player in place]
            while left:
                chance = exp(strength[left[0]]) / sum(exp(strength[player]) for player in left)
                total += log(chance) / len(orders)
                left = left[1:]
    return total


def virtual_draws(strength: Sequence[float] | Numbers) -> float:
    """The log-likelihood of the prior."""
    return sum(0.5 * value - log(1.0 + exp(value)) for value in strength)


def slopes(strength: Numbers, names: Sequence[str], played: Sequence[RatedGame]) -> Numbers:
    """The first derivatives of `written_out`, by finite differences."""
    steps = 1e-5 * np.eye(len(names))
    return np.array(
        [
            (written_out(strength + step, names, played) - written_out(strength - step, names, played)) / 2e-5
            for step in steps
        ]
    )


def pull_of_draws(strength: Numbers) -> Numbers:
    found: Numbers = 0.5 - 1.0 / (1.0 + np.exp(-strength))
    return found


def information(strength: Numbers, names: Sequence[str], played: Sequence[RatedGame]) -> Numbers:
    """The Fisher information including the virtual draws: minus the second derivatives."""
    lines = []
    for step in 1e-4 * np.eye(len(names)):
        above, below = strength + step, strength - step
        change = slopes(above, names, played) + pull_of_draws(above)
        change -= slopes(below, names, played) + pull_of_draws(below)
        lines.append(-change / 2e-4)
    return np.array(lines)


def some_games(random: Random, names: Sequence[str], number: int, *, pairs: int = 0) -> list[RatedGame]:
    """Games of two to four players with some ties; `pairs` different pairs, or no recorded pairs."""
    return [
        RatedGame(
            tuple(seated),
            tuple(random.choice((0.0, 0.5, 1.0)) for _ in seated),
            pair=number % pairs if pairs else None,
        )
        for number in range(number)
        for seated in [random.sample(names, random.randint(2, 4))]
    ]


def strengths(found: Estimates, played: Sequence[RatedGame]) -> Numbers:
    """The maximum itself: the ratings before they are shifted to the mean 0."""
    values = found.ratings / ELO
    # At the maximum the derivatives of the prior sum to 0; a common shift of all ratings achieves that.
    low, high = -50.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2.0
        low, high = (middle, high) if pull_of_draws(values + middle).sum() > 0.0 else (low, middle)
    shifted: Numbers = values + low
    return shifted


@pytest.mark.parametrize("number", range(tries(4)))
def test_no_other_ratings_make_the_games_more_likely(number: int) -> None:
    random, names = Random(number), ["ann", "bob", "cleo", "dan", "eve"]
    played = some_games(random, names, 25)
    found = fit(played)
    best = strengths(found, played)
    assert found.names == tuple(names)
    np.testing.assert_allclose(slopes(best, names, played) + pull_of_draws(best), 0.0, atol=1e-6)
    most = written_out(best, names, played) + virtual_draws(best)
    for _ in range(20):
        other = best + np.array([random.gauss(0, 0.1) for _ in names])
        assert written_out(other, names, played) + virtual_draws(other) < most


@pytest.mark.parametrize("pairs", [0, 12, 4])
@pytest.mark.parametrize("repeats", [1, 3])
def test_errors_come_from_one_dispersion_of_all_pairings(pairs: int, repeats: int) -> None:
    """The formulas of docs/developers/ratings.md, pairing by pairing, with derivatives by differences."""
    names = ["ann", "bob", "cleo", "dan"]
    once = some_games(Random(7), names, 24, pairs=pairs)
    once = [replace(game, moves_hash=number) for number, game in enumerate(once)]
    pairings = [once[number::pairs] for number in range(pairs)] if pairs else [[game] for game in once]
    times = [repeats if number % 3 == 0 else 1 for number in range(len(pairings))]
    again = [(number, copy) for number, many in enumerate(times) for copy in range(many)]
    played = [replace(game, pair=name) for name in again for game in pairings[name[0]]]
    found = fit(played)
    best = strengths(found, played)
    inverse = np.linalg.inv(information(best, names, played))
    prior = np.diag(1.0 / (2.0 + np.exp(best) + np.exp(-best)))
    parts = [information(best, names, pairing) - prior for pairing in pairings]
    score_vectors = [slopes(best, names, pairing) for pairing in pairings]
    one = sum(many * np.trace(inverse @ part) for many, part in zip(times, parts, strict=True)) / sum(times)
    left = sum(
        np.trace(inverse @ part) - many * np.trace(inverse @ part @ inverse @ part)
        for many, part in zip(times, parts, strict=True)
    )
    phi = (sum(vector @ inverse @ vector for vector in score_vectors) + one) / (left + one)
    meat = phi * sum(many**2 * part for many, part in zip(times, parts, strict=True)) + prior
    centred = np.eye(4) - 0.25
    expected = centred @ inverse @ meat @ inverse @ centred * ELO**2
    np.testing.assert_allclose(found.covariance, expected, rtol=2e-3, atol=1e-2)
    np.testing.assert_allclose(found.errors(), 1.96 * np.sqrt(np.diag(expected)), rtol=2e-3)


@pytest.mark.parametrize("number", range(tries(5)))
def test_games_for_two_are_rated_as_by_bradley_terry(number: int) -> None:
    random = Random(number)
    played = []
    for _ in range(60):
        first, second = random.sample("abcdef", 2)
        score = random.choice((0.0, 0.5, 1.0))
        # Each game with both seatings and the same result, so that there is no first-move advantage.
        played += [RatedGame((first, second), (score, 1 - score)), RatedGame((second, first), (1 - score, score))]
    found, expected = fit(played), bradley_terry.fit(duels(played))
    assert found.names == expected.names
    np.testing.assert_allclose(found.ratings, expected.ratings, atol=1e-5)


def test_one_draw_of_two_is_half_a_win_each_way() -> None:
    one, other = (
        fit([drawn("ann", "bob")] * 2 + [won("ann", "bob")]),
        fit([won("ann", "bob")] * 2 + [won("bob", "ann")]),
    )
    np.testing.assert_allclose(one.ratings, other.ratings, atol=1e-7)


@pytest.mark.parametrize("tied", [2, 3, 4])
def test_a_tie_is_each_order_of_the_tied_in_its_share(tied: int) -> None:
    names = [f"player{number}" for number in range(tied)]
    more = [won("player0", "winner", "player1"), won("winner", "loser"), won("player0", "loser")]
    tie = RatedGame(("winner", *names, "loser"), (1.0, *[0.5] * tied, 0.0))
    orders = [won("winner", *order, "loser") for order in permutations(names)]
    np.testing.assert_allclose(fit([tie] * factorial(tied) + more).ratings, fit(orders + more).ratings, atol=1e-6)


def test_a_tie_of_more_than_can_be_gone_through_is_close_to_the_average_over_orders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random, names = Random(1), ["ann", "bob", "cleo", "dan", "eve", "finn", "gus"]
    played = [
        RatedGame(tuple(seated), tuple(random.choice((0.0, 0.5)) + (name < "c") / 2 for name in seated))
        for seated in (random.sample(names, 6) for _ in range(100))
    ]
    exact = fit(played)
    monkeypatch.setattr(plackett_luce, "EXACT", 3)
    close = fit(played)
    assert exact.ratings.max() > 100.0
    np.testing.assert_allclose(close.ratings, exact.ratings, atol=0.25 * exact.errors().min())
    assert (close.ratings != exact.ratings).any()


def test_all_equal_are_rated_0() -> None:
    found = fit([drawn("ann", "bob", "cleo"), won("ann", "bob", "cleo"), won("cleo", "bob", "ann")])
    assert found.ratings[0] == pytest.approx(found.ratings[2], abs=1e-9)
    np.testing.assert_allclose(fit([drawn(*"abcdefghij")] * 5).ratings, 0.0, atol=1e-9)


def test_many_games_bring_out_the_true_strengths() -> None:
    random = Random(5)
    truth = {"ann": 200.0, "bob": 100.0, "cleo": 0.0, "dan": -50.0, "eve": -250.0}
    played = []
    for _ in range(4000):
        # Gumbel's noise added to strengths orders players as the model does.
        drawn_ = {name: truth[name] / ELO - log(-log(random.random())) for name in random.sample(list(truth), 4)}
        played.append(won(*sorted(drawn_, key=lambda name: -drawn_[name])))
    found = fit(played)
    for name, rating, error in zip(found.names, found.ratings, found.errors(), strict=True):
        assert abs(rating - truth[name]) < 2 * error < 40


def test_who_beats_the_strong_is_above_who_beats_the_weak() -> None:
    found = fit([won("best", "good", "weak")] * 5 + [won("ann", "best"), won("best", "ann")] + [won("weak", "bob")])
    order = [found.names[number] for number in np.argsort(-found.ratings)]
    assert order.index("ann") < order.index("bob")


def test_players_who_were_never_connected_average_0_apart() -> None:
    found = fit([won("ann", "bob", "cleo")] * 3 + [won("xena", "yves")] * 8 + [drawn("xena", "yves")])
    assert found.pools == (("ann", "bob", "cleo"), ("xena", "yves"))
    assert found.names == ("ann", "bob", "cleo", "xena", "yves")
    assert found.ratings[:3].sum() == pytest.approx(0.0, abs=1e-9)
    assert found.ratings[3:].sum() == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(found.covariance[:3, 3:], 0.0, atol=1e-6)


def test_who_always_wins_has_a_wide_error_all_the_same() -> None:
    others = [won(*order) for order in permutations(("bob", "cleo", "dan"))] * 30
    found = fit([won("ann", "bob", "cleo", "dan")] * 30 + others)
    errors = dict(zip(found.names, found.errors(), strict=True))
    assert errors["ann"] > 300.0
    assert found.superiority(0, 1) > 0.99


def test_a_few_games_have_no_surprises_and_no_games_no_ratings() -> None:
    none = fit([])
    assert (none.names, none.pools, none.ratings.shape, none.covariance.shape) == ((), (), (0,), (0, 0))
    assert fit([RatedGame(("ann",), (1.0,))]).names == ()
    assert list(fit([won("ann", "ann")]).ratings) == [0.0]


@pytest.mark.parametrize("prior", [0.0, -1.0, float("nan"), float("inf")])
def test_without_a_prior_there_is_no_fit(prior: float) -> None:
    with pytest.raises(BadRating, match=f"expected a prior .* got {prior:g}"):
        fit([], prior=prior)


@pytest.mark.costly
@settings(max_examples=tries(60))
@given(games(most=20, seats=20), st.sampled_from([1.0, 0.001, 1000.0, 0.3]), st.sampled_from([1, 1000]))
def test_any_games_give_finite_ratings(played: list[RatedGame], prior: float, often: int) -> None:
    with np.errstate(all="raise"):
        found = fit(played * often, prior=prior)
    assert np.isfinite(found.ratings).all()
    assert np.isfinite(found.covariance).all()
    assert (np.diag(found.covariance) > -1e-6).all()
    assert sorted(name for pool in found.pools for name in pool) == list(found.names)


@pytest.mark.costly
@settings(max_examples=tries(60))
@given(games(), st.randoms(use_true_random=False))
def test_the_order_of_games_and_of_seats_changes_nothing(played: list[RatedGame], random: Random) -> None:
    found = fit(played)
    shuffled = []
    for game in random.sample(played, len(played)):
        seats = random.sample(range(len(game.names)), len(game.names))
        shuffled.append(
            RatedGame(
                tuple(game.names[seat] for seat in seats), tuple(game.points[seat] for seat in seats), pair=game.pair
            )
        )
    again = fit(shuffled)
    assert (again.names, again.pools) == (found.names, found.pools)
    assert (again.ratings == found.ratings).all()
    assert (again.covariance == found.covariance).all()


@settings(max_examples=tries(40))
@given(games())
def test_names_are_only_names(played: list[RatedGame]) -> None:
    found = fit(played)
    called = {name: f"{number:03}" for number, name in enumerate(reversed(found.names))}
    again = fit(
        [
            RatedGame(tuple(called.get(name, name) for name in game.names), game.points, pair=game.pair)
            for game in played
        ]
    )
    np.testing.assert_allclose(again.ratings[::-1], found.ratings, atol=1e-5)
    np.testing.assert_allclose(again.errors()[::-1], found.errors(), rtol=1e-4, atol=1e-4)


@settings(max_examples=tries(40))
@given(games(seats=2))
def test_of_two_swapping_all_results_mirrors_the_ratings(played: list[RatedGame]) -> None:
    swapped = [RatedGame(game.names, game.points[::-1], pair=game.pair) for game in played]
    np.testing.assert_allclose(fit(swapped).ratings, -fit(played).ratings, atol=1e-5)
