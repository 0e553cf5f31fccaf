"""Plots: positions of lines, bands, dots and bars, names, no overlaps, and the descriptions."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from math import inf
from random import Random
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.plots import MistakeMark, PlottedLine, Point, RatingBar, progress, ratings, spread, values
from tests.kit.effort import tries
from tests.kit.plot_reading import AWKWARD, SVG, check_room, classed, drawn, texts

ALICE = PlottedLine("alice v1", (Point(10, 1400.0, 90.0), Point(60, 1450.0, 30.0)))


def some_lines(count: int) -> list[PlottedLine]:
    """Versions of agents, some with awkward names."""
    random = Random(count)
    lines = []
    for number in range(count):
        games, points = 0, []
        for _ in range(random.randint(1, 40)):
            games += random.randint(1, 30)
            error = random.choice((None, 30.0, 200.0))
            points.append(Point(games, random.gauss(1500.0, 50.0), error))
        name = AWKWARD[number] if number < len(AWKWARD) else f"alice v{number}"
        lines.append(PlottedLine(name, tuple(points)))
    return lines


def test_a_line_rises_with_the_rating_and_its_band_is_as_wide_as_the_error() -> None:
    root = drawn(progress([ALICE], title="alice"))
    (first, last) = (
        (float(dot.get("cx", "nan")), float(dot.get("cy", "nan"))) for dot in classed(root, "circle", "point")
    )
    assert first[0] < last[0]
    assert first[1] > last[1]
    (band,) = classed(root, "polygon", "band")
    upper, _, _, lower = (float(corner.partition(",")[2]) for corner in band.get("points", "").split())
    unit = (first[1] - last[1]) / 50
    assert (lower - upper) == pytest.approx(180 * unit, abs=0.3)


def test_names_stand_at_the_lines_ends_with_the_last_rating() -> None:
    root = drawn(progress([ALICE], title="alice"))
    assert {"alice", "alice v1", "1450 ± 30", "version", "Elo"} <= set(texts(root))


def test_the_description_has_the_data_as_text() -> None:
    root = drawn(progress([ALICE], title="alice"))
    assert root.get("role") == "img"
    told = "1 line, in Elo. alice v1: from 1400 plus or minus 90 (10 versions) to 1450 plus or minus 30 (60 versions)."
    assert (root[0].text, root[1].text) == ("alice", told)


@pytest.mark.parametrize("count", [1, 2, 6, 20, 60])
def test_nothing_overlaps_and_nothing_is_outside(count: int) -> None:
    check_room(drawn(progress(some_lines(count), title="W" * 300)))


def test_a_band_is_interrupted_where_the_error_is_not_known() -> None:
    errors = (50.0, 40.0, None, 30.0, None, 20.0, 10.0)
    points = tuple(Point(10 * number, 1500.0, error) for number, error in enumerate(errors))
    root = drawn(progress([PlottedLine("alice", points)], title="alice"))
    assert len(classed(root, "polygon", "band")) == 2
    assert len(classed(root, "polyline", "alone")) == 1


def test_many_lines_have_no_bands_and_differ_by_more_than_colour() -> None:
    root = drawn(progress(some_lines(18), title="alice"))
    assert not classed(root, "polygon", "band")
    looks = [(group.get("class"), group[2].get("class")) for group in root.findall("{http://www.w3.org/2000/svg}g")]
    assert len(set(looks)) == 18
    style = ElementTree.tostring(root, "unicode")
    for hue, _ in looks:
        assert len({*re.findall(rf"\.{hue} \{{ color: (#\w+)", style)}) == 2, "one on paper, and one in the dark"


def test_a_line_without_points_is_left_out_and_nothing_at_all_is_a_picture_too() -> None:
    assert "bob" not in progress([ALICE, PlottedLine("bob", ())], title="alice")
    assert texts(drawn(progress([PlottedLine("bob", ())], title="alice"))) == ["alice", "no ratings yet"]


@settings(max_examples=tries(100))
@given(wanted=st.lists(st.floats(-50.0, 350.0), max_size=16))
def test_names_move_no_more_than_necessary(wanted: list[float]) -> None:
    places = spread(wanted, 18.0, 0.0, 300.0)
    ordered = [place for _, _, place in sorted(zip(wanted, range(len(wanted)), places, strict=True))]
    assert all(below - above >= 18.0 - 1e-9 for above, below in pairwise(ordered))
    assert all(-1e-9 <= place <= 300.0 + 1e-9 for place in places)
    fits = sorted(wanted)
    if all(below - above >= 18.0 for above, below in pairwise(fits)) and all(0.0 <= one <= 300.0 for one in wanted):
        assert places == pytest.approx(wanted)


# The plot of a game's value: its description, and no overlaps.


def some_spots(plies: int, seats: int) -> list[MistakeMark]:
    random = Random(plies)
    return [
        MistakeMark(
            ply,
            random.uniform(-1, 1),
            random.randrange(seats),
            random.random() < 0.5,
            f"{ply}? played {AWKWARD[ply % 8]}",
        )
        for ply in range(1, plies + 1)
        if random.random() < 0.6
    ]


@pytest.mark.parametrize("plies", [0, 1, 2, 40, 700])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 64.0, 2063.0])
def test_a_game_of_two_is_one_line_with_a_dot_for_each_mistake(plies: int, scale: float) -> None:
    random = Random(plies)
    line = PlottedLine(AWKWARD[0], tuple(Point(ply, scale * random.uniform(-1, 1)) for ply in range(plies + 1)))
    spots = [
        MistakeMark(spot.ply, scale * spot.value, spot.seat, spot.grave, spot.words) for spot in some_spots(plies, 2)
    ]
    root = drawn(values([line], spots, title="<ann> - bob", sides=(AWKWARD[0], AWKWARD[4]), bounds=(-scale, scale)))
    check_room(root)
    assert len(classed(root, "polyline", "line")) == 1
    assert len(classed(root, "circle", "point")) == len(spots)
    assert len(classed(root, "circle", "paper")) == sum(spot.grave for spot in spots)
    written = [words for words in texts(root) if words.endswith("??")]
    assert len(written) == len(set(written)) <= sum(spot.grave for spot in spots)


def test_the_names_of_both_players_are_whole() -> None:
    picture = drawn(
        values([PlottedLine("ann", (Point(0, 0.0),))], [], title="x", sides=("minimax:depth=2", "my_agent.py"))
    )
    written = texts(picture)
    assert written.count("good for") == 2
    assert {"minimax:depth=2", "my_agent.py"} <= {*written}


@pytest.mark.parametrize("seats", [1, 3, 5])
def test_a_game_of_several_has_a_line_and_a_name_for_each(seats: int) -> None:
    random = Random(seats)
    lines = [
        PlottedLine(AWKWARD[seat], tuple(Point(ply, random.uniform(-1, 1)) for ply in range(90)))
        for seat in range(seats)
    ]
    root = drawn(values(lines, some_spots(89, seats), title="several"))
    check_room(root)
    assert len(classed(root, "polyline", "line")) == 2 * seats


def test_the_description_has_all_values_and_mistakes() -> None:
    picture = values(
        [PlottedLine("ann", (Point(0, 0.0), Point(1, -0.5)))],
        [MistakeMark(1, -0.5, 0, True, "1?? ann played d, better was c")],
        title="ann - bob",
    )
    description = drawn(picture).findtext(f"{SVG}desc") or ""
    assert "For ann: from 0.00 (0 plies) to −0.50 (1 ply)" in description
    assert "1?? ann played d, better was c" in description


def test_without_moves_or_finite_values_it_says_so() -> None:
    for lines in ([], [PlottedLine("ann", ())], [PlottedLine("ann", (Point(0, inf), Point(1, -inf)))]):
        root = drawn(values(lines, [], title="nothing"))
        assert "no moves" in texts(root)
        check_room(root)


# The dot plot: positions of dots and bars, no overlaps, and the description.


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


def test_the_description_of_a_dot_plot_has_the_data_as_text() -> None:
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
def test_nothing_of_a_dot_plot_overlaps_or_is_outside(count: int, pools: int) -> None:
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
