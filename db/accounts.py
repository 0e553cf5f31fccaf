"""The rows of accounts, their tables, and how their database is opened: a second file beside the record, or a second
schema of its PostgreSQL database.

Functions that write need an open transaction of an `AccountsDatabase`. Of a key only the hash is known here;
`arena/accounts` makes the keys and decides how long they hold. The audit only grows.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import (
    ColumnElement,
    Connection,
    ForeignKey,
    Index,
    MetaData,
    delete,
    func,
    insert,
    inspect,
    or_,
    select,
    update,
)

from db import columns, database, dialect, private
from db.database import Connections
from db.errors import DatabaseError, NotADatabase, NotFound
from db.ladder import author_of
from db.records import instant, moment_of

_ENDING: Final = "-accounts.db"


class AccountsDatabase(Connections):
    """The accounts of one record."""

    def __init__(self, where: str | None = None, *, create: bool = True) -> None:
        """`where` is the path or URL of the record (default: ARENA_DB, else arena.db). Without `create` the accounts
        must exist."""
        address = dialect.url(where)
        record = dialect.file_of(address)
        file = None if record is None else file_beside(record)
        if file is not None:
            if not create and not file.exists():
                raise _no_accounts()
            _make_private(file)
            address = address.set(database=str(file))
        engine = dialect.engine(address, {})
        self._schema = None if engine.dialect.name == "sqlite" else dialect.POSTGRESQL_ACCOUNTS
        if self._schema is not None:
            engine = engine.execution_options(schema_translate_map={None: self._schema})
        super().__init__(engine, file)
        try:
            with self.reading() as connection:
                dialect.refuse_executable_schema(connection, TABLES, (), file)
                there = self._revision(connection)
            if there is None:
                if not create:
                    raise _no_accounts()
                self._make_tables()
        except BaseException:
            self.close()
            raise

    def _revision(self, connection: Connection) -> str | None:
        """REVISION; None if there are no tables yet. Of any other database a DatabaseError."""
        tables = set(inspect(connection).get_table_names(self._schema))
        if not tables:
            return None
        if Accounts.__table__.name not in tables:
            found = ", ".join(sorted(tables)[:5])
            raise NotADatabase(f"{self.file or 'the database'}: expected accounts of arena, got other tables ({found})")
        there = str(connection.execute(select(Accounts.revision)).scalar_one())
        if there != REVISION:
            raise database.newer(there, REVISION, self.file)
        return there

    def _make_tables(self) -> None:
        with self.writing() as connection:
            if self._schema is not None:
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock(hashtext('{self._schema}'))")
                connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
            # Again under the lock: another program may have made them since.
            if self._revision(connection) is not None:
                return
            METADATA.create_all(connection, checkfirst=False)
            for table in TABLES if self._schema is not None else ():
                # Only the owner of the tables sees rows, not a role that may read all data of the server.
                connection.exec_driver_sql(f"ALTER TABLE {self._schema}.{table} ENABLE ROW LEVEL SECURITY")
            connection.execute(insert(Accounts).values(revision=REVISION, address=""))


def file_beside(record: Path) -> Path:
    """The file of the accounts for the file of a record: "arena-accounts.db" for "arena.db"."""
    return record.with_name(f"{record.name.removesuffix('.db')}{_ENDING}")


def _no_accounts() -> NotFound:
    return NotFound("nobody was invited yet, so there are no accounts: `arena course invite` makes them")


def _make_private(file: Path) -> None:
    """Create the file if it does not exist; DatabaseError if others may read or write it.

    SQLite gives the mode of the file to its write-ahead log too."""
    try:
        with suppress(FileExistsError):
            os.close(private.new_file(file))
        mode, is_open = stat.S_IMODE(file.stat().st_mode), private.is_open(file)
    except OSError as error:
        raise DatabaseError(f"{file}: {error.strerror}. Does its folder exist, and can you write to it?") from None
    if is_open:
        raise DatabaseError(
            f"expected accounts that only their owner can read, got the mode {mode:03o}: chmod 600 {file}"
        )


# The tables of the accounts: people, and the keys by which they are known to the web pages.


REVISION: Final = "0001"
"""The revision of this program's tables."""
METADATA: Final = MetaData()


class _Rows(columns.Rows, metadata=METADATA):
    """Base class of all tables."""


class Accounts(_Rows):
    """One row about the database itself."""

    revision: ColumnElement[str] = columns.text()
    address: ColumnElement[str] = columns.text()
    """How the beginning of a link to the web pages is written; empty: not known."""


class Account(_Rows):
    """A person."""

    _about = (Index("account_by_ladder", "ladder", "author"),)

    id: ColumnElement[int] = columns.number(primary_key=True)
    ladder: ColumnElement[str] = columns.text()
    """Whose student it is; empty for instructors, who see all ladders."""
    role: ColumnElement[str] = columns.text()
    author: ColumnElement[str] = columns.text()
    name: ColumnElement[str] = columns.text()
    student: ColumnElement[str] = columns.text()
    active: ColumnElement[int] = columns.number()
    created: ColumnElement[str] = columns.text()


class Invitation(_Rows):
    """A link that was made for an account."""

    id: ColumnElement[int] = columns.number(primary_key=True)
    account: ColumnElement[int] = columns.number(ForeignKey("account.id"), index=True)
    hash: ColumnElement[str] = columns.text(unique=True)
    made: ColumnElement[str] = columns.text()
    expires: ColumnElement[str] = columns.text()
    used: ColumnElement[str | None] = columns.text(nullable=True)


class Session(_Rows):
    """One browser in which somebody has signed in."""

    id: ColumnElement[int] = columns.number(primary_key=True)
    account: ColumnElement[int] = columns.number(ForeignKey("account.id"), index=True)
    hash: ColumnElement[str] = columns.text(unique=True)
    started: ColumnElement[str] = columns.text()
    seen: ColumnElement[str] = columns.text()
    """When it was last used, to within a few minutes."""
    ended: ColumnElement[str | None] = columns.text(nullable=True)


class Token(_Rows):
    """A key with which a program acts for an account."""

    id: ColumnElement[int] = columns.number(primary_key=True)
    account: ColumnElement[int] = columns.number(ForeignKey("account.id"), index=True)
    hash: ColumnElement[str] = columns.text(unique=True)
    label: ColumnElement[str] = columns.text()
    made: ColumnElement[str] = columns.text()
    seen: ColumnElement[str | None] = columns.text(nullable=True)
    revoked: ColumnElement[str | None] = columns.text(nullable=True)


class Audit(_Rows):
    """One act: who did what, when and from where."""

    id: ColumnElement[int] = columns.number(primary_key=True)
    time: ColumnElement[str] = columns.text()
    account: ColumnElement[int | None] = columns.number(ForeignKey("account.id"), nullable=True)
    """Null: a command on this machine."""
    what: ColumnElement[str] = columns.text()
    about: ColumnElement[str] = columns.text()
    address: ColumnElement[str] = columns.text()


TABLES: Final = (*METADATA.tables,)


class Role(StrEnum):
    """What a person is."""

    STUDENT = "student"
    INSTRUCTOR = "instructor"


class StoredAccount(Struct, frozen=True, kw_only=True):
    """A person who can sign in."""

    id: int
    ladder: str
    """The name of the ladder whose student it is; empty for instructors, who are so for all ladders."""
    role: Role
    author: str
    """The name under which agents are handed in, the alias on the roster; empty for instructors. A team shares it."""
    name: str
    """The person's name; can be empty."""
    student: str
    """The id on the roster; can be empty."""
    active: bool
    """Whether the account can be used."""

    @property
    def is_instructor(self) -> bool:
        return self.role is Role.INSTRUCTOR

    def owns(self, ladder: str, agent: str) -> bool:
        """Whether the agent of this name on this ladder is the account's own, or its team's."""
        return bool(self.author) and self.ladder == ladder and self.author == author_of(agent)


class AccountUse(Struct, frozen=True, kw_only=True):
    """An account, and when it was used."""

    account: StoredAccount
    invited: datetime | None
    """When the last link was made."""
    signed_in: datetime | None
    """When a link was last used."""
    seen: datetime | None
    """When a session or a token was last used, to within a few minutes."""


class KeyUse(Struct, frozen=True):
    """The account of a session or token, and when that was last used."""

    account: StoredAccount
    row: int
    seen: datetime | None


class StoredToken(Struct, frozen=True):
    """A token that holds."""

    id: int
    label: str
    made: datetime
    seen: datetime | None


class AuditEntry(Struct, frozen=True):
    """One act."""

    id: int
    time: datetime
    account: StoredAccount | None
    """Who did it; None: a command on the machine of the database."""
    what: str
    about: str
    address: str


_ACCOUNT: Any = tuple(Account.__table__.columns)


def _account(row: Sequence[Any]) -> StoredAccount:
    id, ladder, role, author, name, student, active, _ = row
    return StoredAccount(
        id=id, ladder=ladder, role=Role(role), author=author, name=name, student=student, active=bool(active)
    )


# People.


def add_account(
    connection: Connection, *, ladder: str, role: Role, author: str, name: str, student: str, now: datetime
) -> StoredAccount:
    """Insert an account."""
    values = {"ladder": ladder, "role": role, "author": author, "name": name, "student": student, "active": 1}
    id = dialect.new_id(connection.execute(insert(Account).values(**values, created=instant(now))))
    return account(connection, id)


def change_account(connection: Connection, id: int, **values: Any) -> StoredAccount:
    """Set columns of an account."""
    connection.execute(update(Account).where(Account.id == id).values(**values))
    return account(connection, id)


def account(connection: Connection, id: int) -> StoredAccount:
    """The account with that row id, which must exist."""
    return _account(connection.execute(select(*_ACCOUNT).where(Account.id == id)).one())


def accounts(connection: Connection, ladder: str) -> list[AccountUse]:
    """The instructors, and the students of the ladder, each in the order in which they were added."""
    invited = select(func.max(Invitation.made)).where(Invitation.account == Account.id).scalar_subquery()
    signed_in = select(func.max(Invitation.used)).where(Invitation.account == Account.id).scalar_subquery()
    by_session = select(func.max(Session.seen)).where(Session.account == Account.id).scalar_subquery()
    by_token = select(func.max(Token.seen)).where(Token.account == Account.id).scalar_subquery()
    rows = connection.execute(
        select(*_ACCOUNT, invited, signed_in, by_session, by_token)
        .where(or_(Account.role == Role.INSTRUCTOR, Account.ladder == ladder))
        .order_by(Account.role, Account.id)
    )
    return [
        AccountUse(
            account=_account(row),
            invited=moment_of(invited),
            signed_in=moment_of(signed_in),
            seen=moment_of(max(by_session or "", by_token or "")),
        )
        for *row, invited, signed_in, by_session, by_token in rows
    ]


# Invitations.


def add_invitation(connection: Connection, account: int, *, hash: str, expires: datetime, now: datetime) -> None:
    """Insert an invitation; an earlier one that was not used does not hold any longer."""
    delete_invitations(connection, account)
    new = insert(Invitation).values(account=account, hash=hash, made=instant(now), expires=instant(expires))
    connection.execute(new)


def delete_invitations(connection: Connection, account: int) -> None:
    """Delete the account's invitations that were not used."""
    connection.execute(delete(Invitation).where(Invitation.account == account, Invitation.used.is_(None)))


def invited(connection: Connection, hash: str, now: datetime) -> StoredAccount | None:
    """Whose invitation it is; None if it does not hold."""
    found = connection.execute(
        select(*_ACCOUNT)
        .join(Invitation, Invitation.account == Account.id)
        .where(*_holds(hash, now), Account.active == 1)
    ).first()
    return None if found is None else _account(found)


def use_invitation(connection: Connection, hash: str, now: datetime) -> StoredAccount | None:
    """Use the invitation up, and return whose it is; None if it does not hold, also since a moment ago."""
    found = invited(connection, hash, now)
    used = connection.execute(update(Invitation).where(*_holds(hash, now)).values(used=instant(now)))
    return found if used.rowcount == 1 else None


def _holds(hash: str, now: datetime) -> tuple[Any, ...]:
    return (Invitation.hash == hash, Invitation.used.is_(None), Invitation.expires > instant(now))


# Sessions.


def add_session(connection: Connection, account: int, *, hash: str, now: datetime) -> None:
    """Insert a session."""
    time = instant(now)
    connection.execute(insert(Session).values(account=account, hash=hash, started=time, seen=time))


def sessions(
    connection: Connection, hashes: Collection[str], *, started_after: datetime, seen_after: datetime
) -> dict[str, KeyUse]:
    """By these hashes, the sessions that hold."""
    rows = connection.execute(
        select(Session.hash, *_ACCOUNT, Session.id, Session.seen)
        .join(Session, Session.account == Account.id)
        .where(Session.hash.in_(hashes), Session.ended.is_(None), Account.active == 1)
        .where(Session.started > instant(started_after), Session.seen > instant(seen_after))
    )
    return {hash: _key_use(row) for hash, *row in rows}


def key_seen(connection: Connection, of: type[Session | Token], id: int, now: datetime) -> None:
    """Set when the session or token was last used."""
    connection.execute(update(of).where(of.id == id).values(seen=instant(now)))


def end_session(connection: Connection, id: int, now: datetime) -> None:
    """End a session."""
    connection.execute(update(Session).where(Session.id == id, Session.ended.is_(None)).values(ended=instant(now)))


def end_sessions(connection: Connection, account: int, now: datetime) -> int:
    """End all sessions of an account; return how many."""
    going_on = update(Session).where(Session.account == account, Session.ended.is_(None))
    return int(connection.execute(going_on.values(ended=instant(now))).rowcount)


# Tokens.


def add_token(connection: Connection, account: int, *, hash: str, label: str, now: datetime) -> None:
    """Insert a token."""
    connection.execute(insert(Token).values(account=account, hash=hash, label=label, made=instant(now)))


def held_tokens(connection: Connection, hashes: Collection[str]) -> dict[str, KeyUse]:
    """By these hashes, the tokens that hold."""
    rows = connection.execute(
        select(Token.hash, *_ACCOUNT, Token.id, Token.seen)
        .join(Token, Token.account == Account.id)
        .where(Token.hash.in_(hashes), Token.revoked.is_(None), Account.active == 1)
    )
    return {hash: _key_use(row) for hash, *row in rows}


def tokens(connection: Connection, account: int) -> list[StoredToken]:
    """The account's tokens that hold, the oldest first."""
    holding = select(Token.id, Token.label, Token.made, Token.seen).where(
        Token.account == account, Token.revoked.is_(None)
    )
    return [
        StoredToken(id, label, datetime.fromisoformat(made), moment_of(seen))
        for id, label, made, seen in connection.execute(holding.order_by(Token.id))
    ]


def revoke_tokens(connection: Connection, account: int, now: datetime, *, only: int | None = None) -> list[str]:
    """Revoke all tokens of the account, or `only` the one with this row id; return the labels of those revoked."""
    revoked = [one for one in tokens(connection, account) if only in (None, one.id)]
    ids = [one.id for one in revoked]
    connection.execute(update(Token).where(Token.id.in_(ids)).values(revoked=instant(now)))
    return [one.label for one in revoked]


# The audit.


def add_audit(
    connection: Connection, what: str, now: datetime, *, account: int | None, about: str, address: str
) -> None:
    """Insert an act."""
    values = {"account": account, "what": what, "about": about, "address": address}
    connection.execute(insert(Audit).values(time=instant(now), **values))


def has_audit(connection: Connection, what: str, *, account: int, about: str, after: datetime) -> bool:
    """Whether that account did that after this time."""
    same = select(Audit.id).where(Audit.account == account, Audit.what == what, Audit.about == about)
    return connection.execute(same.where(Audit.time > instant(after)).limit(1)).first() is not None


def audit(
    connection: Connection,
    *,
    most: int,
    before: int | None = None,
    what: str | None = None,
    about: str | None = None,
    account: int | None = None,
) -> list[AuditEntry]:
    """The last acts, the newest first; `before`: only those with a smaller row id; `what`, `about`, `account`: only
    those with this."""
    columns = (Audit.id, Audit.time, Audit.what, Audit.about, Audit.address)
    rows = select(*columns, *_ACCOUNT).outerjoin(Account, Account.id == Audit.account)
    if before is not None:
        rows = rows.where(Audit.id < before)
    for column, wanted in ((Audit.what, what), (Audit.about, about), (Audit.account, account)):
        if wanted is not None:
            rows = rows.where(column == wanted)
    return [
        AuditEntry(id, datetime.fromisoformat(time), None if row[0] is None else _account(row), what, about, address)
        for id, time, what, about, address, *row in connection.execute(rows.order_by(Audit.id.desc()).limit(most))
    ]


# The address of the pages.


def address(connection: Connection) -> str:
    """The beginning of links to the web pages; empty if it is not known."""
    return str(connection.execute(select(Accounts.address)).scalar_one())


def note_address(connection: Connection, address: str) -> None:
    """Set the beginning of links to the web pages."""
    connection.execute(update(Accounts).values(address=address))


def _key_use(row: Sequence[Any]) -> KeyUse:
    *account, id, seen = row
    return KeyUse(_account(account), id, moment_of(seen))
