"""The listings of all commands: a table for people, Markdown, CSV for spreadsheets, JSON for programs.

A command declares its columns (arena/results/columns.py) and shows its rows. The decorator `listed` gives it the
options that choose format, columns and rows. JSON is one array on stdout; it does not depend on the terminal's width.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import chain, islice, repeat
from typing import Annotated, Any, Final, get_type_hints

import typer
from msgspec import Struct

from adsearch.errors import meant, quote
from arena.cli.terminal.notes import table_width, wrap_lines
from arena.history import csv_cells
from arena.history.words import printable
from arena.results.columns import ALL, Column, Medium, Row, document, fields, markdown, standing_in


class OutputFormat(StrEnum):
    """The values of --format."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    MARKDOWN = "markdown"


FormatOption = Annotated[OutputFormat, typer.Option("--format", help="Output format.")]
_MEDIA: Final = {OutputFormat.CSV: Medium.CSV, OutputFormat.JSON: Medium.JSON}
_BETWEEN: Final = "  "
"""Between two columns of a table."""
_LEAST: Final = 7
"""Smallest width of a column of names, on any terminal."""


class Shown(Struct, frozen=True):
    """How a listing is shown: the values of its options."""

    format: OutputFormat = OutputFormat.TABLE
    columns: str | None = None
    sort: str | None = None
    limit: int | None = None
    reverse: bool = False

    @property
    def is_table(self) -> bool:
        """Whether people read it in a terminal, with sentences around it."""
        return self.format is OutputFormat.TABLE

    @property
    def in_words(self) -> bool:
        """Whether a command that has more to say than its listing says it: nothing of the listing is chosen."""
        return self.is_table and self.is_whole

    @property
    def is_whole(self) -> bool:
        """Whether all columns and rows are shown, in the order of the command."""
        return self == Shown(format=self.format)

    def chosen(
        self, columns: Iterable[Column[Any]], rows: Collection[Any] = (), first: Sequence[str] = ()
    ) -> list[Column[Any]]:
        """The columns that are shown: those of --columns, else those of the format."""
        medium = _MEDIA.get(self.format, Medium.TABLE)
        if self.columns is None:
            return standing_in(columns, medium, rows, first)
        by_name = _by_name(columns)
        names = [name.strip() for name in self.columns.split(",")]
        # What was asked for is shown whole, even if a table or JSON would not have it.
        return [replace(_named(by_name, name, "--columns"), on=ALL, spare=0) for name in names]

    def ordered(self, columns: Iterable[Column[Any]], rows: Iterable[Any]) -> Iterable[Any]:
        """The rows as --sort and --reverse order them, at most as many as --limit says."""
        if self.sort is not None:
            column = _named(_by_name(columns), self.sort, "--sort")
            rows = sorted(rows, key=lambda row: _order(column.of(row)))
        if self.reverse:
            rows = reversed(list(rows))
        return rows if self.limit is None else islice(rows, self.limit)

    def documents(self, rows: Iterable[Row], columns: Sequence[Column[Row]]) -> list[dict[str, Any]]:
        """The rows as JSON objects, for a document that has them."""
        return [document(row, self.chosen(columns)) for row in self.ordered(columns, rows)]


TABLE: Final = Shown()


def _by_name(columns: Iterable[Column[Any]]) -> dict[str, Column[Any]]:
    """The columns of a listing by name; of those that only pages have, none."""
    named: dict[str, Column[Any]] = {}
    for one in columns:
        if one.on & (Medium.TABLE | Medium.CSV | Medium.JSON):
            named.setdefault(one.name, one)
    return named


def _named(columns: Mapping[str, Column[Any]], name: str, option: str) -> Column[Any]:
    """The column with that name, or with that title above it."""
    found = columns.get(name) or next((one for one in columns.values() if one.title == name), None)
    if found is None:
        raise typer.BadParameter(f"{option}: no column {quote(name)}{meant(name, [*columns])}")
    return found


def _order(value: Any) -> tuple[int, float, str]:
    """Where a value stands: numbers before texts, what is unknown at the end; several values by the first one."""
    if value is None or value == [] or value == {}:
        return 2, 0.0, ""
    if isinstance(value, Mapping | list):
        return _order(next(iter(value.values() if isinstance(value, Mapping) else value)))
    return (0, float(value), "") if isinstance(value, int | float) else (1, 0.0, csv_cells.exact(value).lower())


def _option(kind: Any, help: str, *names: str, default: Any = None, **more: Any) -> tuple[Any, Any]:
    return Annotated[kind, typer.Option(*names, help=help, rich_help_panel="Listing", **more)], default


OF_ROWS: Final = ("sort", "reverse", "limit")
"""What `listed` leaves out for a command that shows one thing, not rows."""


def listed(
    columns: Callable[[], Iterable[Column[Any]]] = tuple,
    *,
    about: Mapping[str, str] | None = None,
    without: Collection[str] = (),
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace the command's parameter `shown` by the options of listings, except those in `without`, which the command
    has itself or which make no sense for it. `columns`: those of its listing, which shells complete; `about`: what
    stands in its JSON, in Markdown, which docs/reference.md lists: by the fields that share the words."""
    named = {"metavar": "NAME", "autocompletion": lambda: [*_by_name(columns())]}
    options = {
        "format": (FormatOption, OutputFormat.TABLE),
        "columns": _option(str | None, "Columns to show, in this order.", **named | {"metavar": "NAME,..."}),
        "sort": _option(str | None, "Column to sort by.", **named),
        "reverse": _option(bool, "Rows in reverse order.", "--reverse", default=False),
        "limit": _option(int | None, "Largest number of rows.", metavar="N", min=1),
    }
    options = {name: option for name, option in options.items() if name not in without}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        run = with_options(command, "shown", options, lambda given: Shown(**given))
        run.listing, run.about = columns, about or {}  # type: ignore[attr-defined]
        return run

    return decorate


def show(
    rows: Iterable[Row], columns: Iterable[Column[Row]], shown: Shown = TABLE, *, first: Sequence[str] = ()
) -> None:
    """Print `rows` in these columns; in a table those with the names `first` come first. Only tables, and --sort and
    --reverse, need all rows in memory.

    On a narrow terminal texts get shorter, columns are dropped, the last column is wrapped, then names are cut. In a
    file or a pipe each row is one line. In a table numbers are right-aligned and never wrapped."""
    columns = list(columns)
    rows = shown.ordered(columns, rows)
    chosen = shown.chosen(columns)
    if shown.format is OutputFormat.JSON:
        _show_json_rows(document(row, chosen) for row in rows)
    elif shown.format is OutputFormat.CSV:
        cells = ([one.in_csv(row) for one in chosen] for row in rows)
        titles = [one.csv_title or one.name for one in chosen]
        csv_cells.write(sys.stdout, cells, titles=titles, multiline=[one.name for one in chosen if one.lines])
    else:
        rows = list(rows)
        chosen = shown.chosen(columns, rows, first)
        lines = markdown(rows, chosen) if shown.format is OutputFormat.MARKDOWN else _table(rows, chosen)
        for line in lines:
            print(line)


def show_one(document: Mapping[str, Any], shown: Shown) -> None:
    """Print one thing: an object in JSON, else a row."""
    columns = fields(document)
    if shown.format is OutputFormat.JSON:
        show_json(shown.documents([document], columns)[0])
    else:
        show([document], columns, shown)


def show_json(document: Any) -> None:
    print(json.dumps(document, indent=2, allow_nan=False))


def _show_json_rows(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print an array in the format of `show_json`, each row as soon as it is available."""
    before = "["
    for row in rows:
        document = json.dumps(row, indent=2, allow_nan=False).replace("\n", "\n  ")
        print(f"{before}\n  {document}", end="")
        before = ","
    print("[]" if before == "[" else "\n]")


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


def _width(text: str) -> int:
    from rich.cells import cell_len  # not Rich's tables: their import takes as long as reading the rows

    return cell_len(text)


def _table(rows: Sequence[Row], columns: Sequence[Column[Row]]) -> Iterator[str]:
    columns, least, cells = _fitted(rows, columns)
    bold = bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")
    for number, (*before, end) in enumerate(zip(*cells, strict=True)):
        lines = [end] if _width(end) <= least[-1] else _wrapped(end, least[-1])
        for line, texts in zip(lines, chain([before], repeat([""] * len(before))), strict=False):
            row = zip(columns, least, (*texts, line), strict=True)
            aligned = [_aligned(text, width, right=one.number) for one, width, text in row]
            yield _BETWEEN.join(map(_bold, aligned) if bold and number == 0 else aligned).rstrip()


def _fitted(
    rows: Sequence[Row], columns: Sequence[Column[Row]]
) -> tuple[list[Column[Row]], list[int], list[list[str]]]:
    """The columns that fit the terminal, their widths, and their cells below their titles."""
    from rich.cells import set_cell_size

    def cells(one: Column[Row], text: Callable[[Row], str]) -> list[str]:
        return [one.title or one.name, *(printable(text(row)) for row in rows)]

    shown = [(one, cells(one, one.said)) for one in columns]
    width = table_width() or 10_000

    def room(*, whole: bool) -> int:
        """The columns of the terminal that are left; `whole`: if names are not cut."""
        widths = [max(map(_width, texts)) for _, texts in shown]
        taken = (
            wide if whole or not one.narrow else min(wide, one.narrow)
            for (one, _), wide in zip(shown, widths, strict=True)
        )
        return width - sum(taken) - len(_BETWEEN) * (len(shown) - 1)

    for one in columns:
        if one.shorter is not None and room(whole=True) < 0:
            shown = [(each, cells(one, one.shorter) if each is one else texts) for each, texts in shown]
    for spare in sorted({one.spare for one in columns} - {0}):
        if room(whole=False) < 0:
            shown = [each for each in shown if each[0].spare != spare]
    columns, texts = [one for one, _ in shown], [texts for _, texts in shown]
    # On a narrow terminal the last column is wrapped, then names are cut. Nothing else is shortened: if the table is
    # still too wide, its lines are longer than the terminal.
    widths = [max(map(_width, each)) for each in texts]
    last, end = columns[-1], len(columns) - 1
    least = widths if last.number else [*widths[:-1], min(widths[-1], last.wrapped)]
    left = width - sum(least) - len(_BETWEEN) * end
    for place, one in enumerate(columns):
        if one.narrow:
            cut = min(widths[place], max(least[place] + left, _LEAST))
            left -= cut - least[place]
            least[place] = cut
            if one.cut is not None:
                texts[place][1:] = [one.cut(row, cut) for row in rows]
            texts[place] = [
                cell if _width(cell) <= cut else set_cell_size(cell, cut - 1) + "…" for cell in texts[place]
            ]
    if not last.narrow and not last.number:
        least[-1] = min(widths[-1], max(0, left) + least[-1])
    return columns, least, texts


def _aligned(text: str, width: int, *, right: bool) -> str:
    padding = " " * (width - _width(text))
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
    piece = ""
    for letter in line:
        if piece and _width(piece + letter) > width:
            yield piece
            piece = ""
        piece += letter
    yield piece


# Options that several commands share: a decorator adds them to a command, in the place of one parameter.


def with_options(
    command: Callable[..., None], parameter: str, options: Mapping[str, Any], value: Callable[[dict[str, Any]], Any]
) -> Callable[..., None]:
    """The command with these options instead of `parameter`, which gets what `value` makes of theirs."""
    hints = get_type_hints(command, localns={"GameFilter": Any}, include_extras=True)
    parameters: list[inspect.Parameter] = []
    for name, own in inspect.signature(command).parameters.items():
        if name == parameter:
            keyword = inspect.Parameter.KEYWORD_ONLY
            parameters += [
                inspect.Parameter(each, keyword, default=default, annotation=annotation)
                for each, (annotation, default) in options.items()
            ]
        else:
            kind = own.VAR_POSITIONAL if own.kind is own.VAR_POSITIONAL else own.KEYWORD_ONLY
            parameters.append(own.replace(annotation=hints.get(name, own.annotation), kind=kind))

    def run(**given: Any) -> None:
        found = {name: given.pop(name) for name in options}
        command(**given, **{parameter: value(found)})

    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run
