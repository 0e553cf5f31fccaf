"""Safe CSV cells: no text is run as a spreadsheet formula (CSV injection) or as a terminal escape sequence.

All CSV that this program writes goes through `written`, and `read` restores the text. A text that a spreadsheet would
read as a formula gets an apostrophe in front, the spreadsheets' mark for text. Characters that are not printable are
escaped as in Python: \\x1b. In many countries spreadsheets start a new cell at each semicolon, so a semicolon before a
formula is escaped too.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, TextIO

_SIGNS: Final = "=+-@＝＋－＠"
"""First characters of a formula; some spreadsheets also accept the full-width forms."""
_MARKED: Final = re.compile(f"'+[{_SIGNS}]")
_BEGINS_A_CELL: Final = re.compile(f";(?=[\\s\"']*[{_SIGNS}])")
_ESCAPE: Final = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")


def write(
    file: TextIO, rows: Iterable[Iterable[str]], *, titles: Sequence[str], multiline: Collection[str] = ()
) -> None:
    """Write rows of texts, below a row of titles. The columns `multiline` keep their line ends."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(written, titles))
    for row in rows:
        cells = zip(titles, row, strict=True)
        writer.writerow(
            "\n".join(map(written, text.split("\n"))) if title in multiline else written(text) for title, text in cells
        )


def text(rows: Iterable[Iterable[str]], *, titles: Sequence[str], multiline: Collection[str] = ()) -> str:
    """The same as a text."""
    out = io.StringIO()
    write(out, rows, titles=titles, multiline=multiline)
    return out.getvalue()


def exact(value: Any) -> str:
    """The text of a value, with all digits; of a list or dictionary as JSON, of a list of texts as words."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return " ".join(value)
    if isinstance(value, list | dict):
        return json.dumps(value)
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)


def written(text: str) -> str:
    """The cell for `text`."""
    shown = _ESCAPE.sub(lambda found: f"\\x5c{found[0][1:]}", text)
    shown = _BEGINS_A_CELL.sub(lambda found: _escaped(found[0]), shown)
    shown = "".join(letter if letter.isprintable() else _escaped(letter) for letter in shown)
    return f"'{shown}" if _is_formula(shown) or _MARKED.match(shown) else shown


def read(cell: str) -> str:
    """The text of a cell that `written` made."""
    bare = cell[1:] if _MARKED.match(cell) else cell
    return _ESCAPE.sub(lambda found: chr(int(found[0][2:], 16)), bare) if "\\" in bare else bare


def _is_formula(text: str) -> bool:
    """Whether a spreadsheet would read the text as a formula: it starts with a sign and is not only numbers."""
    return text.startswith(tuple(_SIGNS)) and not all(map(_is_number, text.split(" ")))


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9.,]+(?:e[+-]?[0-9]+)?|-|-inf", text) is not None


def _escaped(letter: str) -> str:
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
