"""Token buckets: one a key, refilled by time alone, and never more than are kept."""

from __future__ import annotations

from datetime import timedelta

import pytest

from arena.accounts import limits
from arena.accounts.limits import Bucket, Buckets
from tests.kit.account_room import NOW

MINUTE = timedelta(minutes=1)


def test_a_burst_is_allowed_and_then_one_each_pause() -> None:
    buckets = Buckets(Bucket(MINUTE, 3))
    assert [buckets.take("ann", NOW) for _ in range(3)] == [None] * 3
    assert buckets.take("ann", NOW) == NOW + MINUTE
    assert buckets.take("ann", NOW + MINUTE - timedelta(seconds=1)) == NOW + MINUTE
    assert buckets.take("ann", NOW + MINUTE) is None
    assert buckets.take("ann", NOW + MINUTE) == NOW + 2 * MINUTE


def test_a_refusal_takes_nothing_and_a_bucket_is_never_fuller_than_full() -> None:
    buckets = Buckets(Bucket(MINUTE, 2))
    for _ in range(50):
        buckets.take("ann", NOW)
    later = NOW + 60 * MINUTE
    assert [buckets.take("ann", later) for _ in range(3)] == [None, None, later + MINUTE]


def test_every_key_has_its_own() -> None:
    buckets = Buckets(Bucket(MINUTE, 1))
    assert [buckets.take(key, NOW) for key in ("ann", "bob", 7, "ann")] == [None, None, None, NOW + MINUTE]


def test_of_very_many_keys_the_oldest_are_forgotten_and_full_ones_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_MOST_KEYS", 8)
    buckets = Buckets(Bucket(MINUTE, 1))
    for number in range(1000):
        assert buckets.take(number, NOW) is None
        assert len(buckets._full) <= 8
    assert buckets.take(999, NOW) is not None
    for number in range(8):
        buckets.take(-number, NOW + 2 * MINUTE)
    assert buckets.take(999, NOW + 2 * MINUTE) is None
