"""People: who an account belongs to, the link with which each is invited (it works once), and the end of an account.

An account is never deleted, because the audit names it: a student who leaves the course stays in the list.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from adsearch.errors import nearly, quote
from arena.accounts import sessions
from arena.accounts.audit import Act, note
from arena.accounts.sessions import KeyKind, hash_of, new_key
from arena.course.roster import Roster, Student, folded
from arena.errors import BadAccount, BadRoster, BadSubmission
from arena.tournament.author_names import agent_name
from arena.tournament.description import what_is_wrong_with
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


# Invitations: a link for every student of a roster, and for instructors. Each works once.


HOLDS: Final = timedelta(days=14)
"""How long an invitation can be used."""


class Invited(Struct, frozen=True, kw_only=True):
    """A new invitation."""

    account: Account
    email: str
    """The address on the roster; can be empty."""
    key: str
    """The end of the link. It is nowhere else."""
    expires: datetime


def invite_students(
    connection: Connection,
    roster: Roster,
    now: datetime,
    *,
    ladder: str,
    anchors: Collection[str] = (),
    only: str | None = None,
) -> list[Invited]:
    """Makes or updates an account for each student of the roster, with an invitation, in the roster's order.

    Accounts that were deactivated get none, except with `only`: the alias of the students to invite. BadRoster if a
    student cannot have an account; then nothing is written."""
    authors = _authors(roster, ladder, anchors)
    if only is not None and folded(only) not in map(folded, authors.values()):
        hint = nearly(only, [*authors.values()])
        raise BadRoster(f"{roster.file}: expected the alias of a student on it, got {quote(only)}{hint}")
    known = [one.account for one in accounts.accounts(connection, ladder) if not one.account.is_instructor]
    made = []
    for student in roster.students:
        author = authors[student.line]
        if only is not None and folded(author) != folded(only):
            continue
        account = _account(connection, ladder, author, student, known, now)
        if account.active or only is not None:
            made.append(invite(connection, account, now, email=student.email))
    return made


def invite_instructor(
    connection: Connection,
    name: str,
    now: datetime,
    *,
    by: Account | None = None,
    address: str = "",
) -> Invited:
    """Makes an instructor's account, unless there is one with this name, and an invitation for it. The name of the
    first one can be empty; BadAccount if it cannot be a name."""
    if name and (wrong := what_is_wrong_with(name)):
        raise BadAccount(wrong)
    found = [one.account for one in accounts.accounts(connection, "") if one.account.is_instructor]
    found = [one for one in found if folded(one.name) == folded(name)]
    account = next(iter(found), None) or accounts.add_account(
        connection, ladder="", role=Role.INSTRUCTOR, author="", name=name, student="", now=now
    )
    return invite(connection, account, now, by=by, address=address)


def invite(
    connection: Connection,
    account: Account,
    now: datetime,
    *,
    email: str = "",
    by: Account | None = None,
    address: str = "",
) -> Invited:
    """Makes a new invitation for an account; one that was deactivated can be used again."""
    if not account.active:
        account = accounts.change_account(connection, account.id, active=1)
    key = new_key(KeyKind.INVITATION)
    expires = now + HOLDS
    accounts.add_invitation(connection, account.id, hash=hash_of(key), expires=expires, now=now)
    note(connection, Act.INVITED, now, by=by, about=account.author or account.name, address=address)
    return Invited(account=account, email=email, key=key, expires=expires)


def open_invitation(connection: Connection, key: str, now: datetime) -> Account | None:
    """Whose link it is; None if it does not work, or not any more. Nothing is changed."""
    return accounts.invited(connection, hash_of(key), now)


def use_invitation(connection: Connection, key: str, now: datetime, *, address: str = "") -> tuple[Account, str] | None:
    """Uses the link up; the account that is signed in, and the key of its new session. None if it does not work."""
    account = accounts.use_invitation(connection, hash_of(key), now)
    if account is None:
        return None
    note(connection, Act.SIGNED_IN, now, by=account, address=address)
    return account, sessions.begin(connection, account, now)


def _authors(roster: Roster, ladder: str, anchors: Collection[str]) -> dict[int, str]:
    """The author that each line of the roster stands for; a team is one."""
    authors: dict[int, str] = {}
    seen: dict[str, int] = {}
    for one in roster.students:
        where = f"{roster.file}, line {one.line}"
        if not one.alias:
            raise BadRoster(
                f"{where}: expected an alias, under which the student hands in; `arena course init` draws them"
            )
        try:
            authors[one.line] = agent_name(roster.team(one)[0].alias, ladder=ladder, anchors=anchors)
        except BadSubmission as error:
            raise BadRoster(f"{where}: the alias cannot be the name of an author: {error}") from None
        if not one.id and (before := seen.setdefault(folded(one.name), one.line)) != one.line:
            raise BadRoster(f"{where}: expected an id, because {quote(one.name)} is the name in line {before} too")
    return authors


def _account(
    connection: Connection, ladder: str, author: str, student: Student, known: Sequence[Account], now: datetime
) -> Account:
    """The student's account, with what the roster says now: found by its id; by its name if it has no id."""
    by_id = (one for one in known if one.student and folded(one.student) == folded(student.id))
    by_name = (one for one in known if not one.student and folded(one.name) == folded(student.name))
    found = next(by_id, None) or next(by_name, None)
    values = {"author": author, "name": student.name, "student": student.id}
    if found is None:
        return accounts.add_account(connection, ladder=ladder, role=Role.STUDENT, now=now, **values)
    return accounts.change_account(connection, found.id, **values)
