"""People: who there is, when they were there, and what ends an account."""

from __future__ import annotations

from datetime import timedelta

import pytest

from arena.accounts import people, sessions, tokens
from arena.accounts.audit import Act, entries
from arena.accounts.invitations import open_invitation
from arena.errors import BadAccount
from db.accounts_database import AccountsDatabase
from tests.kit.account_room import NOW, invite, sign_in, signed_in

HOUR = timedelta(hours=1)


def test_the_list_says_when_each_was_invited_signed_in_and_seen(database: AccountsDatabase) -> None:
    ann, *_ = invite(database)
    _, key = sign_in(database, ann, now=NOW + HOUR)
    sessions.find(database, key, NOW + 2 * HOUR)
    with database.writing() as connection:
        token = tokens.make(connection, ann.account, "laptop", NOW + 2 * HOUR)
    sessions.find(database, token, NOW + 3 * HOUR)
    invite(database, now=NOW + 4 * HOUR)
    with database.reading() as connection:
        first, second, _ = people.known(connection, "cs101")
    assert (first.invited, first.signed_in, first.seen) == (NOW + 4 * HOUR, NOW + HOUR, NOW + 3 * HOUR)
    assert (second.invited, second.signed_in, second.seen) == (NOW + 4 * HOUR, None, None)


def test_deactivating_an_author_ends_all_keys_of_the_team(database: AccountsDatabase) -> None:
    ann, bob, cid = invite(database)
    keys = [sign_in(database, one)[1] for one in (ann, bob)]
    with database.writing() as connection:
        keys.append(tokens.make(connection, bob.account, "laptop", NOW))
        ended = people.deactivate(connection, "cs101", "Otter", NOW)
        acts = [(one.what, one.about, one.account) for one in entries(connection, most=2)]
        assert open_invitation(connection, cid.key, NOW) is None
    assert [(one.id, one.active) for one in ended] == [(bob.account.id, False), (cid.account.id, False)]
    assert acts == [(Act.DEACTIVATED, "otter", None)] * 2
    assert [sessions.find(database, key, NOW) for key in keys] == [ann.account, None, None]


def test_a_deactivated_account_is_invited_again_by_its_alias_only(database: AccountsDatabase) -> None:
    _, bob, _ = invite(database)
    _, session = sign_in(database, bob)
    with database.writing() as connection:
        people.deactivate(connection, "cs101", "otter", NOW)
    assert [one.account.author for one in invite(database)] == ["kestrel"]
    again, _ = invite(database, only="otter")
    assert again.account == bob.account
    assert sessions.find(database, session, NOW) is None
    sign_in(database, again)


def test_an_instructor_is_deactivated_by_name_and_an_unknown_author_is_an_error(database: AccountsDatabase) -> None:
    eva, key = signed_in(database)
    invite(database)
    with database.writing() as connection:
        with pytest.raises(BadAccount, match=r"'cs101' has no account of an author 'kestel'; did you mean 'kestrel'"):
            people.deactivate(connection, "cs101", "kestel", NOW)
        with pytest.raises(BadAccount):
            people.deactivate(connection, "cs102", "kestrel", NOW)
        assert [one.id for one in people.deactivate(connection, "cs101", "eva", NOW)] == [eva.id]
    assert sessions.find(database, key, NOW) is None
