"""The dot plot: positions of dots and bars, no overlaps, and the description."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from random import Random

import pytest

from arena.ratings.plots import RatingBar, ratings
from tests.kit.plot_reading import AWKWARD, check_room, classed, drawn, texts

ANN, BOB = RatingBar("ann", 1600.0, 40.0, "", 1), RatingBar("bob", 1500.0, None, "anchor", 2)


def some_bars(count: int, *, pools: int = 1) -> list[RatingBar]:
    """Players with random ratings, some with awkward names."""
    random = Random(count)
    return [
        RatingBar(
            AWKWARD[number] if number < len(AWKWARD) else f"student-{number}",
            random.gauss(1500.0, 200.0),
            random.choice((None, 20.0, 60.0)),
            random.choice(("", "", "anchor", "no games yet, or hardly any")),
            number + 1,
            f"pool {number * pools // count}",
        )
        for number in range(count)
    ]


def test_dots_are_at_the_ratings_and_bars_have_the_length_of_the_errors() -> None:
    root = drawn(ratings([ANN, BOB, RatingBar("cleo", 1550.0, 10.0, "", 3)], title="cs101"))
    ann, bob, cleo = (float(dot.get("cx", "nan")) for dot in classed(root, "circle", "dot"))
    assert bob < cleo < ann
    assert cleo == pytest.approx((ann + bob) / 2, abs=0.1)
    bars = [(float(bar.get("x1", "nan")), float(bar.get("x2", "nan"))) for bar in classed(root, "line", "error")]
    assert len(bars) == 2
    unit = (ann - bob) / 100
    for dot, error, (left, right) in zip((ann, cleo), (40, 10), bars, strict=True):
        assert (dot - left, right - dot) == pytest.approx((error * unit, error * unit), abs=0.2)


def test_ranks_names_ratings_errors_and_marks_are_written() -> None:
    root = drawn(ratings([ANN, BOB], title="cs101", unit="Elo"))
    assert {"cs101", "1", "ann", "1600", "± 40", "2", "bob", "1500", "anchor", "Elo"} <= set(texts(root))
    assert len(classed(root, "circle", "marked")) == 1


def test_the_description_has_the_data_as_text() -> None:
    root = drawn(ratings([ANN, BOB], title="cs101"))
    assert root.get("role") == "img"
    assert root[0].text == "cs101"
    assert root[1].text == "2 players, in Elo. 1. ann: 1600 plus or minus 40; 2. bob: 1500, anchor."


def test_an_anchor_without_a_rank_is_in_the_plot() -> None:
    root = drawn(ratings([ANN, RatingBar("random", 0.0, 0.0, "anchor", None)], title="cs101"))
    assert "–" in texts(root)
    assert (root[1].text or "").endswith("; random: 0 plus or minus 0, anchor.")


def test_it_reads_in_light_and_dark() -> None:
    assert "prefers-color-scheme: dark" in ratings([ANN], title="cs101")


@pytest.mark.parametrize("pools", [1, 3])
@pytest.mark.parametrize("count", [1, 2, 6, 40, 41, 200])
def test_nothing_overlaps_and_nothing_is_outside(count: int, pools: int) -> None:
    check_room(drawn(ratings(some_bars(count, pools=min(pools, count)), title="W" * 300)))


def test_awkward_names_are_shown_as_text() -> None:
    root = drawn(
        ratings([RatingBar(name, 1500.0, 20.0, name, 1, name) for name in AWKWARD], title=AWKWARD[2], unit=AWKWARD[0])
    )
    assert "<script>alert(1)</script>" in texts(root)
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))
    assert all(text.isprintable() for text in texts(root))
    check_room(root)


def test_long_names_keep_their_beginning_and_end_and_are_told_in_full() -> None:
    name = "mcts:seconds=0.02,exploration=1.41,seed=12345678"
    root = drawn(ratings([RatingBar(name, 1500.0, None, "", 1)], title="cs101"))
    (short,) = (text for text in texts(root) if text.startswith("mcts"))
    assert re.fullmatch(r"mcts:seconds=.*….*=12345678", short)
    assert name in (root[1].text or "")


def test_pools_are_apart_with_their_names_and_one_pool_has_none() -> None:
    rows = some_bars(6, pools=2)
    root = drawn(ratings(rows, title="cs101"))
    assert [text for text in texts(root) if text.startswith("pool")] == ["pool 0", "pool 1"]
    ys = [float(dot.get("cy", "nan")) for dot in classed(root, "circle", "dot")]
    steps = [below - above for above, below in pairwise(ys)]
    assert steps[2] > 2 * steps[0]
    assert "2. " in (root[1].text or "")
    assert not [text for text in texts(drawn(ratings(rows[:3], title="cs101"))) if text.startswith("pool")]


@pytest.mark.parametrize("error", [5000.0, math.inf])
def test_a_very_large_error_bar_is_cut_with_arrows(error: float) -> None:
    rows = [ANN, RatingBar("bob", 1500.0, error, "", 2), RatingBar("cleo", 1400.0, 30.0, "", 3)]
    root = drawn(ratings(rows, title="cs101"))
    ann, _, cleo = (float(dot.get("cx", "nan")) for dot in classed(root, "circle", "dot"))
    assert ann - cleo > 100
    corners = [len(shape.get("points", "").split()) for shape in classed(root, "polyline", "error")]
    assert corners == [2, 2, 3, 3, 2, 2]
    check_room(root)


@pytest.mark.parametrize("rating", [0.0, -1234.5, 1e7, 0.001])
@pytest.mark.parametrize("spread", [0.0, 0.01, 3.0, 1e5])
def test_any_scale_has_round_ticks_and_numbers_that_tell_neighbours_apart(rating: float, spread: float) -> None:
    rows = [RatingBar("ann", rating + spread, None, "", 1), RatingBar("bob", rating, None, "", 2)]
    root = drawn(ratings(rows, title="cs101", unit="points"))
    check_room(root)
    assert 2 <= len(classed(root, "line", "grid")) <= 9
    assert not any("nan" in text or text == "−0" for text in texts(root))


def test_a_plot_without_players() -> None:
    root = drawn(ratings([], title="cs101"))
    assert texts(root) == ["cs101", "no ratings yet"]
    check_room(root)
