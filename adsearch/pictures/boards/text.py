"""Draws a position as its text in a monospaced font, for games without their own drawing."""

from __future__ import annotations

from typing import Any, Final
from unicodedata import east_asian_width

from adsearch.pictures.boards.paper import Drawing, document, player, words
from adsearch.state import CHANCE, State

_LETTER: Final = 8.7
"""The width of one, of those that are 14 pixels high."""
_LINE: Final = 18.0
_MOST_LINES, _MOST_LETTERS = 200, 200


def draw(state: State[Any], _last: object = None) -> str:
    """The position as a picture."""
    lines = [_shortened(line.expandtabs().rstrip()) for line in str(state).splitlines()]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], f"... and {len(lines) - _MOST_LINES + 1} more lines"]
    text = "".join(
        words(line.replace(" ", "\xa0"), 0.0, 14.0 + number * _LINE, anchor="start", kind="mono")
        for number, line in enumerate(lines)
        if line
    )
    board = Drawing(max(map(_width, lines), default=0.0), max(len(lines), 1) * _LINE, text)
    return document(board, type(state).__name__, _event(state), sentences=[" / ".join(lines)])


def _event(state: State[Any]) -> str:
    """What comes next."""
    if state.turn is None:
        return "the game is over"
    return "chance" if state.turn == CHANCE else f"{player(state.turn)} to move"


def _shortened(line: str) -> str:
    return line if len(line) <= _MOST_LETTERS else f"{line[: _MOST_LETTERS - 3]}..."


def _width(line: str) -> float:
    return sum(_LETTER * (2.0 if east_asian_width(letter) in "WF" else 1.0) for letter in line)
