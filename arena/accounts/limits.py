"""How often something is allowed: token buckets, one for each account or each address.

Pure; the time comes in. A bucket is kept as the time when it will be full again, so that nothing has to be refilled.
"""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

_MOST_KEYS: Final = 10_000
"""Largest number of buckets; above it those that were used longest ago are forgotten."""


class Bucket(Struct, frozen=True):
    """A bucket of `burst` tokens, to which one is added every `pause`. Each use takes one."""

    pause: timedelta
    burst: int

    def full_again(self, full: datetime | None, used: datetime) -> datetime:
        """When the bucket is full again after a use; `full`: when it would have been without it (None: it was)."""
        return (used if full is None else max(full, used)) + self.pause

    def possible_again(self, full: datetime) -> datetime:
        """From when there is a token, if the bucket is full again at that time."""
        return full - (self.burst - 1) * self.pause


class Buckets:
    """A bucket for each key, such as the id of an account or an address. It must be used by one thread at a time."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._full: dict[Hashable, datetime] = {}

    def take(self, key: Hashable, now: datetime) -> datetime | None:
        """Takes a token of the key's bucket, and returns None; if there is none, from when there is one."""
        full = self._full.get(key)
        if full is not None and now < (again := self._bucket.possible_again(full)):
            return again
        self._full.pop(key, None)  # so that the last used is the last in the dictionary
        self._full[key] = self._bucket.full_again(full, now)
        if len(self._full) > _MOST_KEYS:
            self._forget(now)
        return None

    def _forget(self, now: datetime) -> None:
        """Forget the buckets that are full; if these are few, the oldest half."""
        kept = {key: full for key, full in self._full.items() if full > now}
        self._full = kept if len(kept) < _MOST_KEYS // 2 else dict([*kept.items()][len(kept) // 2 :])
