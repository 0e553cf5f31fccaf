"""Spreadsheets (.xlsx) as CSV texts, so that every command that reads CSV reads them too.

Only the first sheet is read, and only the values that the spreadsheet program saved: no formula is computed.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from datetime import date, datetime
from typing import Final
from zipfile import BadZipFile, ZipFile

from arena.errors import BadImport
from arena.match.allowance import MEBIBYTE

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
    except (
        BadZipFile,
        InvalidFileException,
        KeyError,
        IndexError,
        ValueError,
        TypeError,
        OSError,
        SyntaxError,
    ) as error:
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
