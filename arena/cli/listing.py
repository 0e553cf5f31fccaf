"""Every listing of every command: a table for people, CSV for spreadsheets, JSON for programs.

A command describes its rows and columns once; `--format` decides how they come out. JSON is one array on stdout.
"""

import csv
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer


class Format(StrEnum):
    """How a listing is printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


FormatOption = Annotated[Format, typer.Option("--format", help="How to print the listing.")]

Row = Mapping[str, Any]
Columns = Mapping[str, Callable[[Row], str]]
"""The columns of the table and the CSV: title -> a row's text there."""


def show(rows: Sequence[Row], columns: Columns, *, format: Format) -> None:
    """Prints `rows`: their `columns` as a table or CSV, or the whole of them as JSON."""
    if format is Format.JSON:
        print(json.dumps(list(rows), indent=2, allow_nan=False))
    elif format is Format.CSV:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([text(row) for text in columns.values()] for row in rows)
    else:
        _show_table(rows, columns)


def _show_table(rows: Sequence[Row], columns: Columns) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    *_, last = columns
    for title in columns:
        # Where it is narrow the last column, which is the longest, gives way.
        table.add_column(title, no_wrap=title != last, overflow="fold")
    for row in rows:
        table.add_row(*(Text(text(row)) for text in columns.values()))
    with console.capture() as capture:
        # Piped into a file or a program, a row stays on one line.
        console.print(table, width=None if console.is_terminal else 10_000)
    print("\n".join(line.rstrip() for line in capture.get().splitlines()))
