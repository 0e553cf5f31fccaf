"""`arena course collect`: turns submissions of students into agents of a tournament."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Final

import typer

from adsearch.errors import nearly, quote
from arena.cli.asking.course_options import RosterOption, course_of, roster_of
from arena.cli.asking.on_hosts import NoHostsOption, refuse_hosts
from arena.cli.asking.record_options import DatabaseOption, submissions
from arena.cli.teach import collect_output
from arena.cli.terminal import progress_line
from arena.cli.terminal.listings import Shown, listed
from arena.cli.terminal.wrapping import wrapped
from arena.errors import BadSubmission

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from arena.course.collecting.collector import Progress
    from arena.course.course import Course
    from arena.course.roster import Roster, Student
    from arena.student.checking.exam import Exam

_NO_ROSTER: Final = "expected a roster: --roster FILE, or roster = in the table [course] of --tournament FILE"


@listed(
    lambda: collect_output.columns(()),
    about={
        "id, name, group": "the student, from the roster",
        "agent": "the agent's name",
        "submission, when, time_from, late, late_days": (
            "the file, its time, where the time is from, whether and by how many started days it is late"
        ),
        "light": "[the result](course.md#collect)",
        "told, advice": "the message, and what to do",
        "plays, version, source, new": "whether an agent of the student plays, its version and hash, if that is new",
        "team_submissions": "if several members of a team handed in: their files, the latest first",
        "same": "an array of `file` and `agents`: equal content of other students",
    },
)
def collect(
    shown: Shown,
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="[FILE.toml] DIR|ZIP...",
            help="Description of the tournament; then downloads from Moodle, Canvas, ..., or any folders.",
            show_default=False,
        ),
    ],
    roster: RosterOption = None,
    deadline: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Deadline: 2026-05-01 (end of the day), '2026-05-01 23:59 Europe/Berlin' or '2026-05-01 23:59+02:00'.",
            show_default="the one in the description",
        ),
    ] = None,
    late: Annotated[
        str | None,
        typer.Option(
            metavar="refuse|accept",
            help="Late submissions: refuse them or let them play.",
            show_default="as in the description, else refuse",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STUDENT",
            help="Alias, id or name: collect only from this student or team. Repeatable.",
            show_default="all students",
        ),
    ] = None,
    afresh: Annotated[
        bool, typer.Option("--afresh", help="A fresh start: submissions of earlier runs are forgotten.")
    ] = False,
    tournament: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help="The description, if it is not the first argument."),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            "--game", "-g", metavar="GAME", help="Game to check for with default settings, instead of --tournament."
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File for the list of collected agents.",
            show_default="NAME.collected.toml beside the description",
        ),
    ] = None,
    on: NoHostsOption = None,
    db: DatabaseOption = None,
) -> None:
    """Collect submissions: match them with the roster, check them, keep the latest that passes.

    Agents get the alias of the student as their name, or the name if there is no alias. Submissions that match nobody
    on the roster are listed. You can repeat the command: nothing is collected twice, and a changed submission becomes a
    new version of the agent. The exit code is 0 if all submissions were examined, even if some failed.

    The description has the game, the clock and the walls to check under. Its file NAME.toml can be given as NAME.

    Example: arena course collect cs101.toml submissions.zip

    Example: arena course collect cs101.toml late.zip --only kestrel --deadline 2026-05-08

    Example: arena course collect handed-in/ --roster roster.csv --game connect4
    """
    from arena.course.collecting.collector import Collector
    from arena.course.collecting.deadline import zone_of
    from arena.course.collecting.lms_download import read_downloads
    from arena.course.collecting.roster_matcher import RosterMatcher
    from arena.tournament import language_tables
    from arena.tournament.lock import collecting_lock
    from arena.walls.run_folder import RunFolder
    from db.database import Database

    refuse_hosts(on, "arena course collect")
    if tournament is None and game is None:
        tournament, sources = _described(sources)
    exam, file = _exam(game, tournament=tournament, to=to)
    course = None if tournament is None else course_of(str(tournament))[1]
    late_too, until = _lateness(late, deadline, course)
    known = roster_of(roster, course)
    if known is None:
        raise typer.BadParameter(_NO_ROSTER)
    chosen = _chosen(only, known)
    try:
        with ExitStack() as stack:
            folder = stack.enter_context(RunFolder())
            hand_ins = read_downloads(sources, folder.scratch, RosterMatcher(known), zone=zone_of(until))
            database = stack.enter_context(Database(db))
            store = submissions(database)
            stack.enter_context(collecting_lock(store.folder, file))
            collector = Collector(
                exam,
                known,
                database=database,
                submissions=store,
                file=file,
                folder=folder,
                deadline=until,
                late_too=late_too,
                only=chosen,
                languages=language_tables.read(tournament) if tournament else None,
                afresh=afresh,
            )
            with progress_line.temporary() as show_progress:
                lines = collector.collect(hand_ins, _progress_shown(show_progress))
    except KeyboardInterrupt:
        print("interrupted; the same command continues", file=sys.stderr)
        raise typer.Exit(130) from None
    for warning in collector.warnings:
        print(wrapped(f"warning: {warning}"), file=sys.stderr)
    collect_output.show_table(lines, collector.shared, shown)
    if shown.is_table:
        collect_output.show_notes(
            lines,
            deadline=until,
            own_deadlines=collector.own_deadlines,
            shared=collector.shared,
            roster=known,
            not_on_roster=collector.not_on_roster,
        )
        collect_output.show_next_step(lines, file=file, tournament=tournament, db=db)


def _described(given: Sequence[Path]) -> tuple[Path | None, list[Path]]:
    """The description, if the first argument is one or names one, and the downloads."""
    first, *others = given
    named = first if first.suffix == ".toml" else first.with_name(f"{first.name}.toml")
    if named != first and (first.exists() or not named.exists()):
        return None, [*given]
    if not others:
        raise typer.BadParameter(f"expected downloads after '{first}', such as submissions.zip")
    return named, others


def _exam(game: str | None, *, tournament: Path | None, to: Path | None) -> tuple[Exam, Path]:
    """The conditions for checking agents, and the file for the list of agents."""
    from arena.student.checking.exam import Exam, of_league
    from arena.tournament import league
    from arena.tournament.collected_file import ENDING

    if (game is None) == (tournament is None):
        got = "neither" if game is None else "both"
        raise typer.BadParameter(f"expected --tournament FILE.toml or --game GAME (`arena games` lists all), got {got}")
    if tournament is None:
        exam, default = Exam(game=game or ""), Path(f"{Path((game or '').partition(':')[0]).stem}{ENDING}")
    else:
        described = league.read(tournament, agents=False)
        exam = of_league(described, description=str(tournament))
        default = tournament.with_name(f"{tournament.stem}{ENDING}")
    if to is not None and not to.name.endswith(ENDING):
        raise typer.BadParameter(f"--to: expected a file called NAME{ENDING}, got '{to}'")
    return exam, to or default


def _lateness(late: str | None, deadline: str | None, course: Course | None) -> tuple[bool, datetime | None]:
    """Whether late submissions play, and the deadline: as given in the command line, else as in the description."""
    from arena.course.collecting.deadline import read_deadline
    from arena.course.course import LATE

    if late not in (None, *LATE):
        raise typer.BadParameter(f"--late: expected {' or '.join(LATE)}, got {quote(late)}")
    late = late or (LATE[0] if course is None else course.late)
    if deadline is None:
        return late == "accept", None if course is None else course.deadline
    try:
        return late == "accept", read_deadline(deadline)
    except BadSubmission as error:
        raise typer.BadParameter(f"--deadline: {error}") from None


def _chosen(only: Sequence[str] | None, roster: Roster) -> list[Student] | None:
    """The students of --only, each with the other members of a team; None: all."""
    if only is None:
        return None
    chosen: list[Student] = []
    for text in only:
        found = roster.called(text)
        if not found:
            known = [name for one in roster.students for name in (one.alias, one.id, one.name) if name]
            raise typer.BadParameter(
                f"--only: no student on {roster.file} is called {quote(text)}{nearly(text, known)}"
            )
        team = roster.team(found[0])
        if any(one not in team for one in found):
            raise typer.BadParameter(f"--only: {len(found)} students are called {quote(text)}: use an id or an alias")
        chosen += team
    return chosen


def _progress_shown(show_text: Callable[[str], None]) -> Callable[[Progress], None]:
    """Shows the progress of a collector: how many hand-ins are checked, and whose check runs."""
    from arena.history.words import printable

    began: list[float] = []

    def show(progress: Progress) -> None:
        names = [printable(student.name or student.id) for student in progress.students]
        if progress.reading:
            show_text(f"{progress.done} of {progress.total} read: {', '.join(names)}")
            return
        began.append(monotonic())
        seconds = began[-1] - began[0]
        show_text(progress_line.counted(progress.done, progress.total, seconds=seconds, names=names))

    return show
