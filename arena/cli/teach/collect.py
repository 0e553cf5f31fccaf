"""`arena collect`: turns submissions of students into agents of a tournament."""

from __future__ import annotations

import glob
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.asking.record_options import DatabaseOption, submissions
from arena.cli.terminal import progress_line
from arena.cli.terminal.files import read_file
from arena.cli.terminal.listings import Columns, FormatOption, OutputFormat, Row, show
from arena.cli.terminal.wrapping import wrapped
from arena.errors import BadLeague

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from arena.course.collecting.collector import Collector
    from arena.course.collecting.hand_in_result import HandInResult
    from arena.course.collecting.shared_content import SharedContent
    from arena.student.checking.conditions import Conditions

_MOST_LISTED: Final = 20


def collect(
    source: Annotated[
        Path, typer.Argument(metavar="DIR|ZIP", help="Download from Moodle, Canvas, ..., or any folder.")
    ],
    roster: Annotated[
        str, typer.Option(metavar="FILE.csv", help="Roster of the course: columns id, name, group, alias.")
    ],
    deadline: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Deadline: 2026-05-01 (end of the day) or '2026-05-01 23:59+02:00'.",
            show_default="none",
        ),
    ] = None,
    late: Annotated[
        str, typer.Option(metavar="refuse|accept", help="Late submissions: refuse them or let them play.")
    ] = "refuse",
    afresh: Annotated[
        bool, typer.Option("--afresh", help="A fresh start: submissions of earlier runs are forgotten.")
    ] = False,
    tournament: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help="Description with the game, clock and walls to check under."),
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
    format: FormatOption = OutputFormat.TABLE,
    db: DatabaseOption = None,
) -> None:
    """Collect submissions: match them with the roster, check them, keep the latest that passes.

    Agents get the alias of the student as their name, or the name if there is no alias. Submissions that match nobody
    on the roster are listed. You can repeat the command: nothing is collected twice, and a changed submission becomes a
    new version of the agent. The exit code is 0 if all submissions were examined, even if some failed.

    Example: arena collect submissions.zip --roster roster.csv --tournament cs101.toml

    Example: arena collect handed-in/ --roster roster.csv --game connect4
    """
    from arena.course import roster as rosters
    from arena.course.collecting.collector import Collector
    from arena.course.collecting.deadline import read_deadline
    from arena.course.collecting.lms_download import read_download
    from arena.course.collecting.roster_matcher import RosterMatcher
    from arena.walls.run_folder import RunFolder
    from db.database import Database

    if late not in ("refuse", "accept"):
        raise typer.BadParameter(f"--late: expected refuse or accept, got '{late}'")
    until = None if deadline is None else read_deadline(deadline)
    known = rosters.read(*read_file(roster, "a roster"))
    conditions, file = _conditions(game, tournament=tournament, to=to)
    try:
        with ExitStack() as stack:
            folder = stack.enter_context(RunFolder())
            hand_ins = read_download(source, folder.scratch, RosterMatcher(known))
            database = stack.enter_context(Database(db))
            collector = Collector(
                conditions,
                known,
                database=database,
                submissions=submissions(database),
                file=file,
                folder=folder,
                deadline=until,
                late_too=late == "accept",
                afresh=afresh,
            )
            lines = collector.collect(hand_ins, lambda: _show_progress(collector))
    except KeyboardInterrupt:
        print("\ninterrupted; the same command continues", file=sys.stderr)
        raise typer.Exit(130) from None
    for warning in collector.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    _show_table(lines, collector.shared, format)
    if format is OutputFormat.TABLE:
        _show_rest(lines, until)
        _show_shared(lines, collector.shared)
        if collector.not_on_roster:
            _say(f"agents whose name is not on the roster: {', '.join(collector.not_on_roster)}")
            _say("if an alias was changed, change it back; or: arena withdraw NAME --reason WHY", indent=4)
        _show_next_step(lines, file=file, tournament=tournament, db=db)


def _show_table(lines: Sequence[HandInResult], shared: Sequence[SharedContent], format: OutputFormat) -> None:
    show(
        [_row(line, shared) for line in lines if format is not OutputFormat.TABLE or line.student],
        _columns(format),
        format=format,
        narrowed="name",
    )


def _conditions(game: str | None, *, tournament: Path | None, to: Path | None) -> tuple[Conditions, Path]:
    """The conditions for checking agents, and the file for the list of agents."""
    from arena.student.checking.conditions import Conditions, of_league
    from arena.tournament import league
    from arena.tournament.collected_file import ENDING

    if (game is None) == (tournament is None):
        got = "neither" if game is None else "both"
        raise typer.BadParameter(f"expected --tournament FILE.toml or --game GAME (`arena games` lists all), got {got}")
    if tournament is None:
        conditions, default = Conditions(game=game or ""), Path(f"{Path((game or '').partition(':')[0]).stem}{ENDING}")
    else:
        described = league.read(tournament, agents=False)
        conditions = of_league(described, description=str(tournament))
        default = tournament.with_name(f"{tournament.stem}{ENDING}")
    if to is not None and not to.name.endswith(ENDING):
        raise typer.BadParameter(f"--to: expected a file called NAME{ENDING}, got '{to}'")
    return conditions, to or default


# Output.


def _row(line: HandInResult, shared: Sequence[SharedContent] = ()) -> dict[str, Any]:
    from arena.history.words import printable, without_store

    one, student = line.hand_in, line.student
    return {
        "id": student.id if student else None,
        "name": student.name if student else None,
        "group": student.group if student else None,
        "agent": line.agent or None,
        "submission": printable(one.label) if one else None,
        "when": one.when.isoformat(timespec="seconds") if one and one.when else None,
        "time_from": str(one.time_source) if one else None,
        "late": line.late,
        "light": str(line.outcome),
        "told": without_store(printable(line.message)),
        "advice": without_store(printable(line.advice)),
        "plays": line.plays,
        "version": line.version,
        "source": line.source or None,
        "new": line.plays and not line.again,
        "same": [
            {"file": one.file or None, "agents": [agent for agent in one.agents if agent != line.agent]}
            for one in shared
            if (line.agent, line.source) in one.submissions
        ],
    }


def _columns(format: OutputFormat) -> Columns:
    if format is not OutputFormat.TABLE:
        names = [*("id", "name", "group", "agent", "plays", "version", "submission", "when", "late", "light")]
        names += ["told", "advice"]
        return {name: _cell(name) for name in names} | {"same": _same}
    return {
        "id": lambda row: row["id"],
        "name": lambda row: row["name"],
        "agent": lambda row: row["agent"],
        "plays": lambda row: "-" if row["version"] is None else f"@{row['version']}",
        "handed in": lambda row: (row["when"] or "-")[5:16].replace("T", " ") or "-",
        "light": _light,
    }


def _light(row: Row) -> str:
    if row["light"] == "late":
        return "late, plays" if row["plays"] else "late"
    return f"{row['light']}, late" if row["late"] else str(row["light"])


def _cell(name: str) -> Any:
    def text(row: Any) -> str:
        value = row[name]
        return "" if value is None else ("no", "yes")[value] if isinstance(value, bool) else str(value)

    return text


def _same(row: Row) -> str:
    return "; ".join(f"{one['file'] or 'all'}: {', '.join(one['agents'])}" for one in row["same"])


def _show_shared(lines: Sequence[HandInResult], shared: Sequence[SharedContent]) -> None:
    """Print which students submitted the same content."""
    names = {line.agent: line.student.name or line.student.id for line in lines if line.student}
    for one in shared[:_MOST_LISTED]:
        what = f"the same file {one.file}" if one.file else "the same content"
        _say(f"{what}: {', '.join(names.get(agent, agent) for agent in one.agents)}")
    if len(shared) > _MOST_LISTED:
        _say(f"... and {len(shared) - _MOST_LISTED} more; --format json lists all")


def _show_rest(lines: Sequence[HandInResult], deadline: datetime | None) -> None:
    """Print what needs attention, below the table."""
    for line in lines:
        if line.message and line.student and line.hand_in:
            row = _row(line)
            _say(f"{line.student.name or line.student.id}, {line.hand_in.label}:")
            _say(f"{row['told']}{'; ' * bool(row['advice'])}{row['advice']}", indent=4)
    missing = [line.student for line in lines if line.outcome == "missing" and line.student]
    unmatched = [line.hand_in for line in lines if line.outcome == "unmatched" and line.hand_in]
    if missing:
        _say(f"missing ({len(missing)}): {', '.join(one.name or one.id for one in missing)}")
    if unmatched:
        _say(f"no match on the roster ({len(unmatched)}): start each name with a student's id, or correct the roster")
        for one in unmatched[:_MOST_LISTED]:
            _say(f"{one.label}: {one.wrong}", indent=4)
        if len(unmatched) > _MOST_LISTED:
            _say(f"... and {len(unmatched) - _MOST_LISTED} more", indent=4)
    if deadline is not None:
        _say(f"deadline: {deadline:%Y-%m-%d %H:%M:%S} (UTC{deadline:%z}); {_by_which_clocks(lines)}")


_CLOCKS: Final = {
    "name": "the time in the file name",
    "zip": "the time in the zip",
    "file": "the modification time of the file",
    "unknown": "a late mark only",
}


def _by_which_clocks(lines: Sequence[HandInResult]) -> str:
    """The times that were compared with the deadline; a warning if they are probably those of the download."""
    timed = [(line.hand_in, line.late) for line in lines if line.student and line.hand_in]
    clocks = (
        ", ".join(_CLOCKS[name] for name in dict.fromkeys(one.time_source for one, _ in timed))
        or "no submissions to compare"
    )
    by_files = [late for one, late in timed if one.time_source in ("file", "zip")]
    if len(by_files) > 2 and all(by_files):
        clocks += ". All are late: are these the times of the download? --late accept lets them play"
    return f"compared with {clocks}" if timed else clocks


def _say(text: str, *, indent: int = 0) -> None:
    """Print the text, wrapped to the width of the terminal."""
    from arena.history.words import printable

    print(wrapped(printable(text), begin=" " * indent, more=" " * indent))


def _show_next_step(lines: Sequence[HandInResult], *, file: Path, tournament: Path | None, db: str | None) -> None:
    agents = {line.agent for line in lines if line.student}
    playing = {line.agent for line in lines if line.version is not None}
    new = sum(line.plays and not line.again for line in lines)
    _say(f"{len(playing)} of {len(agents)} students have an agent, {new} of them a new version; the list is {file}")
    if tournament is not None and not _is_named(file, tournament):
        _say(f'add this line to {tournament}, above its first "[":')
        _say(f'players = "{file.name}"', indent=4)
    elif tournament is not None:
        _show_how_to_play(tournament, db)


def _show_how_to_play(tournament: Path, db: str | None) -> None:
    """Print the command that plays the tournament, or why it cannot be played yet."""
    from arena.players.submissions import Store
    from arena.tournament import league
    from arena.tournament.plan import plan_of
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


def _is_named(file: Path, tournament: Path) -> bool:
    """Whether the key `players` of the description includes the file."""
    from arena.tournament.description import Table, read_toml

    folder = tournament.absolute().parent
    patterns = Table(read_toml(tournament), str(tournament)).texts("players")
    places = (folder / place for pattern in patterns for place in glob.glob(pattern, root_dir=folder, recursive=True))
    return any(place.exists() and place.samefile(file) for place in places)


def _show_progress(collector: Collector) -> None:
    done, total = collector.checked, collector.to_check
    progress_line.show(f"{done} of {total} checked", last=done == total)
