"""What a visitor may see."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from arena.course.aliases import ShownNames
from arena.web.sight import Viewer, What, may, sees_board, shown_game
from db.records import MoveRecord, PastGame, PastRuling, PastSeat

NAMES = ShownNames({"ann": "Blue", "bob": "Red"}, ("ann", "bob"))
GAME = PastGame(
    id=1,
    number=1,
    pair="ann bob",
    game="tictactoe",
    verdict="normal",
    seats=(PastSeat(seat=0, player="ann", stderr="secret"), PastSeat(seat=1, player="bob", cpu=1)),
    moves=(MoveRecord(1, 0, "a1", score=0.5, line="secret", text="secret"),),
    rulings=(PastRuling("award", 1, "secret", ""),),
)


@pytest.mark.parametrize("what", What)
def test_a_visitor_sees_results_moves_and_open_boards_alone(what: What) -> None:
    assert may(Viewer.VISITOR, what) is (what in (What.RESULTS, What.MOVES, What.OPEN_BOARD))


def test_the_board_of_a_game_in_progress_is_seen_unless_it_hides_something() -> None:
    assert sees_board(Viewer.VISITOR, hides=False)
    assert not sees_board(Viewer.VISITOR, hides=True)


def test_a_game_has_moves_and_public_names_and_nothing_that_was_said() -> None:
    shown = shown_game(Viewer.VISITOR, GAME, NAMES, "cup")
    assert [move.move for move in shown.moves] == ["a1"]
    assert shown.players == ["Blue", "Red"]
    assert shown.tournament == "cup"
    for word in ("secret", "ann", "bob"):
        assert word not in repr(shown)


@pytest.mark.parametrize("status", ["scheduled", "playing", "cancelled"])
def test_a_game_that_is_not_over_has_no_moves(status: str) -> None:
    assert shown_game(Viewer.VISITOR, replace(GAME, status=status), NAMES, "cup").moves == ()
