"""The line plot: positions of lines and bands, names at the ends, and the description."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.plots import Line, Point, progress
from arena.ratings.plots.line_plot import spread
from tests.kit.effort import tries
from tests.kit.plot_reading import AWKWARD, check_room, classed, drawn, texts

ALICE = Line("alice v1", (Point(10, 1400.0, 90.0), Point(60, 1450.0, 30.0)))


def some_lines(count: int) -> list[Line]:
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
        lines.append(Line(name, tuple(points)))
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
    root = drawn(progress([Line("alice", points)], title="alice"))
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
    assert "bob" not in progress([ALICE, Line("bob", ())], title="alice")
    assert texts(drawn(progress([Line("bob", ())], title="alice"))) == ["alice", "no ratings yet"]


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
