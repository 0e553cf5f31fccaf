"""The secrets that make a link, a session or a token work: how they are made, recognised and stored.

Pure; the randomness comes in. A key has 256 random bits, so its SHA-256 can be stored without a salt: the hash finds
the row, and nobody can go back from it to the key.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from enum import StrEnum
from hashlib import sha256
from typing import Final

_BYTES: Final = 32
_KEY: Final = re.compile(r"(a[ist]_)[A-Za-z0-9_-]{43}", re.ASCII)

Draw = Callable[[int], bytes]
"""Returns this number of random bytes, such as `secrets.token_bytes`."""


class KeyKind(StrEnum):
    """What a key is for: the first letters of all such keys."""

    INVITATION = "ai_"
    SESSION = "as_"
    TOKEN = "at_"


def new_key(kind: KeyKind, draw: Draw) -> str:
    """A new key: letters, digits, "-" and "_"."""
    return kind + urlsafe_b64encode(draw(_BYTES)).rstrip(b"=").decode()


def kind_of(key: str) -> KeyKind | None:
    """What the key is for; None if it is no key."""
    found = _KEY.fullmatch(key)
    return None if found is None else KeyKind(found[1])


def hash_of(key: str) -> str:
    """What is stored of a key."""
    return sha256(key.encode("utf-8", "replace")).hexdigest()
