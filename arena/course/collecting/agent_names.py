"""The names of students' agents in tournaments: the alias, else the student's name, else the id.

A team has one agent: all its students have the same name here.
"""

from __future__ import annotations

from adsearch.errors import quote
from arena.course.roster import Roster, Student
from arena.errors import BadRoster
from arena.tournament.description import folded, what_is_wrong_with


def agent_names(roster: Roster) -> dict[Student, str]:
    """The name of each student's agent. BadRoster if it cannot be an agent's name, or two teams have the same."""
    names: dict[Student, str] = {}
    taken: dict[str, Student] = {}
    students_names = [folded(one.name) for one in roster.students]
    for one in roster.students:
        unique_name = one.name if students_names.count(folded(one.name)) == 1 else ""
        name = one.alias or unique_name or one.id
        column = "alias" if one.alias else "name" if unique_name else "id"
        where = f"{roster.file}, line {one.line}"
        if not name:
            raise BadRoster(f"{where}: another student has the name {quote(one.name)} too: expected an alias or an id")
        if wrong := what_is_wrong_with(name):
            raise BadRoster(f"{where}, {column}: {wrong}; add an alias, which becomes the agent's name")
        other = taken.setdefault(folded(name), one)
        if not roster.is_one_team((other, one)):
            raise BadRoster(
                f"{where}: the agent would be called {quote(name)}, like the agent of line {other.line}; add an alias"
            )
        names[one] = names.get(other, name)
    return names
