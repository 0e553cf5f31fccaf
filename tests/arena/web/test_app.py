"""What routes have in common: what is kept for whom, how much one viewer gets, and what an answer takes to be given."""

from __future__ import annotations

import asyncio
import io
import re
from typing import Any

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.accounts import people
from arena.web.app import drawn_key
from arena.web.live_record import LiveRecord
from arena.web.live_routes import _MOST_OF_VISITORS, _MOST_TOPICS_OF_VISITORS
from arena.web.own_routes import _Download
from arena.web.page_values import HTML, Asked, Drawn
from arena.web.permissions import MEMBER, VISITOR, Names
from db import games, store
from tests.kit.account_room import sign_in
from tests.kit.managed_ladder import NOW, ManagedLadder
from tests.kit.pages_in_process import PagesInProcess, pages_in_process
from tests.kit.sample_record import Book

ADDRESS = "192.0.2.7"
"""Of those who ask `pages`."""


def publish(room: ManagedLadder) -> None:
    """Visitors see the ladder."""
    with room.record.writing() as connection:
        connection.exec_driver_sql("UPDATE tournament SET settings = json_set(settings, '$.public', json('true'))")


def test_what_was_drawn_before_the_first_request_is_given(room: ManagedLadder, pages: PagesInProcess) -> None:
    pages.site.cache.draw_now(drawn_key("/", Asked({}, {})), lambda: Drawn(b"<p>planted", HTML))
    assert pages.ask("/").text == "<p>planted"
    student, _ = sign_in(room.accounts, room.links[0], now=NOW)
    assert "planted" not in pages.ask("/", by=student).text


def test_one_address_cannot_take_all_streams(room: ManagedLadder, pages: PagesInProcess) -> None:
    publish(room)
    opened = pages.site.open_pages
    for number in range(_MOST_TOPICS_OF_VISITORS):
        opened[ADDRESS, f"g={number}"] = 1
    student, _ = sign_in(room.accounts, room.links[0], now=NOW)
    assert pages.ask("/events?t=cs101", method="HEAD").status == 503
    assert pages.ask("/events?t=cs101", method="HEAD", by=student).status == 200, "accounts are counted by themselves"
    opened[ADDRESS, "t=cs101"] = 1
    assert pages.ask("/events?t=cs101", method="HEAD").status == 200, "it is followed already"
    opened[ADDRESS, "t=cs101"] = _MOST_OF_VISITORS
    assert pages.ask("/events?t=cs101", method="HEAD").status == 503
    opened[student.id, "s=1"] = 20
    assert pages.ask("/events?t=cs101", method="HEAD", by=student).status == 503


def test_a_game_that_the_viewer_may_not_see_is_not_read(room: ManagedLadder, monkeypatch: pytest.MonkeyPatch) -> None:
    """How long an answer takes does not say that there is such a game."""
    read: list[bool] = []
    seen = games.games

    def noted(*args: Any, whole: bool = False) -> Any:
        read.append(whole)
        return seen(*args, whole=whole)

    monkeypatch.setattr(games, "games", noted)
    record = LiveRecord(room.record, Names().seen_by(VISITOR), "cs101")
    assert record.whole_game(1) is None
    assert read == [False]
    publish(room)
    assert record.whole_game(1) is not None


def test_the_front_page_of_visitors_depends_on_public_tournaments_alone(room: ManagedLadder) -> None:
    publish(room)
    record = LiveRecord(room.record, Names().seen_by(VISITOR), "cs101")
    members, visitors = record.front(public=False), record.front(public=True)

    def changes() -> tuple[bool, bool]:
        nonlocal members, visitors
        before = members, visitors
        members, visitors = record.front(public=False), record.front(public=True)
        return members != before[0], visitors != before[1]

    assert changes() == (False, False)
    with room.record.writing() as connection:
        book = Book(connection)
        cup = book.tournament("cup", "tictactoe")
    assert changes() == (False, False), "these names see what visitors see"
    with room.record.writing() as connection:
        book = Book(connection)
        book.enter(cup, "alice", "bob")
        book.play(cup, "tictactoe", ("alice", "bob"))
        store.begin(connection, book.plan(cup, "tictactoe", ("bob", "alice")), book.now)
    assert changes() == (False, False)
    publish(room)
    assert changes() == (True, True)


def test_the_tv_shows_each_viewer_all_that_they_may_see(
    room: ManagedLadder, pages: PagesInProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ladder that is not public is shown to those who are signed in."""
    with room.record.writing() as connection:
        book = Book(connection)
        cup = book.tournament("cup", "tictactoe")
        book.enter(cup, "alice", "bob")
        store.begin(connection, book.plan(cup, "tictactoe", ("bob", "alice")), book.now)
    record = LiveRecord(room.record, Names().seen_by(MEMBER), "cs101")
    assert record.next_game(None, without=(), before=(), public=True) is None
    assert record.next_game(None, without=(), before=(), public=False) is not None
    assert (record.side(None, public=True), bool(record.side(None, public=False))) == ({}, True)
    followed: list[str] = []

    async def state(topic: str, kind: str, *, patience: float) -> None:
        followed.append(topic)

    monkeypatch.setattr(pages.site.streams, "state", state)
    student, _ = sign_in(room.accounts, room.links[0], now=NOW)
    for by in (student, None):
        assert pages.ask("/tv", by=by).status == 200
    assert followed == ["tv=", "tv=", "public-tv=", "public-tv="]


def test_a_download_whose_client_has_gone_is_over() -> None:
    """Else the account could not download anything any more."""
    done: list[bool] = []

    async def gone() -> Any:
        return {"type": "http.disconnect"}

    async def send(_: Any) -> None:
        return

    file = io.BytesIO(b"x")
    answer = _Download(file, "x.zip", done=lambda: done.append(True))
    asyncio.run(answer({"type": "http"}, gone, send))
    assert done == [True]
    assert file.closed


def test_a_link_that_fails_is_reported_without_its_key(room: ManagedLadder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(people, "open_invitation", fail)
    with pages_in_process(room) as pages:
        with pytest.raises(RuntimeError):  # starlette raises it again after the answer
            pages.ask(f"/in/{room.links[0].key}")
        (complaint,) = pages.complaints
        assert complaint.startswith("the page /in/... cannot be shown")
        pages.complaints.clear()


def test_an_instructor_gets_from_an_agent_to_what_was_handed_in_and_nobody_else_does(
    room: ManagedLadder, pages: PagesInProcess
) -> None:
    known, _ = sign_in(room.accounts, room.links[1], now=NOW)
    ids = [id for (id,) in room.sql("SELECT id FROM submission WHERE author = 'bob' ORDER BY id DESC LIMIT 5")]
    text = pages.ask("/t/cs101/a/bob", by=room.instructor).text
    assert re.findall(r'href="/s/(\d+)">submission', text) == [*map(str, ids)]
    assert 'href="/s/' not in pages.ask("/t/cs101/a/bob", by=known).text
    object.__setattr__(pages.site, "served", "another ladder")  # only its submissions have pages
    pages.site.cache.forget()
    assert 'href="/s/' not in pages.ask("/t/cs101/a/bob", by=room.instructor).text


def test_the_page_of_a_submission_says_the_rank_of_its_agent(room: ManagedLadder, pages: PagesInProcess) -> None:
    ((id,),) = room.sql("SELECT MAX(id) FROM submission WHERE author = 'bob' AND state = 'entered'")
    text = pages.ask(f"/s/{id}", by=room.instructor).text
    rank, ranked = re.findall(r"Rank (\d) of (\d). Rating -?[\d,]+ ± \d+", text)[0]
    standings = pages.ask("/t/cs101", by=room.instructor).text
    places = dict(re.findall(r'<td class="number">(\d|–)</td><th[^>]*>.{0,60}?<a href="[^"]*">([\w:=]+)<', standings))
    assert rank == next(place for place, name in places.items() if name == "bob")
    assert int(ranked) == sum(place != "–" for place in places)
