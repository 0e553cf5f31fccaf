"""Sessions: which account a request belongs to, by the key of a session or a token.

A session begins when an invitation is used (`invitations.py`). It ends after 30 days without use, after 120 days at
all, when somebody ends it, and with its account.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from arena.accounts.audit import Act, note
from arena.accounts.keys import Draw, KeyKind, hash_of, kind_of, new_key
from arena.accounts.people import Account
from db import accounts
from db.accounts import KeyUse
from db.accounts_database import AccountsDatabase
from db.database import Connection

LONGEST: Final = timedelta(days=120)
"""How long a session can be used."""
IDLE: Final = timedelta(days=30)
"""Longest pause between two uses of a session."""
_SEEN_EVERY: Final = timedelta(minutes=5)
"""The time of the last use is written at most this often, so that reading pages does not write."""


def begin(connection: Connection, account: Account, now: datetime, *, draw: Draw) -> str:
    """Begins a session, and returns its key."""
    key = new_key(KeyKind.SESSION, draw)
    accounts.add_session(connection, account.id, hash=hash_of(key), now=now)
    return key


def find(database: AccountsDatabase, key: str, now: datetime) -> Account | None:
    """The account that the key of a session or a token belongs to; None if the key does not hold."""
    with database.reading() as connection:
        use = _use(connection, key, now)
    if use is None:
        return None
    if use.seen is None or now - use.seen >= _SEEN_EVERY:
        with database.writing() as connection:
            seen = accounts.session_seen if kind_of(key) is KeyKind.SESSION else accounts.token_seen
            seen(connection, use.row, now)
    return use.account


def holding(database: AccountsDatabase, keys: Collection[str], now: datetime) -> dict[str, Account]:
    """The accounts of those keys that hold, by key: asked at once, however many there are. It is no use of a key."""
    with database.reading() as connection:
        return {key: use.account for key, use in _uses(connection, keys, now).items()}


def end(connection: Connection, key: str, now: datetime, *, address: str = "") -> None:
    """Ends the session with this key, if it holds."""
    use = _use(connection, key, now)
    if use is not None and kind_of(key) is KeyKind.SESSION:
        accounts.end_session(connection, use.row, now)
        note(connection, Act.SESSION_ENDED, now, by=use.account, address=address)


def end_all(
    connection: Connection, account: Account, now: datetime, *, by: Account | None = None, address: str = ""
) -> int:
    """Ends all sessions of an account, and returns how many there were. `by`: an instructor, if not its owner."""
    ended = accounts.end_sessions(connection, account.id, now)
    if ended:
        about = "all" if by is None else f"all of {account.author or account.name}"
        note(connection, Act.SESSION_ENDED, now, by=by or account, about=about, address=address)
    return ended


def _use(connection: Connection, key: str, now: datetime) -> KeyUse | None:
    return _uses(connection, [key], now).get(key)


def _uses(connection: Connection, keys: Collection[str], now: datetime) -> dict[str, KeyUse]:
    hashes = {kind: {hash_of(key): key for key in keys if kind_of(key) is kind} for kind in KeyKind}
    of_session, of_token = hashes[KeyKind.SESSION], hashes[KeyKind.TOKEN]
    used: dict[str, KeyUse] = {}
    if of_session:
        used |= accounts.sessions(connection, [*of_session], started_after=now - LONGEST, seen_after=now - IDLE)
    if of_token:
        used |= accounts.held_tokens(connection, [*of_token])
    return {(of_session | of_token)[hash]: use for hash, use in used.items()}
