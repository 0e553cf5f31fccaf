"""The small pictures in the rows of standings: any numbers give a whole picture, and what it says is inside it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as some

from arena.results import figures

RATINGS = some.floats(-5000, 5000)
ERRORS = some.floats(0, 5000)


def numbers(picture: str, *names: str) -> list[float]:
    """The values of these attributes in a picture, which must be well-formed."""
    root = ElementTree.fromstring(picture)
    return [float(part.attrib[name]) for part in root.iter() for name in names if name in part.attrib]


@given(some.lists(some.tuples(RATINGS, ERRORS), min_size=1, max_size=30))
def test_every_rating_is_on_the_scale_and_inside_its_bar(known: list[tuple[float, float]]) -> None:
    low, high = figures.scale(known)
    assert low % 100 == high % 100 == 0
    for rating, error in known:
        assert low <= rating <= high
        begin, end, dot, same = numbers(figures.whisker(rating, error, low, high), "x1", "x2")
        assert 0 <= begin <= dot == same <= end <= 100


@given(some.lists(RATINGS, max_size=40))
def test_a_curve_stays_in_its_box(ratings: list[float]) -> None:
    picture = figures.spark(ratings)
    assert (picture == "") == (len(ratings) < 2)
    for x, y in re.findall(r"([\d.]+),([-\d.]+)", picture):
        assert 0 <= float(x) <= 100
        assert -0.1 <= float(y) <= 100


@given(*[some.integers(0, 10**6)] * 3)
def test_a_bar_is_whole_if_there_are_games(won: int, drawn: int, lost: int) -> None:
    picture = figures.shares_bar(won, drawn, lost)
    if won + drawn + lost == 0:
        assert picture == ""
    else:
        assert abs(sum(numbers(picture, "width")) - 100) <= 0.2


def test_a_change_has_its_sign() -> None:
    changes = [(None, 1.0), (1.0, None), (5.2, 5.0), (12.0, 5.0), (5.0, 12.0)]
    assert [figures.change(now, before) for now, before in changes] == ["", "", "±0", "+7", "−7"]
