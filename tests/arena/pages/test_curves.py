"""Curves over the plies of a game."""

from __future__ import annotations

import math

import pytest

from arena.pages.curves import on_one_axis, plot
from arena.ratings.plots.line_plot import Line, Point
from tests.kit.plot_reading import AWKWARD, check_room, classed, drawn


def curve(name: str, seat: int, *points: tuple[float, float]) -> Line:
    """The curve of a seat."""
    return Line(name, tuple(Point(ply, value) for ply, value in points), hue=seat, stroke=seat)


UP = curve("ann", 0, (1, 0.1), (3, 0.2), (5, 0.9))
DOWN = curve("bob", 1, (2, -0.1), (4, -0.5))


def test_each_seat_has_its_own_line_and_its_name() -> None:
    picture = drawn(plot([UP, DOWN], 5, title="Value", unit="score"))
    check_room(picture)
    assert len(classed(picture, "g", "hue0")) == len(classed(picture, "g", "hue1")) == 1
    assert "dashed" in str(classed(picture, "polyline", "line")[-1].attrib)
    assert len(classed(picture, "line", "now")) == 1


@pytest.mark.parametrize("curves", [[], [curve("ann", 0)], [curve("ann", 0, (1, math.nan), (3, math.inf))]])
def test_without_points_there_is_no_plot(curves: list[Line]) -> None:
    assert plot(curves, 5, title="Value", unit="score") == ""


@pytest.mark.parametrize("values", [(0.0,), (1e9, -1e300), (1e-9, 2e-9), (3.0, 3.0), (-1.0, 1e9, 0.5)])
@pytest.mark.parametrize("plies", [1, 7, 4000])
def test_any_values_make_a_picture_with_room_for_all_that_is_written(values: tuple[float, ...], plies: int) -> None:
    points = tuple((min(number, plies), value) for number, value in enumerate(values, start=1))
    curves = [curve(name, seat, *points) for seat, name in enumerate(AWKWARD[:5])]
    check_room(drawn(plot(curves, plies, title=AWKWARD[4], unit="seconds left")))


def test_values_of_another_scale_have_their_own_axis() -> None:
    assert on_one_axis([UP, DOWN])
    assert on_one_axis([UP, curve("bob", 1)])
    assert on_one_axis([UP, curve("bob", 1, (2, 0.0))])
    assert not on_one_axis([UP, curve("bob", 1, (2, 300.0))])
