"""The sequential test that can end a match early."""

from __future__ import annotations

import pytest

from arena.ratings.match_statistics import Hypothesis, Model, sprt
from arena.tournament.format import SprtTerms, line_of_match, match_test

HALVES = (0.0, 0.5, 1.0, 1.5, 2.0)


def test_pairs_are_counted_by_the_points_of_the_player() -> None:
    terms = SprtTerms(of="ann", elo0=-10, elo1=30, alpha=0.01, beta=0.1, model=Model.NORMALIZED)
    counts = [3, 1, 4, 1, 5]
    found = match_test(terms, dict(zip(HALVES, counts, strict=True)))
    expected = sprt(counts, -10, 30, 0.01, 0.1, "normalized")
    assert (found.llr, found.lower, found.upper) == (expected.llr, expected.lower, expected.upper)
    assert (found.verdict, found.pairs) == (None, 14)
    assert found.llr > 0 > match_test(terms, dict(zip(HALVES, reversed(counts), strict=True))).llr


def test_without_pairs_nothing_is_decided() -> None:
    found = match_test(SprtTerms(of="ann", elo0=0, elo1=5), {})
    assert (found.verdict, found.llr, found.pairs) == (None, 0, 0)


def test_the_player_that_wins_all_games_is_better() -> None:
    terms = SprtTerms(of="ann", elo0=0, elo1=100)
    assert match_test(terms, {2.0: 50}).verdict is Hypothesis.H1
    assert match_test(terms, {0.0: 50}).verdict is Hypothesis.H0


@pytest.mark.parametrize(
    ("elo0", "elo1", "if_h0", "if_h1"),
    [
        (0, 50, "not better than bob", "at least 50 Elo better than bob"),
        (2.5, 7.5, "at most 2.5 Elo better than bob", "at least 7.5 Elo better than bob"),
        (-5, 0, "at least 5 Elo worse than bob", "at least as good as bob"),
        (-50, -10, "at least 50 Elo worse than bob", "at most 10 Elo worse than bob"),
    ],
)
def test_the_claims_of_the_hypotheses(elo0: float, elo1: float, if_h0: str, if_h1: str) -> None:
    terms = SprtTerms(of="alice", elo0=elo0, elo1=elo1)
    assert terms.claim(Hypothesis.H0, "bob") == f"alice is {if_h0}"
    assert terms.claim(Hypothesis.H1, "bob") == f"alice is {if_h1}"


def test_a_claim_has_the_unit_of_the_model() -> None:
    terms = SprtTerms(of="alice", elo0=0, elo1=5, model=Model.NORMALIZED)
    assert terms.claim(Hypothesis.H1, "bob") == "alice is at least 5 normalized Elo better than bob"


def test_engine_testers_get_their_line() -> None:
    pairs = dict(zip(HALVES, [1, 20, 50, 25, 4], strict=True))
    test = match_test(SprtTerms(of="new", elo0=0, elo1=5), pairs)
    assert line_of_match("new", "base", pairs, test) == (
        "new vs base, 200 games in pairs: Elo +19.1 ± 27.3, nElo +33.8, LOS 91.6%, drawn pairs 50.0%, "
        "pentanomial [1, 20, 50, 25, 4], LLR 0.43 (-2.94, 2.94)"
    )
    assert line_of_match("new", "base", {}, None) == (
        "new vs base, 0 games in pairs: Elo ? ± ?, nElo ?, LOS ?, no pairs yet, pentanomial [0, 0, 0, 0, 0]"
    )
