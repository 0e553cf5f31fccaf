"""Every listing of every command: a table for people, CSV for spreadsheets, JSON for programs.

A command describes its rows and columns once; `--format` decides how they come out. JSON is one array on stdout.
"""

import csv
import json
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from arena.cli.terminal.wrapping import table_width
from arena.history.csv_cells import written


class OutputFormat(StrEnum):
    """How a listing is printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


FormatOption = Annotated[OutputFormat, typer.Option("--format", help="How to print the listing.")]

Row = Mapping[str, Any]
Columns = Mapping[str, Callable[[Row], str]]
"""The columns of the table and the CSV: title -> a row's text there."""


_LEAST: Final = 7
"""So wide a column of names stays, however narrow the terminal is."""


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
    """Prints `rows`: their `columns` as a table or CSV, or the whole of them as JSON. Only a table needs all at once.

    Where it is narrow the last column is `wrapped` to that width, and then the column `narrowed` is cut off. In a table
    the columns `numbers` end at the same place in every row. In CSV the columns `multiline` keep their line ends."""
    if format is OutputFormat.JSON:
        _show_json_rows(rows)
    elif format is OutputFormat.CSV:
        show_csv(([text(row) for text in columns.values()] for row in rows), titles=list(columns), multiline=multiline)
    else:
        _show_table(list(rows), columns, narrowed=narrowed, wrapped=wrapped, numbers=numbers)


def show_csv(rows: Iterable[Iterable[str]], *, titles: Sequence[str], multiline: Collection[str] = ()) -> None:
    """Prints rows of cells below a row of titles."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(map(written, titles))
    for row in rows:
        cells = zip(titles, row, strict=True)
        writer.writerow(_each_line(text) if title in multiline else written(text) for title, text in cells)


def _each_line(text: str) -> str:
    return "\n".join(map(written, text.split("\n")))


def show_json(document: Any) -> None:
    """Prints one JSON document."""
    print(json.dumps(document, indent=2, allow_nan=False))


def _show_json_rows(rows: Iterable[Row]) -> None:
    """Prints an array as `show_json` does, each row as it comes."""
    before = "["
    for row in rows:
        document = json.dumps(row, indent=2, allow_nan=False).replace("\n", "\n  ")
        print(f"{before}\n  {document}", end="")
        before = ","
    print("[]" if before == "[" else "\n]")


def _exact(name: str) -> Callable[[Row], str]:
    """The text of a value in CSV, with all its digits."""

    def text(row: Row) -> str:
        value = row[name]
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return " ".join(value)
        if isinstance(value, list | dict):
            return json.dumps(value)
        return "" if value is None else repr(value) if isinstance(value, float) else str(value)

    return text


def exact_columns(names: Iterable[str]) -> Columns:
    """A column for each of these fields of a row, as CSV has them."""
    return {name: _exact(name) for name in names}


def percent(share: float) -> str:
    """A likelihood for people: never 0 or 100 % where it is not."""
    return f"{min(max(share, 0.001), 0.999):.1%}" if 0.0 < share < 1.0 else f"{share:.0%}"


def _show_table(
    rows: Sequence[Row], columns: Columns, narrowed: str | None, wrapped: int, numbers: Collection[str]
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from arena.history.words import printable

    # Piped into a file or a program, a row stays on one line.
    console = Console(highlight=False, width=table_width() or 10_000)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    *_, last = columns
    shown = {title: [Text(printable(text(row))) for row in rows] for title, text in columns.items()}
    widths = {title: max([len(title), *(cell.cell_len for cell in cells)]) for title, cells in shown.items()}
    # Where it is narrow the last column is wrapped, and then names are cut; nothing else is ever left out, and where
    # even that is too wide, lines are as long as they must be.
    least = widths | {last: min(widths[last], wrapped)}
    room = console.width - sum(least.values()) - 2 * (len(least) - 1)
    if narrowed is not None:
        least[narrowed] = min(widths[narrowed], max(least[narrowed] + room, _LEAST))
    console.width = max(console.width, sum(least.values()) + 2 * (len(least) - 1))
    for title in widths:
        table.add_column(
            title,
            justify="right" if title in numbers else "left",
            max_width=least[title] if title == narrowed else None,
            no_wrap=title != last or title == narrowed,
            overflow="ellipsis" if title == narrowed else "fold",
        )
    for cells in zip(*shown.values(), strict=True):
        table.add_row(*cells)
    with console.capture() as capture:
        console.print(table)
    print("\n".join(line.rstrip() for line in capture.get().splitlines()))
