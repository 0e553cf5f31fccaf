"""`arena course similar`: finds agents whose sources are copies of each other."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.asking.course_options import CourseArgument, RosterOption, comes_first, course_of, roster_of
from arena.cli.asking.record_options import DatabaseOption, HtmlOption, submissions
from arena.cli.terminal.files import check_folder, write_file
from arena.cli.terminal.listings import FormatOption, OutputFormat, exact_columns, show
from arena.cli.terminal.wrapping import wrapped

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.course.course import Course
    from arena.course.roster import Roster
    from arena.course.similar.comparison import Pair
    from arena.course.similar.gather import Gathered
    from arena.course.similar.sources import Source


def similar(
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
    format: FormatOption = OutputFormat.TABLE,
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
    from arena.course.similar import comparison, page
    from arena.course.similar.sources import from_path, handed_out_by_us, programs_in
    from arena.course.similar.tokens import MOST_TOKENS

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
    pairs = comparison.compare(sources, [*handed_out_by_us(), *handed_out])
    shown_as = _names(known)
    if html is not None:
        write_file(html, page.page(pairs, name, shown_as))
    agents = len({source.agent for source in gathered.sources})
    _show(pairs, format, shown_as)
    if format is OutputFormat.TABLE:
        _show_notes(pairs, agents=agents, html=html)


def _gathered(name: str, course: Course | None, db: str | None) -> Gathered:
    """The sources of the agents."""
    from arena.course.similar import gather
    from arena.tournament import league
    from db.database import Database
    from db.errors import NotFound

    listed = () if course is None else league.read(course.file).agents
    try:
        with Database(db, create=False) as database, database.reading() as connection:
            return gather.of_tournament(connection, name, submissions(database), listed)
    except NotFound:
        if not listed:
            raise
        return gather.of_files(listed)


def _names(roster: Roster | None) -> Callable[[Source], str]:
    """A function for the name of a source: of its students if they are on the roster, else of its agent."""

    def name(source: Source) -> str:
        students = [] if roster is None or source.from_elsewhere else roster.called(source.agent)
        return ", ".join(one.name or one.id for one in students) or source.title

    return name


def _row(pair: Pair, shown_as: Callable[[Source], str]) -> dict[str, Any]:
    return {
        "agent": pair.one.agent,
        "version": pair.one.version,
        "student": shown_as(pair.one),
        "share": round(pair.share, 3),
        "other": pair.other.agent,
        "other_version": pair.other.version,
        "other_student": shown_as(pair.other),
        "other_share": round(pair.other_share, 3),
        "kind": str(pair.kind),
        "tokens": pair.tokens,
        "longest": pair.longest,
        "files": list(pair.same_files),
        "parts": [
            {
                "file": part.one.file,
                "lines": list(part.one.lines),
                "other_file": part.other.file,
                "other_lines": list(part.other.lines),
                "tokens": part.tokens,
            }
            for part in pair.parts
        ],
    }


def _show(pairs: list[Pair], format: OutputFormat, shown_as: Callable[[Source], str]) -> None:
    rows = [_row(pair, shown_as) for pair in pairs]
    if format is not OutputFormat.TABLE:
        show(rows, exact_columns(_CSV_COLUMNS), format=format)
    elif rows:
        columns = {
            "student": lambda row: row["student"],
            "other": lambda row: row["other_student"],
            "kind": lambda row: row["kind"],
            "share": lambda row: f"{row['share']:.0%}",
            "of other": lambda row: f"{row['other_share']:.0%}",
            "tokens": lambda row: str(row["tokens"]),
            "longest": lambda row: str(row["longest"]),
        }
        show(rows, columns, format=format, narrowed="other", numbers=("share", "of other", "tokens", "longest"))


_CSV_COLUMNS: Final = (
    *("agent", "version", "student", "share", "other", "other_version", "other_student", "other_share", "kind"),
    *("tokens", "longest", "files"),
)


def _show_notes(pairs: list[Pair], *, agents: int, html: Path | None) -> None:
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
    from arena.history.words import printable, without_store

    return without_store(printable(text))
