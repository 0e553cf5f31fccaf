"""The listings of all commands: a table for people, CSV for spreadsheets, JSON for programs.

A command defines its rows and columns once; `--format` chooses the output. JSON is one array on stdout.
"""

import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain, repeat
from typing import Annotated, Any, Final

import typer

from arena.cli.terminal.wrapping import table_width, wrap_lines
from arena.history import csv_cells


class OutputFormat(StrEnum):
    """The values of --format."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


FormatOption = Annotated[OutputFormat, typer.Option("--format", help="Output format.")]

Row = Mapping[str, Any]
Columns = Mapping[str, Callable[[Row], str]]
"""The columns of the table and the CSV: title -> function that returns a row's text."""


_BETWEEN: Final = "  "
"""Between two columns of a table."""
_LEAST: Final = 7
"""Smallest width of a column of names, on any terminal."""


def show(
    rows: Iterable[Row],
    columns: Columns,
    *,
    format: OutputFormat,
    narrowed: str | None = None,
    wrapped: int = 16,
    numbers: Collection[str] = (),
    multiline: Collection[str] = (),
) -> None:
    """Print `rows`: their `columns` as a table or CSV, or all fields as JSON. Only a table needs all rows in memory.

    On a narrow terminal the last column is wrapped to the width `wrapped`, then the column `narrowed` is cut. In a
    table the columns `numbers` are right-aligned and never wrapped. In CSV the columns `multiline` keep their line
    ends."""
    if format is OutputFormat.JSON:
        _show_json_rows(rows)
    elif format is OutputFormat.CSV:
        show_csv(([text(row) for text in columns.values()] for row in rows), titles=list(columns), multiline=multiline)
    else:
        _show_table(list(rows), columns, narrowed=narrowed, wrapped=wrapped, numbers=numbers)


def show_csv(rows: Iterable[Iterable[str]], *, titles: Sequence[str], multiline: Collection[str] = ()) -> None:
    """Print rows of cells as CSV, below a row of titles."""
    csv_cells.write(sys.stdout, rows, titles=titles, multiline=multiline)


def show_json(document: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(document, indent=2, allow_nan=False))


def _show_json_rows(rows: Iterable[Row]) -> None:
    """Print an array in the format of `show_json`, each row as soon as it is available."""
    before = "["
    for row in rows:
        document = json.dumps(row, indent=2, allow_nan=False).replace("\n", "\n  ")
        print(f"{before}\n  {document}", end="")
        before = ","
    print("[]" if before == "[" else "\n]")


def _exact(name: str) -> Callable[[Row], str]:
    """A function for the text of a value in CSV, with all digits."""
    return lambda row: csv_cells.exact(row[name])


def exact_columns(names: Iterable[str]) -> Columns:
    """A CSV column for each of these fields."""
    return {name: _exact(name) for name in names}


def _folded(text: str, width: int) -> str:
    """`text` with a line end in each word that is too long for the width, after a mark such as a comma if it has one:
    the table would break it anywhere, in the middle of a name or a number."""
    lines = []
    for word in text.split(" "):
        rest = word
        while len(rest) > width and (end := _end_after(rest, ":,/+", width) or _end_after(rest, "=", width)):
            lines.append(rest[:end] + "\n")
            rest = rest[end:]
        lines.append(rest + " ")
    return "".join(lines)[:-1]


def _end_after(text: str, marks: str, width: int) -> int:
    """The end of the longest beginning of `text` that fits the width and ends with one of the marks; 0 without one."""
    return max(text.rfind(mark, 0, width) for mark in marks) + 1


def _show_table(
    rows: Sequence[Row], columns: Columns, narrowed: str | None, wrapped: int, numbers: Collection[str]
) -> None:
    # Without Rich's tables: their import takes as long as reading the rows, and a thousand rows would take a second.
    from rich.cells import cell_len, set_cell_size

    from arena.history.words import printable

    *_, last = columns
    shown = {title: [title, *(printable(text(row)) for row in rows)] for title, text in columns.items()}
    widths = {title: max(map(cell_len, cells)) for title, cells in shown.items()}
    # On a narrow terminal the last column is wrapped, then names are cut. Nothing else is shortened: if the table is
    # still too wide, its lines are longer than the terminal. In a file or a pipe each row is one line.
    least = widths if last in numbers else widths | {last: min(widths[last], wrapped)}
    room = (table_width() or 10_000) - sum(least.values()) - len(_BETWEEN) * (len(least) - 1)
    if narrowed is not None:
        named = min(widths[narrowed], max(least[narrowed] + room, _LEAST))
        room -= named - least[narrowed]
        least[narrowed] = named
        shown[narrowed] = [
            cell if cell_len(cell) <= named else set_cell_size(cell, named - 1) + "…" for cell in shown[narrowed]
        ]
    if last != narrowed and last not in numbers:
        least[last] = min(widths[last], max(0, room) + least[last])
    bold = bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")
    for number, (*before, end) in enumerate(zip(*shown.values(), strict=True)):
        lines = [end] if cell_len(end) <= least[last] else _wrapped(end, least[last])
        for line, texts in zip(lines, chain([before], repeat([""] * len(before))), strict=False):
            row = zip(least.items(), (*texts, line), strict=True)
            aligned = [_aligned(text, width, right=title in numbers) for (title, width), text in row]
            print(_BETWEEN.join(map(_bold, aligned) if bold and number == 0 else aligned).rstrip())


def _aligned(text: str, width: int, *, right: bool) -> str:
    from rich.cells import cell_len

    padding = " " * (width - cell_len(text))
    return padding + text if right else text + padding


def _bold(title: str) -> str:
    return title.replace(title.strip(), f"\033[1m{title.strip()}\033[0m") if title.strip() else title


def _wrapped(text: str, width: int) -> list[str]:
    """`text` in lines of that width; a word that is too long and has no mark is broken anywhere."""
    return [
        piece
        for part in _folded(text, width).split("\n")
        for line in wrap_lines(part, width=width) or [""]
        for piece in _pieces(line, width)
    ]


def _pieces(line: str, width: int) -> Iterator[str]:
    from rich.cells import cell_len

    piece = ""
    for letter in line:
        if piece and cell_len(piece + letter) > width:
            yield piece
            piece = ""
        piece += letter
    yield piece
