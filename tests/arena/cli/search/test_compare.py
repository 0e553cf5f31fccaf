"""`arena compare` with a student's own search function beside ours."""

import json
from pathlib import Path

import pytest

from tests.kit.arena_program import arena

ALPHABETA = """
from math import inf

def alphabeta(state, depth, alpha=-inf, beta=inf):
    if state.turn is None or depth == 0:
        return state.evaluate(0), None
    best, move = (-inf, None) if state.turn == 0 else (inf, None)
    for each in state.moves():
        value, _ = alphabeta(state.play(each), depth - 1, alpha, beta)
        if (state.turn == 0 and value > best) or (state.turn == 1 and value < best):
            best, move = value, each
        if state.turn == 0:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best, move


def wrong(state, depth):
    return 0.5

def nothing(state, depth):
    if depth == 2:
        return 1 / 0
    return 0

def endless(state, depth):
    while True:
        pass

def cheat(state, depth):
    from adsearch import minimax
    return minimax.search(state, depth=depth).value
"""


@pytest.fixture(autouse=True)
def _a_students_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ALPHABETA, "utf-8")


@pytest.mark.parametrize("game", ["connect4", "tictactoe", "othello:size=6", "checkers", "dots", "nap:n=20"])
@pytest.mark.parametrize("moves", [0, 1], ids=["first player", "second player"])
def test_a_right_function_has_our_value_move_and_nodes(game: str, moves: int) -> None:
    from adsearch import games

    start = games.start(game)
    played = ["--moves", start.to_text(start.moves()[0])] if moves else []
    ended = arena("compare", game, "alphabeta", "mine.py:alphabeta", "--depth", "1-3", *played, "--format", "json")
    assert ended.code == 0, ended.err
    rows = json.loads(ended.out)
    assert len(rows) == 6
    for ours, theirs in zip(rows[::2], rows[1::2], strict=True):
        for field in ("depth", "value", "nodes", "move"):
            assert theirs[field] == (pytest.approx(ours[field]) if field == "value" else ours[field])
        assert not theirs["differs"]


def test_a_wrong_value_is_marked() -> None:
    ended = arena("compare", "connect4", "minimax", "mine.py:wrong", "--depth", "2")
    assert " 0.5 !" in ended.out
    assert ended.code == 0


def test_a_function_that_fails_is_left_out_from_that_depth_on_and_the_exit_code_says_so() -> None:
    ended = arena("compare", "connect4", "minimax", "mine.py:nothing", "--depth", "1-3")
    assert ended.code == 1
    assert "mine.py:nothing: mine.py, line 26: ZeroDivisionError: division by zero; left out from depth 2" in ended.err
    assert ended.out.count("mine.py:nothing") == 1
    assert ended.out.count("minimax") == 3


def test_a_function_without_an_end_is_left_out_after_the_time_limit() -> None:
    ended = arena("compare", "tictactoe", "minimax", "mine.py:endless", "--depth", "1-2", "--seconds", "1")
    assert "mine.py:endless: depth 1 takes more than 1 s; left out" in ended.err
    assert "endless" not in ended.out


def test_a_function_cannot_use_our_searches() -> None:
    ended = arena("compare", "tictactoe", "mine.py:cheat", "--depth", "1")
    assert ended.code == 1
    assert "our searches are not available" in ended.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["connect4", "mine.py"], "expected FILE.py:FUNCTION, such as mine.py:alphabeta, got 'mine.py'"),
        (["connect4", "other.py:f"], "'other.py' does not exist"),
        (["kuhn", "mine.py:alphabeta"], "can search only games of one or two players, without hidden cards"),
    ],
)
def test_a_wrong_argument_is_one_clear_error(arguments: list[str], words: str) -> None:
    ended = arena("compare", *arguments, "--depth", "1")
    assert ended.code == 2
    assert words in " ".join(ended.err.split())


def test_a_game_in_a_students_own_file_is_searched_too(tmp_path: Path) -> None:
    from tests.kit.places import EXAMPLES

    (tmp_path / "countdown.py").write_text((EXAMPLES / "countdown.py").read_text("utf-8"), "utf-8")
    ended = arena("compare", "countdown.py:Countdown", "alphabeta", "mine.py:alphabeta", "--format", "json")
    assert ended.code == 0, ended.err
    assert not any(row["differs"] for row in json.loads(ended.out))
