"""Sessions and tokens: whose they are, and how they end."""

from __future__ import annotations

import re
from datetime import timedelta
from hashlib import sha256
from secrets import token_bytes

import pytest

from arena.accounts import people, sessions
from arena.accounts.audit import Act, entries
from arena.accounts.sessions import IDLE, LONGEST, KeyKind, hash_of, kind_of, new_key
from arena.errors import BadAccount
from db.accounts import AccountsDatabase
from tests.kit.account_room import NOW, invite, sign_in, signed_in

MINUTE = timedelta(minutes=1)


def test_a_session_ends_after_a_month_without_use(database: AccountsDatabase) -> None:
    account, key = signed_in(database)
    assert sessions.find(database, key, NOW + IDLE - MINUTE) == account
    assert sessions.find(database, key, NOW + 2 * IDLE - 2 * MINUTE) == account
    assert sessions.find(database, key, NOW + 3 * IDLE) is None


def test_a_session_ends_after_120_days_however_often_it_is_used(database: AccountsDatabase) -> None:
    account, key = signed_in(database)
    for days in range(10, LONGEST.days, 10):
        assert sessions.find(database, key, NOW + timedelta(days=days)) == account
    assert sessions.find(database, key, NOW + LONGEST) is None


def test_the_time_of_the_last_use_is_written_at_most_every_five_minutes(database: AccountsDatabase) -> None:
    _, key = signed_in(database)

    def seen() -> timedelta:
        with database.reading() as connection:
            (one,) = people.known(connection, "cs101")
        assert one.seen is not None
        return one.seen - NOW

    for minutes, expected in ((1, 0), (4, 0), (5, 5), (9, 5), (60, 60)):
        sessions.find(database, key, NOW + minutes * MINUTE)
        assert seen() == expected * MINUTE


def test_reading_pages_does_not_wait_for_a_program_that_writes(where: str) -> None:
    with AccountsDatabase(where) as database, AccountsDatabase(where) as other:
        account, key = signed_in(database)
        with other.writing():
            assert sessions.find(database, key, NOW + MINUTE) == account


def test_signing_out_ends_one_session_and_ending_all_ends_all(database: AccountsDatabase) -> None:
    account, first = signed_in(database)
    _, second = signed_in(database)
    ann, *_ = invite(database)
    _, others = sign_in(database, ann)
    assert len({first, second, others}) == 3
    with database.writing() as connection:
        sessions.end(connection, first, NOW)
        sessions.end(connection, first, NOW)  # no effect
    assert [sessions.find(database, key, NOW) for key in (first, second)] == [None, account]
    with database.writing() as connection:
        sessions.end_all(connection, account, NOW)
        ended = [one.about for one in entries(connection) if one.what == Act.SESSION_ENDED]
    assert ended == ["all", ""]
    assert [sessions.find(database, key, NOW) for key in (second, others)] == [None, ann.account]


@pytest.mark.parametrize("key", ["", "as_", "as_" + "A" * 43, "at_" + "A" * 43, "ai_" + "A" * 43, "\udcff", "\0"])
def test_what_is_no_key_belongs_to_nobody(database: AccountsDatabase, key: str) -> None:
    signed_in(database)
    assert sessions.find(database, key, NOW) is None
    with database.writing() as connection:
        sessions.end(connection, key, NOW)


def test_a_link_is_no_session_and_a_hash_is_no_key(database: AccountsDatabase) -> None:
    ann, *_ = invite(database)
    assert sessions.find(database, ann.key, NOW) is None
    assert sessions.find(database, "as_" + ann.key[3:], NOW) is None


def test_a_token_works_until_it_is_revoked(database: AccountsDatabase) -> None:
    account, session = signed_in(database)
    with database.writing() as connection:
        key = sessions.make_token(connection, account, "laptop", NOW)
        other = sessions.make_token(connection, account, "editor", NOW)
    assert key.startswith("at_")
    assert sessions.find(database, key, NOW + 3 * LONGEST) == account
    with database.writing() as connection:
        first, second = sessions.listed_tokens(connection, account)
        assert (first.label, first.made, first.seen) == ("laptop", NOW, NOW + 3 * LONGEST)
        assert second.seen is None
        sessions.end(connection, key, NOW)  # a token is no session
        assert sessions.revoke_token(connection, account, first.id, NOW)
        assert not sessions.revoke_token(connection, account, first.id, NOW)
        assert [one.label for one in sessions.listed_tokens(connection, account)] == ["editor"]
        acts = [(one.what, one.about) for one in entries(connection, most=3)]
    assert acts == [(Act.TOKEN_REVOKED, "laptop"), (Act.TOKEN_MADE, "editor"), (Act.TOKEN_MADE, "laptop")]
    assert [sessions.find(database, one, NOW) for one in (key, other, session)] == [None, account, account]


def test_a_token_can_be_revoked_by_its_owner_only(database: AccountsDatabase) -> None:
    account, _ = signed_in(database)
    ann, *_ = invite(database)
    with database.writing() as connection:
        sessions.make_token(connection, account, "laptop", NOW)
        (token,) = sessions.listed_tokens(connection, account)
        assert not sessions.revoke_token(connection, ann.account, token.id, NOW)
        assert sessions.listed_tokens(connection, account) == [token]


def test_an_account_has_at_most_ten_tokens_each_with_a_label(database: AccountsDatabase) -> None:
    account, _ = signed_in(database)
    with database.writing() as connection:
        for number in range(sessions.MOST_TOKENS):
            sessions.make_token(connection, account, f"token {number}", NOW)
        with pytest.raises(BadAccount, match="at most 10 tokens"):
            sessions.make_token(connection, account, "one more", NOW)
        sessions.revoke_token(connection, account, sessions.listed_tokens(connection, account)[0].id, NOW)
        sessions.make_token(connection, account, "one more", NOW)
        for label in ("", "a\nb", "x" * 65):
            with pytest.raises(BadAccount, match="label: expected a name"):
                sessions.make_token(connection, account, label, NOW)


def test_many_keys_are_asked_at_once_and_only_those_that_hold_are_somebody_s(database: AccountsDatabase) -> None:
    eva, first = signed_in(database)
    _, second = signed_in(database)
    ann, bob, _ = invite(database)
    _, of_ann = sign_in(database, ann)
    with database.writing() as connection:
        token = sessions.make_token(connection, bob.account, "laptop", NOW)
        revoked = sessions.make_token(connection, bob.account, "editor", NOW)
        sessions.revoke_token(connection, bob.account, sessions.listed_tokens(connection, bob.account)[1].id, NOW)
        sessions.end(connection, second, NOW)
        people.deactivate_one(connection, ann.account, NOW)
    keys = [first, second, of_ann, token, revoked, bob.key, "rubbish", ""]
    assert sessions.holding(database, keys, NOW) == {first: eva, token: bob.account}
    assert sessions.holding(database, keys, NOW + IDLE) == {token: bob.account}
    assert sessions.holding(database, [], NOW) == {}


# Keys: 256 random bits behind a prefix that says what for; only their hash is stored.


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
