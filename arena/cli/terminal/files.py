"""Files that commands read and write, with error messages that name the file.

Texts are UTF-8; a spreadsheet (.xlsx) and a text in UTF-16, as Blackboard writes its lists, are read too.
"""

from __future__ import annotations

import codecs
import csv
import errno
import io
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Final, TextIO
from zipfile import BadZipFile, ZipFile

import typer

from adsearch.errors import quote
from arena.errors import ArenaError, BadImport
from arena.match.allowance import MEBIBYTE

_DRAWN: Final = (".svg", ".dot", ".html")
"""Endings of pictures and pages, which a new picture or page can replace."""
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BEGINNING: Final = 4
"""Number of first bytes by which pictures, pages and tables are told apart, for files with other endings."""


def read_file(file: str, what: str) -> tuple[str, str]:
    """The text of a file, or of standard input ("-"), and its name for messages; `what` says what it should contain.

    The text of a spreadsheet is its first sheet in CSV."""
    name = "standard input" if file == "-" else file
    try:
        written = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise BadImport(f"expected {what}, cannot read {quote(file)}: {error.strerror}") from None
    if written.startswith((ZIP, OLE)):
        return csv_text(written, name), name
    try:
        return written.decode("utf-16" if written.startswith(_UTF_16) else "utf-8"), name
    except UnicodeDecodeError as error:
        line = written[: error.start].count(b"\n") + 1
        raise BadImport(
            f"{name}, line {line}: expected text in UTF-8, got the byte {written[error.start]:#x}; "
            "in a spreadsheet choose the format CSV UTF-8"
        ) from None


def write_file(file: str | Path, text: str) -> None:
    """Write `text` to the file, completely or not at all, and print the file's name to stderr.

    An existing file is replaced only if it is of the same kind."""
    try:
        if Path(file).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if Path(file).exists() and not Path(file).is_file():
            raise ArenaError(f"expected the name of a file to write, got {quote(str(file))}, a device or a pipe")
        if not _is_of_its_kind(Path(file), text):
            raise ArenaError(f"{quote(str(file))} already exists and is a different kind of file: choose another name")
        with whole_file(file) as out:
            out.write(text)
    except OSError as error:
        raise ArenaError(f"cannot write {quote(str(file))}: {error.strerror}") from None
    print(f"written: {file}", file=sys.stderr)


@contextmanager
def whole_file(file: str | Path) -> Iterator[TextIO]:
    """Inside, text is written to FILE.part, which is renamed to FILE at the end: the file is complete or unchanged."""
    begun = Path(f"{file}.part")
    try:
        with begun.open("w", encoding="utf-8", newline="") as out:
            yield out
        os.replace(begun, file)
    finally:
        begun.unlink(missing_ok=True)


def check_folder(file: Path | None, *others: Path | None) -> None:
    """Raise BadParameter if a file's folder does not exist, if a file is a folder, or if a file is named twice, before
    a long computation starts."""
    named = [each for each in (file, *others) if each is not None]
    for each in named:
        if not each.parent.is_dir():
            raise typer.BadParameter(f"cannot write {quote(str(each))}: there is no folder {quote(str(each.parent))}")
        if each.is_dir():
            raise typer.BadParameter(f"cannot write {quote(str(each))}: it is a folder; name a file in it")
        if [other.absolute() for other in named].count(each.absolute()) > 1:
            raise typer.BadParameter(f"{quote(str(each))} is given for two files: give each file another name")


def _is_of_its_kind(file: Path, text: str) -> bool:
    """Whether the file does not exist, is a picture or a page by its ending, or starts like `text`."""
    if file.suffix in _DRAWN or not file.exists():
        return True
    with file.open("rb") as opened:
        begins = opened.read(_BEGINNING)
    return not begins or begins == text.encode()[:_BEGINNING]


# Spreadsheets (.xlsx) as CSV texts, so that every command that reads CSV reads them too.


ZIP: Final = b"PK\x03\x04"
"""The first bytes of a spreadsheet, .xlsx or .ods."""
OLE: Final = b"\xd0\xcf\x11\xe0"
"""The first bytes of a spreadsheet of old versions of Excel, .xls, and of one with a password."""
_MOST_BYTES: Final = 64 * MEBIBYTE
_MOST_CELLS: Final = 2_000_000
"""Limits of a sheet, far above those of any list of students: a file of 100 KB can have 300 million cells."""
_ADVICE: Final = "save it as .xlsx or as CSV UTF-8"
_ZEROS: Final = re.compile("0+")
"""A number format that shows leading zeros, such as 00000."""


class NoSpreadsheetReader(BadImport):
    """The package that reads spreadsheets is not installed."""

    extra = "spreadsheet"


def csv_text(content: bytes, name: str) -> str:
    """The first sheet of a spreadsheet as CSV; BadImport if it cannot be read; `name`: the file's name in messages."""
    if not content.startswith(ZIP):
        raise BadImport(
            f"{name}: expected a spreadsheet in the format .xlsx, got .xls or one with a password; {_ADVICE}"
        )
    try:
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError:
        raise NoSpreadsheetReader(
            f"{name} is a spreadsheet, but openpyxl, which reads it, is missing; save it as CSV UTF-8, or install it"
        ) from None
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            # No entry yields more bytes than its size here.
            if sum(entry.file_size for entry in archive.infolist()) > _MOST_BYTES:
                raise BadImport(f"{name}: has more than {_MOST_BYTES // MEBIBYTE} MiB when unpacked; {_ADVICE}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles that are missing
            sheets = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        rows: list[list[str]] = []
        cells = 0
        for row in sheets.worksheets[0].iter_rows():
            cells += len(row) + 1
            if cells > _MOST_CELLS:
                raise BadImport(f"{name}: the first sheet has more than {_MOST_CELLS:,} cells; {_ADVICE}")
            rows.append([_text(cell.value, cell.number_format) for cell in row])
    except BadImport:
        raise
    except (BadZipFile, InvalidFileException, LookupError, ValueError, TypeError, OSError, SyntaxError) as error:
        raise BadImport(f"{name}: expected a spreadsheet in the format .xlsx ({error}); {_ADVICE}") from None
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _text(value: object, shown_as: str) -> str:
    """The text of a cell: whole numbers without decimals, with the leading zeros that the sheet shows."""
    match value:
        case None:
            return ""
        case datetime() if value.hour or value.minute:
            return f"{value:%Y-%m-%d %H:%M}"
        case date():
            return f"{value:%Y-%m-%d}"
        case int() | float() if not isinstance(value, bool) and value == int(value):
            return f"{int(value):0{len(shown_as) if _ZEROS.fullmatch(shown_as) else 1}}"
        case _:
            return str(value)
