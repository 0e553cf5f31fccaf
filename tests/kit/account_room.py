"""Accounts to try: a roster, and people who are signed in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from typing import Final

from arena.accounts.people import Account, Invited, invite_instructor, invite_students, use_invitation
from arena.course import roster
from db.accounts import AccountsDatabase

NOW: Final = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
ROSTER: Final = """\
id,name,email,alias
1,Ann Berg,ann@example.org,kestrel
2,Bob Lind,bob@example.org,otter
3,Cid Voss,cid@example.org,Otter
"""
"""Bob and Cid are a team."""


def counting() -> Callable[[int], bytes]:
    """Random bytes that are not random: 0, 1, 2, ..."""
    numbers = count()
    return lambda size: next(numbers).to_bytes(size)


def invite(
    database: AccountsDatabase,
    text: str = ROSTER,
    *,
    now: datetime = NOW,
    ladder: str = "cs101",
    only: str | None = None,
) -> list[Invited]:
    """Invites the students of this roster."""
    with database.writing() as connection:
        return invite_students(
            connection, roster.read(text, "roster.csv"), now, ladder=ladder, anchors=("random",), only=only
        )


def sign_in(database: AccountsDatabase, invited: Invited, *, now: datetime = NOW) -> tuple[Account, str]:
    """Uses the link; the account and the key of the session."""
    with database.writing() as connection:
        used = use_invitation(connection, invited.key, now)
    assert used is not None
    return used


def signed_in(database: AccountsDatabase, *, now: datetime = NOW) -> tuple[Account, str]:
    """An instructor who is signed in, and the key of the session."""
    with database.writing() as connection:
        invited = invite_instructor(connection, "Eva", now)
    return sign_in(database, invited, now=now)
