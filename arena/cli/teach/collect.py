"""`arena collect`: what students have handed in becomes agents that play."""

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
        Path, typer.Argument(metavar="DIR|ZIP", help="What Moodle, Canvas, ... hand out, or any folder.")
    ],
    roster: Annotated[
        str, typer.Option(metavar="FILE.csv", help="Who takes the course: the columns id, name, group, alias.")
    ],
    deadline: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="2026-05-01 (its end), '2026-05-01 23:59', with +02:00 if you like."),
    ] = None,
    late: Annotated[str, typer.Option(metavar="refuse|accept", help="Whether late ones may play.")] = "refuse",
    afresh: Annotated[
        bool, typer.Option("--afresh", help="Forget who was collected before: what is handed in here decides alone.")
    ] = False,
    tournament: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="Check as this description says: game, clock, walls.")
    ] = None,
    game: Annotated[
        str | None, typer.Option("--game", "-g", metavar="GAME", help="Or for this game, as usual.")
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write who plays. Usual: NAME.collected.toml by the description."),
    ] = None,
    format: FormatOption = OutputFormat.TABLE,
    db: DatabaseOption = None,
) -> None:
    """Take in what students have handed in: unpack, find whose it is, check it, keep the last that passed.

    Everybody is called by the alias, or where there is none by the name. Nobody is guessed: what matches nobody on
    the roster is listed. Give the command again as often as you like: nothing is taken twice, and whoever hands in
    something new gets a new version. The exit code is 0 when all was looked at, whatever came of it.

    Example: arena collect submissions.zip --roster roster.csv --deadline 2026-05-01 --tournament cs101.toml

    Example: arena collect handed-in/ --roster roster.csv --game connect4 --late accept --format csv
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
        print("\ninterrupted; give the same command again to go on", file=sys.stderr)
        raise typer.Exit(130) from None
    for warning in collector.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    _show_table(lines, collector.shared, format)
    if format is OutputFormat.TABLE:
        _show_rest(lines, until)
        _show_shared(lines, collector.shared)
        if collector.not_on_roster:
            _say(f"plays under a name that is nobody's on the roster: {', '.join(collector.not_on_roster)}")
            _say("was an alias changed? Change it back; or: arena withdraw NAME --reason WHY", indent=4)
        _show_next_step(lines, file=file, tournament=tournament, db=db)


def _show_table(lines: Sequence[HandInResult], shared: Sequence[SharedContent], format: OutputFormat) -> None:
    show(
        [_row(line, shared) for line in lines if format is not OutputFormat.TABLE or line.student],
        _columns(format),
        format=format,
        narrowed="name",
    )


def _conditions(game: str | None, *, tournament: Path | None, to: Path | None) -> tuple[Conditions, Path]:
    """Under which conditions agents are checked, and the file that says who plays."""
    from arena.student.checking.conditions import Conditions, of_league
    from arena.tournament import league
    from arena.tournament.collected_file import ENDING

    if (game is None) == (tournament is None):
        raise typer.BadParameter("expected --tournament FILE or --game GAME (see `arena games`), one of the two")
    if tournament is None:
        conditions, usual = Conditions(game=game or ""), Path(f"{Path((game or '').partition(':')[0]).stem}{ENDING}")
    else:
        described = league.read(tournament, agents=False)
        conditions = of_league(described, description=str(tournament))
        usual = tournament.with_name(f"{tournament.stem}{ENDING}")
    if to is not None and not to.name.endswith(ENDING):
        raise typer.BadParameter(f"--to: expected a file called NAME{ENDING}, got '{to}'")
    return conditions, to or usual


# What is shown.


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
    """Who has handed in the same."""
    names = {line.agent: line.student.name or line.student.id for line in lines if line.student}
    for one in shared[:_MOST_LISTED]:
        what = f"the same file {one.file}" if one.file else "the same content"
        _say(f"{what}: {', '.join(names.get(agent, agent) for agent in one.agents)}")
    if len(shared) > _MOST_LISTED:
        _say(f"... and {len(shared) - _MOST_LISTED} more; --format json lists all")


def _show_rest(lines: Sequence[HandInResult], deadline: datetime | None) -> None:
    """What is to be seen to, below the table."""
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
        _say(f"nobody's by the roster ({len(unmatched)}): rename each to begin with an id, or mend the roster")
        for one in unmatched[:_MOST_LISTED]:
            _say(f"{one.label}: {one.wrong}", indent=4)
        if len(unmatched) > _MOST_LISTED:
            _say(f"... and {len(unmatched) - _MOST_LISTED} more", indent=4)
    if deadline is not None:
        _say(f"deadline: {deadline:%Y-%m-%d %H:%M:%S} (UTC{deadline:%z}); {_by_which_clocks(lines)}")


_CLOCKS: Final = {
    "name": "the time in the name",
    "zip": "the time in the zip",
    "file": "the time of the file",
    "unknown": "a mark alone",
}


def _by_which_clocks(lines: Sequence[HandInResult]) -> str:
    """Which times were held against it; a warning where they look as if they were those of the download."""
    timed = [(line.hand_in, line.late) for line in lines if line.student and line.hand_in]
    clocks = (
        ", ".join(_CLOCKS[name] for name in dict.fromkeys(one.time_source for one, _ in timed))
        or "nothing to be held against"
    )
    by_files = [late for one, late in timed if one.time_source in ("file", "zip")]
    if len(by_files) > 2 and all(by_files):
        clocks += ". All are late: are these the times of the download? --late accept takes them"
    return f"held against {clocks}" if timed else clocks


def _say(text: str, *, indent: int = 0) -> None:
    """Prints it in the width of the terminal."""
    from arena.history.words import printable

    print(wrapped(printable(text), begin=" " * indent, more=" " * indent))


def _show_next_step(lines: Sequence[HandInResult], *, file: Path, tournament: Path | None, db: str | None) -> None:
    agents = {line.agent for line in lines if line.student}
    playing = {line.agent for line in lines if line.version is not None}
    new = sum(line.plays and not line.again for line in lines)
    _say(f"{len(playing)} of {len(agents)} play, {new} of them with something new; {file} says who with what")
    if tournament is not None and not _is_named(file, tournament):
        _say(f'put this line into {tournament}, above its first "[":')
        _say(f'players = "{file.name}"', indent=4)
    elif tournament is not None:
        _show_how_to_play(tournament, db)


def _show_how_to_play(tournament: Path, db: str | None) -> None:
    """The command that plays the tournament, or why it cannot be played yet."""
    from arena.players.submissions import Store
    from arena.tournament import league
    from arena.tournament.plan import plan_of
    from arena.walls.run_folder import RunFolder
    from db.database import Database

    try:
        with RunFolder() as folder, Database(db) as database, database.reading() as connection:
            stands = plan_of(connection, league.read(tournament), Store(folder.scratch / "store"))
    except BadLeague as error:
        _say(f"not ready to be played: {error}")
        return
    again = stands is not None and stands.over and (stands.changed or stands.superseded)
    _say(f"next: arena run {tournament}{' --rerun-changed' if again else ''}")
    if again:
        _say("without it, games that earlier versions have played count no more, and are not played anew", indent=4)


def _is_named(file: Path, tournament: Path) -> bool:
    """Whether the description lets those play who are in the file."""
    from arena.tournament.description import Table, read_toml

    folder = tournament.absolute().parent
    patterns = Table(read_toml(tournament), str(tournament)).texts("players")
    places = (folder / place for pattern in patterns for place in glob.glob(pattern, root_dir=folder, recursive=True))
    return any(place.exists() and place.samefile(file) for place in places)


def _show_progress(collector: Collector) -> None:
    done, total = collector.checked, collector.to_check
    progress_line.show(f"{done} of {total} checked", last=done == total)
