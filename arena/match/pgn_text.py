"""The text of PGN: tags, comments and moves, without the rules of a game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

RESULTS: Final = ("1-0", "0-1", "1/2-1/2", "*")
_TOKEN: Final = re.compile(r"\{([^}]*)\}|;([^\n]*)|([()])|\$\d+|\d+\.+|\d+(?=[\s{;(]|$)|([^\s{};()]+)")
"""A comment, a parenthesis, a sign, the number of a move, or a move. Results look like moves."""
_TAG: Final = re.compile(r'\[(\w+) "((?:[^"\\]|\\.)*)"\]')


class Token(NamedTuple):
    """A comment or a move."""

    text: str
    is_comment: bool


class GameText(NamedTuple):
    """The text of one game."""

    line: int
    """Of the file, where it begins."""
    tags: dict[str, str]
    moves: str


def tokens(text: str) -> Iterator[Token]:
    """The comments and the moves; what is in parentheses is another line of play, which is left out."""
    depth = 0
    for token in _TOKEN.finditer(text):
        comment, rest, parenthesis, move = token.groups()
        if parenthesis:
            depth += 1 if parenthesis == "(" else -1
        elif depth == 0 and (comment or rest):
            yield Token(comment or rest, True)
        elif depth == 0 and move:
            yield Token(move, False)


def games(text: str) -> Iterator[GameText]:
    """The games of a file, one after the other."""
    game = GameText(1, {}, "")
    moves: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        tag = _TAG.match(line)
        if tag and any(map(str.strip, moves)):
            yield game._replace(moves="\n".join(moves))
            game, moves = GameText(number, {}, ""), []
        if tag:
            game.tags[tag[1]] = re.sub(r"\\(.)", r"\1", tag[2])
        else:
            moves.append(line)
    if game.tags or any(map(str.strip, moves)):
        yield game._replace(moves="\n".join(moves))
