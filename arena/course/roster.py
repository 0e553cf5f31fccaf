"""The roster of a course: who takes it, in which group, and under which alias others know them.

Values in, values out. The CSV text of a spreadsheet is read strictly; no two of its lines can be taken for the same
student. An agent's student is found by id, name or alias.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from adsearch.errors import nearly, quote
from arena.errors import BadRoster

COLUMNS: Final = ("id", "name", "group", "alias")
"""What is read; other columns are left alone."""


class Student(Struct, frozen=True):
    """One line of the roster. Missing cells are empty."""

    id: str
    """Such as a matriculation number."""
    name: str
    group: str
    alias: str
    """What others see."""
    line: int
    """Where it stands in the file, from 1."""


class Roster(Struct, frozen=True):
    """Everybody who takes the course, in the order of the file."""

    file: str
    """What the file is called in messages."""
    students: tuple[Student, ...]

    def called(self, text: str) -> list[Student]:
        """The students with that id; else with that name, which several may share; else with that alias."""
        for column in ("id", "name", "alias"):
            found = [one for one in self.students if folded(getattr(one, column)) == folded(text)]
            if found and folded(text):
                return found
        return []


def read(text: str, file: str) -> Roster:
    """The roster that `text` holds, as any spreadsheet writes it; `file`: what it is called in messages.

    Each line has an id or a name, or both. Ids are unique, and so are aliases; nobody's alias is the id or name of
    somebody else. Whether each line must have an alias is for its reader to say."""
    rows = table(text, file)
    title = {folded(column): column for column in rows[0][1]}
    if "id" not in title and "name" not in title:
        hint = next((hint for column in title if column not in COLUMNS and (hint := nearly(column, COLUMNS))), "")
        raise BadRoster(
            f"{file}, line 1: expected the columns id, name, group and alias (id or name at least), "
            f"got {', '.join(title.values())}{hint}"
        )
    students = []
    for line, row in rows:
        cells = {column: _plain(row[title[column]]) if column in title else "" for column in COLUMNS}
        if not cells["id"] and not cells["name"]:
            raise BadRoster(f"{file}, line {line}: expected an id or a name, both are empty")
        students.append(Student(**cells, line=line))
    _refuse_ambiguity(students, file)
    return Roster(file, tuple(students))


def table(text: str, file: str) -> list[tuple[int, dict[str, str]]]:
    """The lines of a spreadsheet by the names of its columns, each with its number in the file; one at least.

    Cells are parted by commas, semicolons or tabs. Empty lines are left out; cells missing at the end are empty."""
    text = text.removeprefix("\ufeff")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    rows: list[tuple[int, list[str]]] = []
    begins = 1
    if text[:4].casefold() == "sep=":  # what Excel puts before the names of the columns
        next(lines)
        begins = 2
    try:
        for row in lines:
            cells = [cell.strip() for cell in row]
            while cells and not cells[-1]:
                cells.pop()
            if cells:
                rows.append((begins, cells))
            begins = lines.line_num + 1
    except csv.Error as error:
        raise BadRoster(f"{file}, line {begins}: expected CSV: {error}") from None
    if not rows:
        raise BadRoster(f"{file}: expected a line with the names of the columns, got nothing")
    (first, titles), *below = rows
    if len({folded(title) for title in titles}) < len(titles) or not all(titles):
        raise BadRoster(f"{file}, line {first}: expected a name of its own for each column, got {', '.join(titles)}")
    if not below:
        raise BadRoster(f"{file}: expected a line for each student below the names of the columns, got none")
    for line, cells in below:
        if len(cells) > len(titles):
            raise BadRoster(f"{file}, line {line}: expected {len(titles)} cells, got {len(cells)}")
    return [(line, dict(zip(titles, cells + [""] * (len(titles) - len(cells)), strict=True))) for line, cells in below]


def folded(text: str) -> str:
    """`text` as two spellings of it are compared: whatever the case, the spaces, and how accents are encoded."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def replace_unprintable(text: str) -> str:
    """`text` on one line, with a mark for each character that is invisible or changes how the rest is read."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def _plain(text: str) -> str:
    """A cell as it is kept: on one line, with accents as most programs encode them."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _delimiter(text: str) -> str:
    """What parts the cells: the sign of which the first line has most."""
    # Where numbers are written with a comma, spreadsheets part cells with a semicolon.
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first[:4].casefold() == "sep=" and len(first) > 4:
        return first[4]
    return max(",;\t", key=first.count)


def _refuse_ambiguity(students: Sequence[Student], file: str) -> None:
    """BadRoster if two lines could be taken for the same student."""
    taken: dict[str, tuple[Student, str]] = {}
    for column in ("id", "name", "alias"):
        for one in students:
            value = folded(getattr(one, column))
            other, what = taken.setdefault(value, (one, column))
            # Two may have one name; and somebody may be called the same in two columns.
            if value and other is not one and not column == what == "name":
                raise BadRoster(
                    f"{file}, line {one.line}: expected nobody else with the {column} {quote(getattr(one, column))}, "
                    f"it is the {what} in line {other.line}"
                )
