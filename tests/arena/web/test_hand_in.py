"""Hand-ins over the pages, with real processes and without a browser: many at once, and with kills."""

from __future__ import annotations

import asyncio
import http.client
import os
import re
import signal
import socket
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic, sleep
from typing import Final

import msgspec
import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.accounts import sessions
from arena.history.words import moment
from arena.serve import open_ladders
from arena.web.site import Uploading
from db import accounts, ladder
from db.accounts import AccountsDatabase, Role
from db.database import Database
from db.ladder import SubmissionState
from tests.kit.effort import PATIENCE
from tests.kit.hand_in_room import AGENT
from tests.kit.ladder_record import open_ladder
from tests.kit.ladder_room import LadderRoom
from tests.kit.web_room import PageServer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

STUDENTS: Final = 40
DESCRIPTION: Final = """\
name = "cs101"
game = "nap"
clock = "5"
[ladder]
closes = "2099-12-20 23:59"
anchors = { "random" = 0 }
"""


def token(database: str, author: str) -> str:
    """A token of a new student."""
    now = datetime.now(UTC)
    with AccountsDatabase(database) as open_ladders, open_ladders.writing() as connection:
        account = accounts.add_account(
            connection, ladder="cs101", role=Role.STUDENT, author=author, name="", student="", now=now
        )
        return sessions.make_token(connection, account, "test", now)


def ask(address: str, method: str, path: str, key: str, body: bytes | None = None) -> tuple[int, dict[str, object]]:
    """The status and the JSON of an answer; OSError or HTTPException if the server is lost meanwhile."""
    connection = HTTPConnection(address.removeprefix("http://"), timeout=PATIENCE)
    try:
        connection.request(method, path, body, {"authorization": f"Bearer {key}"})
        answer = connection.getresponse()
        return answer.status, msgspec.json.decode(answer.read(), type=dict[str, object])
    finally:
        connection.close()


@pytest.fixture
def room(tmp_path: Path) -> Iterator[LadderRoom]:
    with LadderRoom(tmp_path) as room:
        yield room


@pytest.mark.costly
def test_who_uploads_too_often_is_told_when_it_is_possible_again(tmp_path: Path) -> None:
    record = record_of_a_ladder(tmp_path)
    key = token(record, "alice")
    with PageServer(record, tmp_path / "arena.store", served="cs101") as server:
        for _ in range(50):
            status, answer = ask(server.address, "POST", "/api/v1/submissions?file=agent.py", key, AGENT.encode())
            if "too many uploads" in str(answer):
                break
    assert status == 400
    said = r"too many uploads in a row; the next one is possible in \d+ s, on \d{4}-\d\d-\d\d at \d\d:\d\d:\d\d UTC"
    assert re.fullmatch(said, str(answer["error"]))


@pytest.mark.costly
def test_forty_students_hand_in_at_once_and_no_place_in_the_queue_gets_worse(tmp_path: Path) -> None:
    """Without a director, so that the test decides when each check begins and ends."""
    record = str(tmp_path / "arena.db")
    with Database(record) as database:
        with database.writing() as connection:
            tournament = open_ladder(connection, tmp_path, DESCRIPTION).id
        keys = [token(record, f"student{number}") for number in range(STUDENTS)]
        with PageServer(record, tmp_path / "arena.store", served="cs101") as server:

            def hand_in(key: str) -> int:
                status, answer = ask(server.address, "POST", "/api/v1/submissions?file=agent.py", key, AGENT.encode())
                assert (status, answer["state"]) == (201, "received"), answer
                return int(str(answer["submission"]))

            with ThreadPoolExecutor(STUDENTS) as threads:
                ids = list(threads.map(hand_in, keys))
            assert sorted(ids) == list(range(1, STUDENTS + 1))

            def places() -> dict[int, int]:
                found = {}
                for id, key in zip(ids, keys, strict=True):
                    _, answer = ask(server.address, "GET", f"/api/v1/s/{id}", key)
                    if answer["ahead"] is not None:
                        found[id] = int(str(answer["ahead"]))
                return found

            before = places()
            assert sorted(before.values()) == list(range(STUDENTS))
            for first in range(1, STUDENTS + 1, 8):
                with database.writing() as connection:
                    for id in range(first, first + 8):
                        for state in (SubmissionState.CHECKING, SubmissionState.FAILED):
                            ladder.change_submission(connection, id, state, datetime.now(UTC))
                now = places()
                assert all(place < before[id] for id, place in now.items())
                before = now
            with database.reading() as connection:
                assert len(ladder.submissions(connection, tournament)) == STUDENTS
        assert server.complaints == b""


@contextmanager
def half_sent(address: str, keys: Iterable[str]) -> Iterator[Sequence[socket.socket]]:
    """For each key a hand-in of which half of the body is on its way."""
    host, _, port = address.removeprefix("http://").partition(":")
    body = AGENT.encode()
    with ExitStack() as stack:
        clients = []
        for key in keys:
            client = stack.enter_context(socket.create_connection((host, int(port)), PATIENCE))
            client.sendall(
                f"POST /api/v1/submissions?file=agent.py HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
                + body[: len(body) // 2]
            )
            clients.append(client)
        yield clients


def record_of_a_ladder(folder: Path) -> str:
    """The new database of a ladder that is open."""
    record = str(folder / "arena.db")
    with Database(record) as database, database.writing() as connection:
        open_ladder(connection, folder, DESCRIPTION)
    return record


def wait_until_begun(uploads: Path, number: int) -> None:
    """Until the bodies of `number` uploads go to the disk."""
    give_up = monotonic() + PATIENCE
    while len([*uploads.glob("new-*")]) != number:
        assert monotonic() < give_up
        sleep(0.01)


def rest_sent(client: socket.socket) -> bytes:
    """What the server answers when the other half has come."""
    body = AGENT.encode()
    client.sendall(body[len(body) // 2 :])
    return b"".join(iter(partial(client.recv, 65536), b""))


@pytest.mark.costly
def test_slow_uploads_keep_nobody_from_handing_in(tmp_path: Path) -> None:
    """Ten of them do not end before the others are over."""
    record = record_of_a_ladder(tmp_path)
    slow = [token(record, f"slow{number}") for number in range(10)]
    honest = [token(record, f"student{number}") for number in range(30)]
    uploads = tmp_path / "arena.store" / ".uploads"
    with PageServer(record, tmp_path / "arena.store", served="cs101") as server:
        with half_sent(server.address, slow) as never, half_sent(server.address, honest) as clients:
            wait_until_begun(uploads, len(slow) + len(honest))
            for client in clients:
                assert rest_sent(client).startswith(b"HTTP/1.1 201 ")
            assert rest_sent(never[0]).startswith(b"HTTP/1.1 201 ")
        wait_until_begun(uploads, 0)
        assert len([*uploads.iterdir()]) == len(honest) + 1
        assert ask(server.address, "POST", "/api/v1/submissions?file=agent.py", slow[1], AGENT.encode())[0] == 201
    assert server.complaints == b""


def test_an_upload_whose_body_is_not_read_yet_is_replaced_as_soon_as_it_is() -> None:
    async def replaced() -> tuple[bool, bool]:
        one = Uploading(1)
        waits = asyncio.ensure_future(one.ended())
        await asyncio.sleep(0)
        one.body = asyncio.get_running_loop().create_future()
        one.body.add_done_callback(lambda _: one.is_over.set())
        one.is_read.set()
        return await waits, one.is_replaced

    async def never_read() -> tuple[bool, bool]:
        one = Uploading(1)
        waits = asyncio.ensure_future(one.ended())
        await asyncio.sleep(0)
        one.is_read.set()
        one.is_over.set()
        return await waits, one.is_replaced

    assert asyncio.run(replaced()) == (True, True)
    assert asyncio.run(never_read()) == (True, False)


def test_after_a_lost_line_the_next_upload_takes_the_place_of_the_half_one(tmp_path: Path) -> None:
    record = record_of_a_ladder(tmp_path)
    key = token(record, "alice")
    uploads = tmp_path / "arena.store" / ".uploads"
    with PageServer(record, tmp_path / "arena.store", served="cs101") as server:
        with half_sent(server.address, [key]) as (lost,):
            wait_until_begun(uploads, 1)
            status, _ = ask(server.address, "POST", "/api/v1/submissions?file=agent.py", key, AGENT.encode())
            assert status == 201
            assert rest_sent(lost).startswith(b"HTTP/1.1 400 ")
        assert [path.name for path in uploads.iterdir()] == ["1"]
    assert server.complaints == b""


@pytest.mark.costly
def test_the_time_of_the_request_counts_and_is_shown(tmp_path: Path) -> None:
    record = record_of_a_ladder(tmp_path)
    key = token(record, "alice")
    uploads = tmp_path / "arena.store" / ".uploads"
    with PageServer(record, tmp_path / "arena.store", served="cs101") as server:
        with half_sent(server.address, [key]) as (client,):
            wait_until_begun(uploads, 1)
            begun = datetime.now(UTC)
            with Database(record) as database, database.writing() as connection:
                open_ladders.close(connection, open_ladders.opened(connection, "cs101"), begun)
            assert rest_sent(client).startswith(b"HTTP/1.1 201 ")
        with Database(record) as database, database.reading() as connection:
            one = ladder.submission(connection, 1)
        assert (one.state, one.received < begun) == ("received", True)
        page = server.get("/s/1", authorization=f"Bearer {key}").text
        assert re.search(f"agent.py, received <time[^>]*>{moment(one.received)}</time>", page)
        status, late = ask(server.address, "POST", "/api/v1/submissions?file=agent.py", key, AGENT.encode())
        assert (status, str(late["words"])[:8]) == (409, "too late")


@pytest.mark.costly
def test_what_waits_to_be_opened_has_limits(tmp_path: Path) -> None:
    record = record_of_a_ladder(tmp_path)
    alice, bob = token(record, "alice"), token(record, "bob")
    uploads = tmp_path / "arena.store" / ".uploads"
    with PageServer(record, tmp_path / "arena.store", served="cs101") as server:

        def hand_in(key: str, content: bytes = AGENT.encode()) -> tuple[int, object]:
            status, answer = ask(server.address, "POST", "/api/v1/submissions?file=agent.py", key, content)
            return status, answer.get("error")

        assert hand_in(alice) == (201, None)
        os.truncate(uploads / "1", 33 * 2**20)
        assert hand_in(alice) == (400, "too much of yours waits to be opened; try again when it is opened")
        assert hand_in(bob) == (201, None)
        os.truncate(uploads / "2", 4 * 2**30)  # not a byte of it is on the disk
        carol, dan = token(record, "carol"), token(record, "dan")
        large = AGENT.encode() + b"#" * 2**20
        assert hand_in(carol, large) == (
            400,
            "too much waits to be opened on this server; try again in a few minutes",
        )
        assert hand_in(dan) == (201, None)  # for a small file there is always room
        (uploads / "2").unlink()
        assert hand_in(carol, large) == (201, None)


@pytest.mark.costly(seconds=20)
def test_whatever_is_killed_during_hand_ins_each_reaches_its_end_once(room: LadderRoom) -> None:
    room.describe(games_at_once=1)
    room.serve("--web", "--listen", "127.0.0.1:0")
    address = next(line for line in room.printed if " pages: " in line).split()[-1]
    port = address.rpartition(":")[2]
    victims = ("web.server", "serve.intake", "play.referee", "serve.rater", "", "web.server")
    handed_in = []
    for number, victim in enumerate(victims):
        key = token(str(room.folder / "arena.db"), f"student{number}")
        content = f"{AGENT.replace('{number}', str(number))}\n# {number}\n".encode()
        while True:  # a page server that is lost in the middle has taken it, or not: the author looks, or tries again
            with suppress(OSError, http.client.HTTPException):
                status, answer = ask(address, "POST", "/api/v1/submissions?file=agent.py", key, content)
                assert status in (201, 409), answer
                handed_in.append(answer["submission"])
                break
            room.line(0.05)
        if victim:
            process = room.awaited(victim)
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        else:
            room.kill()
            room.serve("--web", "--listen", f"127.0.0.1:{port}")
    room.wait_until_checked()
    room.wait_until_rated()
    states: dict[object, object] = dict(room.rows("SELECT id, state FROM submission"))  # type: ignore[arg-type]
    assert {states[int(str(id))] for id in handed_in} <= {"entered", "refused"}, room.rows(
        "SELECT id, author, state, words FROM submission"
    )
    assert room.rows("SELECT author FROM submission WHERE state = 'entered' GROUP BY author HAVING COUNT(*) > 1") == []
    entered = room.rows("SELECT DISTINCT author FROM submission WHERE state = 'entered'")
    assert len(entered) == len(victims), room.rows("SELECT id, author, state, words FROM submission")
    assert room.stop() == 0
    room.assert_whole()
    assert [*(room.folder / "arena.store" / ".uploads").iterdir()] == []
