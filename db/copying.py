"""Copies all rows of a database into an empty one, such as a file into a PostgreSQL server, and compares them.

Rows keep their ids. They are written and compared in one transaction: the copy is whole, or nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, MetaData, Table, TypeDecorator, delete, func, select, union

from db import dialect
from db.accounts import METADATA, Accounts, AccountsDatabase
from db.bundles import moved_rules, rules_in
from db.database import Connections
from db.errors import DatabaseError, NotFound
from db.schema import Game, Tournament, Version

_AT_ONCE: Final = 2000
"""Rows in memory."""
Progress = Callable[[int, int], None]
"""Called with the number of rows that were written or compared, and with that of all of them."""
Row = tuple[Any, ...]
Item = TypeVar("Item")


def sources(connection: Connection, store: Path) -> set[str]:
    """The hashes of the agents' sources, and of the user-supplied rules in the folder `store`."""
    rules = connection.execute(union(select(Tournament.rules), select(Game.rules))).scalars()
    stored = {found for text in rules for found in rules_in(text, str(store))}
    return stored.union(connection.execute(select(Version.source)).scalars())


def copy_accounts(old: str, new: str) -> None:
    """Copies the accounts that belong to the record `old`, if there are any, beside the record `new`."""
    with suppress(NotFound), AccountsDatabase(old, create=False) as before, AccountsDatabase(new) as after:
        copy(before, after, METADATA)


def copy(
    old: Connections,
    new: Connections,
    metadata: MetaData,
    *,
    stores: tuple[Path, Path] | None = None,
    before_commit: Callable[[], None] = lambda: None,
    progress: Progress | None = None,
) -> tuple[int, bool]:
    """Copies all rows of the tables in `metadata`; returns their number, and whether they were there already.

    `stores`: the old and the new folder of submissions; user-supplied rules are paths into it. `before_commit` copies
    what the rows need, such as files. DatabaseError if the new database has other rows."""
    with old.reading() as source, new.writing() as target:
        tables = metadata.sorted_tables  # a row comes after those that it refers to
        there = sum(_count(source, table) for table in tables)
        is_empty = not any(_count(target, table) for table in tables if table is not Accounts.__table__)
        done = 0

        def note(rows: int) -> None:
            nonlocal done
            done += rows
            if progress is not None:
                progress(done, (1 + is_empty) * there)

        for table in tables if is_empty else ():
            target.execute(delete(table))  # the row that new accounts have about themselves
            with closing(_rows(source, table, stores)) as rows:
                for batch in _batches(rows):
                    dialect.insert_rows(target, table, batch)
                    note(len(batch))
            dialect.rows_were_copied(target, table)
        for table in tables:
            with closing(_rows(source, table, stores)) as rows, closing(_rows(target, table, None)) as copied:
                for pairs in _batches(zip_longest(rows, copied)):
                    for row, other in pairs:
                        if row != other:
                            raise _differs(table, row or other, is_empty)
                    note(len(pairs))
        before_commit()
    return there, not is_empty


def _differs(table: Table, row: Row, is_new: bool) -> DatabaseError:
    where = f"the table {table.name}, at the row that begins with {', '.join(map(str, row[:2]))[:60]}"
    if is_new:
        return DatabaseError(f"the copy differs in {where}; nothing was copied")
    return DatabaseError(f"the new database has another record already: it differs in {where}. Copy into an empty one")


def _count(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def _batches(items: Iterator[Item]) -> Iterator[list[Item]]:
    while batch := list(islice(items, _AT_ONCE)):
        yield batch


def _rows(connection: Connection, table: Table, stores: tuple[Path, Path] | None) -> Generator[Row]:
    """All rows in the order of their ids, as they are stored in the new database."""
    convert = {
        place: column.type.process_bind_param
        for place, column in enumerate(table.columns)
        if isinstance(column.type, TypeDecorator)
    }
    rules = table.columns.keys().index("rules") if "rules" in table.columns and stores else None
    ordered = select(table).order_by(*table.primary_key)
    with connection.execute(ordered, execution_options={"stream_results": True, "max_row_buffer": _AT_ONCE}) as found:
        try:
            for row in found:
                values = list(row)
                for place, as_stored in convert.items():
                    values[place] = as_stored(values[place], connection.dialect)
                if rules is not None and stores is not None:
                    values[rules] = moved_rules(values[rules], *map(str, stores))
                yield tuple(values)
        except (TypeError, ValueError):  # only of a file that other programs have changed
            raise DatabaseError(
                f"a value of the table {table.name} does not have its column's type; `arena data verify` lists them"
            ) from None
