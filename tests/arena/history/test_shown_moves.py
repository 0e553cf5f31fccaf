"""Recorded moves as people write them, tested with chess."""

from __future__ import annotations

from msgspec.structs import replace

from adsearch import games
from arena.history import shown_moves
from arena.history.replay import replay
from db.records import JudgedPly, Mark, MoveRecord, PastGame, PastSeat, PositionValue

FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


def recorded(*moves: str, rules: str = "chess", analysis: tuple[JudgedPly, ...] = ()) -> PastGame:
    """A game of ann and bob with these moves."""
    return PastGame(
        id=1,
        number=1,
        pair="p",
        game=rules,
        seats=(PastSeat(seat=0, player="ann"), PastSeat(seat=1, player="bob")),
        moves=tuple(MoveRecord(ply, (ply - 1) % 2, move) for ply, move in enumerate(moves, 1)),
        analysis=analysis,
    )


def test_a_line_is_shown_move_by_move() -> None:
    assert shown_moves.texts(games.start("chess"), FOOLS_MATE) == ["f3", "e5", "g4", "Qh4#"]


def test_what_is_not_a_legal_move_and_all_after_it_stay_as_they_are() -> None:
    line = ["e2e4", "mate", "g1f3"]
    assert shown_moves.texts(games.start("chess"), line) == ["e4", "mate", "g1f3"]
    assert shown_moves.texts(None, line) == line


def test_a_game_without_another_form_keeps_its_moves_even_if_they_are_not_legal() -> None:
    game = recorded("99", rules="connect4")
    assert replay(game).game is game


def test_the_steps_of_a_replay_have_moves_expected_lines_and_better_moves_in_this_form() -> None:
    value = PositionValue((0.0, 0.0), exact=False)
    judged = JudgedPly(
        ply=3, who=0, move="g2g4", before=value, after=value, depth=1, mark=Mark.BLUNDER, better=("e2e4", "g8f6")
    )
    game = recorded(*FOOLS_MATE, analysis=(judged,))
    moves = (*game.moves[:3], MoveRecord(4, 1, "d8h4", line="d8h4 or so"))
    found = replay(PastGame(**{name: getattr(game, name) for name in game.__struct_fields__} | {"moves": moves}))
    assert [step.move and step.move.move for step in found.steps] == [None, "f3", "e5", "g4", "Qh4#"]
    assert found.steps[4].move is not None
    assert found.steps[4].move.line == "Qh4# or so"
    assert found.steps[3].judged is not None
    assert (found.steps[3].judged.move, found.steps[3].judged.better) == ("g4", ("e4", "Nf6"))
    assert found.game.moves == tuple(step.move for step in found.steps[1:])


def test_the_opening_is_shown_in_this_form() -> None:
    game = replace(recorded(*FOOLS_MATE), opening="f2f3 e7e5")
    assert replay(game).game.opening == "f3 e5"


def test_moves_after_an_illegal_one_are_shown_as_they_were_recorded() -> None:
    found = replay(recorded("e2e4", "e2e4", "g8f6"))
    assert [move.move for move in found.game.moves] == ["e4", "e2e4", "g8f6"]
