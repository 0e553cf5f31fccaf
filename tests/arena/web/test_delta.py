"""A text in pieces of the text before it: always the same text again, and short for a move on any board."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from statistics import mean
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from adsearch import CHANCE, State, games
from arena.pages.boards import plain_board
from arena.web.live import delta
from tests.kit.page_games import EVERY_GAME

MARKUP = some.lists(
    some.sampled_from(["<g>", "</g>", '<use href="#b1"/>', "a word ", "\N{GRINNING FACE} ", "é", "<", " ", "word"])
).map("".join)


def whole(before: str, pieces: Sequence[Any]) -> str:
    """What a script makes of the pieces: it counts in units of UTF-16."""
    units = before.encode("utf-16-le")
    return "".join(
        piece if isinstance(piece, str) else units[2 * piece[0] : 2 * piece[1]].decode("utf-16-le") for piece in pieces
    )


@given(MARKUP, MARKUP)
def test_the_pieces_make_the_text(before: str, after: str) -> None:
    assert whole(before, delta(before, after)) == after


def test_what_stays_is_one_piece() -> None:
    text = "<g>one two three</g>"
    assert delta(text, text) == [(0, len(text))]
    assert delta("", text) == [text]


@pytest.mark.parametrize("rules", EVERY_GAME)
def test_a_ply_of_any_game_is_short(rules: str) -> None:
    """Compressed as it is sent: 300 bytes a ply on average at most."""
    chance, state = random.Random(1), games.start(rules)
    sizes, before = list[int](), ""
    while state.turn is not None and len(sizes) < 60:
        move = _any_move(state, chance)
        state = state.play(move)
        board = plain_board(state, move)
        deflating = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        packed = deflating.compress(msgspec.json.encode(delta(before, board))) + deflating.flush(zlib.Z_FULL_FLUSH)
        sizes.append(len(packed))
        before = board
    assert mean(sizes[1:] or [0]) <= 300


def _any_move(state: State[Any], chance: random.Random) -> Any:
    return chance.choice([move for move, _ in state.chances()] if state.turn == CHANCE else [*state.moves()])
