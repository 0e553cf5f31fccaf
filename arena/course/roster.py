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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from adsearch.errors import nearly, quote
from arena.errors import BadRoster, BadSubmission
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


# Finds the student on the roster by the name, id, alias or group in a file's name.


_WORDS: Final = re.compile(r"[^\W_]+")
_SPELLED_OUT: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_BASE_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"}
)
_MOST_REORDERED: Final = 8
"""Number of words up to which a name is matched in any order."""


ANONYMOUS: Final = (
    "the learning system hides the names of this assignment (anonymous marking): turn that off, or reveal the names, "
    "and download the submissions again"
)
"""Why a file with a number in place of a name has no student."""
_PARTICIPANT: Final = re.compile(r"(?:Participant|Teilnehmer(?:/in)?) ?(\d+)", re.IGNORECASE)
"""An id in a grading worksheet of Moodle. The number is in the names of the files of the same assignment."""


class RosterMatcher:
    """Finds students on a roster by the names of their files."""

    def __init__(self, roster: Roster) -> None:
        self.roster = roster
        self._exactly: dict[str, set[int]] = {}
        self._nearly: dict[str, set[int]] = {}
        self._participants = {
            number[1]: place
            for place, one in enumerate(roster.students)
            if (number := _PARTICIPANT.fullmatch(one.id)) is not None
        }
        self._teams = self._groups_of_one_team()
        for place, one in enumerate(roster.students):
            for text, name in ((one.id, False), (one.name, True), (one.alias, False)):
                for form in _forms(folded(text), any_order=name):
                    self._exactly.setdefault(form, set()).add(place)
                for spelling in _spellings(text):
                    for form in _forms(spelling, any_order=name):
                        self._nearly.setdefault(form, set()).add(place)

    def by_name(self, who: str, number: str = "") -> Student:
        """The student with this name, and with this number if the roster's ids are such numbers; else a student of the
        team with this group; BadSubmission if there is none, or several.

        The number distinguishes students with the same name; by itself it finds no student."""
        named = self._named(who) or self._named_in_group(who)
        numbered = self._exactly.get(folded(number), set()) if number else set()
        numbered |= {self._participants[number]} if number in self._participants else set()
        team = self._looked_up(self._teams, _spellings(who))
        if not named and team:
            return self._single(team & numbered or team, who)
        both = named & numbered
        if named and numbered and not both:
            one, other = (min(places) for places in (named, numbered))
            raise BadSubmission(
                f"the name {quote(who)} is {self._line(one)}, the id {quote(number)} is {self._line(other)}"
            )
        return self._single(both or self._with_namesakes(named, team), who, perhaps=numbered, number=number)

    def by_participant(self, number: str) -> Student:
        """The student whose id is Moodle's "Participant 123456", for this number; BadSubmission if there is none."""
        if number not in self._participants:
            raise BadSubmission(ANONYMOUS)
        return self.roster.students[self._participants[number]]

    def by_beginning(self, text: str) -> Student:
        """The student whose name, id or alias starts the text, by the longest match; else a student of the team whose
        group is the text; BadSubmission as above."""
        words = _WORDS.findall(text)
        team = self._looked_up(self._teams, _spellings(text))
        for number in range(len(words), 0, -1):
            # Students write their own names with and without accents.
            if found := self._looked_up(self._nearly, _spellings(" ".join(words[:number]))):
                return self._single(self._with_namesakes(found, team) if number == len(words) else found, text)
        return self._single(self._with_namesakes(self._named(text), team), text)

    def _with_namesakes(self, named: set[int], team: set[int]) -> set[int]:
        """The students of this name, and those of another team whose group has this name.

        In many courses students name their groups, so a group can be called like another student."""
        everyone = named | team
        same = not named or not team or self.roster.is_one_team([self.roster.students[place] for place in everyone])
        return (named or team) if same else everyone

    def _groups_of_one_team(self) -> dict[str, set[int]]:
        """The forms of each group whose students are one team -> the places of its students."""
        groups: dict[str, set[int]] = {}
        for place, one in enumerate(self.roster.students):
            for group in {*one.groups, folded(one.group)} - {""}:
                groups.setdefault(group, set()).add(place)
        found: dict[str, set[int]] = {}
        for group, places in groups.items():
            students = [self.roster.students[place] for place in places]
            if students[0].alias and self.roster.is_one_team(students):
                for form in {form for spelling in _spellings(group) for form in _forms(spelling, any_order=False)}:
                    found.setdefault(form, set()).update(places)
        return found

    def _named(self, who: str) -> set[int]:
        """The students with exactly this name, if it is written in full; else all students with a similar name."""
        if " " in who.strip() or not who.isascii():
            exactly = self._looked_up(self._exactly, [folded(who)])
            if exactly:
                return exactly
        return self._looked_up(self._nearly, _spellings(who))

    def _named_in_group(self, who: str) -> set[int]:
        """As `_named`, for "GROUP-NAME", which Moodle writes if students have groups."""
        found: set[int] = set()
        for at in (at for at, letter in enumerate(who) if letter == "-"):
            group = folded(who[:at])
            found |= {place for place in self._named(who[at + 1 :]) if group in self.roster.students[place].groups}
        return found

    def _looked_up(self, forms: dict[str, set[int]], spellings: Sequence[str]) -> set[int]:
        found: set[int] = set()
        for spelling in spellings:
            for form in _forms(spelling, any_order=False):
                found |= forms.get(form, set())
            found |= forms.get(_sorted(spelling), set())
        return found

    def _single(self, places: set[int], who: str, *, perhaps: Collection[int] = (), number: str = "") -> Student:
        if not places:
            raise BadSubmission(f"no student on {self.roster.file} has this name{self._suggestion(who, perhaps)}")
        if not self.roster.is_one_team([self.roster.students[place] for place in places]):
            lines = " or ".join(self._line(place) for place in sorted(places)[:4])
            by_number = f", or make {number} the id of the right one on the roster" if number else ""
            raise BadSubmission(f"it could be {lines}: rename it to start with an id{by_number}")
        return self.roster.students[min(places)]

    def _line(self, place: int) -> str:
        one = self.roster.students[place]
        return f"{quote(one.name or one.id)} (line {one.line})"

    def _suggestion(self, who: str, perhaps: Collection[int]) -> str:
        """A question about `perhaps` and the students whose name shares a word with it; empty if there are none, or
        many."""
        words = {word for spelling in _spellings(who) for word in _WORDS.findall(spelling) if len(word) > 2}
        near = [
            place
            for place, one in enumerate(self.roster.students)
            if place in perhaps
            or words & {word for spelling in _spellings(one.name) for word in _WORDS.findall(spelling)}
        ]
        return f"; is it {' or '.join(map(self._line, near[:2]))}?" if 0 < len(near) < 3 else ""


def _spellings(text: str) -> list[str]:
    """`text` without accents: once with umlauts as base letters, once with umlauts spelled out."""
    small = folded(text)
    return list(
        dict.fromkeys(
            _without_accents(spelled)
            for spelled in (small, unicodedata.normalize("NFC", small).translate(_SPELLED_OUT))
        )
    )


def _without_accents(text: str) -> str:
    apart = unicodedata.normalize("NFD", text.translate(_BASE_LETTERS))
    return unicodedata.normalize("NFC", "".join(letter for letter in apart if not unicodedata.combining(letter)))


def _forms(text: str, *, any_order: bool) -> Iterator[str]:
    """The forms of a text for lookup: unchanged, its words joined; with `any_order` also in other orders."""
    words = _WORDS.findall(text)
    if text:
        yield text
    if words:
        yield "".join(words)
    if any_order and 1 < len(words) <= _MOST_REORDERED:
        yield _sorted(text)
        for first in range(1, len(words)):
            yield "".join((*words[first:], *words[:first]))


def _sorted(text: str) -> str:
    """The words, sorted; separated by line breaks, so that it equals no other form."""
    return "\n".join(sorted(_WORDS.findall(text)))
