"""The audit: who did what, when and from where. It is only ever added to.

An act and its entry are written in one transaction, so there is not one without the other.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from db import accounts
from db.accounts import AccountsDatabase, AuditEntry, StoredAccount
from db.database import Connection

_SAME_AGAIN: Final = timedelta(hours=1)
_GAME: Final = "game "


class Act(StrEnum):
    """What can be audited."""

    INVITED = "invited"
    SIGNED_IN = "signed in"
    SESSION_ENDED = "session ended"
    TOKEN_MADE = "token made"
    TOKEN_REVOKED = "token revoked"
    DEACTIVATED = "deactivated"
    SUBMITTED = "submitted"
    CHALLENGED = "challenged"
    OPENED = "opened"
    CLOSED = "closed"
    EXTENDED = "extended"
    CHALLENGES = "challenges"
    RULED = "ruled"
    WITHDREW = "withdrew"
    PUT_ASIDE = "put aside"
    RELEASED = "released"
    PLAYED = "played"
    """By hand: the record does not say who."""
    SAW_SOURCE = "saw source"
    SAW_LOG = "saw log"
    SAW_GRADES = "saw grades"


def note(
    connection: Connection,
    act: Act,
    now: datetime,
    *,
    by: StoredAccount | None = None,
    about: str = "",
    address: str = "",
) -> None:
    """Adds an act; `by`: None for a command on this machine; `address`: where the request came from."""
    accounts.add_audit(connection, act, now, account=None if by is None else by.id, about=about, address=address)


def note_once(
    database: AccountsDatabase, act: Act, now: datetime, *, by: StoredAccount, about: str, address: str
) -> None:
    """Adds an act that can be repeated often, such as reading a page, if its account did not do the same in the last
    hour."""
    with database.reading() as connection:
        if accounts.has_audit(connection, act, account=by.id, about=about, after=now - _SAME_AGAIN):
            return
    with database.writing() as connection:
        note(connection, act, now, by=by, about=about, address=address)


def note_played(database: AccountsDatabase, now: datetime, *, account: int, game: int) -> None:
    """Adds who has played that game by hand."""
    with database.writing() as connection:
        accounts.add_audit(connection, Act.PLAYED, now, account=account, about=f"{_GAME}{game}", address="")


def player_of(connection: Connection, game: int) -> StoredAccount | None:
    """Who has played that game by hand; None if nobody is known."""
    found = accounts.audit(connection, most=1, what=Act.PLAYED, about=f"{_GAME}{game}")
    return found[0].account if found else None


def played_by(connection: Connection, account: int, *, most: int) -> list[int]:
    """The games that this account has played by hand, the newest first."""
    found = accounts.audit(connection, most=most, what=Act.PLAYED, account=account)
    return [int(one.about.removeprefix(_GAME)) for one in found]


def entries(connection: Connection, *, most: int = 100, before: int | None = None) -> list[AuditEntry]:
    """The last acts, the newest first; `before`: those that came before the entry with this id."""
    return accounts.audit(connection, most=most, before=before)
