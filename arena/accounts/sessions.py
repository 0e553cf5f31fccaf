"""Sessions and tokens: which account a request belongs to, by its key; and how keys are made, recognised and stored.

A session begins when an invitation is used (`people.py`). It ends after 30 days without use, after 120 days at
all, when somebody ends it, and with its account.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from secrets import token_bytes
from typing import Final

from arena.accounts.audit import Act, note
from arena.errors import BadAccount
from arena.tournament.description import what_is_wrong_with
from db import accounts
from db.accounts import AccountsDatabase, KeyUse, StoredToken
from db.accounts import StoredAccount as Account
from db.database import Connection

LONGEST: Final = timedelta(days=120)
"""How long a session can be used."""
IDLE: Final = timedelta(days=30)
"""Longest pause between two uses of a session."""
_SEEN_EVERY: Final = timedelta(minutes=5)
"""The time of the last use is written at most this often, so that reading pages does not write."""


def begin(connection: Connection, account: Account, now: datetime) -> str:
    """Begins a session, and returns its key."""
    key = new_key(KeyKind.SESSION)
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
            of = accounts.Session if kind_of(key) is KeyKind.SESSION else accounts.Token
            accounts.key_seen(connection, of, use.row, now)
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


# Tokens: keys with which a program, such as `arena submit`, acts for an account until they are revoked.


MOST_TOKENS: Final = 10
"""Largest number of tokens of an account."""


def make_token(connection: Connection, account: Account, label: str, now: datetime, *, address: str = "") -> str:
    """A new token, with a label by which its owner knows it again; BadAccount if it cannot be made."""
    if wrong := what_is_wrong_with(label):
        raise BadAccount(f"label: {wrong}")
    if len(listed_tokens(connection, account)) >= MOST_TOKENS:
        raise BadAccount(f"expected at most {MOST_TOKENS} tokens, and there are {MOST_TOKENS}: revoke one first")
    key = new_key(KeyKind.TOKEN)
    accounts.add_token(connection, account.id, hash=hash_of(key), label=label, now=now)
    note(connection, Act.TOKEN_MADE, now, by=account, about=label, address=address)
    return key


def listed_tokens(connection: Connection, account: Account) -> list[StoredToken]:
    """The tokens of the account that hold, the oldest first."""
    return accounts.tokens(connection, account.id)


def revoke_token(connection: Connection, account: Account, token: int, now: datetime, *, address: str = "") -> bool:
    """Revokes the account's token with this id, and returns whether there was one."""
    labels = accounts.revoke_tokens(connection, account.id, now, only=token)
    for label in labels:
        note(connection, Act.TOKEN_REVOKED, now, by=account, about=label, address=address)
    return bool(labels)


# The secrets that make a link, a session or a token work: how they are made, recognised and stored.


_BYTES: Final = 32
_KEY: Final = re.compile(r"(a[ist]_)[A-Za-z0-9_-]{43}", re.ASCII)

Draw = Callable[[int], bytes]
"""Returns this number of random bytes, such as `secrets.token_bytes`."""


class KeyKind(StrEnum):
    """What a key is for: the first letters of all such keys."""

    INVITATION = "ai_"
    SESSION = "as_"
    TOKEN = "at_"


def new_key(kind: KeyKind, draw: Draw = token_bytes) -> str:
    """A new key: letters, digits, "-" and "_"."""
    return kind + urlsafe_b64encode(draw(_BYTES)).rstrip(b"=").decode()


def kind_of(key: str) -> KeyKind | None:
    """What the key is for; None if it is no key."""
    found = _KEY.fullmatch(key)
    return None if found is None else KeyKind(found[1])


def hash_of(key: str) -> str:
    """What is stored of a key."""
    return sha256(key.encode("utf-8", "replace")).hexdigest()
