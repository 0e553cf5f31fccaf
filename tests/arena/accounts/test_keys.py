"""Keys: 256 random bits behind a prefix that says what for; only their hash is stored."""

from __future__ import annotations

import re
from hashlib import sha256
from secrets import token_bytes

import pytest

from arena.accounts.keys import KeyKind, hash_of, kind_of, new_key


@pytest.mark.parametrize("kind", KeyKind)
def test_a_key_is_recognised_by_its_prefix_and_can_stand_in_a_link(kind: KeyKind) -> None:
    key = new_key(kind, token_bytes)
    assert key.startswith(kind)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", key)
    assert kind_of(key) is kind


def test_all_random_bytes_are_in_the_key() -> None:
    assert new_key(KeyKind.SESSION, lambda size: b"\0" * size) == "as_" + "A" * 43
    assert new_key(KeyKind.SESSION, lambda size: b"\xff" * size) == "as_" + "_" * 42 + "8"


def test_something_else_is_no_key() -> None:
    key = new_key(KeyKind.TOKEN, token_bytes)
    for text in ("", "at_", key[:-1], key + "A", key + "\n", " " + key, "az" + key[2:], "at_" + "é" * 43, key.upper()):
        assert kind_of(text) is None, text


def test_the_hash_of_anything_can_be_looked_up() -> None:
    assert hash_of("as_x") == sha256(b"as_x").hexdigest()
    assert len(hash_of("\udcff\0")) == 64
