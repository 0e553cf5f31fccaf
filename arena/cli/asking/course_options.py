"""The course of a command: a tournament's description instead of its name, and the roster that it names."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.asking.record_options import NAME_OR_FILE
from arena.cli.terminal.files import read_file

if TYPE_CHECKING:
    from arena.course.course import Course
    from arena.course.roster import Roster

CourseArgument = Annotated[str, typer.Argument(metavar=NAME_OR_FILE, help="Name of a tournament, or its description.")]
RosterOption = Annotated[
    str | None,
    typer.Option("--roster", metavar="FILE", help="Roster of the course.", show_default="the one in the description"),
]


def course_of(text: str) -> tuple[str, Course | None]:
    """The name of the tournament that the user named, and its course if `text` is a description."""
    from arena.course import course

    if not text.endswith(".toml"):
        return text, None
    described = course.read(Path(text))
    return described.tournament, described


@contextmanager
def comes_first(command: str, course: Course | None, *more: str) -> Iterator[None]:
    """If a course is not in the database yet, the error names the command that comes first, such as "arena run", with
    the description, and then the words `more`."""
    from db.errors import NotFound

    try:
        yield
    except NotFound as error:
        missing, _, _ = str(error).partition(";")
        if course is None or not missing.startswith("there is no"):
            raise
        raise NotFound(f"{missing}; first: {' '.join((command, shlex.quote(str(course.file)), *more))}") from None


def roster_of(option: str | None, course: Course | None) -> Roster | None:
    """The roster of --roster, else the one in the description; None if there is none."""
    from arena.course import roster

    file = option or (str(course.roster) if course is not None and course.roster is not None else None)
    return None if file is None else roster.read(*read_file(file, "a roster"))
