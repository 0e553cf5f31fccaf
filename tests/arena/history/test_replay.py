"""The replay of a game: positions, clocks, and what an agent printed before each of its moves."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from adsearch import CHANCE
from agents.streams import Log
from arena.history.replay import Leftover, Where, placed, positions, replay
from arena.match.clock import SECOND
from tests.kit.page_games import EVERY_GAME, named, past_game


def test_a_log_is_split_at_the_moves() -> None:
    parts, rest = placed("hello\none\ntwo\nbye\n", [10, 14])
    assert parts == ["hello\none\n", "two\n"]
    assert rest == Leftover("bye\n", Where.AFTER)


def test_a_log_is_split_by_bytes() -> None:
    parts, rest = placed("素人はい\n", [6])
    assert parts == ["素人"]
    assert rest.text == "はい\n"


def test_a_replacement_character_counts_as_one_byte() -> None:
    """The host has replaced one byte by a character of three bytes; the later moves must not be shifted."""
    log = b"\xff\xfe one\ntwo\n".decode("utf-8", "replace")
    parts, rest = placed(log, [7])
    assert parts == ["?? one\n"]
    assert rest.text == "two\n"


def test_a_move_without_output_has_none() -> None:
    assert placed("one\n", [0, 4, 4])[0] == ["", "one\n", ""]


def test_output_of_a_player_without_moves() -> None:
    assert placed("Traceback\n", []) == ([], Leftover("Traceback\n", Where.WITHOUT))


@pytest.mark.parametrize("kept", [Log.KEPT, Log.KEPT - 1, 60 * 1024, 60 * 1024 - 3])
def test_a_log_whose_start_may_be_missing_is_not_split(kept: int) -> None:
    """The log has its maximum length, so its start can be missing."""
    parts, rest = placed("x" * kept, [5, 10])
    assert parts == ["", ""]
    assert rest == Leftover("x" * kept, Where.CUT)


def test_a_log_shorter_than_its_recorded_length_is_not_split() -> None:
    assert placed("the end\n", [5, 5000]) == (["", ""], Leftover("the end\n", Where.CUT))


@pytest.mark.parametrize("written", [[None, None], [3, None], [4, 3], [-1, 3]])
def test_a_log_with_missing_or_inconsistent_lengths_is_not_split(written: list[int | None]) -> None:
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
    last: Any = None
    for before, step in zip(states, found.steps[1:], strict=False):
        assert step.move is not None
        assert step.move.move in [before.shown(move) for move in before.moves()]
        assert step.state is not None
        if step.move.who != "chance" or rules.startswith("pig"):  # only the board of pig shows what chance did
            last = step.last
            assert before.shown(last) == step.move.move
        elif step.state.turn == CHANCE and not step.state.hidden:  # a player has lost the turn
            last = None
        assert step.last == last
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


def test_without_its_rules_a_game_still_has_its_moves() -> None:
    game = structs.replace(past_game("tictactoe"), game="/gone/away.py:Chess")
    found = replay(game)
    assert "away.py" in found.trouble
    assert len(found.steps) == len(game.moves) + 1
    assert all(step.state is None for step in found.steps)


def test_after_an_unknown_move_there_are_steps_without_positions() -> None:
    game = past_game("tictactoe", moves="a1 b1 a2")
    found = replay(structs.replace(game, moves=(*game.moves[:2], structs.replace(game.moves[2], move="z9"))))
    assert "z9" in found.trouble
    assert [step.state is not None for step in found.steps] == [True, True, True, False]


def test_a_game_without_moves_has_one_step() -> None:
    assert len(replay(past_game("tictactoe", moves="", verdict="forfeit", fault=1)).steps) == 1
