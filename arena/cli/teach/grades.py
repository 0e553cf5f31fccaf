"""`arena course grades`: a grade list for a course, joined with its roster; and a preview of what is undecided."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec.structs import replace

from arena.cli.asking import game_filters
from arena.cli.asking.game_filters import AtOption, filtered
from arena.cli.asking.record_options import DatabaseOption, comes_first, course_of, reading, title_of
from arena.cli.terminal.files import read_file
from arena.cli.terminal.listings import OutputFormat, Shown, listed, show
from arena.cli.terminal.notes import note, wrapped
from arena.history.words import counted, number, printable
from arena.results.columns import Column, fields

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arena.course.course import Course, Marks
    from arena.course.grading import Graded, Line
    from arena.course.roster import Roster
    from db.search import GameFilter

Row = dict[str, Any]
_MOST_UNKNOWN: Final = 10
"""Largest number of lines that are listed because they match nobody."""
_UNDECIDED: Final = "undecided"
_NUMBERS: Final = ("rank", "games", "points", "score", "rating", "±", "faults", "marks", "at most", "next round")


@listed(without=("format", "columns"))
@filtered(without=("agent", "opponent", "seat", "result", "tournament"))
def grades(
    shown: Shown,
    wanted: GameFilter,
    tournament: Annotated[
        str | None,
        typer.Argument(
            metavar="TOURNAMENT|FILE.toml",
            help="Name of a tournament, or its description.",
            show_default="the newest",
        ),
    ] = None,
    bar: Annotated[
        list[str] | None,
        typer.Option("--bar", metavar="NAME=AGENT", help="Bar: an agent to compare with; can be repeated."),
    ] = None,
    roster: Annotated[
        str | None,
        typer.Option(
            *("--roster", "--join"),
            metavar="FILE",
            help="Roster whose columns are added to the list.",
            show_default="the one in the description",
        ),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="COLUMN",
            help="Column of the roster with the agents' names.",
            show_default="alias with a description, else the one with most of the names",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="COLUMN,TITLE=COLUMN,...",
            help="Columns of the list, with new titles if wanted; students of the roster only.",
            show_default="all",
        ),
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="List undecided bars and their effect on marks instead of grades.")
    ] = False,
    at: AtOption = None,
    format: Annotated[
        OutputFormat | None,
        typer.Option("--format", help="Output format.", show_default="csv; with --preview: table"),
    ] = None,
    db: DatabaseOption = None,
) -> None:
    """Make a grade list for a course: score, rating, faults, who is better than each bar, and marks.

    A bar is a player of known strength. "better" and "not better" hold with 95 % confidence, from all rated games of
    the tournament. Points and score are those of the standings. CSV and JSON also have each agent's games against the
    bars. All columns of the roster are kept. A description also has marks, bars and the roster.

    Example: arena course grades demo --bar pass=random --format table

    Example: arena course grades cs101 --bar pass=random --join roster.csv

    Example: arena course grades cs101.toml --preview

    Example: arena course grades cs101.toml --columns "id,name,Grade=marks" > grades.csv
    """
    from arena.course.grading import late_days

    name, course = (None, None) if tournament is None else course_of(tournament)
    scheme = None if course is None else course.marks
    bars = {**(scheme.bars if scheme else {}), **game_filters.named_numbers(bar, "--bar", "NAME=AGENT")}
    file = roster or (str(course.roster) if course is not None and course.roster is not None else None)
    if on is not None and file is None:
        raise typer.BadParameter("--on names a column of the roster, so it needs --roster FILE too")
    if preview and columns is not None:
        raise typer.BadParameter("--preview has its own columns: give it without --columns")
    if preview and not bars:
        raise typer.BadParameter(
            "--preview needs a bar: --bar NAME=AGENT, or [marks.bars.NAME] in the description FILE.toml"
        )
    if scheme is not None:
        scheme = replace(scheme, bars=bars)
    late = {} if course is None or scheme is None else late_days(course.file)
    with comes_first("arena run", course):
        found, heading = _read(db, name, wanted=wanted, at=at, bars=bars, late=late)
    shown = replace(shown, format=format or (OutputFormat.TABLE if preview else OutputFormat.CSV))
    short = shown.is_table and columns is None
    agents = [row["agent"] for row in found.rows]
    lines = None if file is None else _lines(file, course, on, agents, names_only=short, named=columns is not None)
    _note_what_is_missing(found)
    previewed, count = _previewed(found, bars, scheme, lines)
    if not preview and scheme is not None and previewed:
        note(f"{_undecided(previewed, count, course)}; --preview lists them")
    if shown.is_table and heading:
        print(heading)
    if preview:
        _show_preview(found, previewed, count, scheme, course, shown)
    else:
        _show_list(found, bars, scheme, lines, columns, shown)


def _note_what_is_missing(found: Graded) -> None:
    """Says that these are not the last grades, and that ratings cannot be compared."""
    if not found.is_over:
        left = f"; still to be played: {counted(found.left, 'game')}" if found.left else ""
        note(f"the tournament is not over, so these grades can change{left}")
    if found.pools > 1:
        note(f"{found.pools} pools with no games between them: compare ratings only within a pool")


def _read(
    db: str | None,
    tournament: str | None,
    *,
    wanted: GameFilter,
    at: str | None,
    bars: Mapping[str, str],
    late: Mapping[str, int],
) -> tuple[Graded, str]:
    """The grades, and the line above a table of them."""
    from arena.course.grading import graded, recorded

    with reading(db) as connection:
        found = recorded(connection, game_filters.rated_scope(connection, (tournament,), wanted=wanted, at=at))
        heading = title_of(connection, (tournament,))
    return graded(found, bars=bars, late=late), heading


def _lines(
    file: str, course: Course | None, on: str | None, agents: Sequence[str], *, names_only: bool, named: bool
) -> list[tuple[Line, str]]:
    """The lines of the roster, each with the name of its agent. `names_only`: of a course's roster only the names;
    `named`: a course's roster also has the columns id, name and so on, whatever their titles in the file."""
    from arena.course import grading, roster
    from arena.course.roster import COLUMNS

    text, name = read_file(file, "a roster")
    lines = roster.table(text, name)
    if course is not None and on is None:
        students = roster.read(text, name)
        if course.roster is None or file == str(course.roster) or any(one.alias for one in students.students):
            agent_of = grading.agents_of(students, agents)
        else:
            agent_of = _agents_by_course(students, str(course.roster), agents)
        if any(agent_of.values()) and names_only:
            return [({"name": one.name or one.id}, agent_of[one.line]) for one in students.students]
        if any(agent_of.values()):
            read = [{column: getattr(one, column) for column in COLUMNS if named} for one in students.students]
            return [(ours | line, agent_of[at]) for (at, line), ours in zip(lines, read, strict=True)]
    cells = [line for _, line in lines]
    return list(zip(cells, grading.agents_in_column(cells, agents, on), strict=True))


def _agents_by_course(students: Roster, file: str, agents: Sequence[str]) -> dict[int, str]:
    """The agent of each student of a roster without aliases, by line number, from the course's roster in `file`.

    Prints the lines that match nobody to stderr."""
    from arena.course import grading, roster

    course = roster.read(*read_file(file, "a roster"))
    agent_of, student_of = grading.agents_of(course, agents), grading.students_of(students, course)
    unknown = [one for one in students.students if one.line not in student_of]
    if student_of and unknown:
        title = f"{students.file}: no student of {file} matches, so not entered:"
        print(wrapped(printable(title)), file=sys.stderr)
        names = [printable(f"    line {one.line}: {one.name or one.id}") for one in unknown[:_MOST_UNKNOWN]]
        more = [f"    ... and {len(unknown) - _MOST_UNKNOWN} more"] * (len(unknown) > _MOST_UNKNOWN)
        print(*names, *more, sep="\n", file=sys.stderr)
    agent_in = {line: agent_of[student.line] for line, student in student_of.items()}
    return {one.line: agent_in.get(one.line, "") for one in students.students}


def _show_list(
    found: Graded,
    bars: Mapping[str, str],
    scheme: Marks | None,
    lines: Sequence[tuple[Line, str]] | None,
    columns: str | None,
    shown: Shown,
) -> None:
    from arena.course import grading

    short = shown.is_table and columns is None
    rows, of_missing = found.rows, {}
    if short:
        statuses = set(found.statuses.values()) != {"active"}
        if scheme is not None:
            # The faults beside the marks are those that cost marks.
            rows = [{**row, "faults": found.results[row["agent"]].faults} for row in rows]
        rows = [_short(row, tuple(bars), statuses=statuses, marks=scheme is not None) for row in rows]
    if scheme is not None:
        of_missing = grading.columns(scheme, None)
        none = dict.fromkeys(of_missing, "")  # for agents that are not on the roster
        on_roster = {agent for _, agent in lines or ()}
        rows = [
            row | (none if lines and agent not in on_roster else grading.columns(scheme, found.results[agent]))
            for row in rows
            for agent in [row["agent"]]
        ]
    if short:
        of_missing = of_missing | {"agent": grading.NOT_ENTERED}
    if lines is not None:
        rows = grading.joined(rows, lines, of_missing, others=columns is None)
    if columns is not None:
        rows = grading.chosen(rows, columns)
    if short and scheme is not None:
        rows = [{title: cell for title, cell in row.items() if title != "marks_why"} for row in rows]
    narrow = "name" if lines and list(lines[0][0]) == ["name"] else "agent" if lines is None and short else None
    of_roster = {*lines[0][0]} if lines else set[str]()
    listing: list[Column[Row]] = [
        Column(title, narrow=7 * (title == narrow), number=title in _NUMBERS, lines=title in of_roster)
        for title in (rows[0] if rows else ("agent",))
    ]
    show(rows, listing, shown)
    if short:
        _explain(rows, bars)


def _explain(rows: Sequence[Row], bars: Mapping[str, str]) -> None:
    """Prints what the words of the table mean."""
    from arena.ratings.grades import MOST_MORE

    if bars:
        compared = ", ".join(f"{printable(name)} = {printable(agent)}" for name, agent in bars.items())
        print("\n" + wrapped(f"bars: {compared}; better, not better: with 95 % confidence"))
    if any(str(row.get(bar, "")).startswith(_UNDECIDED) for row in rows for bar in bars):
        print(wrapped(f"undecided ~N: about N more games would decide; without ~N: more than {MOST_MORE:,} games"))


def _against(row: Row, bar: str) -> str | None:
    """The comparison of the agent with the bar, and about how many more games would decide it."""
    outcome, more = row[bar], row[f"{bar}_more"]
    return outcome if more is None else f"{outcome} ~{more}"


def _short(row: Row, bars: Sequence[str], *, statuses: bool, marks: bool) -> dict[str, Any]:
    """The row of the table: fewer columns and digits than in CSV, and with marks only those that marks depend on."""
    strength = {
        "rank": "-" if row["rank"] is None else row["rank"],
        "games": row["games"],
        "points": number(row["points"]),
        "score": "-" if row["score"] is None else f"{row['score']:.1%}",
        "rating": "-" if row["rating"] is None else round(row["rating"]),
        "±": "-" if row["error"] is None else round(row["error"]),
    }
    return {
        "agent": row["agent"],
        **({"status": row["status"]} if statuses and not marks else {}),
        **({} if marks else strength),
        **{bar: _against(row, bar) for bar in bars},
        "faults": row["faults"],
    }


def _previewed(
    found: Graded, bars: Mapping[str, str], scheme: Marks | None, lines: Sequence[tuple[Line, str]] | None
) -> tuple[list[dict[str, Any]], int]:
    """The undecided bars of the students' agents (those on the roster, else all that are not bars), and the number of
    these agents."""
    from arena.course.grading import preview

    students = None if lines is None else {agent for _, agent in lines}
    names = [row["agent"] for row in found.rows]
    agents = [name for name in names if (name not in bars.values() if students is None else name in students)]
    out = {row["agent"] for row in found.rows if row["status"] != "active"}
    return preview(agents, found.bars, found.results, scheme, out=out), len(agents)


def _show_preview(
    found: Graded,
    rows: Sequence[Row],
    agents: int,
    scheme: Marks | None,
    course: Course | None,
    shown: Shown,
) -> None:
    """Prints the undecided bars, what they mean, and what to do."""
    from arena.ratings.grades import MOST_MORE

    if not shown.is_table:
        show(rows, fields(rows[0] if rows else ("agent",)), shown)
        return
    if rows:
        show(rows, _preview_columns(scheme), shown)
        print()
    print(_undecided(rows, agents, course))
    if rows:
        print(
            f"~N: about N more games of the agent would decide; without ~N: more than {MOST_MORE:,}\n"
            "next round: each pairing so far once more, with results as the ratings predict\n"
            "and without faults; -> what it decides"
        )
    if rows and found.repeated:
        print(
            f"{found.repeated} pairings repeat an earlier one move for move, which decides nothing; in a new\n"
            "tournament, games differ with `openings = 2`"
        )
    file = "FILE.toml" if course is None else printable(str(course.file))
    if found.left:
        print(f"games still to be played: {found.left}; next: arena run {file}")
    elif rows and found.rounds:
        print(f"to play another round, raise `rounds` in {file}; then: arena run {file}")


def _preview_columns(scheme: Marks | None) -> list[Column[Row]]:
    """The columns of the table of undecided bars."""

    def marks(ending: str) -> Callable[[Row], str]:
        return lambda row: " ".join(
            str(row[f"{title}{ending}"]) for title in ("marks", "grade") if title + ending in row
        )

    def undecided(row: Row) -> str:
        return ", ".join(map(_more_and_next, row[_UNDECIDED]))

    of_marks = {"": "marks", "_most": "at most", "_next": "next round"} if scheme else {}
    return [
        Column("agent", narrow=7),
        *(Column(f"marks{ending}", title, text=marks(ending), number=True) for ending, title in of_marks.items()),
        Column(_UNDECIDED, text=undecided, wrapped=24),
    ]


def _more_and_next(bar: Mapping[str, Any]) -> str:
    """A bar, about how many more games would decide it, and the verdict after the next round if that decides."""
    more = "" if bar["more"] is None else f" ~{bar['more']}"
    return f"{bar['bar']}{more}" + ("" if bar["next"] == _UNDECIDED else f" -> {bar['next']}")


def _undecided(rows: Sequence[Row], agents: int, course: Course | None) -> str:
    """How many agents have an undecided bar, and so marks that are not certain, and what the next round changes."""
    changes = sum(row["marks"] != row["marks_next"] for row in rows if "marks" in row)
    would = f"; the next round would change the marks of {changes}" if course is not None and course.marks else ""
    return f"{_UNDECIDED}: {len(rows)} of {agents} agents{would}"
