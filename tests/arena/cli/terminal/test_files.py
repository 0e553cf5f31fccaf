"""What commands write takes the place of an earlier file of its kind, and of nothing else."""

import sys
from datetime import datetime
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest

from arena.cli.terminal import files
from arena.cli.terminal.files import csv_text, read_file, write_file
from arena.errors import ArenaError

PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"></svg>\n'


@pytest.mark.parametrize("before", [None, "", "<svg>an earlier one</svg>", "half a picture"])
def test_a_file_of_its_kind_is_replaced(before: str | None) -> None:
    if before is not None:
        Path("board.svg").write_text(before)
    write_file("board.svg", PICTURE)
    assert Path("board.svg").read_text() == PICTURE


def test_a_table_is_known_by_its_columns() -> None:
    Path("nodes").write_text("id,name\n1,ann\n")
    write_file("nodes", "id,name\n")
    assert Path("nodes").read_text() == "id,name\n"


@pytest.mark.parametrize("before", ["from agents import Agent\n", "id;name\n", "SQLite format 3\0"])
def test_anything_else_stays(before: str) -> None:
    Path("mine").write_text(before)
    with pytest.raises(ArenaError, match="'mine' already exists and is a different kind of file: choose another name"):
        write_file("mine", PICTURE)
    assert Path("mine").read_text() == before
    assert [path.name for path in Path().iterdir()] == ["mine"]


def test_what_cannot_be_read_is_told_with_what_was_expected() -> None:
    with pytest.raises(ArenaError, match=r"expected a roster, cannot read 'none\.csv': No such file"):
        read_file("none.csv", "a roster")
    with pytest.raises(ArenaError, match=r"expected a roster, cannot read '\.': Is a directory"):
        read_file(".", "a roster")


def test_a_text_in_utf_16_is_read_as_blackboard_writes_it() -> None:
    for encoding in ("utf-16", "utf-8"):
        Path("list.xls").write_text("Username\tLast Name\nu77\tMüller\n", encoding)
        assert read_file("list.xls", "a roster") == ("Username\tLast Name\nu77\tMüller\n", "list.xls")


def test_the_cells_of_a_spreadsheet_are_what_it_shows() -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in (
        ["id", "name"],
        [1001.0, "Müller, Anna"],
        [42, datetime(2026, 5, 1, 23, 59)],
        [1.5, datetime(2026, 5, 1)],
    ):
        sheet.append(row)
    sheet["A3"].number_format = "00000"
    book.create_sheet("notes").append(["not read"])
    book.save("roster.xlsx")
    text, name = read_file("roster.xlsx", "a roster")
    assert name == "roster.xlsx"
    assert text.splitlines() == ["id,name", '1001,"Müller, Anna"', "00042,2026-05-01 23:59", "1.5,2026-05-01"]


def test_a_spreadsheet_of_enormous_size_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    book = openpyxl.Workbook()
    for _ in range(20):
        book.worksheets[0].append(["x" * 100] * 20)
    book.save("roster.xlsx")
    with monkeypatch.context() as patch:
        patch.setattr(files, "_MOST_CELLS", 300)
        with pytest.raises(ArenaError, match=r"roster.xlsx: the first sheet has more than 300 cells; save it as"):
            read_file("roster.xlsx", "a roster")
    monkeypatch.setattr(files, "_MOST_BYTES", 10_000)
    with pytest.raises(ArenaError, match=r"roster.xlsx: has more than 0 MiB when unpacked; save it as"):
        read_file("roster.xlsx", "a roster")


def test_other_spreadsheets_are_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    other = BytesIO()
    with ZipFile(other, "w") as archive:
        archive.writestr("content.xml", "<office/>")
    for content in (other.getvalue(), b"PK\x03\x04", b"\xd0\xcf\x11\xe0 the format .xls"):
        Path("roster.ods").write_bytes(content)
        with pytest.raises(ArenaError, match=r"roster\.ods: expected .* \.xlsx.*; save it as \.xlsx or as CSV UTF-8"):
            read_file("roster.ods", "a roster")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ArenaError, match=r"openpyxl, which reads it, is missing; save it as CSV UTF-8, or") as error:
        csv_text(b"PK\x03\x04", "roster.xlsx")
    assert getattr(error.value, "extra", None) == "spreadsheet"
