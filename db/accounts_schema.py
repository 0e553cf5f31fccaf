"""The tables of the accounts: people, and the keys by which they are known to the web pages.

They are in a database of their own beside the record: a second file, or in PostgreSQL a second schema. So nothing that
reads the record can read them. Of every key only a hash is here, and an audit row is never changed or deleted.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import ColumnElement, ForeignKey, Index, MetaData

from db import columns

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
