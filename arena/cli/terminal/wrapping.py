"""Text wrapped to the width of the terminal, and shortened names.

Do not wrap text that users copy, such as commands: print it on one line. A word longer than a line is not broken.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from typing import Final

APART: Final = "   "
"""Separator between texts on the same line."""
_LEAST: Final = 40
_MOST: Final = 100
"""Largest line width: longer lines are hard to read."""


def line_width() -> int:
    """The width of a line: that of the terminal, between 40 and 100."""
    return max(_LEAST, min(shutil.get_terminal_size().columns, _MOST))


def wrapped(text: str, *, begin: str = "", more: str = "  ", width: int | None = None) -> str:
    """`text` in lines of at most `width` columns (default: `line_width`), with `begin` before the first line and `more`
    before the others."""
    return "\n".join(wrap_lines(text, begin=begin, more=more, width=width or line_width()))


def wrap_lines(text: str, *, begin: str = "", more: str = "", width: int) -> list[str]:
    """As `wrapped`, but a list of lines; empty for an empty text."""
    from rich.cells import cell_len

    lines = [begin]
    for word in re.findall(r"\s*\S+", re.sub(r"\s*\n\s*", " ", text)):
        if lines[-1] in (begin, more) or cell_len(lines[-1] + word) <= width:
            lines[-1] += word
        else:
            lines.append(more + word.lstrip())
    return lines if lines != [""] else []


def side_by_side(parts: Sequence[str], *, width: int | None = None) -> list[str]:
    """Short texts side by side, in as few lines of at most `width` columns as possible; no text is broken."""
    from rich.cells import cell_len

    width = width or line_width()
    lines = list(parts[:1])
    for part in parts[1:]:
        if cell_len(lines[-1] + APART + part) <= width:
            lines[-1] += APART + part
        else:
            lines.append(part)
    return lines


def shortened(name: str, width: int) -> str:
    """`name` in at most `width` columns; the middle is cut, because versions and options are at the end."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(name) <= width:
        return name
    begin = set_cell_size(name, (width - 1) // 2).rstrip()
    end = name
    while cell_len(end) > width - 1 - cell_len(begin):
        end = end[1:]
    return f"{begin}…{end}"


def table_width() -> int | None:
    """The width for a table: that of the terminal; None in a file or a pipe, where rows have any length."""
    on_screen = sys.stdout.isatty() or "COLUMNS" in os.environ
    return shutil.get_terminal_size().columns if on_screen else None
