"""A ladder with its record and its accounts, and an instructor who sends the forms of the page that manages it.

Names of people and reasons are hostile. Alice has entered twice, and everyone has met everyone.
"""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from arena.accounts import audit
from arena.accounts.people import Account, AccountUse, Invited, known
from arena.serve.open_ladders import OpenLadder
from arena.web import manage
from arena.web.manage import DECISIONS, PEOPLE, Form, Managed, decide, seen
from arena.web.permissions import Names, Role, SeenNames, Viewer
from db import ladder, lookup, rulings
from db.accounts import AccountsDatabase, file_beside
from db.database import Connection, Database
from db.ladder import SubmissionState
from tests.kit import account_room
from tests.kit.ladder_record import OPENED, store_ladder
from tests.kit.postgres_server import Server

NOW: Final = OPENED + timedelta(days=1)
HOSTILE: Final = "<script>x</script> \"'&amp; \u202e"
"""In the name of a person, in reasons, and in the name of a file."""
ROSTER: Final = f"""\
id,name,email,alias
1,Ann {HOSTILE.replace('"', "")},ann@example.org,alice
2,Bob Lind,bob@example.org,bob
3,Cid Voss,cid@example.org,Bob
4,Dan Rand,dan@example.org,dan
"""
"""Bob and Cid are a team. Dan has not handed in, and carol has no account."""
INSTRUCTOR: Final = Viewer(Role.INSTRUCTOR, 1)


@dataclass(frozen=True, kw_only=True)
class ManagedLadder:
    """The ladder cs101 and everything about it."""

    record: Database
    accounts: AccountsDatabase
    store: Path
    ladder: OpenLadder
    instructor: Account
    links: Sequence[Invited]
    """Of the students."""

    def student(self, number: int = 0) -> Account:
        """The student of that line of the roster, who signs in."""
        account, _ = account_room.sign_in(self.accounts, self.links[number], now=NOW)
        return account

    @property
    def names(self) -> SeenNames:
        """As an instructor sees them."""
        return Names(accounts=self.accounts).seen_by(INSTRUCTOR)

    @staticmethod
    def seen(connection: Connection, do: str, tournament: int) -> dict[str, str]:
        """What a form says of what its reader has seen."""
        if do == "agent":
            return {"ruling": f"{rulings.last(connection)}"}
        if do in ("extend", "take-back"):
            return {"extension": f"{ladder.newest_extension(connection, tournament)}"}
        return {}

    def form(self, do: str, *, tournament: str = "cs101", by: Account | None = None, **given: object) -> Form:
        """A form of the page."""
        with self.record.reading() as connection:
            id = lookup.find_tournament(connection, tournament)
            seen = self.seen(connection, do, id)
        return Form(
            by=by or self.instructor,
            address="192.0.2.1",
            tournament=id,
            title=tournament,
            names=self.names,
            authors=self.authors,
            given={"do": do} | seen | {name: str(value) for name, value in given.items()},
            now=NOW,
        )

    def send(self, do: str, *, tournament: str = "cs101", by: Account | None = None, **given: object) -> Invited | None:
        """Sends a form."""
        form = self.form(do, tournament=tournament, by=by, **given)
        if do in DECISIONS:
            decide(self.record, self.accounts, self.store, form)
            return None
        return PEOPLE[do](self.accounts, form)

    def page(self, tournament: str = "cs101") -> Managed:
        """What the page shows."""
        with self.record.reading() as connection:
            id = lookup.find_tournament(connection, tournament)
            return manage.managed(connection, self.names, id, store=self.store, served="cs101", authors=self.authors)

    @property
    def authors(self) -> list[str]:
        """Those with an account."""
        return [one.account.author for one in self.people() if not one.account.is_instructor]

    def people(self) -> list[AccountUse]:
        """The accounts."""
        with self.accounts.reading() as connection:
            return known(connection, "cs101")

    def person(self, name: str) -> dict[str, object]:
        """The fields of a form about the account of that person."""
        found = next(one for one in self.people() if name in one.account.name)
        return {"account": found.account.id, "invited": seen(found)}

    def acts(self) -> list[tuple[str, str]]:
        """What the instructor has done, the newest first; the address is always theirs."""
        with self.accounts.reading() as connection:
            entries = audit.entries(connection)
        own = [one for one in entries if one.account == self.instructor and one.address]
        assert {one.address for one in own} <= {"192.0.2.1"}
        return [(one.what, one.about) for one in own]

    def sql(self, query: str) -> list[tuple[object, ...]]:
        """Rows of the record."""
        with self.record.reading() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(query)]


@contextmanager
def managed_ladder(where: str, folder: Path) -> Iterator[ManagedLadder]:
    """The ladder in the empty database `where`: a copy of the first one that this process has made."""
    server = Server.of(where) if "://" in where else None
    original, kept = _original(server and server.folder)
    if server is not None:
        server.copy(original, where)
    else:
        for file in (Path(original), file_beside(Path(original))):
            shutil.copy(file, folder)
    with Database(where) as record, AccountsDatabase(where) as accounts:
        yield replace(kept, record=record, accounts=accounts, store=folder / "store")


@functools.cache
def _original(server: Path | None) -> tuple[str, ManagedLadder]:
    """A database with the ladder, and what is known of it; the database is closed."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    where = str(folder / "arena.db") if server is None else Server(server).new_database("managed_ladder")
    with Database(where) as record, AccountsDatabase(where) as accounts:
        return where, _made(record, accounts, folder)


def _made(record: Database, accounts: AccountsDatabase, folder: Path) -> ManagedLadder:
    opened = store_ladder(record, folder)
    with record.writing() as connection:
        for state in (SubmissionState.CHECKING, SubmissionState.RECEIVED, SubmissionState.REFUSED):
            ladder.add_submission(
                connection, opened.id, "bob", label=f"{HOSTILE}.py", source=None, state=state, words=HOSTILE, now=NOW
            )
    instructor, _ = account_room.signed_in(accounts, now=NOW)
    links = account_room.invite(accounts, ROSTER, now=NOW)
    return ManagedLadder(
        record=record,
        accounts=accounts,
        store=folder / "store",
        ladder=opened,
        instructor=instructor,
        links=links,
    )


def later(days: float) -> datetime:
    """That many days after `NOW`."""
    return NOW + timedelta(days=days)
