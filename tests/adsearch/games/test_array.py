"""The board as numbers: one's own pieces are above 0, those of others below, in every game with such a board."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from adsearch import CHANCE, games
from adsearch.errors import BadCell

BOARDS = ("checkers", "chess", "connect4", "dots", "go", "othello", "tictactoe")


@pytest.mark.parametrize("rules", BOARDS)
def test_each_seat_sees_the_others_with_the_opposite_sign(rules: str) -> None:
    random = Random(rules)
    state: Any = games.start(rules)
    while state.turn is not None and state.turn != CHANCE and random.random() > 0.02:
        state = state.play(random.choice(state.moves()))
        first, second = state.array(0), state.array(1)
        assert second == [[-number for number in row] for row in first]
        assert [["." if not number else "#" for number in row] for row in first] == [
            ["." if mark == "." else "#" for mark in row] for row in state.rows()
        ]


def test_the_top_row_is_first_and_pieces_have_the_numbers_of_the_documentation() -> None:
    chess = games.load("chess", "4k3/1q6/8/8/8/8/6P1/RNB1K3 w - - 0 1")
    assert chess.array(0)[7] == [4, 2, 3, 0, 6, 0, 0, 0]
    assert chess.array(1)[1] == [0, 5, 0, 0, 0, 0, 0, 0]
    assert games.load("connect4", "......./......./......./...o.../..xo.../..xx...").array(1)[5] == [
        0,
        0,
        -1,
        -1,
        0,
        0,
        0,
    ]


@pytest.mark.parametrize("rules", sorted({*games.names()} - {*BOARDS}))
def test_a_game_without_such_a_board_says_so(rules: str) -> None:
    with pytest.raises(BadCell, match="has no board of pieces in cells, so there is no array of it"):
        games.start(rules).array(0)
