"""Who may see what."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from arena.course.aliases import ShownNames
from arena.history import words
from arena.web.sight import VISITOR, Role, Viewer, What, may, sees_board, shown_game
from db.records import MoveRecord, PastGame, PastRuling, PastSeat

NAMES = ShownNames({"ann": "Blue", "bob": "Red", "ann.second": "Green"}, ("ann", "bob"))
GAME = PastGame(
    id=1,
    number=1,
    pair="ann bob",
    game="tictactoe",
    verdict="crashed",
    fault=0,
    detail="secret detail",
    seats=(
        PastSeat(seat=0, player="ann", stderr="secret of ann"),
        PastSeat(seat=1, player="bob", stderr="secret of bob"),
    ),
    moves=(
        MoveRecord(1, 0, "a1", score=0.5, line="secret of ann", text="secret of ann", marks={"secret of ann": "good"}),
        MoveRecord(2, 1, "b2", score=0.5, line="secret of bob", text="secret of bob", marks={"secret of bob": 0.5}),
    ),
    rulings=(PastRuling("award", 1, "secret reason", ""),),
)
ANN = Viewer(Role.STUDENT, 1, "ann")
OTHER = Viewer(Role.STUDENT, 2, "carl")
INSTRUCTOR = Viewer(Role.INSTRUCTOR, 3)
PUBLIC = {What.RESULTS, What.MOVES, What.OPEN_BOARD, What.WAITING}
OWN = {What.HIDDEN_BOARD, What.SAID, What.CHECK, What.SOURCE}


@pytest.mark.parametrize("what", What)
def test_the_table_of_who_may_what(what: What) -> None:
    """The table of docs/ladder.md, row by row."""
    assert not may(VISITOR, what)
    assert may(VISITOR, what, public=True) is (what in PUBLIC)
    assert may(VISITOR, what, public=True, own=True) is (what in PUBLIC)
    assert may(ANN, what) is (what in PUBLIC | {What.PLAY})
    assert may(ANN, what, own=True) is (what in PUBLIC | OWN | {What.PLAY})
    assert may(INSTRUCTOR, what) is (what is not What.HIDDEN_BOARD)


def test_an_agent_is_its_authors_own_and_nobody_elses() -> None:
    assert ANN.owns("ann")
    assert ANN.owns("ann.second")
    assert not ANN.owns("anna")
    assert not VISITOR.owns("")
    assert not INSTRUCTOR.owns("ann")


def test_the_board_of_a_game_in_progress_is_seen_unless_it_hides_something() -> None:
    assert sees_board(VISITOR, hides=False, public=True)
    for viewer in (VISITOR, ANN, INSTRUCTOR):
        assert not sees_board(viewer, hides=True, public=True)


@pytest.mark.parametrize(
    ("viewer", "seen"),
    [(VISITOR, ()), (OTHER, ()), (ANN, ("of ann", "detail")), (INSTRUCTOR, ("of ann", "of bob", "detail", "reason"))],
)
def test_a_game_has_moves_public_names_and_of_what_was_said_only_what_the_viewer_may_see(
    viewer: Viewer, seen: tuple[str, ...]
) -> None:
    shown = shown_game(viewer, GAME, NAMES, "cup")
    assert [move.move for move in shown.moves] == ["a1", "b2"]
    assert shown.players == ["Blue", "Red"]
    assert shown.tournament == "cup"
    for word in ("of ann", "of bob", "detail", "reason"):
        assert (f"secret {word}" in repr(shown)) is (word in seen), word


def test_that_a_person_had_a_hint_is_seen_by_all() -> None:
    helped = PastRuling("void", None, "human got a hint", "")
    shown = shown_game(VISITOR, replace(GAME, rulings=(helped,)), NAMES, "cup")
    assert [words.ruled(one, shown.players) for one in shown.rulings] == ["with a hint, not rated"]


@pytest.mark.parametrize("status", ["scheduled", "playing", "cancelled"])
def test_a_game_that_is_not_over_has_no_moves(status: str) -> None:
    assert shown_game(INSTRUCTOR, replace(GAME, status=status), NAMES, "cup").moves == ()
