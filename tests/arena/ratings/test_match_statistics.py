"""Statistics of two players: published numbers, properties that hold for every result, and undetermined values."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import count, pairwise
from math import comb, inf, isfinite, log, log10, nan, sqrt

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.errors import BadRating
from arena.ratings.match_statistics import (
    Difference,
    Hypothesis,
    Model,
    Outcome,
    Seated,
    Versus,
    difference,
    pentanomial,
    sprt,
    superiority,
    versus,
)
from db.records import RatedGame
from tests.kit.effort import tries
from tests.kit.places import RATING_TRUTHS

TRUTH = json.loads((RATING_TRUTHS / "expected.json").read_text("utf-8"))
COUNT = st.sampled_from([0, 0, 1, 2, 7, 100, 10**5, 10**9]) | st.integers(0, 1000)
FIVE = st.lists(COUNT, min_size=5, max_size=5)
THREE = st.tuples(COUNT, COUNT, COUNT)
MODEL = st.sampled_from(list(Model))


def trinomial(wins: int, draws: int, losses: int) -> Difference:
    """The difference from single games."""
    return difference(Outcome(many, 1, points) for many, points in ((losses, 0.0), (draws, 0.5), (wins, 1.0)))


def are_close(found: Difference, expected: dict[str, float]) -> bool:
    """Whether a difference agrees with the reference values."""
    names = {"elo": expected["elo"], "error": expected["error95"], "los": expected["los"]}
    return all(getattr(found, name) == pytest.approx(number, abs=0.01) for name, number in names.items())


@pytest.mark.parametrize("number", range(len(TRUTH["trinomial"])))
def test_statistics_of_single_games_agree_with_fishtest(number: int) -> None:
    truth = TRUTH["trinomial"][number]
    assert are_close(trinomial(truth["W"], truth["D"], truth["L"]), truth)


@pytest.mark.parametrize("number", range(len(TRUTH["pentanomial"]["cases"])))
def test_statistics_of_pairs_agree_with_fishtest(number: int) -> None:
    truth = TRUTH["pentanomial"]["cases"][number]
    assert are_close(pentanomial(truth["counts"]), truth)


@pytest.mark.parametrize("number", range(len(TRUTH["sprt"]["cases"])))
@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_the_sequential_test_agrees_with_fishtest(number: int, model: str) -> None:
    truth = TRUTH["sprt"]["cases"][number]
    found = sprt(truth["counts"], truth["elo0"], truth["elo1"], model=model)
    assert found.llr == pytest.approx(truth[model], abs=1e-3)
    assert found.verdict is None


def test_games_that_repeat_others_do_not_change_normalized_elo() -> None:
    once, often = (
        difference([Outcome(4, 2, 0.5, times), Outcome(9, 2, 1.5, times), Outcome(5, 1, 1.0, times)])
        for times in (1, 7)
    )
    assert often.normalized == pytest.approx(once.normalized)
    assert often.error == pytest.approx(once.error)


def test_normalized_elo_is_the_lead_in_standard_deviations_of_a_game() -> None:
    # Without draws a game's deviation at a score of 60 % is sqrt(0.24); 800 / ln 10 is fishtest's unit.
    assert trinomial(600, 0, 400).normalized == pytest.approx(0.1 / sqrt(0.24) * 800 / log(10))
    # Pairs of independent games give the same result as the single games.
    assert pentanomial([1600, 0, 4800, 0, 3600]).normalized == pytest.approx(trinomial(600, 0, 400).normalized)


def test_equal_wins_and_losses_give_a_difference_of_0() -> None:
    assert trinomial(10, 5, 10).elo == 0.0
    assert trinomial(10, 5, 10).los == 0.5
    assert trinomial(10, 5, 10).normalized == 0.0


def test_pairs_that_cancel_out_narrow_the_error() -> None:
    # The seat decides every game: single games look random, but pairs have no variance.
    games, pairs = trinomial(52, 0, 48), pentanomial([0, 0, 48, 0, 2])
    assert games.elo == pytest.approx(pairs.elo)
    assert games.error is not None
    assert pairs.error is not None
    assert pairs.error < games.error / 3


def test_values_that_results_do_not_determine_are_none() -> None:
    nothing = Difference(None, None, None, None)
    assert trinomial(0, 0, 0) == pentanomial([0] * 5) == nothing
    assert trinomial(9, 0, 0) == pentanomial([9, 0, 0, 0, 0]) == nothing
    assert trinomial(0, 9, 0) == pentanomial([0, 0, 1, 0, 0]) == Difference(0.0, None, None, None)
    lucky = trinomial(9, 0, 1)
    assert lucky.elo == pytest.approx(381.70, abs=0.01)
    assert lucky.error is None
    assert lucky.los is not None


@settings(max_examples=tries(200))
@given(FIVE, THREE)
@example([10**9, 0, 0, 0, 1], (10**9, 0, 1))
def test_any_result_gives_finite_numbers_or_none_and_swapped_it_mirrors(
    counts: list[int], games: tuple[int, int, int]
) -> None:
    for found, swapped in (
        (pentanomial(counts), pentanomial(counts[::-1])),
        (trinomial(*games), trinomial(*games[::-1])),
    ):
        for one, other in ((found.elo, swapped.elo), (found.normalized, swapped.normalized)):
            assert (one is None) == (other is None)
            if one is not None and other is not None:
                assert isfinite(one)
                assert one == pytest.approx(-other, rel=1e-6, abs=1e-6)
        assert (found.error is None) == (swapped.error is None)
        if found.error is not None:
            assert isfinite(found.error)
            assert found.error == pytest.approx(swapped.error, rel=1e-5)
        if found.los is not None and swapped.los is not None:
            assert 0.0 <= found.los <= 1.0
            assert found.los + swapped.los == pytest.approx(1.0)


@settings(max_examples=tries(100))
@given(FIVE, st.integers(2, 50))
def test_more_of_the_same_narrows_the_error_and_leaves_the_difference(counts: list[int], times: int) -> None:
    once, often = pentanomial(counts), pentanomial([times * count for count in counts])
    assume(once.error is not None and once.elo is not None)
    assert often.elo == pytest.approx(once.elo, abs=1e-6)
    assert often.error is not None
    assert often.error < (once.error or inf)


@pytest.mark.parametrize(
    ("wins", "losses", "expected"),
    # By hand: of five wins in five games 1 - 2^-6, of two in three (1 + 4 + 6) / 16.
    [(5, 0, 0.984375), (0, 5, 0.015625), (0, 0, 0.5), (1, 0, 0.75), (2, 1, 0.6875), (12345, 12345, 0.5)],
)
def test_superiority_of_known_results(wins: int, losses: int, expected: float) -> None:
    assert superiority(wins, losses) == pytest.approx(expected, abs=1e-12)


def test_boys_and_girls_as_laplace_counted_them() -> None:
    # Born in Paris, 1745 to 1770: 251527 boys, 241945 girls. The probability that boys are not likelier: 1.15 * 10^-42
    # (P.-S. Laplace, "Memoire sur les probabilites", 1781).
    assert superiority(241945, 251527) == pytest.approx(1.15e-42, rel=0.01)


@settings(max_examples=tries(100))
@given(st.integers(0, 600), st.integers(0, 600))
def test_superiority_is_the_exact_sum(wins: int, losses: int) -> None:
    throws = wins + losses + 1
    exact = Fraction(sum(comb(throws, heads) for heads in range(wins + 1)), 2**throws)
    assert superiority(wins, losses) == pytest.approx(float(exact), abs=1e-12)


@settings(max_examples=tries(60))
@given(st.integers(0, 10**6), st.integers(0, 10**6))
@example(10**6, 0)
@example(50_200, 49_800)
def test_superiority_mirrors_and_grows_with_wins(wins: int, losses: int) -> None:
    found = superiority(wins, losses)
    assert 0.0 <= found <= 1.0
    assert found + superiority(losses, wins) == pytest.approx(1.0, abs=1e-12)
    assert superiority(wins + 1, losses) >= found >= superiority(wins, losses + 1)


def test_superiority_of_many_games_is_close_to_normal() -> None:
    normal = trinomial(50_200, 0, 49_800).los
    assert superiority(50_200, 49_800) == pytest.approx(normal, abs=1e-4)


def test_the_bounds_are_walds() -> None:
    found = sprt([0] * 5, 0, 5)
    assert (found.llr, found.verdict) == (0.0, None)
    # A. Wald, 1945: log(beta / (1 - alpha)) and log((1 - beta) / alpha); the 2.94 of every engine's test.
    assert found.lower == pytest.approx(-2.9444, abs=1e-4)
    assert found.upper == pytest.approx(2.9444, abs=1e-4)
    uneven = sprt([0] * 5, 0, 5, 0.1, 0.01)
    assert uneven.lower == pytest.approx(log(0.01 / 0.9))
    assert uneven.upper == pytest.approx(log(0.99 / 0.1))


def test_the_test_ends_where_the_result_is_clear() -> None:
    assert sprt([10, 20, 40, 60, 70], 0, 50).verdict is Hypothesis.H1
    assert sprt([70, 60, 40, 20, 10], 0, 50).verdict is Hypothesis.H0
    assert sprt([70, 60, 40, 20, 10], 0, 50, model="normalized").verdict is Hypothesis.H0
    assert f"{Hypothesis.H1}" == "H1"


def test_without_draws_and_far_from_the_ends_it_is_walds_test_of_a_coin() -> None:
    # For pairs that are won or lost as a whole, the log-likelihood ratio is the plain one.
    chances = [1 / (1 + 10 ** (-elo / 400)) for elo in (0, 30)]
    plain = 550 * log(chances[1] / chances[0]) + 450 * log((1 - chances[1]) / (1 - chances[0]))
    assert sprt([450, 0, 0, 0, 550], 0, 30).llr == pytest.approx(plain, abs=1e-3)


def test_small_bounds_agree_with_the_approximation_by_a_normal_variable() -> None:
    # M. Van den Bergh, "GSPRT approximation": (s1 - s0) (2 s - s0 - s1) / (2 variance) a pair.
    counts = [332, 433, 498, 333, 334]
    total = sum(counts)
    mean = sum(count * number / 4 for number, count in enumerate(counts)) / total
    variance = sum(count * (number / 4 - mean) ** 2 for number, count in enumerate(counts)) / total
    s0, s1 = (1 / (1 + 10 ** (-elo / 400)) for elo in (-5, 0))
    close = total * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert sprt(counts, -5, 0).llr == pytest.approx(close, abs=0.02)


@pytest.mark.costly
@settings(max_examples=tries(150))
@given(FIVE, st.floats(-2000, 2000), st.floats(-2000, 2000), MODEL)
@example([0, 0, 0, 0, 10**9], -2000, 2000, Model.NORMALIZED)
@example([1, 0, 0, 0, 10**9], 1999, 2000, Model.NORMALIZED)
def test_the_ratio_of_any_result_is_finite_and_mirrors(
    counts: list[int], one: float, other: float, model: Model
) -> None:
    elo0, elo1 = min(one, other), max(one, other)
    assume(elo0 < elo1)
    found, swapped = sprt(counts, elo0, elo1, model=model), sprt(counts[::-1], -elo1, -elo0, model=model)
    assert isfinite(found.llr)
    assert found.llr == pytest.approx(-swapped.llr, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_better_results_speak_for_the_higher_bound(model: str) -> None:
    ratios = [sprt([40 - better, 30, 20, 30, 40 + better], 0, 10, model=model).llr for better in range(0, 40, 4)]
    assert all(one < other for one, other in pairwise(ratios))


@pytest.mark.parametrize(
    ("elo0", "elo1", "alpha", "beta", "message"),
    [
        (5.0, 5.0, 0.05, 0.05, "elo0 = 5 and elo1 = 5"),
        (5.0, 0.0, 0.05, 0.05, "expected elo0 below elo1"),
        (nan, 5.0, 0.05, 0.05, "elo0 = nan"),
        (0.0, inf, 0.05, 0.05, "elo1 = inf"),
        (0.0, 5.0, 0.0, 0.05, "expected alpha between 0 and 0.5, got 0"),
        (0.0, 5.0, 0.05, 0.5, "expected beta between 0 and 0.5, got 0.5"),
        (0.0, 5.0, 0.05, nan, "got nan"),
    ],
)
def test_bounds_that_are_none_are_refused(elo0: float, elo1: float, alpha: float, beta: float, message: str) -> None:
    with pytest.raises(BadRating, match=message):
        sprt([0] * 5, elo0, elo1, alpha, beta)


def test_counts_and_models_that_are_none_are_refused() -> None:
    with pytest.raises(BadRating, match="expected the model logistic or normalized of a sequential test, got 'bayes'"):
        sprt([1] * 5, 0, 5, model="bayes")
    with pytest.raises(BadRating, match="3/2 and 2; got 3 numbers"):
        pentanomial([1, 2, 3])
    with pytest.raises(BadRating, match="expected counts of 0 or more, got 3, 2, -1"):
        trinomial(-1, 2, 3)
    with pytest.raises(BadRating, match="counts"):
        superiority(-1, 0)


# One player against another: counts, pairs, and the confidence bound of a perfect score.


_ids = count(1)


def game(
    first: str, second: str, points: float, *, pair: str = "", verdict: str = "normal", plies: int | None = 9
) -> RatedGame:
    """A game with the score of `first`; without `pair`, it is a pair of its own."""
    id = next(_ids)
    return RatedGame(
        id=id,
        names=(first, second),
        points=(points, 1.0 - points),
        rules="tictactoe",
        pair=("1", pair or f"game {id}"),
        round=1,
        finished="2026-05-01T12:00:00.000Z",
        tournament=1,
        number=id,
        verdict=verdict,
        plies=plies,
    )


def pair(name: str, own: float, other: float) -> list[RatedGame]:
    """Two games with the scores of a, first in the first seat."""
    return [game("a", "b", own, pair=name), game("b", "a", 1.0 - other, pair=name)]


def test_games_are_counted_in_all_and_by_seat() -> None:
    games = [*pair("1", 1.0, 0.5), game("a", "b", 0.0), game("a", "c", 0.0), game("c", "b", 1.0)]
    found = versus(games, "a", "b")
    assert (found.a, found.b, found.games, found.wins, found.draws, found.losses) == ("a", "b", 3, 1, 1, 1)
    assert found.by_seat == [Seated(0, 2, 1, 0, 1), Seated(1, 1, 0, 1, 0)]


def test_pairs_are_counted_together_and_what_is_left_on_its_own() -> None:
    games = [
        *pair("1", 1.0, 1.0),
        *pair("2", 1.0, 0.5),
        *pair("3", 0.0, 1.0),
        *pair("4", 0.0, 0.0),
        game("a", "b", 1.0),
    ]
    found = versus(games, "a", "b")
    assert (found.pentanomial, found.single) == ([1, 0, 1, 1, 1], 1)


def test_who_is_better_is_told_by_the_pairs_that_one_of_them_has_won() -> None:
    even = versus(pair("1", 0.0, 1.0), "a", "b")
    assert even.los == 0.5
    won = versus(pair("1", 1.0, 1.0), "a", "b")
    assert won.los == pytest.approx(0.75)
    # Two games with one opening give less information than two games with two openings.
    assert versus([game("a", "b", 1.0), game("b", "a", 0.0)], "a", "b").los > won.los


def test_the_longest_the_shortest_and_the_last_games_are_told() -> None:
    games = [game("a", "b", 1.0, plies=plies) for plies in (7, None, 30, 5, *[9] * 10)]
    found = versus(games, "a", "b")
    assert found.longest is not None
    assert found.shortest is not None
    assert (found.longest.plies, found.shortest.plies) == (30, 5)
    assert [one.id for one in found.last] == [one.id for one in games[:-11:-1]]


def test_games_of_unknown_length_have_no_longest_one() -> None:
    found = versus([game("a", "b", 1.0, plies=None)], "a", "b")
    assert (found.games, found.longest, found.shortest) == (1, None, None)


def test_how_games_ended_is_counted() -> None:
    games = [game("a", "b", 1.0, verdict=verdict) for verdict in ("time", "normal", "time")]
    assert versus(games, "a", "b").verdicts == {"normal": 1, "time": 2}


def test_a_version_is_itself_and_a_name_is_all_of_them() -> None:
    games = [game("a@1", "b@1", 1.0), game("a@2", "b@1", 0.0), game("a@2", "a@1", 1.0)]
    assert versus(games, "a", "b").games == 2
    assert versus(games, "a@2", "b").losses == 1
    assert versus(games, "a@2", "a@1").wins == 1


def test_in_a_game_for_more_it_counts_who_of_the_two_has_more() -> None:
    three = game("a", "b", 0.5)
    games = [
        replace(three, names=("c", "a", "b"), points=(1.0, 0.0, 0.0)),
        replace(three, names=("a", "c", "b"), points=(0.25, 0.75, 0.0), pair=("1", "another")),
    ]
    found = versus(games, "a", "b")
    assert (found.wins, found.draws, found.losses) == (1, 1, 0)


def test_without_games_nothing_is_told() -> None:
    found = versus([], "a", "b")
    assert (found.games, found.difference.elo, found.bound, found.los) == (0, None, None, 0.5)
    assert (found.by_seat, found.last, found.verdicts) == ([], [], {})


@pytest.mark.parametrize("pairs", [1, 4, 5, 100])
def test_who_wins_everything_is_better_by_what_would_have_failed_one_time_in_twenty(pairs: int) -> None:
    found = versus([one for number in range(pairs) for one in pair(str(number), 1.0, 1.0)], "a", "b")
    assert (found.difference.elo, found.bound is not None) == (None, True)
    assert found.bound is not None
    score = 1.0 / (1.0 + 10.0 ** (-found.bound / 400.0))
    # All games in a row are won with probability 5 % at this expected score.
    assert score**pairs == pytest.approx(0.05)
    assert (found.bound > 0.0) is (pairs >= 5)


def test_a_single_game_counts_as_much_as_a_pair_for_what_is_sure() -> None:
    both = versus([*pair("1", 1.0, 1.0), game("a", "b", 1.0)], "a", "b")
    assert both.bound == pytest.approx(400.0 * log10(0.05**0.5 / (1.0 - 0.05**0.5)))


@pytest.mark.parametrize("points", [[1.0, 0.5], [0.5, 0.5], [1.0, 0.0]])
def test_nothing_more_is_sure_where_not_everything_was_won(points: list[float]) -> None:
    assert versus([game("a", "b", share) for share in points], "a", "b").bound is None


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from("1234")), max_size=12))
def test_it_is_the_same_from_the_other_side(played: list[tuple[bool, float, str]]) -> None:
    games = [game("a" if first else "b", "b" if first else "a", points, pair=name) for first, points, name in played]
    own, other = versus(games, "a", "b"), versus(games, "b", "a")
    assert (own.wins, own.draws, own.losses) == (other.losses, other.draws, other.wins)
    assert own.pentanomial == other.pentanomial[::-1]
    assert own.los == pytest.approx(1.0 - other.los)
    for one, mirrored in ((own.difference.elo, other.difference.elo), (own.bound, other.bound)):
        assert (one is None) is (mirrored is None)
        assert one is None or mirrored is None or one == pytest.approx(-mirrored, abs=1e-9)
    assert _adds_up(own)


def _adds_up(found: Versus) -> bool:
    return found.games == found.wins + found.draws + found.losses == 2 * sum(found.pentanomial) + found.single


def test_pairs_that_repeat_another_move_for_move_make_nobody_surer() -> None:
    once = [*pair("1", 1.0, 1.0), *pair("2", 1.0, 0.5), *pair("3", 0.0, 1.0), *pair("4", 0.0, 1.0)]
    once = [replace(one, moves_hash=number) for number, one in enumerate(once)]
    again = [replace(one, pair=(one.pair, copy)) for copy in range(20) for one in once]
    new = [replace(one, moves_hash=None) for one in again]
    one, repeated, independent = (versus(games, "a", "b") for games in (once, again, new))
    assert (one.repeated, repeated.repeated, independent.repeated) == (0, 4 * 19, 0)
    assert repeated.difference.elo == pytest.approx(one.difference.elo)
    assert repeated.los == one.los < independent.los
    assert repeated.games == 160
    assert repeated.pentanomial == [20 * count for count in one.pentanomial]
    assert repeated.difference.error == pytest.approx(one.difference.error)
    assert (independent.difference.error or 0.0) < 0.3 * (one.difference.error or 0.0)


def test_who_won_one_game_again_and_again_has_proven_no_more_than_with_one() -> None:
    won = [replace(one, moves_hash=number) for number, one in enumerate(pair("1", 1.0, 1.0))]
    again = [replace(one, pair=copy) for copy in range(9) for one in won]
    assert versus(again, "a", "b").bound == versus(won, "a", "b").bound


def test_a_few_pairs_that_went_alike_are_no_reason_to_be_sure() -> None:
    found = versus([one for number in range(8) for one in pair(f"{number}", 1.0, 0.0)], "a", "b").difference
    # One pair of independent games among eight that were split: sqrt(1/2) / 16 is the standard error of the score.
    width = 1.96 * sqrt(0.5) / 16.0
    assert found.elo == 0.0
    assert found.error == pytest.approx(400.0 * log10((0.5 + width) / (0.5 - width)), rel=1e-3)
