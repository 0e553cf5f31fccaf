"""The columns of a roster under the titles that learning systems write, in English and in German.

Pure. `TITLES` is the whole rule: for each of our columns, the first title of its list wins that the file has with any
text below it. A student without text there has the id and the address of the next title. docs/course.md shows the
lists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Final

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
