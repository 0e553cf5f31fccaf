"""Words on a terminal: sentences wrapped as wide as the terminal is, names shortened.

What is to be copied, such as a command, is never wrapped here: whoever prints it prints it whole. A word that is longer
than a line stays whole too.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from typing import Final

APART: Final = "   "
"""Between texts that stand side by side."""
_LEAST: Final = 40
_MOST: Final = 100
"""Longer lines are hard to read."""


def line_width() -> int:
    """How long lines may be."""
    return max(_LEAST, min(shutil.get_terminal_size().columns, _MOST))


def wrapped(text: str, *, begin: str = "", more: str = "  ", width: int | None = None) -> str:
    """`text` in lines of at most `width` columns, usually the terminal's; `begin` stands before the first line, `more`
    before each other one."""
    return "\n".join(wrap_lines(text, begin=begin, more=more, width=width or line_width()))


def wrap_lines(text: str, *, begin: str = "", more: str = "", width: int) -> list[str]:
    """The same as a list; empty where there is nothing to be told."""
    from rich.cells import cell_len

    lines = [begin]
    for word in re.findall(r"\s*\S+", re.sub(r"\s*\n\s*", " ", text)):
        if lines[-1] in (begin, more) or cell_len(lines[-1] + word) <= width:
            lines[-1] += word
        else:
            lines.append(more + word.lstrip())
    return lines if lines != [""] else []


def side_by_side(parts: Sequence[str], *, width: int | None = None) -> list[str]:
    """Short texts in as few lines as they take, usually in the terminal's width; none is wrapped."""
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
    """`name` in at most `width` columns, its middle left out if need be: versions and options stand at the end."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(name) <= width:
        return name
    begin = set_cell_size(name, (width - 1) // 2).rstrip()
    end = name
    while cell_len(end) > width - 1 - cell_len(begin):
        end = end[1:]
    return f"{begin}…{end}"


def table_width() -> int | None:
    """How wide a table may be; None where a row stays on one line, however long: in a file, or for a program."""
    on_screen = sys.stdout.isatty() or "COLUMNS" in os.environ
    return shutil.get_terminal_size().columns if on_screen else None
