"""From verdicts and utilities to the points of each seat."""

from __future__ import annotations

from typing import Any

from adsearch import games
from agents.protocol import (
    Verdict,
)
from arena.match.points import points, result
from tests.kit.match_table import Table

WON_BY_SEAT_0 = ("a1", "b1", "a2", "b2", "a3")


# What it is worth.


def test_points_of_two_seats_compare_utilities() -> None:
    assert points((1.0, -1.0)) == (1.0, 0.0)
    assert points((-0.5, 0.5)) == (0.0, 1.0)
    assert points((3.0, 3.0)) == (0.5, 0.5)


def test_points_of_more_seats_are_the_share_of_the_others_beaten_ties_half() -> None:
    assert points((3.0, 2.0, 1.0)) == (1.0, 0.5, 0.0)
    assert points((1.0, 0.0, 0.0)) == (1.0, 0.25, 0.25)
    assert points((5.0, 5.0, 5.0, 1.0)) == (2 / 3, 2 / 3, 2 / 3, 0.0)


def test_a_fault_costs_the_least_that_a_game_can_be_worth_to_that_seat() -> None:
    kuhn = games.start("kuhn")
    assert result(kuhn, Verdict.CRASHED, 0) == ((-2.0, 2.0), (0.0, 1.0))
    assert result(kuhn, Verdict.CRASHED, 1) == ((2.0, -2.0), (1.0, 0.0))


class _Lopsided:
    """The part of a State that `result` uses: a zero-sum game that only seat 0 can win."""

    players, zero_sum, bounds = 2, True, (0.0, 3.0)


def test_bounds_are_seat_0s_and_seat_1_at_fault_gets_the_worst_of_its_own() -> None:
    lopsided: Any = _Lopsided()
    assert result(lopsided, Verdict.TIME, 0) == ((0.0, 0.0), (0.0, 1.0))
    assert str(result(lopsided, Verdict.TIME, 0)[0]) == "(0.0, 0.0)"
    assert result(lopsided, Verdict.TIME, 1) == ((3.0, -3.0), (1.0, 0.0))


def test_where_bounds_are_infinite_a_fault_costs_one() -> None:
    endless: Any = _Lopsided()
    endless.bounds = (-float("inf"), float("inf"))
    assert [result(endless, Verdict.TIME, seat)[0] for seat in (0, 1)] == [(-1.0, 1.0), (1.0, -1.0)]


def test_a_fault_among_more_seats_is_no_points_and_the_others_tie() -> None:
    table = Table(rules="ludo:players=3", seats=3).begin()
    table.refuse(1)
    assert table.match.utilities is None
    assert table.match.points == (0.75, 0.0, 0.75)


def test_an_adjudicated_game_of_more_seats_is_half_a_point_each_and_no_utilities() -> None:
    assert result(games.start("ludo"), Verdict.ADJUDICATED, None) == (None, (0.5,) * 4)


def test_faults_change_points_in_any_position() -> None:
    table = Table().begin()
    table.play("a1", "b1", "a2", "b2")
    table.refuse(0)
    assert table.match.points == (0.0, 1.0)
