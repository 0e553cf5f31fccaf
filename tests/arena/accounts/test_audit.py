"""The audit: what was done, by whom and from where, the newest first."""

from __future__ import annotations

from datetime import timedelta

from arena.accounts.audit import Act, entries, note, note_once
from db.accounts import AccountsDatabase
from tests.kit.account_room import NOW, signed_in


def test_acts_are_listed_the_newest_first_and_in_parts(database: AccountsDatabase) -> None:
    eva, _ = signed_in(database)
    with database.writing() as connection:
        note(connection, Act.SAW_SOURCE, NOW, by=eva, about="kestrel", address="192.0.2.1")
        note(connection, Act.CLOSED, NOW)
    with database.reading() as connection:
        closed, saw = entries(connection, most=2)
        rest = entries(connection, before=saw.id)
    assert (closed.what, closed.account, closed.about, closed.address, closed.time) == (Act.CLOSED, None, "", "", NOW)
    assert (saw.what, saw.account, saw.about, saw.address) == (Act.SAW_SOURCE, eva, "kestrel", "192.0.2.1")
    assert [(one.what, one.account) for one in rest] == [(Act.SIGNED_IN, eva), (Act.INVITED, None)]


def test_what_is_done_again_within_an_hour_is_noted_once(database: AccountsDatabase) -> None:
    eva, _ = signed_in(database)

    def see(about: str, minutes: int, act: Act = Act.SAW_LOG) -> None:
        note_once(database, act, NOW + timedelta(minutes=minutes), by=eva, about=about, address="192.0.2.1")

    for minutes in (0, 30, 59, 61, 90):
        see("game 1", minutes)
    see("game 2", 0)
    see("game 1", 0, Act.SAW_SOURCE)
    with database.reading() as connection:
        seen = [(one.what, one.about) for one in entries(connection)][:-2]
    assert seen == [("saw source", "game 1"), ("saw log", "game 2"), ("saw log", "game 1"), ("saw log", "game 1")]
