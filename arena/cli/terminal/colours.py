"""Colours of players and boards on a terminal, told apart also by those who see no red or green."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from arena.history.words import PIECES

SEAT_STYLES: Final = ("bold red", "bold cyan", "bold yellow", "bold magenta")
"""A colour for each seat."""


def board(drawn: str, rules: str) -> Text:
    """A board as its game draws it, with the pieces in the colours of their seats."""
    text = Text(drawn)
    for style, pieces in zip(SEAT_STYLES, PIECES.get(rules.partition(":")[0], ()), strict=False):
        text.highlight_regex(rf"(?<!\S)[{pieces}](?!\S)", style)
    text.highlight_regex(r"(?<!\S)\.(?!\S)", "dim")
    return text
