"""Boards on a terminal: each seat's pieces in the colour of the seat, the last move and a winning line marked.

The commands that print boards of games use this module, so that a board looks the same in all of them. Without colour
(a pipe, NO_COLOR, a terminal that cannot show it) the marks are signs, as `words.drawn` writes them.
"""

from __future__ import annotations

from typing import Any, Final

from rich.console import Console
from rich.text import Text

from adsearch import State
from arena.history import words

SEAT_STYLES: Final = ("bold red", "bold cyan", "bold yellow", "bold magenta")
"""A colour for each seat, chosen to be distinguishable with red-green colour blindness."""
_LAST: Final = "reverse"
_WON: Final = "bold black on green"


def coloured_board(state: State[Any], last: Any, rules: str, console: Console) -> Text:
    """The board after the move `last` (None at the start of a game with these `rules`), for that console."""
    if not console.is_terminal or console.is_dumb_terminal or console.no_color:
        return Text(words.drawn(state, last))
    lines, spots = words.marked(state, last)
    text = Text("\n".join(lines))
    for style, pieces in zip(SEAT_STYLES, words.PIECES.get(rules.partition(":")[0], ()), strict=False):
        text.highlight_regex(rf"(?<!\S)[{pieces}](?!\S)", style)
    text.highlight_regex(r"(?<!\S)\.(?!\S)", "dim")
    for line, start, end, won in sorted(spots, key=lambda spot: not spot.won):
        before = sum(len(above) + 1 for above in lines[:line])
        text.stylize(_WON if won else _LAST, before + start, before + end)
    return text


def board_lines(state: State[Any], last: Any, rules: str) -> list[str]:
    """The same as lines to print, with the escape sequences that stdout understands."""
    console = Console(highlight=False)
    with console.capture() as captured:
        console.print(coloured_board(state, last, rules, console), soft_wrap=True)
    return captured.get().splitlines()
