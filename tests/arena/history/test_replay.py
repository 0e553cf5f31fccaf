"""A game step by step: positions, clocks, and what an agent printed before which of its moves."""

from __future__ import annotations

import pytest
from msgspec import structs

from agents.streams import Log
from arena.history.replay import Leftover, Where, placed, positions, replay
from arena.match.clock import SECOND
from tests.kit.page_games import EVERY_GAME, named, past_game


def test_a_log_is_parted_where_the_moves_were_made() -> None:
    parts, rest = placed("hello\none\ntwo\nbye\n", [10, 14])
    assert parts == ["hello\none\n", "two\n"]
    assert rest == Leftover("bye\n", Where.AFTER)


def test_letters_of_several_bytes_are_counted_as_bytes() -> None:
    parts, rest = placed("素人はい\n", [6])
    assert parts == ["素人"]
    assert rest.text == "はい\n"


def test_what_was_no_text_counts_as_a_byte_each() -> None:
    """The host has put three bytes for one: the moves after it are not to be shifted by that."""
    log = b"\xff\xfe one\ntwo\n".decode("utf-8", "replace")
    parts, rest = placed(log, [7])
    assert parts == ["?? one\n"]
    assert rest.text == "two\n"


def test_a_move_before_which_nothing_was_printed_has_nothing() -> None:
    assert placed("one\n", [0, 4, 4])[0] == ["", "one\n", ""]


def test_who_never_moved_printed_it_without_a_move() -> None:
    assert placed("Traceback\n", []) == ([], Leftover("Traceback\n", Where.WITHOUT))


@pytest.mark.parametrize("kept", [Log.KEPT, Log.KEPT - 1, 60 * 1024, 60 * 1024 - 3])
def test_where_the_beginning_may_be_missing_nothing_is_placed(kept: int) -> None:
    """As much was kept as may be: how much had been written in all after the last move nobody knows."""
    parts, rest = placed("x" * kept, [5, 10])
    assert parts == ["", ""]
    assert rest == Leftover("x" * kept, Where.CUT)


def test_a_log_shorter_than_what_was_counted_has_lost_its_beginning() -> None:
    assert placed("the end\n", [5, 5000]) == (["", ""], Leftover("the end\n", Where.CUT))


@pytest.mark.parametrize("written", [[None, None], [3, None], [4, 3], [-1, 3]])
def test_counts_that_are_missing_or_make_no_sense_place_nothing(written: list[int | None]) -> None:
    assert placed("one\ntwo\n", written) == (["", ""], Leftover("one\ntwo\n", Where.UNKNOWN))


@pytest.mark.parametrize("rules", EVERY_GAME, ids=named)
def test_each_step_has_its_position_and_all_that_was_printed_is_somewhere(rules: str) -> None:
    game = past_game(rules, logs=["first\n" * 30, "素人" * 20])
    found = replay(game, trust=True)
    assert found.trouble == ""
    assert [step.number for step in found.steps] == list(range(len(game.moves) + 1))
    states = [step.state for step in found.steps if step.state is not None]
    assert [state.position() for state in states] == [state.position() for state in positions(game, trust=True)]
    assert states[-1].turn is None
    for before, step in zip(states, found.steps[1:], strict=False):
        assert step.move is not None
        assert before.to_text(step.last) == step.move.move
    for seat, log in enumerate(["first\n" * 30, "素人" * 20]):
        said = [step.printed for step in found.steps if step.move is not None and step.move.who == seat]
        assert len("".join([*said, found.leftovers[seat].text])) >= len(log)


def test_clocks_are_those_after_each_move() -> None:
    found = replay(past_game("tictactoe", clock="10+0.1"))
    assert found.steps[0].left == (10 * SECOND, 10 * SECOND)
    first, second = found.steps[1:3]
    assert first.move is not None
    assert first.left == (first.move.left, 10 * SECOND)
    assert second.left[0] == first.left[0]


@pytest.mark.parametrize("clock", ["none", "who knows"])
def test_without_a_clock_there_is_none(clock: str) -> None:
    assert replay(past_game("tictactoe", clock=clock)).steps[0].left == (None, None)


def test_rules_that_are_not_here_leave_the_moves() -> None:
    game = structs.replace(past_game("tictactoe"), game="/gone/away.py:Chess")
    found = replay(game)
    assert "away.py" in found.trouble
    assert len(found.steps) == len(game.moves) + 1
    assert all(step.state is None for step in found.steps)


def test_a_move_that_the_rules_do_not_know_ends_the_positions_and_not_the_steps() -> None:
    game = past_game("tictactoe", moves="a1 b1 a2")
    found = replay(structs.replace(game, moves=(*game.moves[:2], structs.replace(game.moves[2], move="z9"))))
    assert "z9" in found.trouble
    assert [step.state is not None for step in found.steps] == [True, True, True, False]


def test_a_game_that_was_not_played_has_a_beginning() -> None:
    assert len(replay(past_game("tictactoe", moves="", verdict="forfeit", fault=1)).steps) == 1
