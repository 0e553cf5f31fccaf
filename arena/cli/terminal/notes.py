"""Notes of a command on stderr, beside its output, and how texts are wrapped to the terminal's width."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from arena.players.own_sources import state_folder


def note(text: str) -> None:
    """Print `text` to stderr, after the name of the program as in an error."""
    print(f"arena: {text}", file=sys.stderr)


# Questions to the user at the terminal: to confirm a change, or to choose among several meanings.


def is_interactive() -> bool:
    """Whether input and output are a terminal, so that a user can answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def answer(question: str) -> str:
    """The line that the user types; empty at the end of input."""
    print(f"{question} ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip()


# The paragraph that says how an agent is confined: printed once a day, and again if the walls or limits change.


_PREFIX: Final = "walls-shown-"


def notes_due(paragraphs: Mapping[str, str], today: date) -> list[str]:
    """Those of the paragraphs, by agent, that were not printed today; notes that they are. The name of the agent makes
    no difference."""
    about = {agent: text.removeprefix(agent) for agent, text in paragraphs.items()}
    new = {text for text in {*about.values()} if _note(text, today)}
    return [paragraphs[agent] for agent, text in about.items() if text in new]


def _note(text: str, today: date) -> bool:
    """Notes that `text` is printed today; False if it was before."""
    folder = state_folder()
    if folder is None:
        return True
    note = folder / f"{_PREFIX}{today}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    try:
        if note.exists():
            return False
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in folder.glob(f"{_PREFIX}*"):
            if not old.name.startswith(f"{_PREFIX}{today}-"):
                old.unlink(missing_ok=True)
        note.touch(mode=0o600)
    except OSError:
        pass  # then it is printed again
    return True


# Text wrapped to the width of the terminal, and shortened names.


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
