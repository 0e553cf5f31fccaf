"""The roster of a course: its students with their groups and aliases, under the titles of columns that learning systems
write.

Pure. The CSV text of a spreadsheet or of a learning system's export is read strictly; no two of its lines can mean the
same student. An agent's student is found by id, name or alias; students with the same alias are a team, with one agent
for all.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from adsearch.errors import nearly, quote
from arena.errors import BadRoster
from arena.history import csv_cells


class Student(Struct, frozen=True):
    """One line of the roster. Missing cells are empty."""

    id: str
    """Such as a matriculation number."""
    name: str
    group: str
    alias: str
    """The name that others see. Students with the same alias are a team."""
    line: int
    """Line number in the file, from 1."""
    email: str = ""
    """The address for feedback."""
    deadline: str = ""
    """The student's own deadline, an extension if it is later than that of all students; empty: none."""

    @property
    def groups(self) -> tuple[str, ...]:
        """The student's groups, for comparisons; Moodle writes several into one cell."""
        return tuple(dict.fromkeys(group for each in self.group.split(",") if (group := folded(each))))


class Roster(Struct, frozen=True):
    """All students of the course, in the order of the file."""

    file: str
    """The file's name in messages."""
    students: tuple[Student, ...]

    def called(self, text: str) -> list[Student]:
        """The students with this id; else with this name, which several can share; else with this alias: a team."""
        for column in ("id", "name", "alias"):
            found = [one for one in self.students if folded(getattr(one, column)) == folded(text)]
            if found and folded(text):
                return found
        return []

    def team(self, student: Student) -> tuple[Student, ...]:
        """The student and all others with the same alias."""
        if not student.alias:
            return (student,)
        return tuple(one for one in self.students if folded(one.alias) == folded(student.alias))

    def is_one_team(self, students: Sequence[Student]) -> bool:
        """Whether these students, at least one, share an agent."""
        first, *others = students
        alias = folded(first.alias)
        return all(one == first or (alias and folded(one.alias) == alias) for one in others)


def read(text: str, file: str) -> Roster:
    """The roster in `text`, a CSV text from any spreadsheet program; `file`: its name in messages.

    Each line has an id or a name, or both. Ids are unique; no student's alias is the id or name of another student.
    Callers decide whether each line must have an alias."""
    rows = table(text, file)
    cells_of = reader([row for _, row in rows])
    if cells_of is None:
        titles = list(rows[0][1])
        known = [each for each in COLUMNS if each not in titles]
        hint = next((hint for title in titles if (hint := nearly(title, known))), "")
        raise BadRoster(
            f"{file}, line 1: expected the columns id, name, group and alias (id or name at least), "
            f"got {', '.join(titles)}{hint or '; rename the columns in this line'}"
        )
    students = []
    for line, row in rows:
        cells = cells_of({title: _plain(cell) for title, cell in row.items()})
        if not cells["id"] and not cells["name"]:
            raise BadRoster(f"{file}, line {line}: expected an id or a name, both are empty")
        students.append(Student(**cells, line=line))
    _refuse_ambiguity(students, file)
    return Roster(file, tuple(students))


def table(text: str, file: str) -> list[tuple[int, dict[str, str]]]:
    """The students' lines in a spreadsheet, at least one, each with its line number and its cells by column name.

    Cells are separated by commas, semicolons or tabs. Empty lines are left out; cells missing at the end are empty."""
    text = text.removeprefix("\ufeff")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    rows: list[tuple[int, list[str]]] = []
    start = 1
    if text[:4].casefold() == "sep=":  # Excel may write this before the column names
        next(lines)
        start = 2
    try:
        for row in lines:
            cells = [csv_cells.read(cell.strip()) for cell in row]
            while cells and not cells[-1]:
                cells.pop()
            if cells:
                rows.append((start, cells))
            start = lines.line_num + 1
    except csv.Error as error:
        raise BadRoster(f"{file}, line {start}: not valid CSV: {error}") from None
    if not rows:
        raise BadRoster(f"{file}: expected a line with the column names, got an empty file")
    (first, titles), *below = rows
    if len({folded(title) for title in titles}) < len(titles) or not all(titles):
        raise BadRoster(f"{file}, line {first}: expected a different name for each column, got {', '.join(titles)}")
    for line, cells in below:
        if len(cells) > len(titles):
            raise BadRoster(f"{file}, line {line}: expected {len(titles)} cells, got {len(cells)}")
    lines_of = [
        (line, dict(zip(titles, cells + [""] * (len(titles) - len(cells)), strict=True))) for line, cells in below
    ]
    if not (students := students_only(lines_of)):
        raise BadRoster(f"{file}: expected a line for each student below the column names, got none")
    return students


@lru_cache(10_000)
def folded(text: str) -> str:
    """`text` for comparisons: case, spaces and the encoding of accents do not matter."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def replace_unprintable(text: str) -> str:
    """`text` with U+FFFD for each unprintable character, such as line breaks and direction marks."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def _plain(text: str) -> str:
    """A cell on one line, with accents in Unicode form NFC."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _delimiter(text: str) -> str:
    """The separator of the cells: the candidate that is most frequent in the first line."""
    # Where numbers are written with a decimal comma, spreadsheet programs separate cells with semicolons.
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first[:4].casefold() == "sep=" and len(first) > 4:
        return first[4]
    return max(",;\t", key=first.count)


def _refuse_ambiguity(students: Sequence[Student], file: str) -> None:
    """BadRoster if two lines could mean the same student."""
    taken: dict[str, tuple[Student, str]] = {}
    for column in ("id", "name", "alias"):
        for one in students:
            value = folded(getattr(one, column))
            other, what = taken.setdefault(value, (one, column))
            # Two students can have the same name, a team has one alias, and one student the same text in two columns.
            if value and other is not one and not (column == what and column != "id"):
                raise BadRoster(
                    f"{file}, line {one.line}: the {column} {quote(getattr(one, column))} is also the {what} in line "
                    f"{other.line}; expected it only once"
                )


# The columns of a roster under the titles that learning systems write, in English and in German.


COLUMNS: Final = ("id", "name", "email", "group", "alias", "deadline")
"""The columns of a roster; other columns are kept, but not read."""
TITLES: Final[Mapping[str, tuple[str, ...]]] = {
    "id": (
        *("id", "identifier", "canvas user id"),  # these identify the files of a download best, so they come first
        *("username", "user name", "login", "login id", "benutzername", "anmeldename"),
        *("id number", "student id", "student number", "matriculation number"),
        *("id nummer", "matrikelnummer", "matrikel nr."),
    ),
    "name": ("name", "full name", "student", "student name", "display name", "vollständiger name"),
    "email": (
        *("email", "e mail", "mail", "email address", "e mail address", "e mail adresse"),
        *("sis login id", "login id"),  # for many courses on Canvas these are addresses
    ),
    "group": ("group", "groups", "group name", "team", "gruppe", "gruppen", "gruppenname"),
    "alias": ("alias",),
    "deadline": ("deadline",),
}
FIRST: Final = ("first name", "firstname", "given name", "forename", "vorname")
LAST: Final = ("last name", "lastname", "surname", "family name", "nachname", "familienname", "name")
"""In German lists, "Name" beside "Vorname" is the last name."""
_CANVAS: Final = "sis login id"
"""Every gradebook of Canvas has this column."""
_CANVAS_TEST_STUDENTS: Final = ("Student, Test", "Test Student")
_WHOLE_NUMBER: Final = re.compile(r"(\d+)\.0")


def normal_title(title: str) -> str:
    """A title for comparisons: case, spaces, hyphens and underscores do not matter."""
    return " ".join(re.sub(r"[-_\s]", " ", title.casefold()).split())


def students_only(rows: list[tuple[int, dict[str, str]]]) -> list[tuple[int, dict[str, str]]]:
    """The lines without those that a gradebook of Canvas has for the points and for a test student."""
    titles = {normal_title(title): title for title in rows[0][1]} if rows else {}
    if _CANVAS not in titles or "id" not in titles:
        return rows
    return [(line, row) for line, row in rows if row[titles["id"]] and _name(row, titles) not in _CANVAS_TEST_STUDENTS]


def reader(rows: Collection[Mapping[str, str]]) -> Callable[[Mapping[str, str]], dict[str, str]] | None:
    """Reads our columns from a line of these rows; None if the rows have neither an id nor a name."""
    titles = {normal_title(title): title for title in next(iter(rows))}
    chosen: dict[str, str] = {}
    in_turn = {column: [titles[each] for each in possible if each in titles] for column, possible in TITLES.items()}
    for column, there in in_turn.items():
        with_text = (title for title in there if any(row[title] for row in rows))
        if there:
            chosen[column] = next(with_text, there[0])
    if not {"id", "name"} & set(chosen) and not any(each in titles for each in (*FIRST, *LAST)):
        return None

    def read(row: Mapping[str, str]) -> dict[str, str]:
        cells = {column: row[chosen[column]] if column in chosen else "" for column in COLUMNS}
        for column in ("id", "email"):  # such as an id of the learning system for one student, written by hand
            cells[column] = next((row[title] for title in in_turn[column] if row[title]), "")
        if "@" not in cells["email"]:
            cells["email"] = ""
        whole = _WHOLE_NUMBER.fullmatch(cells["id"])  # spreadsheet programs write the id 1001 as 1001.0
        return cells | {"id": whole[1] if whole else cells["id"], "name": _name(row, titles, chosen.get("name", ""))}

    return read


def _name(row: Mapping[str, str], titles: Mapping[str, str], whole: str = "") -> str:
    """The student's whole name, the first name first; `whole`: the title of the column with whole names, if any."""
    first, last = (
        next((row[titles[each]] for each in parts if each in titles and row[titles[each]]), "")
        for parts in (FIRST, LAST)
    )
    name = row.get(whole or titles.get("student", ""), "")
    if first and last and (not name or name == last):
        return last if first in last.split() else f"{first} {last}"
    if normal_title(whole) == "student" and name.count(", ") == 1:  # Canvas writes "Berger, Anna"
        return " ".join(reversed(name.split(", ")))
    return name or first or last
