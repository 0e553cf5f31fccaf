"""Tokens: keys with which a program, such as `arena submit`, acts for an account until they are revoked.

A token is shown once, when it is made; only its hash is stored. `sessions.find` says whose it is.
"""

from __future__ import annotations

from datetime import datetime
from secrets import token_bytes
from typing import Final

from arena.accounts.audit import Act, note
from arena.accounts.keys import Draw, KeyKind, hash_of, new_key
from arena.accounts.people import Account
from arena.errors import BadAccount
from arena.tournament.description import what_is_wrong_with
from db import accounts
from db.accounts import StoredToken
from db.database import Connection

MOST: Final = 10
"""Largest number of tokens of an account."""


def make(
    connection: Connection, account: Account, label: str, now: datetime, *, address: str = "", draw: Draw = token_bytes
) -> str:
    """A new token, with a label by which its owner knows it again; BadAccount if it cannot be made."""
    if wrong := what_is_wrong_with(label):
        raise BadAccount(f"label: {wrong}")
    if len(listed(connection, account)) >= MOST:
        raise BadAccount(f"expected at most {MOST} tokens, and there are {MOST}: revoke one first")
    key = new_key(KeyKind.TOKEN, draw)
    accounts.add_token(connection, account.id, hash=hash_of(key), label=label, now=now)
    note(connection, Act.TOKEN_MADE, now, by=account, about=label, address=address)
    return key


def listed(connection: Connection, account: Account) -> list[StoredToken]:
    """The tokens of the account that hold, the oldest first."""
    return accounts.tokens(connection, account.id)


def revoke(connection: Connection, account: Account, token: int, now: datetime, *, address: str = "") -> bool:
    """Revokes the account's token with this id, and returns whether there was one."""
    labels = accounts.revoke_tokens(connection, account.id, now, only=token)
    for label in labels:
        note(connection, Act.TOKEN_REVOKED, now, by=account, about=label, address=address)
    return bool(labels)
