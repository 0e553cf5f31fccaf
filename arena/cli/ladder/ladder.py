"""`arena ladder`: opens a ladder, shows it, gives an author more time, closes it, opens it again, and plays its final.

These commands only read and write the database, except that `open` lets anchors without a rating play. The process
that plays the ladder's games is `arena serve`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec.structs import asdict

from adsearch.errors import nearly, quote
from arena.cli.asking.record_options import DatabaseOption, LadderArgument, by_name, reading, submissions
from arena.cli.terminal.bars import show_standings, standings_columns
from arena.cli.terminal.listings import OutputFormat, Shown, listed, show_json
from arena.cli.terminal.listings import show as show_rows
from arena.cli.terminal.notes import line_width, note
from arena.cli.terminal.stopping import Pausing
from arena.errors import BadLeague, BadSubmission
from arena.history import words
from arena.history.words import moment, printable
from arena.results.columns import PROGRAMS, Column, Medium

if TYPE_CHECKING:
    from arena.serve.open_ladders import OpenLadder
    from db.database import Connection
    from db.ladder import LadderLine, RatingPoint, StoredSubmission


_SUBMISSIONS: Final = 10
"""Number of submissions below the table of a ladder."""
_ANCHOR: Final = "anchor"
"""The status of anchors, whose games are not counted."""
_HEIGHT: Final = 10
"""Lines of a rating curve."""


def _whole(name: str, title: str = "") -> Column[dict[str, Any]]:
    return Column(name, title, text=lambda row: "" if row[name] is None else f"{row[name]:.0f}", number=True)


_RATING: Final = (_whole("rating"), _whole("error", "±"))
PLAYERS: Final[tuple[Column[dict[str, Any]], ...]] = (
    Column("rank", number=True),
    Column("name", narrow=7),
    Column("version", number=True),
    *_RATING,
    Column("games", text=lambda row: "" if row["status"] == _ANCHOR else str(row["games"]), number=True),
    Column("status"),
    Column("rated", text=lambda row: words.recorded_moment(row["rated"])),
)
"""The players of a ladder."""
SUBMISSIONS: Final[tuple[Column[dict[str, Any]], ...]] = (
    Column("id", "submission", number=True),
    Column("agent"),
    Column("received", text=lambda row: words.recorded_moment(row["received"])),
    Column("file"),
    Column("state"),
    Column("words", "reason"),
)
"""What was handed in."""
VERSIONS: Final[tuple[Column[dict[str, Any]], ...]] = (
    Column("version", number=True),
    Column("time", on=PROGRAMS),
    *_RATING,
    Column("games", number=True),
    Column("rated", value=lambda row: words.recorded_moment(row["time"]), on=Medium.TABLE),
)
"""The versions of an agent, each with its last rating."""


def open_(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="Description of a ladder.")],
    db: DatabaseOption = None,
) -> None:
    """Open a ladder, or take over what has changed in its description.

    Anchors without a rating first play each other; if that is interrupted, the same command goes on with it. While a
    ladder is open, its limits, its times, the final and the tournaments can change. `arena docs ladder` explains
    ladders.

    Example: arena ladder open cs101.toml
    """
    from arena.serve.ladder import read
    from arena.serve.opening import open_or_update
    from db.database import Database

    ladder = read(file)
    with Database(db) as database:
        found = open_or_update(ladder, database, submissions(database), wait=_wait, say=_say, now=_now)
    rated = sorted(found.anchors.items(), key=lambda one: one[1])
    print(f"{printable(found.name)}: {_phase(found, _now())}")
    print("anchors: " + ", ".join(f"{printable(name)} {round(rating)}" for name, rating in rated))
    print(f"run it with: arena serve {file}")


@listed(
    lambda: PLAYERS,
    about={
        "rank, name, version, rating, error, games, rated": "`rank` is null for anchors; `rated` is the time",
        "status": "`active`, `anchor`, `withdrawn` or `quarantined`",
    },
)
def show(
    shown: Shown,
    name: LadderArgument = None,
    agent: Annotated[
        str | None,
        typer.Option(metavar="AGENT", help="One agent: its versions, its submissions and its rating over time."),
    ] = None,
    db: DatabaseOption = None,
) -> None:
    """Show a ladder: the ratings of all agents, and the last submissions.

    Anchors are built-in agents whose ratings never change; they have no rank. ± is half the width of the 95 %
    confidence interval. Long reasons are cut on a narrow terminal; --agent shows all of them.

    Example: arena ladder show

    Example: arena ladder show cs101 --agent alice
    """
    from arena.serve.open_ladders import opened
    from db import ladder as record

    with reading(db) as connection:
        found = opened(connection, name)
        lines = record.standings(connection, found.id)
        if agent is not None:
            _show_agent(connection, found, lines, agent, shown)
            return
        latest = record.submissions(connection, found.id, most=_SUBMISSIONS)
        after_close = state(connection, found)
    rows = _players(found, lines)
    handed_in = [_submission(one) for one in latest]
    if shown.format is OutputFormat.JSON:
        times = {"opens": found.opens.isoformat(), "closes": found.closes.isoformat()}
        show_json({"ladder": found.name, **times, "players": shown.documents(rows, PLAYERS), "submissions": handed_in})
        return
    if not shown.is_table:
        show_rows(rows, PLAYERS, shown)
        return
    league = found.ladder.league
    print(
        f"{printable(found.name)}: {words.without_store(printable(league.game_text))}, clock {league.conditions.clock}"
    )
    print(f"{_phase(found, _now())}{after_close}\n")
    show_rows(rows, PLAYERS, shown)
    if handed_in:
        print("\nThe last submissions:\n")
        # Without the file: more room for the reason.
        latest_columns = [one for one in SUBMISSIONS if one.name != "file"]
        show_rows(handed_in, [*latest_columns[:-1], replace(latest_columns[-1], narrow=7)])


def extend(
    name: Annotated[str, by_name(typer.Argument, help="Name of the ladder, or its description.")],
    author: Annotated[str, typer.Argument(metavar="AUTHOR", help="Author who gets more time.")],
    until: Annotated[
        str, typer.Option(metavar="TIME", help="Last moment of the author's submissions, such as '2026-12-22 23:59'.")
    ],
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Reason, recorded with the extension.")],
    db: DatabaseOption = None,
) -> None:
    """Give an author more time: the author can hand in until that time, and the final waits for it.

    A new time replaces the one before. To take an extension back, give the time when the ladder closes: the author then
    has the same time as all others.

    Example: arena ladder extend cs101 alice --until "2026-12-22 23:59" --reason "ill for a week"
    """
    from arena.course.collecting.hand_in import read_deadline
    from arena.serve import open_ladders
    from db import ladder as record
    from db.database import Database

    try:
        last = read_deadline(until)
    except BadSubmission as error:
        raise BadSubmission(f"--until: {error}") from None
    with Database(db, create=False) as database, database.writing() as connection:
        found = open_ladders.opened(connection, name)
        invited = _invited(db, found)
        open_ladders.extend(connection, found, author, last, reason=reason, now=_now(), invited=invited)
        authors = {record.author_of(one) for one in record.submitted_names(connection, found.id)}
    print(f"{printable(author)} can hand in to {printable(name)} until {words.moment(last)}")
    if author not in authors and not invited:
        note(f"{quote(author)} has not handed in to this ladder yet{nearly(author, sorted(authors))}")


def _invited(db: str | None, ladder: OpenLadder) -> list[str]:
    """The authors with an account."""
    from arena.accounts import people
    from db.accounts import AccountsDatabase
    from db.errors import NotFound

    try:
        with AccountsDatabase(db, create=False) as accounts, accounts.reading() as connection:
            found = [one.account for one in people.known(connection, ladder.name)]
    except NotFound:
        return []
    return [one.author for one in found if not one.is_instructor]


def close(name: LadderArgument = None, db: DatabaseOption = None) -> None:
    """Close a ladder now, before its time: submissions end, and then the final is played.

    `arena serve` finishes the games in progress and plays the final. Until the final has begun, `arena ladder reopen`
    opens the ladder again.

    Example: arena ladder close cs101
    """
    from arena.serve import open_ladders

    _change(name, db, open_ladders.close)


def reopen(name: LadderArgument = None, db: DatabaseOption = None) -> None:
    """Open a ladder again that was closed before its time, until the time in its description.

    This is possible until the final has begun.

    Example: arena ladder reopen cs101
    """
    from arena.serve import open_ladders

    _change(name, db, open_ladders.reopen)


def _change(name: str | None, db: str | None, change: Callable[[Connection, OpenLadder, datetime], OpenLadder]) -> None:
    """Close a ladder or open it again, and print whether it takes submissions now."""
    from arena.serve.open_ladders import opened
    from db.database import Database

    now = _now()
    with Database(db, create=False) as database, database.writing() as connection:
        found = change(connection, opened(connection, name), now)
    print(f"{printable(found.name)}: {_phase(found, now)}")


def _show_agent(connection: Connection, ladder: OpenLadder, lines: list[LadderLine], agent: str, shown: Shown) -> None:
    from db import ladder as record
    from db.errors import NotFound

    line = next((one for one in lines if one.name == agent), None)
    handed_in = [_submission(one) for one in record.submissions(connection, ladder.id, author=agent)]
    if line is None and not handed_in:
        raise NotFound(
            f"there is no agent {quote(agent)} on the ladder {quote(ladder.name)}"
            f"{nearly(agent, [one.name for one in lines])}"
        )
    curves = {
        number: record.curve(connection, ladder.id, version)
        for version, number in record.versions(connection, ladder.id, agent)
    }
    points = [{"version": number, **_times(asdict(point))} for number, curve in curves.items() for point in curve]
    if shown.format is OutputFormat.JSON:
        show_json({"agent": agent, "versions": [*curves], "ratings": points, "submissions": handed_in})
        return
    if not shown.is_table:
        show_rows(points, VERSIONS, shown)
        return
    print(f"{printable(agent)} on {printable(ladder.name)}: {'not entered' if line is None else _status(ladder, line)}")
    extended = record.extension(connection, ladder.id, record.author_of(agent))
    if extended is not None and extended > ladder.closes:
        print(f"can hand in until {words.moment(extended)}")
    if last := {point["version"]: point for point in points}:
        print()
        show_rows([*last.values()], VERSIONS)
    if handed_in:
        print()
        show_rows(handed_in, SUBMISSIONS)
    if len(points) > 1:
        in_order = sorted((point for curve in curves.values() for point in curve), key=lambda point: point.time)
        print("\nThe rating:\n")
        print("\n".join(rating_plot(in_order, width=line_width(), height=_HEIGHT)))


def _players(ladder: OpenLadder, lines: list[LadderLine]) -> list[dict[str, Any]]:
    """A row for each player."""
    from arena.ratings.scale import ranks

    ranked = ranks({line.name: line.rating for line in lines if line.rating is not None}, ladder.anchors)
    return [
        _times(asdict(line) | {"rank": ranked.get(line.name), "version": line.number, "status": _status(ladder, line)})
        for line in lines
    ]


def _status(ladder: OpenLadder, line: LadderLine) -> str:
    return _ANCHOR if line.name in ladder.anchors else line.status


def _submission(one: StoredSubmission) -> dict[str, Any]:
    row = {"id": one.id, "agent": one.author, "received": one.received, "file": one.label, "state": str(one.state)}
    return _times({**row, "words": one.words, "changed": one.changed})


def _times(row: dict[str, Any]) -> dict[str, Any]:
    """The row with its times as texts."""
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in row.items()}


def _phase(ladder: OpenLadder, now: datetime) -> str:
    """Whether the ladder takes submissions."""
    if now < ladder.opens:
        return f"opens at {words.moment(ladder.opens)}, closes at {words.moment(ladder.closes)}"
    if now < ladder.closes:
        return f"open until {words.moment(ladder.closes)}"
    return f"closed since {words.moment(ladder.closes)}"


def _now() -> datetime:
    return datetime.now(UTC)


def _say(text: str) -> None:
    print(printable(text), flush=True)


_wait: Final = Pausing(_say, "Ctrl-C stops; nothing is lost")


def rating_plot(points: Sequence[RatingPoint], *, width: int, height: int) -> list[str]:
    """The lines of the plot; `points` are in the order of their times, and there is at least one.

    A column shows the last rating at its time."""
    first, last = points[0].time, points[-1].time
    low, high = (round(end(point.rating for point in points)) for end in (min, max))
    label = max(len(str(low)), len(str(high)))
    columns = max(1, width - label - 2) if last > first else 1
    rows = height if high > low else 1
    lines = [[" "] * columns for _ in range(rows)]
    at = 0
    for column in range(columns):
        while at + 1 < len(points) and (points[at + 1].time - first) * (columns - 1) <= (last - first) * column:
            at += 1
        share = (high - points[at].rating) / (high - low) if high > low else 0.0
        lines[min(rows - 1, max(0, round(share * (rows - 1))))][column] = "*"
    named = {0: str(high), rows - 1: str(low)}
    plot = [f"{named.get(row, ''):>{label}} |{''.join(line).rstrip()}" for row, line in enumerate(lines)]
    times = moment(first) if last == first else f"{moment(first)} to {moment(last)}"
    return [*plot, f"{'':>{label}}  {times}"]


# `arena ladder final`: the tournament that decides a ladder, and how to grade from it.


@listed(standings_columns)
def final(shown: Shown, name: LadderArgument = None, db: DatabaseOption = None) -> None:
    """Show the final of a ladder: its standings, and how to grade from it.

    The final is a tournament of the versions that play when the ladder is closed. `arena serve` begins it by itself.

    Example: arena ladder final cs101
    """
    from arena.serve.open_ladders import opened
    from arena.tournament.standings import standings
    from db import running
    from db.database import Database

    with Database(db, create=False) as database, database.reading() as connection:
        ladder = opened(connection, name)
        row = running.tournament(connection, ladder.final)
        if row is None:
            raise BadLeague(_not_begun(connection, ladder, submissions(database).folder))
        is_over = row["status"] == "finished"
        over, all = running.counts(connection, row["id"])
        if not is_over:  # later rounds are scheduled when the round before is over
            entered = running.entries(connection, row["id"])
            all = max(all, ladder.ladder.final.format.estimate(len(entered), 2).games)
        found = standings(connection, row["id"])
    if shown.is_table:
        print(printable(f"{ladder.final}: {row['format']}, {over} of {all} games are over, {row['status']}") + "\n")
    show_standings(found, shown)
    if shown.is_table:
        grades = f"grade list: arena course grades {shlex.quote(ladder.final)}"
        print("\n" + printable(grades if is_over else "the final is not over; `arena serve` plays it"))


def state(connection: Connection, ladder: OpenLadder) -> str:
    """The end of a sentence about the ladder: whether its final is over or in progress; empty before it."""
    from db import running

    row = running.tournament(connection, ladder.final)
    if row is None:
        return ""
    is_over = row["status"] == "finished"
    verb = "is over; its results" if is_over else "has begun; its standings"
    return f"; the final {verb}: arena ladder final {shlex.quote(ladder.name)}"


def _not_begun(connection: Connection, ladder: OpenLadder, store: Path) -> str:
    """Why the final has not begun, and what to do."""
    from arena.tournament.lock import running_in
    from db import ladder as record

    if ladder.closes > datetime.now(UTC):
        return (
            f"the final of {ladder.name!r} begins when the ladder closes, {words.moment(ladder.closes)}; "
            f"to close it now: arena ladder close {shlex.quote(ladder.name)}"
        )
    begun = f"the ladder {ladder.name!r} is closed, but its final has not begun"
    last = record.last_extension(connection, ladder.id)
    if last is not None and last > datetime.now(UTC):
        return f"{begun}: it waits for the extension until {words.moment(last)}"
    if waiting := len(record.open_submissions(connection, ladder.id)):
        begun += f": it waits for the check of {words.counted(waiting, 'submission')}"
    if running_in(store, ladder.name) is None:
        return f"{begun}; start `arena serve FILE.toml`, which plays it"
    return f"{begun}; `arena serve` is running and begins it, if at least two agents take part"
