"""What stays of a game when a move is taken back, and the game that continues it."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec import structs

from agents.protocol import Verdict
from arena.match.conditions import Conditions
from arena.match.fixture import Fixture
from arena.match.schedule import Entrant, Finished, Planned, TakenBack, before_last_move
from db.records import GameRecord, MoveRecord
from tests.kit.match_model import MS, SECOND
from tests.kit.match_table import Table, new_fixture

PLIES = (
    MoveRecord(1, "chance", "3"),
    MoveRecord(2, 0, "roll"),
    MoveRecord(3, "chance", "4"),
    MoveRecord(4, 0, "hold"),
    MoveRecord(5, "chance", "5"),
    MoveRecord(6, 1, "roll"),
    MoveRecord(7, "chance", "2"),
)
"""Of a game of pig: seat 0 rolls and holds, seat 1 rolls; the throws are chance."""


@pytest.mark.parametrize(
    ("seats", "stays"),
    [
        ({0}, TakenBack(3, (PLIES[1],), 1)),
        ({1}, TakenBack(5, (PLIES[1], PLIES[3]), 0)),
        ({0, 1}, TakenBack(5, (PLIES[1], PLIES[3]), 2)),
        ({2}, None),
    ],
)
def test_the_last_move_of_a_seat_is_taken_back_with_all_that_followed(seats: set[int], stays: TakenBack | None) -> None:
    assert before_last_move(PLIES, seats) == stays


def test_moves_of_the_opening_are_nobodys_and_stay_in_it() -> None:
    plies = (MoveRecord(1, "opening", "1"), MoveRecord(2, 1, "2"), MoveRecord(3, 0, "3"))
    assert before_last_move(plies, {0}) == TakenBack(2, plies[1:2], 0)
    assert before_last_move(plies[:1], {0, 1}) is None


def test_the_game_that_continues_has_the_moves_and_the_begin_of_the_other() -> None:
    entrants = (Entrant("a", "a"), Entrant("b", "b"))
    game = Planned(
        1, "connect4", "connect4", entrants, seed=1, identity=(), opening=("1",), conditions=Conditions(max_plies=10)
    )
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    ended = Finished(game, GameRecord(1, Verdict.RESIGNED, 0, "", (), (), 0), begun, begun + timedelta(minutes=1))
    again = TakenBack(3, PLIES[1:2], 1).continued(ended)
    assert (again.opening, again.played, again.begun, again.conditions.max_plies) == (("1",), PLIES[1:2], begun, 10)


def continued(table: Table, seat: int) -> Fixture:
    """The game that continues after a move of that seat was taken back."""
    taken = before_last_move(table.match.moves, {seat})
    assert taken is not None
    return structs.replace(table.fixture, played=taken.played)


def test_clocks_and_times_are_those_of_the_turn_that_comes_again() -> None:
    first = Table(new_fixture(clock="60+1", opening=("b2",))).begin()
    first.play("a1", after=10 * SECOND, log=70)
    first.play("a2", after=5 * SECOND, spent=4 * SECOND)
    before = first.question()
    first.play("b1", after=20 * SECOND)
    first.play("c3", after=SECOND)
    again = Table(continued(first, 1)).begin()
    question = again.question()
    assert (question.left, question.ply, question.position) == (before.left, before.ply, before.position)
    assert question.left == (57_000, 51_000)
    assert question.events == (("opening", "b2"), (1, "a1"), (0, "a2"))
    again.play("c1", after=2 * SECOND)
    again.resign()
    record = again.match.record()
    assert [(move.who, move.move) for move in record.moves] == [("opening", "b2"), (1, "a1"), (0, "a2"), (1, "c1")]
    assert [move.log for move in record.moves] == [None, 0, None, None]
    assert [(seat.spent, seat.longest) for seat in record.seats] == [
        (4 * SECOND, 4 * SECOND),
        (12 * SECOND, 10 * SECOND),
    ]
    assert record.lag == SECOND
    assert again.match.moves[3].left == 50 * SECOND


def test_moves_that_are_played_again_count_for_the_limit_of_moves_and_for_byo_yomi() -> None:
    first = Table(new_fixture(clock="1+2x3", max_plies=4)).begin()
    for text in ("a1", "b1", "a2"):
        first.play(text, after=1_500 * MS)
    first.play("b2", after=5 * SECOND)
    again = Table(continued(first, 1)).begin()
    assert again.question().left == (6_000, 6_000)
    again.play("b2")
    assert again.result() == ("adjudicated", None)
