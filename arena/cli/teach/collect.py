"""`arena course collect`: turns submissions of students into agents of a tournament."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from adsearch.errors import nearly, quote
from arena.cli.asking.game_options import NoHostsOption, refuse_hosts
from arena.cli.asking.record_options import DatabaseOption, RosterOption, course_of, roster_of, submissions
from arena.cli.terminal import notes
from arena.cli.terminal.listings import Shown, listed, show
from arena.cli.terminal.notes import wrapped
from arena.errors import BadLeague, BadSubmission
from arena.history.words import printable, without_store
from arena.results.columns import PROGRAMS, Column, Medium

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arena.course.collecting.collector import Progress
    from arena.course.collecting.hand_in import HandInResult
    from arena.course.course import Course
    from arena.course.roster import Roster, Student
    from arena.course.similar import SharedContent
    from arena.student.checking import Exam


# What `arena course collect` prints: the table of results, what needs attention below it, and the next step.


_MOST_LISTED: Final = 20


# The table.


def columns(shared: Sequence[SharedContent]) -> tuple[Column[HandInResult], ...]:
    def same(line: HandInResult) -> list[dict[str, Any]]:
        return [
            {"file": one.file or None, "agents": [agent for agent in one.agents if agent != line.agent]}
            for one in shared
            if (line.agent, line.source) in one.submissions
        ]

    return (
        Column("id", value=lambda line: line.student and line.student.id),
        Column("name", value=lambda line: line.student and line.student.name, narrow=7),
        Column("group", value=lambda line: line.student and line.student.group, on=PROGRAMS),
        Column("agent", value=lambda line: line.agent or None),
        Column("plays", text=lambda line: "-" if line.version is None else f"@{line.version}",
               csv=lambda line: ("no", "yes")[line.plays]),
        Column("version", on=PROGRAMS),
        Column("submission", value=lambda line: line.hand_in and printable(line.hand_in.label), on=PROGRAMS),
        Column("when", "handed in", value=lambda line: line.hand_in and line.hand_in.when and
               line.hand_in.when.isoformat(timespec="seconds"),
               text=lambda line: _when(line.hand_in.when) if line.hand_in and line.hand_in.when else "-"),
        Column("late", value=lambda line: line.late_days > 0, csv=lambda line: "yes" if line.late_days > 0 else "no",
               on=PROGRAMS),
        Column("late_days", on=PROGRAMS),
        Column("light", value=lambda line: str(line.outcome), text=_light),
        Column("told", value=lambda line: without_store(printable(line.message)), on=PROGRAMS),
        Column("advice", value=lambda line: without_store(printable(line.advice)), on=PROGRAMS),
        Column("time_from", value=lambda line: line.hand_in and str(line.hand_in.time_source), on=Medium.JSON),
        Column("source", value=lambda line: line.source or None, on=Medium.JSON),
        Column("new", value=lambda line: line.plays and not line.again, on=Medium.JSON),
        Column("team_submissions", value=lambda line: [printable(one.label) for one in line.of_team], on=Medium.JSON),
        Column("same", value=same, csv=lambda line: "; ".join(map(_same, same(line))), on=PROGRAMS),
    )  # fmt: skip


def _same(one: Mapping[str, Any]) -> str:
    return f"{one['file'] or 'all'}: {', '.join(one['agents'])}"


def _when(when: datetime) -> str:
    """A time with its zone, without the year: "04-29 17:05 UTC+02:00"."""
    return f"{datetime.fromisoformat(when.isoformat()):%m-%d %H:%M %Z}"


def _light(line: HandInResult) -> str:
    late = f"late {line.late_days} d"
    if line.outcome == "late":
        return f"{late}, plays" if line.plays else late
    return f"{line.outcome}, {late}" if line.late_days > 0 else str(line.outcome)


# Below the table.


def _show_rest(lines: Sequence[HandInResult], deadline: datetime | None, *, as_before: bool) -> None:
    """Print the messages of submissions, who is missing, what matches nobody, and the deadline."""
    for line in lines:
        if line.message and line.student and line.hand_in and not line.repeats:
            author = line.hand_in.student or line.student
            _say(f"{author.name or author.id}, {line.hand_in.label}:")
            _say(without_store("; ".join(filter(None, (line.message, line.advice)))), indent=4)
    _show_teams(lines)
    kept = sum(line.outcome == "kept" for line in lines)
    missing = [line.student for line in lines if line.outcome == "missing" and line.student]
    unmatched = [line.hand_in for line in lines if line.outcome == "unmatched" and line.hand_in]
    if kept:
        _say(f"kept ({kept}): students without a submission here, whose agents were collected before")
    if missing:
        _say(f"missing ({len(missing)}): {', '.join(one.name or one.id for one in missing)}")
    if unmatched:
        _say(f"no match on the roster ({len(unmatched)}): start each name with a student's id, or correct the roster")
        for one in unmatched[:_MOST_LISTED]:
            _say(f"{one.label}: {one.wrong}", indent=4)
        if len(unmatched) > _MOST_LISTED:
            _say(f"... and {len(unmatched) - _MOST_LISTED} more", indent=4)
    if deadline is not None:
        last = f", as in the last run (--deadline {NO_DEADLINE}: none)" if as_before else ""
        _say(f"deadline: {_moment(deadline)}{last}; {_by_which_clocks(lines)}")


def _show_teams(lines: Sequence[HandInResult]) -> None:
    """Print the teams of which several members handed in."""
    for agent, hand_ins in {line.agent: line.of_team for line in lines if line.of_team}.items():
        found = [f"{one.label}, {_when(one.when)}" if one.when else one.label for one in hand_ins]
        _say(f"{agent}: {len(found)} submissions of one team, of which the latest that passes plays:")
        for text in found[:_MOST_LISTED]:
            _say(text, indent=4)


def _show_own_deadlines(deadlines: Mapping[Student, datetime], lines: Sequence[HandInResult]) -> None:
    """Print the students who have a deadline of their own."""
    by_moment: dict[str, list[str]] = {}
    for student in dict.fromkeys(line.student for line in lines if line.student in deadlines):
        assert student is not None
        by_moment.setdefault(_moment(deadlines[student]), []).append(student.name or student.id)
    for moment, names in by_moment.items():
        _say(f"deadline of {', '.join(names)}: {moment}")
    late = [line for line in lines if line.student in deadlines and line.late_days]
    untimed = [line.student for line in late if line.student and line.hand_in and line.hand_in.when is None]
    if untimed:
        marked = dict.fromkeys(one.name or one.id for one in untimed)
        _say(
            f"marked late by the learning system, which gives no time: {', '.join(marked)}; give the extension there "
            "too, and download again"
        )


def _moment(deadline: datetime) -> str:
    """A deadline in words: "2026-05-01 23:59:59 (Europe/Berlin, UTC+0200)"."""
    zone = getattr(deadline.tzinfo, "key", "")
    return f"{deadline:%Y-%m-%d %H:%M:%S} ({zone}{', ' * bool(zone)}UTC{deadline:%z})"


_CLOCKS: Final = {
    "name": "the time in the file name",
    "zip": "the time in the zip",
    "file": "the modification time of the file",
    "unknown": "a late mark only",
}


def _by_which_clocks(lines: Sequence[HandInResult]) -> str:
    """The times that were compared with the deadline; a warning if they are probably those of the download."""
    timed = [(line.hand_in, line.late_days > 0) for line in lines if line.student and line.hand_in]
    clocks = (
        ", ".join(_CLOCKS[name] for name in dict.fromkeys(one.time_source for one, _ in timed))
        or "no submissions to compare"
    )
    by_files = [late for one, late in timed if one.time_source in ("file", "zip")]
    if len(by_files) > 2 and all(by_files):
        clocks += ". All are late: are these the times of the download? --late accept lets them play"
    return f"compared with {clocks}" if timed else clocks


def _show_shared(lines: Sequence[HandInResult], shared: Sequence[SharedContent], roster: Roster) -> None:
    """Print which students submitted the same content; with --only, those who share it with a student of `lines`."""
    from arena.course.collecting.hand_in import agent_names

    names = {agent: student.name or student.id for student, agent in agent_names(roster).items()}
    looked_at = {line.agent for line in lines if line.student}
    shared = [one for one in shared if not looked_at.isdisjoint(one.agents)]
    for one in shared[:_MOST_LISTED]:
        what = f"the same file {one.file}" if one.file else "the same content"
        _say(f"{what}: {', '.join(names.get(agent, agent) for agent in one.agents)}")
    if len(shared) > _MOST_LISTED:
        _say(f"... and {len(shared) - _MOST_LISTED} more; --format json lists all")


# The next step.


def show_next_step(lines: Sequence[HandInResult], *, file: Path, tournament: Path | None, db: str | None) -> None:
    """Print how many students have which result, and what to do next."""
    from arena.tournament import collected_file

    _say(_summary(lines))
    students = {line.student: line for line in lines if line.student}
    playing = [line for line in students.values() if line.version is not None]
    new = {line.student for line in lines if line.plays and not line.again}
    agents = {line.agent for line in playing}
    count = f"{len(agents)} agent{'s' * (len(agents) != 1)}"
    shared = f" ({count}, because teams share one)" if len(agents) < len(playing) else ""
    _say(
        f"{len(playing)} of {len(students)} students have an agent{shared}, {len(new)} of them a new version; the list "
        f"is {file}"
    )
    if tournament is not None and not any(each.samefile(file) for each in collected_file.named_in(tournament)):
        _say(f'add this line to {tournament}, above its first "[":')
        _say(f'players = "{file.name}"', indent=4)
    elif tournament is not None:
        _show_how_to_play(tournament, db)


def _show_how_to_play(tournament: Path, db: str | None) -> None:
    """Print the command that plays the tournament, or why it cannot be played yet."""
    from arena.players.submissions import Store
    from arena.tournament import league
    from arena.tournament.preparation import plan_of
    from arena.walls.run_folder import RunFolder
    from db.database import Database

    try:
        with RunFolder() as folder, Database(db) as database, database.reading() as connection:
            planned = plan_of(connection, league.read(tournament), Store(folder.scratch / "store"))
    except BadLeague as error:
        _say(f"the tournament cannot be played yet: {error}")
        return
    again = planned is not None and planned.over and (planned.changed or planned.superseded)
    _say(f"next: arena run {tournament}{' --rerun-changed' if again else ''}")
    if again:
        _say("without --rerun-changed, games of earlier versions no longer count and are not played again", indent=4)


def _summary(lines: Sequence[HandInResult]) -> str:
    """How many students have which result: "6 students: 2 good, 2 failed, 1 late, 1 missing"."""
    from arena.course.collecting.hand_in import HandInOutcome

    results: dict[Student, HandInResult] = {}
    for line in lines:
        # A student's first line is that of the latest submission; the one that plays says more.
        if line.student and (line.student not in results or line.plays):
            results[line.student] = line
    counts = {each: sum(line.outcome is each for line in results.values()) for each in HandInOutcome}
    counted = ", ".join(f"{count} {each}" for each, count in counts.items() if count)
    late = sum(line.late_days > 0 and line.outcome is not HandInOutcome.LATE for line in results.values())
    counted += f"; {late} of them late" if late else ""
    return f"{len(results)} student{'s' * (len(results) != 1)}: {counted}"


def _say(text: str, *, indent: int = 0) -> None:
    """Print the text, wrapped to the width of the terminal."""
    print(wrapped(printable(text), begin=" " * indent, more=" " * indent))


NO_DEADLINE: Final = "none"
"""The value of --deadline with which nothing is late."""
_NO_ROSTER: Final = "expected a roster: --roster FILE, or roster = in the table [course] of --tournament FILE"


@listed(
    lambda: columns(()),
    about={
        "id, name, group, agent": "",
        "submission, when, time_from, late, late_days": "the file, its time, where that is from; started days late",
        "light, told, advice": "[the result](course.md#collect), its message and advice",
        "plays, version, source, new": "whether an agent of the student plays; its version and hash; if that is new",
        "team_submissions": "files of several members of a team, the latest first",
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
            help="Deadline: 2026-05-01 (end of the day), '2026-05-01 23:59 Europe/Berlin', '2026-05-01 23:59+02:00' or "
            "none.",
            show_default="the one in the description, else of the last run",
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
    from arena.course.collecting.hand_in import zone_of
    from arena.course.collecting.lms_download import read_downloads
    from arena.course.roster import RosterMatcher
    from arena.tournament import enrolment
    from arena.tournament.lock import collecting_lock
    from arena.walls.run_folder import RunFolder
    from db.database import Database

    refuse_hosts(on, "arena course collect")
    if tournament is None and game is None:
        tournament, sources = _described(sources)
    exam, file = _exam(game, tournament=tournament, to=to)
    course = None if tournament is None else course_of(str(tournament))[1]
    late_too = _late_too(late, course)
    until, as_before = _deadline(deadline, course, file)
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
                languages=enrolment.read_language_tables(tournament) if tournament else None,
                afresh=afresh,
            )
            with notes.temporary_line() as show_progress:
                lines = collector.collect(hand_ins, _progress_shown(show_progress))
    except KeyboardInterrupt:
        print("interrupted; the same command continues", file=sys.stderr)
        raise typer.Exit(130) from None
    for warning in collector.warnings:
        print(wrapped(f"warning: {warning}"), file=sys.stderr)
    # In a table only the students who handed in or have no agent.
    some = [line for line in lines if not shown.is_table or (line.student and line.outcome != "kept")]
    show(some, columns(collector.shared), shown)
    if shown.is_table:
        _show_rest(lines, until, as_before=as_before)
        _show_own_deadlines(collector.own_deadlines, lines)
        _show_shared(lines, collector.shared, known)
        if collector.not_on_roster:
            _say(f"agents whose name is not on the roster: {', '.join(collector.not_on_roster)}")
            _say("if an alias was changed, change it back; or: arena rule withdraw NAME --reason WHY", indent=4)
        show_next_step(lines, file=file, tournament=tournament, db=db)


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
    from arena.student.checking import Exam, of_league
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


def _late_too(late: str | None, course: Course | None) -> bool:
    """Whether late submissions play."""
    from arena.course.course import LATE

    if late not in (None, *LATE):
        raise typer.BadParameter(f"--late: expected {' or '.join(LATE)}, got {quote(late)}")
    return (late or (LATE[0] if course is None else course.late)) == "accept"


def _deadline(given: str | None, course: Course | None, file: Path) -> tuple[datetime | None, bool]:
    """The deadline: as given in the command line, else as in the description, else as in the collected `file` of an
    earlier run; and whether it is that of the file."""
    from arena.course.collecting.hand_in import read_deadline
    from arena.tournament import collected_file

    if given is None and course is not None and course.deadline is not None:
        return course.deadline, False
    text = collected_file.read_deadline(file) if given is None else given
    if text in ("", NO_DEADLINE):
        return None, False
    try:
        return read_deadline(text), given is None
    except BadSubmission as error:
        where = "--deadline" if given is not None else f"{file}: deadline"
        raise typer.BadParameter(f"{where}: {error}") from None


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
    began: list[float] = []

    def show(progress: Progress) -> None:
        names = [printable(student.name or student.id) for student in progress.students]
        if progress.reading:
            show_text(f"{progress.done} of {progress.total} read: {', '.join(names)}")
            return
        began.append(monotonic())
        seconds = began[-1] - began[0]
        show_text(notes.counted_line(progress.done, progress.total, seconds=seconds, names=names))

    return show
