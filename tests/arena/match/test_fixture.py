"""Which fixtures can be played, and which are refused before the first player connects."""

from __future__ import annotations

import msgspec
import pytest
from msgspec import structs

from arena.errors import BadClock, BadFixture
from arena.match.clock import MILLISECOND, SECOND
from arena.match.conditions import Limits
from arena.match.fixture import Fixture
from tests.kit.match_table import new_fixture


def test_a_fixture_travels_as_it_is() -> None:
    fixture = new_fixture(clock="60+0.5", opening=("b2",), max_plies=9, guarded=(1,))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(fixture), type=Fixture) == fixture


def test_the_limits_are_those_of_the_rules() -> None:
    assert Limits() == Limits(hello=10 * SECOND, ready=5 * SECOND, move=60 * SECOND)


def test_the_clock_has_the_margin_and_the_limit_of_the_fixture() -> None:
    fixture = new_fixture("ludo:players=3", seats=3, margin=7 * MILLISECOND, limits=Limits(move=9 * SECOND))
    assert fixture.new_clock().limit(2) == 9 * SECOND
    timed = structs.replace(fixture, conditions=structs.replace(fixture.conditions, clock="60"))
    assert timed.new_clock().limit(2) == 60 * SECOND + 7 * MILLISECOND
    assert timed.new_clock().milliseconds() == (60_000,) * 3


@pytest.mark.parametrize(
    ("fixture", "words"),
    [
        (new_fixture("shogi"), "no game 'shogi'"),
        (new_fixture("connect4:rows=0"), "rows"),
        (new_fixture("tictactoe", seats=3), "tictactoe is for 2 players, got 3"),
        (new_fixture("ludo", seats=2), "ludo is for 4 players, got 2"),
        (new_fixture(max_plies=0), "expected max_plies of 1 or more, got 0"),
        (new_fixture(opening=("b2", "b2")), "opening, move 2: expected a legal move"),
        (new_fixture(opening=("a1", "b1", "a2", "b2", "a3", "c3")), "opening, move 6: the game is over"),
    ],
    ids=["game", "option", "more seats", "fewer seats", "max_plies", "opening", "opening beyond the end"],
)
def test_a_game_that_cannot_be_played_is_refused_in_words(fixture: Fixture, words: str) -> None:
    with pytest.raises(BadFixture) as caught:
        fixture.first_position()
    assert words in str(caught.value)


def test_a_clock_that_is_none_is_refused_in_words() -> None:
    with pytest.raises(BadClock, match="expected a clock such as"):
        new_fixture(clock="soon").new_clock()


def test_the_opening_of_a_game_of_chance_is_left_to_be_seen() -> None:
    assert new_fixture("pig", opening=("roll", "nonsense")).first_position().turn is not None


def test_the_game_begins_before_its_opening() -> None:
    fixture = new_fixture(opening=("b2",))
    assert fixture.first_position().position() == new_fixture().first_position().position()
