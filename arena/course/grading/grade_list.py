"""The grade list of a course: the rows of agents beside the lines of the roster, and the columns that a user chose.

Pure. Every line of the roster is in the list exactly once, in the order of the roster; the members of a team all have
the row of their agent.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from adsearch.errors import meant, nearly, one_of, quote
from arena.course.grading.marks import NOT_ENTERED
from arena.course.roster import Roster, Student, folded
from arena.errors import BadRating, BadRoster

Line = Mapping[str, str]
"""A line of the roster: its cells by column."""
_SAME: Final = ("id", "email", "name")
"""What a student has in two rosters."""


def agents_of(roster: Roster, agents: Collection[str]) -> dict[int, str]:
    """The agent of each student, by line number: the one that has the student's alias as its name, else the name, else
    the id. Students without an agent have the empty name. BadRoster if two students who are no team have one agent."""
    called = {folded(name): name for name in agents}
    found = {
        one.line: next((called[each] for each in map(folded, (one.alias, one.name, one.id)) if each in called), "")
        for one in roster.students
    }
    owners: dict[str, Student] = {}
    for one in roster.students:
        owner = owners.setdefault(found[one.line], one)
        if found[one.line] and not roster.is_one_team((owner, one)):
            raise BadRoster(
                f"{roster.file}, lines {owner.line} and {one.line}: both students would get the marks of the agent "
                f"{quote(found[one.line])}; write its name as the alias of the student who handed it in, "
                "and another alias for the other one"
            )
    return found


def students_of(roster: Roster, course: Roster) -> dict[int, Student]:
    """The student of the `course` in each line of another `roster`, by line number: the one with the same id, else the
    same e-mail address, else the same name. Lines that match nobody are left out.

    BadRoster if a line matches two students, also if one has its id and another its name; or if two lines match one."""
    having: dict[tuple[str, str], list[Student]] = {}
    for student in course.students:
        for column in _SAME:
            having.setdefault((column, folded(getattr(student, column))), []).append(student)
    found: dict[int, Student] = {}
    line_of: dict[Student, int] = {}
    for one in roster.students:
        keys = [(column, text) for column in _SAME if (text := folded(getattr(one, column)))]
        matches = [having[key] for key in keys if key in having]
        if not matches:
            continue
        same = [student for student in matches[0] if all(student in each for each in matches)]
        if len(same) != 1:
            both = same or {student for each in matches for student in each}
            first, second, *_ = sorted(student.line for student in both)
            raise BadRoster(
                f"{roster.file}, line {one.line}: expected one student of {course.file}, but lines {first} and "
                f"{second} there both match by id, e-mail address or name; correct one of the two files"
            )
        other = line_of.setdefault(same[0], one.line)
        if other != one.line:
            raise BadRoster(
                f"{roster.file}, lines {other} and {one.line}: both match line {same[0].line} of {course.file} by id, "
                "e-mail address or name; correct one of the two files"
            )
        found[one.line] = same[0]
    return found


def agents_in_column(lines: Sequence[Line], agents: Collection[str], on: str | None) -> list[str]:
    """The agent in each line, in the column `on`; by default, in the column with the most names of agents."""
    columns = list(lines[0]) if lines else []
    if on is not None and on not in columns:
        raise BadRating(f"--on: no column {quote(on)} in the roster{nearly(on, columns)}")
    names_in = {
        column: sum(line[column].strip() in agents for line in lines) for column in columns if on in (None, column)
    }
    on = max(names_in, key=names_in.__getitem__, default=None)
    if on is None or not names_in[on]:
        raise BadRating(
            f"the roster has no column with agents' names (it has {', '.join(columns) or 'none'}); "
            f"agents are {one_of(sorted(agents), most=5)}"
        )
    return [line[on].strip() for line in lines]


def joined(
    rows: Sequence[Mapping[str, Any]],
    roster: Sequence[tuple[Line, str]],
    of_missing: Mapping[str, Any],
    *,
    others: bool = True,
) -> list[dict[str, Any]]:
    """The lines of the `roster`, each with the name of its agent, followed by the columns of this agent in `rows`.

    `of_missing`: columns of students without an agent, whose status is "not entered". `others`: agents that are not on
    the roster come last. If the roster has a column of the same name as one of `rows`, the latter is renamed to
    "arena_..."."""
    columns = list(roster[0][0]) if roster else []
    agents = {str(row["agent"]): row for row in rows}
    titles = _beside(columns, list(rows[0] if rows else ("agent", "status", *of_missing)))
    missing = dict.fromkeys(titles, "") | {"status": NOT_ENTERED} | dict(of_missing)

    def beside(line: Line, row: Mapping[str, Any]) -> dict[str, Any]:
        return {**line, **{title: row[key] for key, title in titles.items()}}

    listed = [beside(line, agents.get(agent, missing)) for line, agent in roster]
    known = {agent for _, agent in roster}
    empty = dict.fromkeys(columns, "")
    return listed + [beside(empty, row) for name, row in agents.items() if others and name not in known]


def chosen(rows: Sequence[Mapping[str, Any]], wanted: str) -> list[dict[str, Any]]:
    """The rows with only the columns that `wanted` lists: "id,Grade=marks" is the column id, and marks as Grade.

    A title with a comma is written in double quotes."""
    columns = list(rows[0]) if rows else []
    source: dict[str, str] = {}
    for text in _parts(wanted):
        # A column of the roster can have "=" in its own name.
        title, _, name = (text, "", text) if text in columns else text.rpartition("=")
        title, name = title.strip() or name.strip(), name.strip()
        if name not in columns:
            raise BadRating(f"--columns: no column {quote(name)}{meant(name, columns)}")
        if title in source:
            raise BadRating(f"--columns: {quote(title)} is given twice")
        source[title] = name
    return [{title: row[name] for title, name in source.items()} for row in rows]


def _parts(wanted: str) -> list[str]:
    """The parts of a text that are separated by commas."""
    try:
        (parts,) = csv.reader([wanted], strict=True, skipinitialspace=True)
    except (csv.Error, ValueError):
        parts = []
    parts = [part.strip() for part in parts]
    if not parts or not all(parts):
        raise BadRating(f"--columns: expected columns such as id,Grade=marks, got {quote(wanted)}")
    return parts


def _beside(columns: Collection[str], own: Sequence[str]) -> dict[str, str]:
    """A unique title for each of our `own` columns: "arena_" is put in front of titles that are in `columns`."""
    found: dict[str, str] = {}
    for title in own:
        free = title
        while free in columns or free in found.values() or (free != title and free in own):
            free = f"arena_{free}"
        found[title] = free
    return found
