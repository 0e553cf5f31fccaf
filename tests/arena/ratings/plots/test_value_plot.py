"""The plot of a game's value: its description, and no overlaps."""

from __future__ import annotations

from math import inf
from random import Random

import pytest

from arena.ratings.plots.line_plot import Line, Mistake, Point, values
from tests.kit.plot_reading import AWKWARD, SVG, check_room, classed, drawn, texts


def some_spots(plies: int, seats: int) -> list[Mistake]:
    random = Random(plies)
    return [
        Mistake(
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
    line = Line(AWKWARD[0], tuple(Point(ply, scale * random.uniform(-1, 1)) for ply in range(plies + 1)))
    spots = [Mistake(spot.ply, scale * spot.value, spot.seat, spot.grave, spot.words) for spot in some_spots(plies, 2)]
    root = drawn(values([line], spots, title="<ann> - bob", sides=(AWKWARD[0], AWKWARD[4]), bounds=(-scale, scale)))
    check_room(root)
    assert len(classed(root, "polyline", "line")) == 1
    assert len(classed(root, "circle", "point")) == len(spots)
    assert len(classed(root, "circle", "paper")) == sum(spot.grave for spot in spots)
    written = [words for words in texts(root) if words.endswith("??")]
    assert len(written) == len(set(written)) <= sum(spot.grave for spot in spots)


def test_the_names_of_both_players_are_whole() -> None:
    picture = drawn(values([Line("ann", (Point(0, 0.0),))], [], title="x", sides=("minimax:depth=2", "my_agent.py")))
    written = texts(picture)
    assert written.count("good for") == 2
    assert {"minimax:depth=2", "my_agent.py"} <= {*written}


@pytest.mark.parametrize("seats", [1, 3, 5])
def test_a_game_of_several_has_a_line_and_a_name_for_each(seats: int) -> None:
    random = Random(seats)
    lines = [
        Line(AWKWARD[seat], tuple(Point(ply, random.uniform(-1, 1)) for ply in range(90))) for seat in range(seats)
    ]
    root = drawn(values(lines, some_spots(89, seats), title="several"))
    check_room(root)
    assert len(classed(root, "polyline", "line")) == 2 * seats


def test_the_description_has_all_values_and_mistakes() -> None:
    picture = values(
        [Line("ann", (Point(0, 0.0), Point(1, -0.5)))],
        [Mistake(1, -0.5, 0, True, "1?? ann played d, better was c")],
        title="ann - bob",
    )
    description = drawn(picture).findtext(f"{SVG}desc") or ""
    assert "For ann: from 0.00 (0 plies) to −0.50 (1 ply)" in description
    assert "1?? ann played d, better was c" in description


def test_without_moves_or_finite_values_it_says_so() -> None:
    for lines in ([], [Line("ann", ())], [Line("ann", (Point(0, inf), Point(1, -inf)))]):
        root = drawn(values(lines, [], title="nothing"))
        assert "no moves" in texts(root)
        check_room(root)
