"""People: who there is, when they were there, and what ends an account."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest

from arena.accounts import people, sessions
from arena.accounts.audit import Act, entries
from arena.accounts.people import HOLDS, Role, invite_instructor, open_invitation, use_invitation
from arena.errors import BadAccount, BadRoster
from db.accounts import AccountsDatabase
from tests.kit.account_room import NOW, ROSTER, invite, sign_in, signed_in

HOUR = timedelta(hours=1)


def test_the_list_says_when_each_was_invited_signed_in_and_seen(database: AccountsDatabase) -> None:
    ann, *_ = invite(database)
    _, key = sign_in(database, ann, now=NOW + HOUR)
    sessions.find(database, key, NOW + 2 * HOUR)
    with database.writing() as connection:
        token = sessions.make_token(connection, ann.account, "laptop", NOW + 2 * HOUR)
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
        keys.append(sessions.make_token(connection, bob.account, "laptop", NOW))
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


# Invitations: one for each student, used once, for two weeks; a team has one author.


def opens(database: AccountsDatabase, key: str, *, after: timedelta = timedelta()) -> bool:
    """Whether the link would work."""
    with database.reading() as connection:
        return open_invitation(connection, key, NOW + after) is not None


def test_every_student_has_an_account_and_a_link_and_a_team_has_one_author(database: AccountsDatabase) -> None:
    invited = invite(database)
    assert [(one.account.student, one.account.author, one.email) for one in invited] == [
        ("1", "kestrel", "ann@example.org"),
        ("2", "otter", "bob@example.org"),
        ("3", "otter", "cid@example.org"),
    ]
    assert all(one.account.role is Role.STUDENT and one.account.ladder == "cs101" for one in invited)
    assert {one.expires for one in invited} == {NOW + HOLDS}
    assert len({one.key for one in invited}) == 3
    _, bob, cid = (one.account for one in invited)
    for agent, own in (("otter", True), ("otter.second", True), ("kestrel", False), ("otter2", False), ("", False)):
        assert bob.owns("cs101", agent) is cid.owns("cs101", agent) is own
    assert not bob.owns("cs102", "otter")


def test_opening_a_link_changes_nothing_and_using_it_signs_in_once(database: AccountsDatabase) -> None:
    ann, *_ = invite(database)
    assert opens(database, ann.key)
    assert opens(database, ann.key)
    account, session = sign_in(database, ann)
    assert account == ann.account
    assert sessions.find(database, session, NOW) == account
    assert not opens(database, ann.key)
    with database.writing() as connection:
        assert use_invitation(connection, ann.key, NOW) is None
        assert [one.what for one in entries(connection)] == [Act.SIGNED_IN, Act.INVITED, Act.INVITED, Act.INVITED]


def test_a_link_expires(database: AccountsDatabase) -> None:
    ann, *_ = invite(database)
    assert opens(database, ann.key, after=HOLDS - timedelta(seconds=1))
    assert not opens(database, ann.key, after=HOLDS)
    with database.writing() as connection:
        assert use_invitation(connection, ann.key, NOW + HOLDS) is None


@pytest.mark.parametrize("key", ["", "ai_", "ai_" + "A" * 43, "\udcff", "' OR 1 = 1 --"])
def test_what_is_no_link_signs_nobody_in(database: AccountsDatabase, key: str) -> None:
    ann, *_ = invite(database)
    _, session = sign_in(database, ann)
    for one in (key, session):
        assert not opens(database, one)
        with database.writing() as connection:
            assert use_invitation(connection, one, NOW) is None


def test_a_new_link_replaces_an_unused_one_and_ends_no_session(database: AccountsDatabase) -> None:
    ann, bob, _ = invite(database)
    _, session = sign_in(database, ann)
    new_ann, new_bob, _ = invite(database)
    assert (new_ann.account, new_bob.account) == (ann.account, bob.account)
    assert not opens(database, bob.key)
    assert opens(database, new_bob.key)
    assert sessions.find(database, session, NOW) == ann.account
    assert sign_in(database, new_ann)[1] != session


def test_a_link_that_two_use_at_once_signs_in_one(where: str) -> None:
    """Each of them with connections of its own, as two processes have."""
    both = Barrier(2)

    def use(key: str) -> bool:
        with AccountsDatabase(where) as database:
            both.wait()
            with database.writing() as connection:
                return use_invitation(connection, key, NOW) is not None

    with AccountsDatabase(where) as database, ThreadPoolExecutor(2) as threads:
        for invited in invite(database):
            assert sorted(threads.map(use, [invited.key] * 2)) == [False, True]


def test_threads_of_one_process_share_the_database(database: AccountsDatabase) -> None:
    def use(key: str) -> bool:
        with database.writing() as connection:
            return use_invitation(connection, key, NOW) is not None

    with ThreadPoolExecutor(8) as threads:
        for invited in invite(database):
            assert sorted(threads.map(use, [invited.key] * 8)) == [False] * 7 + [True]


def test_a_renewed_roster_changes_accounts_and_deletes_none(database: AccountsDatabase) -> None:
    ann, bob, cid = invite(database)
    _, session = sign_in(database, ann)
    renewed = "id,name,alias\n1,Ann Berg-Lind,heron\n3,Cid Voss,otter\n4,Dan Roth,wren\n"
    new_ann, new_cid, dan = invite(database, renewed)
    assert (new_ann.account.id, new_ann.account.name, new_ann.account.author) == (
        ann.account.id,
        "Ann Berg-Lind",
        "heron",
    )
    assert sessions.find(database, session, NOW) == new_ann.account
    assert new_cid.account.id == cid.account.id
    with database.reading() as connection:
        listed = [one.account.id for one in people.known(connection, "cs101")]
    assert listed == [ann.account.id, bob.account.id, cid.account.id, dan.account.id]
    assert opens(database, bob.key)


def test_students_without_an_id_are_known_by_their_name_until_they_have_one(database: AccountsDatabase) -> None:
    (ann,) = invite(database, "name,alias\nAnn Berg,kestrel\n")
    (again,) = invite(database, "name,alias\nann  BERG,kestrel\n")
    (with_id,) = invite(database, "id,name,alias\n1,Ann Berg,kestrel\n")
    assert ann.account.id == again.account.id == with_id.account.id
    (other,) = invite(database, "id,name,alias\n2,Ann Berg,heron\n")
    assert other.account.id != ann.account.id


def test_one_alias_can_be_invited_alone(database: AccountsDatabase) -> None:
    assert [one.account.student for one in invite(database, only="OTTER")] == ["2", "3"]
    with pytest.raises(BadRoster, match=r"roster.csv: expected the alias of a student on it, got 'oter'; did you mean"):
        invite(database, only="oter")


def test_the_roster_of_a_second_ladder_makes_other_accounts(database: AccountsDatabase) -> None:
    ann, *_ = invite(database)
    other, *_ = invite(database, "id,name,alias\n9,Zoe Sand,kestrel\n1,Ann Berg,otter\n", ladder="cs102")
    assert other.account.id != ann.account.id
    assert not other.account.owns("cs101", "kestrel")
    assert opens(database, ann.key)
    with database.reading() as connection:
        assert [one.account.student for one in people.known(connection, "cs102")] == ["9", "1"]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("1,Ann,", "line 2: expected an alias, under which the student hands in"),
        ("1,Ann,a.b", "line 2: the alias cannot be the name of an author: author: expected a name without a dot"),
        ("1,Ann,random", "line 2: the alias cannot be the name of an author: 'random' is an anchor"),
        ("1,Ann,kestrel\n2,Bob,<b>", "line 3: the alias cannot be the name of an author"),
        (",Ann,kestrel\n,ann,wren", "line 3: expected an id, because 'ann' is the name in line 2 too"),
    ],
)
def test_a_roster_whose_students_cannot_hand_in_invites_nobody(
    database: AccountsDatabase, lines: str, words: str
) -> None:
    with pytest.raises(BadRoster, match=words):
        invite(database, f"id,name,alias\n{lines}\n")
    with database.reading() as connection:
        assert people.known(connection, "cs101") == []


def test_instructors_belong_to_no_ladder_and_are_known_by_their_name(database: AccountsDatabase) -> None:
    eva, _ = signed_in(database)
    assert (eva.role, eva.ladder, eva.author, eva.is_instructor) == (Role.INSTRUCTOR, "", "", True)
    assert not eva.owns("cs101", "")
    assert not eva.owns("", "kestrel")
    with database.writing() as connection:
        assert invite_instructor(connection, "eva", NOW).account == eva
        assert invite_instructor(connection, "", NOW).account.id != eva.id
        with pytest.raises(BadAccount, match="expected a name of printable characters"):
            invite_instructor(connection, "e\x1bva", NOW)
    invite(database, ROSTER)
    for ladder in ("cs101", "cs102"):
        with database.reading() as connection:
            assert people.known(connection, ladder)[0].account == eva
