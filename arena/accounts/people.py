"""People: who an account belongs to, and its end.

An account is never deleted, because the audit names it: a student who leaves the course stays in the list.
"""

from __future__ import annotations

from datetime import datetime

from adsearch.errors import nearly, quote
from arena.accounts.audit import Act, note
from arena.course.roster import folded
from arena.errors import BadAccount
from db import accounts
from db.accounts import AccountUse, Role
from db.accounts import StoredAccount as Account
from db.database import Connection

__all__ = ["Account", "AccountUse", "Role", "deactivate", "deactivate_one", "known"]


def known(connection: Connection, ladder: str) -> list[AccountUse]:
    """The instructors, and the students of the ladder, also those who are not on its roster any more."""
    return accounts.accounts(connection, ladder)


def deactivate(
    connection: Connection, ladder: str, name: str, now: datetime, *, by: Account | None = None, address: str = ""
) -> list[Account]:
    """Ends the accounts of an author of the ladder, or of an instructor with this name, and returns them.

    Their links, sessions and tokens do not work any more. BadAccount if there is none."""
    everyone = [one.account for one in accounts.accounts(connection, ladder)]
    found = [one for one in everyone if not one.is_instructor and folded(one.author) == folded(name)]
    found = found or [one for one in everyone if one.is_instructor and folded(one.name) == folded(name)]
    if not found:
        names = [one.author or one.name for one in everyone]
        raise BadAccount(f"ladder {quote(ladder)} has no account of an author {quote(name)}{nearly(name, names)}")
    return [deactivate_one(connection, one, now, by=by, address=address) for one in found]


def deactivate_one(
    connection: Connection, account: Account, now: datetime, *, by: Account | None = None, address: str = ""
) -> Account:
    """Ends this account alone, not those of its team, and returns it."""
    accounts.change_account(connection, account.id, active=0)
    accounts.delete_invitations(connection, account.id)
    accounts.end_sessions(connection, account.id, now)
    accounts.revoke_tokens(connection, account.id, now)
    note(connection, Act.DEACTIVATED, now, by=by, about=account.author or account.name, address=address)
    return accounts.account(connection, account.id)
