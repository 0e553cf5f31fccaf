"""`arena data`: shows the size of a database, upgrades an older one, verifies its content, and copies it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.asking.record_options import DatabaseOption, TrustOption, submissions
from arena.cli.terminal.listings import OF_ROWS, OutputFormat, Shown, listed, show
from arena.history.words import counted, printable
from arena.results.columns import Column, Medium, fields, worded

if TYPE_CHECKING:
    from pathlib import Path

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
            "agents": size.agents,
            "versions": size.versions,
            "tournaments": size.tournaments,
            "games": size.games,
            "moves": size.moves,
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
