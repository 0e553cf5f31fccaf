"""Who gets the page that says why an agent lost: its author alone, and never with what another author asks for."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.web import own as why
from arena.web.analyses import Analyses
from arena.web.app import application
from arena.web.cache import Cache
from db.records import JudgedPly
from tests.arena.web.test_own import SECRET, Room
from tests.kit.sample_record import X_WINS


class SignIns:
    """Believes what a request says in its header."""

    async def account(self, request: Any) -> SimpleNamespace | None:
        """The account."""
        author, ladder = request.headers.get("x-author"), "cs101"
        if author is None:
            return None
        is_instructor = author == "staff"
        role = "instructor" if is_instructor else "student"
        return SimpleNamespace(id=1, role=role, author=author, ladder=ladder, is_instructor=is_instructor)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    room = Room(tmp_path)
    with room.database:
        room.play(room.ladder.id, "alice", "bob", moves="a1", verdict="crashed", fault=1, stderr=SECRET)
        room.play(room.ladder.id, "alice", "bob", moves=X_WINS)
        room.play(room.ladder.id, "bob", "alice.two", moves=X_WINS)
        yield room


def asked(
    room: Room, *requests: tuple[str, dict[str, str]], mistakes: dict[str, Mapping[int, JudgedPly]] | None = None
) -> list[tuple[int, dict[str, str], str]]:
    """The answers to these requests, which are made at once: an address and headers each. `mistakes`: of a site that
    answers several times."""

    async def get(app: Any, address: str, headers: dict[str, str]) -> tuple[int, dict[str, str], str]:
        path, _, query = address.partition("?")
        sent: list[dict[str, Any]] = []
        fields = [(name.encode(), value.encode()) for name, value in {"host": "localhost", **headers}.items()]
        scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "headers": fields}
        scope |= {"query_string": query.encode(), "client": ("127.0.0.1", 1), "root_path": "", "http_version": "1.1"}

        async def receive() -> dict[str, Any]:
            await asyncio.Event().wait()  # nothing more is sent, and the client stays
            raise AssertionError

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await app(scope, receive, send)
        names = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], names, b"".join(part.get("body", b"") for part in sent[1:]).decode()

    async def all_at_once() -> list[tuple[int, dict[str, str], str]]:
        with ThreadPoolExecutor(3) as threads:
            site: Any = SimpleNamespace(
                why_turns=asyncio.Semaphore(1),
                database=room.database,
                store=room.folder / "store",
                served="cs101",
                takes=lambda _: True,
                threads=threads,
                cache=Cache(threads, failed=lambda error: pytest.fail(str(error))),
                names=room.names,
                sign_ins=SignIns(),
                no_sign_in="",
                complain=pytest.fail,
                analyses=Analyses(""),
                mistakes={} if mistakes is None else mistakes,
            )
            app = application(site)
            return await asyncio.gather(*(get(app, address, headers) for address, headers in requests))

    return asyncio.run(all_at_once())


def test_an_author_gets_the_own_page_which_nobody_else_keeps(room: Room) -> None:
    ((status, headers, text),) = asked(room, ("/me/why", {"x-author": "bob"}))
    assert status == 200
    assert SECRET in text
    assert headers["cache-control"] == "private, no-cache"
    assert "default-src 'none'" in headers["content-security-policy"]


def test_nobody_gets_the_page_of_another_author(room: Room) -> None:
    alice = {"x-author": "alice"}
    answers = asked(
        room,
        ("/me/why", {}),
        ("/me/why", {"x-author": "staff"}),
        ("/me/why", {"x-author": "nobody"}),
        ("/me/why?agent=bob", alice),
        ("/me/why?agent=.bob&author=bob", alice),
        ("/me/why", alice),
        ("/me/why?author=bob&round=1", alice),
    )
    assert [status for status, _, _ in answers] == [401, 400, 200, 404, 404, 200, 200]
    assert not any(SECRET in text for _, _, text in answers)
    assert "There are no finished games yet." in answers[2][2]


def test_a_link_leads_to_the_mistake_which_is_marked_there_for_its_author_alone(room: Room) -> None:
    game = room.play(room.ladder.id, "alice", "bob", moves="a1 b1 b2 c1 c3")
    bob, alice, mistakes = {"x-author": "bob"}, {"x-author": "alice"}, dict[str, Mapping[int, JudgedPly]]()
    ((_, _, why_page),) = asked(room, ("/me/why", bob), mistakes=mistakes)
    ply = mistakes["bob"][game].ply
    assert f'href="/g/{game}#ply-{ply}"' in why_page
    (_, _, own), (_, _, other) = asked(room, (f"/g/{game}", bob), (f"/g/{game}", alice), mistakes=mistakes)
    says = r"bob played \w\d\?+, better was"
    assert re.search(says, own[own.index(f'id="ply-{ply}"') :].partition('id="ply-')[2].partition('id="ply-')[0])
    assert "bob: no mistakes" not in own
    assert not re.search(says, other)


def test_the_page_of_a_game_leads_to_the_games_beside_it_to_the_tv_and_to_both_players(room: Room) -> None:
    first, second, third = (room.play(room.ladder.id, "alice", "bob", moves=X_WINS) for _ in range(3))
    alice = {"x-author": "alice"}
    shown = [text for _, _, text in asked(room, *((f"/g/{id}", alice) for id in (first, second, third)))]
    assert f'href="/g/{first}"' in shown[1]
    assert f'href="/g/{third}"' in shown[1]
    assert f'href="/g/{second}"' in shown[0]
    assert f'href="/g/{second}"' in shown[2]
    for text in shown:
        assert {"/tv?t=cs101", "/t/cs101/a/alice", "/t/cs101/a/bob"} <= {*re.findall('href="([^"]*)"', text)}


def test_a_page_is_drawn_once_however_many_ask(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    draw = why.feedback

    def counted(*given: Any, **more: Any) -> Any:
        drawn.append(given[4])
        return draw(*given, **more)

    monkeypatch.setattr(why, "feedback", counted)
    places = [("/me/why", {"x-author": "bob"}), ("/me/why", {"x-author": "alice"})]
    places.append(("/me/why?agent=two", {"x-author": "alice"}))
    answers = asked(room, *(place for place in places for _ in range(8)))
    assert {status for status, _, _ in answers} == {200}
    assert sorted(drawn) == ["alice", "alice.two", "bob"]
    assert [text for _, _, text in answers[:8]] == [answers[0][2]] * 8
