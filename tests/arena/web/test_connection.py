"""What one client can make the page server keep: heads, requests in advance, answers that nobody reads, connections."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from time import monotonic
from typing import Final
from unittest.mock import Mock

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

import uvicorn
from starlette.types import Receive, Scope, Send

from arena.web import connection
from tests.kit.effort import PATIENCE

_HEAD: Final = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
_LARGE: Final = b"x" * 2**24
Client = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _answer(scope: Scope, receive: Receive, send: Send) -> None:
    """An answer without end at /events, a large one at /large, else "ok"."""
    length = [] if scope["path"] == "/events" else [(b"content-length", b"%d" % len(_LARGE))]
    if scope["path"] == "/":
        length = [(b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": length})
    if scope["path"] == "/events":
        await send({"type": "http.response.body", "body": b"begun", "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass
    await send({"type": "http.response.body", "body": _LARGE if scope["path"] == "/large" else b"ok"})


@asynccontextmanager
async def _served() -> AsyncIterator[Callable[[], Awaitable[Client]]]:
    """Gives a function that opens a connection to a server."""
    server = uvicorn.Server(
        uvicorn.Config(
            _answer, port=0, http=connection.Connection, ws="none", lifespan="off", log_config=None, loop="none"
        )
    )
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    await server.startup()
    port = server.servers[0].sockets[0].getsockname()[1]
    opened: list[asyncio.StreamWriter] = []

    async def connect() -> Client:
        client = await asyncio.open_connection("127.0.0.1", port, limit=2**12)
        opened.append(client[1])
        return client

    try:
        yield connect
    finally:
        for writer in opened:
            writer.transport.abort()
        await server.shutdown()


def _run(test: Callable[[Callable[[], Awaitable[Client]]], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(PATIENCE), _served() as connect:
            await test(connect)

    asyncio.run(run())


async def _all(client: Client, *sent: bytes) -> bytes:
    """All that the server sends until it ends the connection."""
    reader, writer = client
    for part in sent:
        writer.write(part)
    try:
        return await reader.read()
    except ConnectionError:
        return b""


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (b"Content-Length: 1000000\r\n\r\n", b"cannot take"),
        (b"Transfer-Encoding: chunked\r\n\r\n", b"cannot take"),
        (b"a:\r\n" * 200 + b"\r\n", b"too many headers"),
        (b"a: " + b"a" * 40000, b"too large"),
        (b"a\r\n\r\n", b"Invalid"),
    ],
)
def test_what_no_browser_sends_is_refused_and_the_connection_ends(rest: bytes, words: bytes) -> None:
    async def test(connect: Callable[[], Awaitable[Client]]) -> None:
        answer = await _all(await connect(), _HEAD, rest)
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert words in answer

    _run(test)


def test_requests_in_advance_are_not_kept() -> None:
    async def test(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = client = await connect()
        writer.write(_HEAD.replace(b"/", b"/events", 1) + b"\r\n")
        await reader.readuntil(b"begun")
        assert b"HTTP" not in await _all(client, (_HEAD + b"\r\n") * 1000)

    _run(test)


def test_one_request_after_the_other_is_answered() -> None:
    async def test(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        for _ in range(3):
            writer.write(_HEAD + b"Content-Length: 0\r\n\r\n")
            assert b"200 OK" in await reader.readuntil(b"ok")

    _run(test)


@pytest.mark.parametrize("sent", [_HEAD, _HEAD.replace(b"/", b"/large", 1) + b"\r\n"])
def test_a_client_that_does_not_go_on_loses_its_connection(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(connection, "_SECONDS", 0.2)
    monkeypatch.setattr(connection, "_A_LAST_LOOK", 0.1)
    monkeypatch.setattr(connection, "_UNREAD", 0.2)

    async def test(connect: Callable[[], Awaitable[Client]]) -> None:
        _, writer = await connect()
        writer.write(sent)
        while not connection.Connection._of:  # it has not begun
            await asyncio.sleep(0.01)
        while connection.Connection._of:
            await asyncio.sleep(0.01)

    _run(test)


class _StoppedLoop:
    """The clock of a connection, which the test moves. No application runs; the test reads in its place."""

    def __init__(self) -> None:
        self.now = 0.0
        self._timers: list[tuple[float, Mock, Callable[[], object]]] = []

    def call_later(self, delay: float, call: Callable[..., object], *args: object) -> Mock:
        timer = Mock()
        timer.cancel.side_effect = lambda: setattr(timer, "is_over", True)
        timer.is_over = False
        self._timers.append((self.now + delay, timer, partial(call, *args)))
        return timer

    def create_task(self, work: Coroutine[object, object, None]) -> Mock:
        work.close()
        return Mock()

    def pass_seconds(self, seconds: int) -> None:
        for _ in range(seconds):
            self.now += 1
            for due in [one for one in self._timers if one[0] <= self.now]:
                self._timers.remove(due)
                if not due[1].is_over:
                    due[2]()


_BODY: Final = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 33554432\r\n\r\n"


def _begun() -> tuple[connection.Connection, _StoppedLoop, Mock]:
    """A connection whose request has begun, its clock, and its transport."""
    config = uvicorn.Config(_answer, ws="none", lifespan="off", log_config=None)
    config.load()
    loop, transport = _StoppedLoop(), Mock()
    made = connection.Connection(config, uvicorn.server.ServerState(), {}, _loop=loop)
    transport.is_closing.return_value = False
    transport.get_extra_info.return_value = None
    made.connection_made(transport)
    made.data_received(_BODY)
    return made, loop, transport


def test_a_body_may_take_as_long_as_it_likes_if_it_is_fast_enough() -> None:
    made, loop, transport = _begun()
    for _ in range(3600):
        made.data_received(b"x" * 2048)
        made.cycle.body.clear()  # the application has read it
        loop.pass_seconds(1)
    transport.close.assert_not_called()
    transport.abort.assert_not_called()
    made.connection_lost(None)


@pytest.mark.parametrize("fast", [0, 20])
def test_a_body_that_comes_too_slowly_ends_with_one_sentence(fast: int) -> None:
    """Also if it was fast for the first seconds."""
    made, loop, transport = _begun()
    for second in range(60):
        made.data_received(b"x" * (2048 if second < fast else 1900))
        loop.pass_seconds(1)
        made.cycle.body.clear()
        if transport.close.called:
            break
    assert loop.now == fast + 21
    (answer,) = transport.write.call_args.args
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.endswith(b"This came slower than 2 KiB/s for 20 s. Try again.")
    made.connection_lost(None)


def test_a_client_is_not_ended_for_a_slow_server() -> None:
    made, loop, transport = _begun()
    made.data_received(b"x" * 2**17)  # nobody reads it, so no more is taken
    transport.pause_reading.assert_called()
    loop.pass_seconds(60)
    transport.close.assert_not_called()
    made.cycle.body.clear()
    made.flow.resume_reading()
    loop.pass_seconds(41)
    transport.close.assert_called()
    made.connection_lost(None)


def test_a_body_that_goes_on_slowly_after_its_answer_ends() -> None:
    made, loop, transport = _begun()
    made.data_received(b"x")
    made.cycle.response_started = made.cycle.response_complete = True
    loop.pass_seconds(21)
    transport.abort.assert_called()
    made.connection_lost(None)


def test_a_request_that_waited_for_a_busy_server_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that looks at its timers first, as uvloop's does, would end the connection before it reads."""
    uvloop = pytest.importorskip("uvloop", reason="uvloop is not installed")
    monkeypatch.setattr(connection, "_SECONDS", 0.2)

    async def test() -> None:
        async with asyncio.timeout(PATIENCE), _served() as connect:
            _, writer = await connect()
            while not connection.Connection._of:
                await asyncio.sleep(0.01)
            loop = asyncio.get_running_loop()
            ours, theirs = socket.socketpair()
            with ours, theirs, writer.get_extra_info("socket").dup() as client:

                def keep_the_server_busy() -> None:
                    loop.remove_reader(ours)
                    client.sendall(_HEAD + b"\r\n")
                    until = monotonic() + 0.5
                    while monotonic() < until:
                        pass

                loop.add_reader(ours, keep_the_server_busy)
                theirs.send(b"!")
                assert b"200 OK" in await loop.sock_recv(client, 1000)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(test())


def test_a_slow_reader_gets_the_whole_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_UNREAD", 0.25)

    async def test(connect: Callable[[], Awaitable[Client]]) -> None:
        reader, writer = await connect()
        writer.write(_HEAD.replace(b"/", b"/large", 1) + b"\r\n")
        received = 0
        while received < len(_LARGE):
            received += len(await reader.read(2**18))
            await asyncio.sleep(0.01)

    _run(test)


def test_one_address_cannot_take_all_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_MOST_OF_ONE", 3)
    monkeypatch.setattr(connection, "network", lambda _: "192.0.2.1")

    async def test(connect: Callable[[], Awaitable[Client]]) -> None:
        first = [await connect() for _ in range(3)]
        assert await _all(await connect(), _HEAD, b"\r\n") == b""
        first[0][1].transport.abort()
        while connection.Connection._of["192.0.2.1"] > 2:
            await asyncio.sleep(0.01)
        reader, writer = await connect()
        writer.write(_HEAD + b"\r\n")
        assert b"200 OK" in await reader.readuntil(b"ok")

    _run(test)


@pytest.mark.parametrize(
    ("address", "network"),
    [("127.0.0.1", ""), ("::1", ""), ("::ffff:127.0.0.1", ""), ("192.0.2.1", "192.0.2.1")],
)
def test_this_machine_has_no_limit_of_its_own(address: str, network: str) -> None:
    assert connection.network(address) == network
    assert connection.network("2001:db8::1") == connection.network("2001:db8::2%eth0")
    assert connection.network("2001:db8:1::1") != connection.network("2001:db8:2::1")
