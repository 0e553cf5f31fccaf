"""`arena course similar`: finds agents whose sources are copies of each other."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.asking.record_options import (
    CourseArgument,
    DatabaseOption,
    HtmlOption,
    RosterOption,
    comes_first,
    course_of,
    roster_of,
    submissions,
)
from arena.cli.terminal.files import check_folder, write_file
from arena.cli.terminal.listings import Shown, listed, show
from arena.cli.terminal.notes import wrapped
from arena.history.words import printable, without_store
from arena.results.columns import PROGRAMS, Column, Medium

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.course.course import Course
    from arena.course.roster import Roster
    from arena.course.similar import Gathered, SimilarPair, Source


@listed(
    lambda: _columns(str),
    about={
        "agent, version, student": "`student`: as on the roster, else the agent",
        "other, other_version, other_student": "the same; for `--against`: path, null, path",
        "share, other_share": "shared part of its own code, from 0 to 1",
        "kind": "[`same content`, `same file`, `same code` or `same parts`](course.md#copied-work)",
        "tokens, longest": "shared tokens; those of the longest part",
        "files": "an array: those equal byte for byte",
        "parts": "an array of `file`, `lines` (first and last), `other_file`, `other_lines` and `tokens`",
    },
)
def similar(
    shown: Shown,
    tournament: CourseArgument,
    html: HtmlOption = None,
    ignore: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="Code that the course handed out, which does not count; can be repeated."),
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH", help="More programs to compare with, such as last year's folder; can be repeated."
        ),
    ] = None,
    roster: RosterOption = None,
    db: DatabaseOption = None,
) -> None:
    """Find agents whose sources are similar: equal files, renamed copies, copied parts.

    All versions of all agents are compared, pair by pair. Names, comments, layout and the order of functions do not
    matter. Code of this program and code that more than half of the agents have does not count. The result is
    evidence, never a verdict: look at the code before you speak with anyone.

    Example: arena course similar cs101.toml --html similar.html

    Example: arena course similar cs101 --ignore handed-out/ --against last-year/
    """
    from arena.course.output_folder import refuse_published
    from arena.course.similar import MOST_TOKENS, compare, from_path, handed_out_by_us, programs_in
    from arena.course.similar_page import page

    check_folder(html)
    if html is not None:
        refuse_published(html.parent)
    name, course = course_of(tournament)
    known = roster_of(roster, course)
    handed_out = [file for path in ignore or () for file in from_path(path).files]
    others = [program for path in against or () for program in programs_in(path)]
    with comes_first("arena course collect", course, "DOWNLOAD"):
        gathered = _gathered(name, course, db)
    sources = [*gathered.sources, *others]
    for reason in gathered.left_out:
        _warn(f"left out: {reason}")
    for source in sources:
        if source.is_cut:
            _warn(f"{source.title}: too long; only the first {MOST_TOKENS:,} tokens are compared")
    pairs = compare(sources, [*handed_out_by_us(), *handed_out])
    shown_as = _names(known)
    if html is not None:
        write_file(html, page(pairs, name, shown_as))
    agents = len({source.agent for source in gathered.sources})
    if pairs or not shown.is_table:
        show(pairs, _columns(shown_as), shown, first=("student", "other_student", "kind"))
    if shown.is_table:
        _show_notes(pairs, agents=agents, html=html)


def _gathered(name: str, course: Course | None, db: str | None) -> Gathered:
    """The sources of the agents."""
    from arena.course.similar import of_files, of_tournament
    from arena.tournament import league
    from db.database import Database
    from db.errors import NotFound

    listed = () if course is None else league.read(course.file).agents
    try:
        with Database(db, create=False) as database, database.reading() as connection:
            return of_tournament(connection, name, submissions(database), listed)
    except NotFound:
        if not listed:
            raise
        return of_files(listed)


def _names(roster: Roster | None) -> Callable[[Source], str]:
    """A function for the name of a source: of its students if they are on the roster, else of its agent."""

    def name(source: Source) -> str:
        students = [] if roster is None or source.from_elsewhere else roster.called(source.agent)
        return ", ".join(one.name or one.id for one in students) or source.title

    return name


def _columns(shown_as: Callable[[Source], str]) -> tuple[Column[SimilarPair], ...]:
    return (
        Column("agent", value=lambda pair: pair.one.agent, on=PROGRAMS),
        Column("version", value=lambda pair: pair.one.version, on=PROGRAMS),
        Column("student", value=lambda pair: shown_as(pair.one)),
        Column("share", value=lambda pair: round(pair.share, 3), text=lambda pair: f"{pair.share:.0%}", number=True),
        Column("other", value=lambda pair: pair.other.agent, on=PROGRAMS),
        Column("other_version", value=lambda pair: pair.other.version, on=PROGRAMS),
        Column("other_student", "other", value=lambda pair: shown_as(pair.other), narrow=7),
        Column("other_share", "of other", value=lambda pair: round(pair.other_share, 3), number=True,
               text=lambda pair: f"{pair.other_share:.0%}"),
        Column("kind", value=lambda pair: str(pair.kind)),
        Column("tokens", number=True),
        Column("longest", number=True),
        Column("files", value=lambda pair: list(pair.same_files), on=PROGRAMS),
        Column("parts", value=_parts, on=Medium.JSON),
    )  # fmt: skip


def _parts(pair: SimilarPair) -> list[dict[str, Any]]:
    return [
        {"file": one.file, "lines": list(one.lines), "other_file": other.file, "other_lines": list(other.lines)}
        | {"tokens": part.tokens}
        for part in pair.parts
        for one, other in [(part.one, part.other)]
    ]


def _show_notes(pairs: list[SimilarPair], *, agents: int, html: Path | None) -> None:
    """Print what the table means, and what to do next."""
    if not pairs:
        first = "" if agents else "; agents are compared after `arena course collect` or `arena run`"
        print(f"{agents} agents were compared; no two of them are similar{first}")
        return
    print()
    similar = "1 pair is similar" if len(pairs) == 1 else f"{len(pairs)} pairs are similar"
    _say(f"{agents} agents were compared, {similar}. This is evidence, never a verdict")
    _say("share: part of the student's own code that the other has too; longest: tokens of the longest equal part")
    if html is None:
        _say("to see the code side by side: add --html similar.html")


def _warn(text: str) -> None:
    print(_one_line(text), file=sys.stderr)


def _say(text: str) -> None:
    print(wrapped(_one_line(text)))


def _one_line(text: str) -> str:
    return without_store(printable(text))
