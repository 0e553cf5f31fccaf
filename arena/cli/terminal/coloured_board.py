"""Boards on a terminal: each seat's pieces in the colour of the seat, the last move and a winning line marked.

The commands that print boards of games use this module, so that a board looks the same in all of them. Without colour
(a pipe, NO_COLOR, a terminal that cannot show it) the marks are signs, as `words.drawn` writes them.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from adsearch import State
from arena.history import words

SEAT_STYLES: Final = ("bold red", "bold cyan", "bold yellow", "bold magenta")
"""A colour for each seat, chosen to be distinguishable with red-green colour blindness."""
_LAST: Final = "reverse"
_WON: Final = "bold black on green"
_LETTERS: Final = re.compile(r" *a( [b-z])+ *")
"""The line with the letters of the columns: none of them is a piece."""


def coloured_board(state: State[Any], last: Any, console: Console) -> Text:
    """The board after the move `last` (None at the start of a game), for that console."""
    if not console.is_terminal or console.is_dumb_terminal or console.no_color:
        return Text(words.drawn(state, last))
    lines, spots = words.marked(state, last)
    text = Text("\n".join(lines))
    styles = [*zip(SEAT_STYLES, state.looks.pieces, strict=False), ("dim", ".")]
    begins = [0, *accumulate(len(line) + 1 for line in lines)]
    for line, begin in zip(lines, begins, strict=False):
        if not _LETTERS.fullmatch(line):
            for style, pieces in styles:
                for piece in re.finditer(rf"(?<!\S)[{re.escape(pieces)}](?!\S)", line):
                    text.stylize(style, begin + piece.start(), begin + piece.end())
    for number, start, end, won in sorted(spots, key=lambda spot: not spot.won):
        text.stylize(_WON if won else _LAST, begins[number] + start, begins[number] + end)
    return text


def board_lines(state: State[Any], last: Any) -> list[str]:
    """The same as lines to print, with the escape sequences that stdout understands."""
    console = Console(highlight=False)
    with console.capture() as captured:
        console.print(coloured_board(state, last, console), soft_wrap=True)
    return captured.get().splitlines()
