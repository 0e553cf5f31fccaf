"""Plots over the plies of a game: lines in per cent of their place, and the words around them."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from arena.pages.game import Plot, on_one_axis, over_plies, plot
from arena.pages.game import analysis_curves as analysis
from arena.ratings.plots import PlottedLine, Point
from tests.kit.page_games import analysed, past_game
from tests.kit.plot_reading import AWKWARD


def curve(name: str, seat: int, *points: tuple[float, float]) -> PlottedLine:
    """The curve of a seat."""
    return PlottedLine(name, tuple(Point(ply, value) for ply, value in points), hue=seat, stroke=seat)


UP = curve("ann", 0, (1, 0.1), (3, 0.2), (5, 0.9))
DOWN = curve("bob", 1, (2, -0.1), (4, -0.5))


def made(lines: list[PlottedLine], plies: int = 5) -> Plot:
    """The plot of these lines."""
    found = plot(lines, over_plies(plies), "connect4", title="Value", unit="score")
    assert found is not None
    return found


def places(points: str) -> list[tuple[float, float]]:
    """The points of a line."""
    return [(float(x), float(y)) for x, y in (each.split(",") for each in points.split())]


def test_each_seat_has_the_colour_of_its_pieces_its_stroke_and_its_name() -> None:
    found = made([UP, DOWN])
    assert [(line.name, line.kind, line.stroke) for line in found.lines] == [
        ("ann", "of-yellow", ""),
        ("bob", "of-red", "dashed"),
    ]
    assert found.said == "Value. ann: from 0.10 to 0.90; bob: from −0.10 to −0.50."


def test_a_line_is_where_its_plies_and_values_are() -> None:
    found = made([UP, DOWN])
    up, down = (places(line.points) for line in found.lines)
    assert [x for x, _ in up] == [20, 60, 100]
    assert [x for x, _ in down] == [40, 80]
    assert [y for _, y in up] == sorted((y for _, y in up), reverse=True)
    assert max(y for _, y in up) < min(y for _, y in down)


def test_levels_stand_beside_their_numbers() -> None:
    found = made([UP, DOWN])
    assert len(found.levels) == len(found.ticks) >= 2
    levels = [float(level) for level in found.levels]
    assert (levels[0], levels[-1]) == (0, 100)
    steps = [after - before for before, after in pairwise(levels)]
    assert steps == pytest.approx([steps[0]] * len(steps), abs=0.2)
    numbers = [float(tick.replace("−", "-")) for tick in found.ticks]
    assert numbers == sorted(numbers, reverse=True)


@pytest.mark.parametrize("curves", [[], [curve("ann", 0)], [curve("ann", 0, (1, math.nan), (3, math.inf))]])
def test_without_points_there_is_no_plot(curves: list[PlottedLine]) -> None:
    assert plot(curves, over_plies(5), "connect4", title="Value", unit="score") is None


@pytest.mark.parametrize("values", [(0.0,), (1e9, -1e300), (1e-9, 2e-9), (3.0, 3.0), (-1.0, 1e9, 0.5)])
@pytest.mark.parametrize("plies", [1, 7, 4000])
def test_any_values_stay_inside_the_plot(values: tuple[float, ...], plies: int) -> None:
    points = tuple((min(number, plies), value) for number, value in enumerate(values, start=1))
    found = made([curve(name, seat, *points) for seat, name in enumerate(AWKWARD[:5])], plies)
    for line in found.lines:
        for x, y in (*places(line.points), *places(" ".join(line.dots))):
            assert 0 <= x <= 100
            assert 0 <= y <= 100
    assert len(found.ticks) <= 8
    assert max(map(len, found.ticks)) <= 12


def test_a_long_line_has_no_dots() -> None:
    points = [(ply, ply / 500) for ply in range(1, 500)]
    assert not made([curve("ann", 0, *points)], 500).lines[0].dots
    assert len(made([curve("ann", 0, *points[:30])], 500).lines[0].dots) == 30


def test_an_analysis_of_two_is_one_line_with_its_mistakes_on_it() -> None:
    game = analysed(past_game("tictactoe", ("ann", "bob"), moves="c2 c3 a2 b1 b2"), depth=9)
    found = analysis(game.analysis, ("ann", "bob"), "tictactoe", 5, (-1.0, 1.0))
    assert found is not None
    (line,) = found.lines
    assert found.corners == ("ann", "bob")
    assert [words.split()[0] for _, words in found.mistakes] == ["3??", "4??"]
    assert {place for place, _ in found.mistakes} <= {*line.points.split()}
    assert (found.ticks[0], found.ticks[-1]) == ("1", "−1")


def test_values_of_another_scale_have_their_own_axis() -> None:
    assert on_one_axis([UP, DOWN])
    assert on_one_axis([UP, curve("bob", 1)])
    assert on_one_axis([UP, curve("bob", 1, (2, 0.0))])
    assert not on_one_axis([UP, curve("bob", 1, (2, 300.0))])
