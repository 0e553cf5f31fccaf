"""Open streams end with the rights of those who follow them, and go on for everybody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.accounts import people, sessions
from arena.web import server
from arena.web.events import Owner
from db import accounts
from db.accounts import AccountsDatabase
from tests.kit.account_room import sign_in
from tests.kit.managed_ladder import NOW, ManagedLadder
from tests.kit.pages_in_process import PagesInProcess, pages_in_process
from tests.kit.web_record import STUDENTS, WebRecord
from tests.kit.web_room import PageServer

OWN = STUDENTS[1]


def signed_out(room: ManagedLadder, account: people.Account, key: str) -> None:
    with room.accounts.writing() as connection:
        sessions.end(connection, key, NOW)


def deactivated(room: ManagedLadder, account: people.Account, key: str) -> None:
    with room.accounts.writing() as connection:
        people.deactivate_one(connection, account, NOW)


def now_of_another_author(room: ManagedLadder, account: people.Account, key: str) -> None:
    with room.accounts.writing() as connection:
        accounts.change_account(connection, account.id, author="carol")


def now_of_another_ladder(room: ManagedLadder, account: people.Account, key: str) -> None:
    with room.accounts.writing() as connection:
        accounts.change_account(connection, account.id, ladder="cs102")


@pytest.mark.parametrize("happens", [signed_out, deactivated, now_of_another_author, now_of_another_ladder])
def test_a_stream_ends_when_its_session_or_account_ends_or_changes(
    room: ManagedLadder, pages: PagesInProcess, happens: Callable[[ManagedLadder, people.Account, str], None]
) -> None:
    student, _ = sign_in(room.accounts, room.links[0], now=NOW)
    theirs, others = pages.key(student), pages.key(room.instructor)
    assert pages.ask("/me", by=student).status == 200
    streams = pages.site.streams
    ending = [streams.open("s=1", Owner(theirs, student)) for _ in range(2)]
    staying = [streams.open("s=1", Owner(others, room.instructor)), streams.open("t=cs101")]
    pages.run(server.end_streams(pages.site))
    assert not any(stream.is_closed for stream in ending)
    happens(room, student, theirs)
    pages.run(server.end_streams(pages.site))
    assert all(stream.is_closed for stream in ending)
    assert not any(stream.is_closed for stream in staying)
    again = pages.ask("/events?t=cs101", by=student, method="HEAD")
    assert again.status == (200 if happens is now_of_another_author else 404), "it is asked anew at once"


def test_however_many_streams_there_are_one_query_asks_for_all(
    room: ManagedLadder, pages: PagesInProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    holding = sessions.holding

    def counted(database: AccountsDatabase, keys: set[str], now: datetime) -> object:
        asked.append(len(keys))
        return holding(database, keys, now)

    monkeypatch.setattr(sessions, "holding", counted)
    student, _ = sign_in(room.accounts, room.links[0], now=NOW)
    pages.run(server.end_streams(pages.site))
    for account in (student, room.instructor):
        for number in range(250):
            pages.site.streams.open(f"g={number % 100}", Owner(pages.key(account), account))
    pages.run(server.end_streams(pages.site))
    assert asked == [2]


def test_a_failure_is_reported_and_does_not_end_the_watch(room: ManagedLadder, monkeypatch: pytest.MonkeyPatch) -> None:
    with pages_in_process(room) as pages:
        failures = [RuntimeError("no answer"), None]

        async def once(_: object) -> None:
            if (failure := failures.pop(0)) is not None:
                raise failure
            raise asyncio.CancelledError

        monkeypatch.setattr(server, "end_streams", once)
        monkeypatch.setattr(server, "_LOOKS_EVERY", 0)
        with pytest.raises(asyncio.CancelledError):
            pages.run(server.watch_sessions(pages.site))
        assert pages.complaints == ["the accounts do not say who is still signed in: no answer"]
        pages.complaints.clear()


def test_a_real_server_ends_the_stream_of_a_command_that_ended_an_account(
    server_with_roster: PageServer, record: WebRecord
) -> None:
    port = server_with_roster.address.rpartition(":")[2]
    cookie = f"arena-{port}={record.session('leaver')}"
    with (
        server_with_roster.open("/events?t=cs101") as visitor,
        server_with_roster.open("/events?t=cs101", cookie=cookie) as stream,
    ):
        assert stream.readline() == b"retry: 1000\n"
        with AccountsDatabase(record.database) as database, database.writing() as connection:
            people.deactivate(connection, "cs101", "leaver", datetime.now(UTC))
        stream.read()  # to its end
        assert visitor.readline() == b"retry: 1000\n"
    assert server_with_roster.get("/me/why", cookie=cookie).status == 401
