"""`arena data`: writes games to files and reads them, asks in SQL, and looks after the database."""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import islice
from math import isfinite
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Final, Self, TypeVar

import typer
from msgspec import to_builtins

from arena.cli.asking.record_options import (
    AllOption,
    DatabaseOption,
    TournamentArgument,
    TrustOption,
    asked_tournaments,
    reading,
    submissions,
)
from arena.cli.terminal.files import read_file, whole_file
from arena.cli.terminal.listings import OF_ROWS, OutputFormat, Shown, listed, show
from arena.errors import ArenaError
from arena.history import exchange
from arena.history.exchange import FileFormat
from arena.history.words import counted, printable
from arena.results.columns import Column, Medium, fields, worded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from db.database import Connection
    from db.records import PastGame


# `arena data sql`: queries the database in SQL, read-only.


_LONGEST: Final = 24 * 60 * 60
"""Largest --timeout, in seconds."""
_MEBIBYTES: Final = 1024
"""Memory limit of a query."""
_ROWS: Final = 1000
"""Default number of rows in a table."""


@listed(without=("limit",))
def sql(
    shown: Shown,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One SQL query.")],
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Largest number of rows.",
            show_default=f"{_ROWS:,} in a table; all in CSV and JSON",
        ),
    ] = None,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="Time limit of the query.")] = 60.0,
    db: DatabaseOption = None,
) -> None:
    """Query the database in SQL, read-only.

    Use the views v_game, v_seat, v_move, v_analysis, v_standing, v_head_to_head, v_submission and v_rating;
    `arena docs reference` lists their columns.

    Example: arena data sql "select player, avg(spent) from v_seat group by player"
    """
    from db import plain_sql
    from db.database import Database

    if not 0 < timeout <= _LONGEST:
        raise typer.BadParameter(f"--timeout: expected seconds, more than 0 and at most {_LONGEST}, got {timeout:g}")
    if limit is None and shown.is_table:
        limit = _ROWS
    late = f"arena: the query took longer than {timeout:g} s; select fewer rows, or use --timeout SECONDS"
    with (
        TimeLimit(timeout, late=late) as time_limit,
        memory_limit(_MEBIBYTES, advice="select fewer rows (--limit N) or shorter values"),
        Database(db, read_only=True) as database,
        database.reading() as connection,
        ExitStack() as stack,
    ):
        time_limit.begin()
        titles, found = plain_sql.answer(connection, query, seconds=timeout)
        time_limit.end()
        titles = _each_once(titles)
        stack.enter_context(closing(found))  # before its connection, also after Ctrl-C
        found = stack.enter_context(closing(time_limit.each(found)))
        rows = (dict(zip(titles, map(_value, row), strict=True)) for row in islice(found, limit))
        show(rows, [replace(one, text=one.in_csv) for one in fields(titles)], shown)  # with all digits
        if limit is not None and next(found, None) is not None:
            every = "; --format csv prints all" if shown.is_table else ""
            print(f"only the first {limit:,} rows; --limit N prints more{every}", file=sys.stderr)


def _each_once(titles: Sequence[str]) -> list[str]:
    """The titles, with a number added to repeated ones."""
    found: list[str] = []
    for title in titles:
        number, name = 2, title
        while name in found:
            name, number = f"{title}_{number}", number + 1
        found.append(name)
    return found


def _value(value: Any) -> Any:
    """A value as it is printed in JSON."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)


# `arena data export` and `import`: write games to files, and read games from files.


_AT_ONCE: Final = 200
"""Number of games in memory at a time."""


def export(
    tournament: TournamentArgument = None,
    everything: AllOption = False,
    form: Annotated[
        FileFormat,
        typer.Option(
            "--format",
            help="File format. csv: results and moves; pgn: clocks too, standard PGN for chess; sgf: games of Go; "
            "ndjson: everything.",
        ),
    ] = FileFormat.NDJSON,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE|-", help="File to write; - is standard output.")
    ] = "-",
    db: DatabaseOption = None,
) -> None:
    """Export the games of a tournament to a file: CSV, PGN, SGF or NDJSON.

    `arena data import` can read each of these formats again.

    Example: arena data export demo --format pgn -o demo.pgn
    """
    from db import games, lookup

    asked = asked_tournaments([tournament], everything)
    with reading(db) as connection:
        found = lookup.find_tournament(connection, asked[0]) if asked else None
        ids = games.ids(connection, found, every=everything)
        seats = games.most_seats(connection, found)
        with nullcontext(sys.stdout) if output == "-" else whole_file(output) as out:
            count = exchange.write(_in_portions(connection, ids), form, out, most_seats=seats)
    print(f"{_number(count)} exported", file=sys.stderr)


def import_games(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Export of games, SGF file, or CSV list of results.")],
    tournament: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of a new tournament for the games.")
    ] = None,
    db: DatabaseOption = None,
) -> None:
    """Import games from a file into the database: all games of the file, or none if one is invalid.

    The file was written by `arena data export`, or is a list of results, or an SGF file with games of Go. Each line of
    a list has the round, the first player, the second player and the result (1-0, 0-1, 1/2-1/2 or points):
    1,alice,bob,1-0

    Example: arena data import results.csv --tournament club-2026
    """
    from db import bundles
    from db.database import Database

    text, name = read_file(file, "games or a list of results")
    games = exchange.read(text, name, tournament=tournament)
    with Database(db) as database, database.writing() as connection:
        made = bundles.add_imported(connection, games, datetime.now(UTC))
    into = f" of {', '.join(map(repr, made))}" if made else ""
    print(f"{_number(len(games))}{into} imported", file=sys.stderr)


def _number(count: int) -> str:
    return f"{count} game" + "s" * (count != 1)


def _in_portions(connection: Connection, ids: Sequence[int]) -> Iterator[PastGame]:
    from db import games

    for first in range(0, len(ids), _AT_ONCE):
        yield from games.games(connection, ids[first : first + _AT_ONCE], whole=True)


# Limits for a read-only command: time and memory of a call into C code, and Ctrl-C at any moment.


_Item = TypeVar("_Item")
_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GRACE: Final = 0.2
"""Time for the main thread to end normally after a signal, in seconds."""
_MEBIBYTE: Final = 1024**2
_DATA: Final = 5
"""Field of /proc/self/statm with the number of data pages."""


class TimeLimit:
    """Inside, a signal ends the process immediately; so does a timeout after `seconds`, with the message `late`.

    Between `begin` and `end` wall time counts, outside only CPU time, so that a slow reader of our output (a pager)
    causes no timeout."""

    def __init__(self, seconds: float, *, late: str) -> None:
        self._late = late
        self._left = seconds
        # Start of the current library call (None outside), and CPU time of the process at the end of the last call.
        self._since: float | None = None
        self._computed = time.process_time()

    def __enter__(self) -> Self:
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        signal.set_wakeup_fd(self._before)
        os.close(self._write)
        self._thread.join()
        os.close(self._read)

    def begin(self) -> None:
        self._left -= time.process_time() - self._computed
        self._since = time.monotonic()

    def end(self) -> None:
        """Note that the library call has returned."""
        if self._since is not None:
            self._left -= time.monotonic() - self._since
            self._computed = time.process_time()
            self._since = None

    def each(self, items: Iterator[_Item]) -> Generator[_Item]:
        """The items, whose computation counts as a library call."""
        while True:
            self.begin()
            try:
                item = next(items)
            except StopIteration:
                return
            finally:
                self.end()
            yield item

    def _watch(self) -> None:
        while True:
            since = self._since
            used = time.process_time() - self._computed if since is None else time.monotonic() - since
            left = self._left - used
            if left <= 0:
                print(self._late, file=sys.stderr, flush=True)
                if since is not None:
                    sys.stdout.flush()  # the main thread is not writing
                os._exit(2)
            if not select.select([self._read], [], [], max(left, _GRACE))[0]:
                continue
            signals = os.read(self._read, 4096)
            ending = [number for number in signals if number in _ENDING]
            if ending and not _is_closed_within(self._read, _GRACE):
                os._exit(128 + ending[0])
            if not signals or ending:
                return


def _is_closed_within(pipe: int, seconds: float) -> bool:
    """Whether the other end of the pipe is closed within `seconds`."""
    give_up = time.monotonic() + seconds
    while select.select([pipe], [], [], max(0.0, give_up - time.monotonic()))[0]:
        if not os.read(pipe, 4096):
            return True
    return False


@contextmanager
def memory_limit(mebibytes: int, *, advice: str) -> Iterator[None]:
    """Inside, this process can allocate at most `mebibytes` more (RLIMIT_DATA)."""
    try:
        data = int(Path("/proc/self/statm").read_text().split()[_DATA]) * resource.getpagesize()
    except OSError:  # macOS has no such limit
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = data + mebibytes * _MEBIBYTE
    resource.setrlimit(resource.RLIMIT_DATA, (most if soft == resource.RLIM_INFINITY else min(soft, most), hard))
    try:
        yield
    except MemoryError:
        raise ArenaError(f"out of memory: at most {mebibytes} MiB of memory are allowed; {advice}") from None
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


# `arena data info`, `upgrade`, `verify` and `copy`: the size of a database, an older one, its content, another place.


INFO: Final = (
    *fields(("database", "bytes", "revision", "agents", "versions", "tournaments", "games", "moves"), on=Medium.JSON),
    *fields(("what", "value"), on=Medium.TABLE | Medium.CSV),
)
WRONGS: Final[tuple[Column[dict[str, Any]], ...]] = worded(
    Column("where", text=lambda row: printable(row["where"])),
    Column("game", on=Medium.JSON),
    Column("reason", text=lambda row: printable(row["reason"])),
)


@listed(
    lambda: INFO,
    about={
        "database, bytes, revision": "`revision` is the version of the tables",
        "agents, versions, tournaments, moves": "how many there are",
        "games": "an object: status -> games",
    },
    without=OF_ROWS,
)
def info(shown: Shown, db: DatabaseOption = None) -> None:
    """Show the size of the database: tournaments, agents, games, moves and bytes.

    Example: arena data info
    """
    from db import audit
    from db.database import REVISION, Database

    with Database(db, read_only=True) as database:
        with database.reading() as connection:
            size = audit.size(connection)
        row: dict[str, Any] = {
            "database": str(database.file or database.address),
            "bytes": _bytes(database.file),
            "revision": REVISION,
            **to_builtins(size),
        }
    if shown.format is OutputFormat.JSON or shown.columns is not None:
        show([row], INFO, shown)
        return
    games = row.pop("games")
    moves = row.pop("moves")
    values = {**row, **{f"games {status}": count for status, count in games.items()}, "moves": moves}
    texts = {what: f"{value:,}" if isinstance(value, int) else value or "-" for what, value in values.items()}
    rows = [{"what": what, "value": text} for what, text in texts.items()]
    show(rows, INFO, shown)


def upgrade(db: DatabaseOption = None) -> None:
    """Upgrade a database from an older version of arena; a copy is made first.

    Every command that writes to a database does this automatically. An up-to-date database is not changed.

    Example: arena data upgrade
    """
    from db.database import REVISION, Database

    with Database(db, create=False) as database:
        where = database.file or database.address
        if database.copied is None:
            print(f"{where} is up to date (revision {REVISION})")
        else:
            print(f"{where} is now at revision {REVISION}; the old database was copied to {database.copied}")


@listed(
    lambda: WRONGS,
    about={
        "where, game, reason": "the game or version; the id of the game, or null; what is wrong",
    },
)
def verify(shown: Shown, trust_rules: TrustOption = False, db: DatabaseOption = None) -> None:
    """Verify the database: replay all games, recompute results, clocks and hashes, list errors.

    Nothing is changed. Games with user-supplied rules from another account are not checked without --trust-rules. The
    exit code is 1 if something is wrong or was not checked.

    Example: arena data verify
    """
    from arena.history.verify import verify as verified
    from db.database import Database

    with Database(db, read_only=True) as database, _progress("games") as show_progress:
        found = verified(database, submissions(database), trust=trust_rules, progress=show_progress)
    rows = [asdict(wrong) for wrong in found.wrongs]
    for why, count in found.unchecked.items():
        rows.append({"where": f"{count:,} game{'s' * (count != 1)}", "game": None, "reason": f"not checked: {why}"})
    if not shown.is_table or rows:
        show(rows, WRONGS, shown)
    looked_at = f"{found.games:,} games with {found.moves:,} plies and {found.versions:,} versions checked"
    if rows:
        unchecked = found.unchecked.total()
        more = f", {unchecked:,} not checked" * bool(unchecked)
        print(f"{looked_at}: {len(found.wrongs)} wrong{more}", file=sys.stderr)
        raise typer.Exit(1)
    if shown.is_table:
        print(f"{looked_at}: no errors")


def copy(
    old: Annotated[str, typer.Argument(metavar="FROM", help="Database to copy: PATH or URL.")],
    new: Annotated[str, typer.Argument(metavar="TO", help="Empty or new database: PATH or URL.")],
) -> None:
    """Copy a database into an empty one: from a file to a PostgreSQL server, back, or to another file.

    It copies all rows, the files of the agents (the store), and the accounts of the web pages. All rows are read again
    and compared before they count. If the command is stopped at any moment, the same command finishes the copy. If the
    new database has the same rows already, the command says so.

    Stop tournaments and ladders first: games that end later are not in the copy.

    Example: arena data copy arena.db postgresql://arena@db.example.org/cs101
    """
    from db import copying
    from db.database import Database
    from db.schema import METADATA

    with ExitStack() as stack:
        show_progress = stack.enter_context(_progress("rows"))
        before = stack.enter_context(Database(old, read_only=True))
        after = stack.enter_context(Database(new))
        if before.address.database == ":memory:" or after.address.database == ":memory:":
            raise typer.BadParameter("expected databases that stay, got ':memory:'")
        stores = submissions(before), submissions(after)
        with before.reading() as connection:
            stores[0].check_has(copying.sources(connection, stores[0].folder))
        sources = 0

        def copy_sources() -> None:
            nonlocal sources
            if stores[0].folder != stores[1].folder:
                sources = stores[0].copy_to(stores[1])

        rows, were_there = copying.copy(
            *(before, after, METADATA),
            stores=(stores[0].folder, stores[1].folder),
            before_commit=copy_sources,
            progress=show_progress,
        )
        copying.copy_accounts(old, new)  # only now: another record keeps its own
        place = after.file or after.address  # without its password
    if were_there:
        print(f"{place} has the same {counted(rows, 'row')} already")
    else:
        print(f"{counted(rows, 'row')} and {counted(sources, 'source')} copied to {place}, and compared")


def _bytes(file: Path | None) -> int | None:
    """The size of the file, with its write-ahead log, in bytes."""
    if file is None:
        return None
    parts = (file, file.with_name(f"{file.name}-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())


@contextmanager
def _progress(of: str) -> Iterator[Callable[[int, int], None] | None]:
    """On a terminal, a progress bar."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(of, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
