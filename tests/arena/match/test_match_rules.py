"""User-supplied games: wherever the rules fail, no player loses or wins by it."""

from math import inf
from pathlib import Path

import pytest

from adsearch.errors import BadGame
from arena.errors import BadFixture
from tests.kit.broken_games import written
from tests.kit.match_table import Table, new_fixture


@pytest.mark.parametrize("name", ["ReadsWithInt", "LeavesWhenReading", "ReadsWhatIsIllegal"])
def test_a_text_over_which_the_rules_stumble_is_an_illegal_move(tmp_path: Path, name: str) -> None:
    table = Table(rules=written(tmp_path, name)).begin()
    table.play("b2\x1b")
    assert table.result() == ("illegal", 0)
    assert "expected a legal move, got 'b2\\x1b'" in table.match.detail


@pytest.mark.parametrize("name", ["OneUtility", "ThreeUtilities", "WordsForUtilities", "NoUtilities", "NotANumber"])
def test_utilities_that_are_not_one_number_a_seat_are_the_rules_fault(tmp_path: Path, name: str) -> None:
    table = Table(rules=written(tmp_path, name)).begin()
    table.play("3")
    with pytest.raises(BadGame, match="expected 2 numbers, one a seat, got"):
        table.play("1")
    table.abort()
    assert table.result() == ("void", None)


def test_any_real_numbers_are_utilities(tmp_path: Path) -> None:
    table = Table(rules=written(tmp_path, "WholeNumbers")).begin()
    table.play("3", "1")
    assert (table.match.utilities, table.match.points) == ((1.0, 0.0), (1.0, 0.0))


def test_infinite_utilities_have_a_winner_and_are_sent_and_recorded_as_null(tmp_path: Path) -> None:
    table = Table(rules=written(tmp_path, "Endless")).begin()
    table.play("3", "1")
    assert (table.match.utilities, table.match.points) == ((inf, -inf), (1.0, 0.0))
    assert table.overs(0)[0].utilities == (None, None)
    table.finish()
    assert [seat.utility for seat in table.match.record().seats] == [None, None]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("LongTexts", "expected 1 to 64 characters"),
        ("NoTexts", "expected 1 to 64 characters, got 1"),
        ("EmptyTexts", "expected 1 to 64 characters, got ' '"),
        ("BrokenTexts", "expected 1 to 64 characters"),
        ("LongPosition", "expected at most 65536 characters"),
        ("NoPosition", "a position's text"),
    ],
)
def test_rules_whose_texts_no_message_can_hold_are_refused_before_the_game(
    tmp_path: Path, name: str, words: str
) -> None:
    with pytest.raises(BadFixture, match=words):
        new_fixture(written(tmp_path, name)).first_position()


def test_a_board_that_cannot_be_drawn_is_no_reason_not_to_play(tmp_path: Path) -> None:
    table = Table(rules=written(tmp_path, "WithoutBoard")).begin()
    table.play("3", "1")
    assert table.result() == ("normal", None)


@pytest.mark.parametrize(
    ("name", "words"),
    [("LongTextsLater", "1 to 64 characters"), ("NobodysTurn", "expected a seat from 0 to 1, got -2")],
)
def test_rules_that_leave_no_answer_fail_before_anybody_is_asked(tmp_path: Path, name: str, words: str) -> None:
    table = Table(rules=written(tmp_path, name)).begin()
    with pytest.raises(BadGame, match=words):
        table.play("1")
