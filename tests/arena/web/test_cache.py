"""What is kept of pages: drawn once for all, drawn anew for those who have heard of news, and given in parts to clients
that cannot unzip it."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from threading import Event
from time import monotonic

import pytest
from starlette.types import Receive, Scope, Send

from arena.web import cache
from arena.web import page_values as asking
from arena.web.answers import RequestGuard
from arena.web.cache import Cache, TooBusy, Turns
from arena.web.page_values import JSON, Drawn
from tests.kit import needs
from tests.kit.effort import PATIENCE


@pytest.mark.parametrize("body", [b"", b"x", b"<p>\n" * 10**6, os.urandom(200_000), b"x" * 65536])
def test_parts_are_the_whole_body_and_none_is_large(body: bytes) -> None:
    async def read() -> None:
        with ThreadPoolExecutor(1) as threads:
            kept = await Cache(threads, failed=print).get("key", lambda: Drawn(body, JSON))
        parts = [part async for part in kept.plain()]
        assert b"".join(parts) == body
        assert kept.length == len(body)
        assert all(len(part) <= 65536 for part in parts)

    asyncio.run(read())


def test_those_who_ask_for_the_newest_get_what_is_drawn_after_that_once_for_all() -> None:
    drawn, failures = count(1), list[Exception]()

    def draw() -> Drawn:
        return Drawn(str(next(drawn)).encode(), JSON)

    async def asked() -> list[list[bytes]]:
        with ThreadPoolExecutor(2) as threads:
            cache = Cache(threads, failed=failures.append)
            found = [[await cache.get("/", draw)], [await cache.get("/", draw)]]
            found.append(await asyncio.gather(*(cache.get("/", draw, newest=True) for _ in range(9))))
            found.append([await cache.get("/", draw)])
            return [[b"".join([part async for part in kept.plain()]) for kept in each] for each in found]

    assert asyncio.run(asked()) == [[b"1"], [b"1"], [b"2"] * 9, [b"2"]]
    assert failures == []


def test_after_something_was_written_nothing_is_given_that_was_read_before() -> None:
    values, begun, goes_on = ["old"], threading.Event(), threading.Event()

    def draw(*, waits: bool = False) -> Drawn:
        read = values[0].encode()
        if waits:
            begun.set()
            assert goes_on.wait(PATIENCE)
        return Drawn(read, JSON)

    async def asked() -> list[bytes]:
        with ThreadPoolExecutor(2) as threads:
            cache = Cache(threads, failed=lambda error: pytest.fail(str(error)))
            first = await cache.get("/kept", draw)
            slow = asyncio.create_task(cache.get("/drawn", lambda: draw(waits=True)))
            await asyncio.to_thread(begun.wait, PATIENCE)
            values[0] = "new"
            cache.forget()
            found = [first, await cache.get("/kept", draw), await cache.get("/drawn", draw)]
            goes_on.set()
            found += [await slow, await cache.get("/drawn", draw)]
            return [b"".join([part async for part in kept.plain()]) for kept in found]

    assert asyncio.run(asked()) == [b"old", b"new", b"new", b"old", b"new"]


def test_what_is_kept_is_given_while_there_is_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    now, failed = [0.0], list[Exception]()

    async def ask() -> None:
        threads = Turns(1)
        cache = Cache(threads, failed=failed.append, clock=lambda: now[0])
        first = await cache.get("key", lambda: Drawn(b"1", JSON))
        monkeypatch.setattr("arena.web.cache._MOST", 0)
        for now[0] in (5.0, 10.0):
            assert await cache.get("key", lambda: Drawn(b"2", JSON)) is first
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        now[0] = 100.0
        with pytest.raises(TooBusy):
            await cache.get("key", lambda: Drawn(b"2", JSON))
        threads.shutdown()

    asyncio.run(ask())
    assert failed == []


def test_small_pages_with_many_keys_do_not_fill_the_memory() -> None:
    async def ask() -> None:
        with ThreadPoolExecutor(1) as threads:
            cache = Cache(threads, failed=print, most_bytes=100_000)
            for number in range(200):
                await cache.get(number, lambda: Drawn(b"1", JSON))
            assert len(cache._kept) < 50

    asyncio.run(ask())


def test_what_takes_turns_is_drawn_one_after_the_other_and_keeps_no_thread_waiting() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> Drawn:
        begun.set()
        assert go_on.wait(PATIENCE)
        return Drawn(b"slow", JSON)

    async def ask() -> None:
        turn = asyncio.Semaphore(1)
        with ThreadPoolExecutor(2) as threads:
            cache = Cache(threads, failed=print)
            first = asyncio.create_task(cache.get("first", slow, turn=turn))
            await asyncio.to_thread(begun.wait, PATIENCE)
            others = [asyncio.create_task(cache.get(key, lambda: Drawn(b"x", JSON), turn=turn)) for key in range(5)]
            await cache.get("another page", lambda: Drawn(b"y", JSON))
            assert not any(task.done() for task in (first, *others))
            go_on.set()
            await asyncio.gather(first, *others)

    asyncio.run(ask())


# One client that asks for everything does not take the threads of the page server from others, nor keep the log.


@contextmanager
def _threads(log: Path | None = None) -> Iterator[Turns]:
    made = Turns(1, log)
    try:
        yield made
    finally:
        made.shutdown()


def _submit(threads: Turns, client: str, work: Callable[[], object]) -> Future[object]:
    """As in a request of that client."""

    def submit() -> Future[object]:
        asking.client.set(client)
        return threads.submit(work)

    return copy_context().run(submit)


def test_a_client_that_asks_for_too_much_is_refused_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_MOST_OF_ONE", 3)
    monkeypatch.setattr(cache, "_MOST", 5)
    goes_on = Event()
    with _threads() as threads:
        asked = [_submit(threads, "greedy", goes_on.wait) for _ in range(3)]
        with pytest.raises(TooBusy):
            _submit(threads, "greedy", goes_on.wait)
        asked += [_submit(threads, "other", goes_on.wait), _submit(threads, "", goes_on.wait)]
        with pytest.raises(TooBusy):
            _submit(threads, "third", goes_on.wait)
        goes_on.set()
        assert all(each.result(PATIENCE) for each in asked)
        _submit(threads, "greedy", lambda: None).result(PATIENCE)


def test_no_thread_reads_the_fields_of_a_record_for_the_first_time() -> None:
    """In a new process: in this one many records have been read before."""
    source = """if True:
        import msgspec
        from arena.serve.ladder import Ladder
        from arena.serve.submissions import SubmissionDocument
        from arena.web import cache, server
        cache.Turns(1)
        def fields(_):
            raise SystemError("too late")
        msgspec._utils.get_class_annotations = fields
        msgspec._utils.get_dataclass_info = fields
        for kind in (Ladder, SubmissionDocument):
            try:
                msgspec.convert({}, kind)
            except msgspec.ValidationError as error:
                print(error)
    """
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Object missing required field") == 2


def test_clients_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    goes_on = Event()
    with _threads() as threads:
        first = _submit(threads, "greedy", goes_on.wait)
        asked = [_submit(threads, "greedy", lambda: done.append("greedy")) for _ in range(3)]
        asked += [_submit(threads, other, lambda other=other: done.append(other)) for other in ("ann", "bob")]  # type: ignore[misc]
        goes_on.set()
        for each in (first, *asked):
            each.result(PATIENCE)
    assert done == ["greedy", "ann", "bob", "greedy", "greedy"]


def test_work_that_fails_or_is_given_up_is_not_counted_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_MOST_OF_ONE", 3)
    goes_on = Event()
    with _threads() as threads:
        for _ in range(5):
            failing = _submit(threads, "one", lambda: 1 // 0)
            assert isinstance(failing.exception(PATIENCE), ZeroDivisionError)
        running = _submit(threads, "one", goes_on.wait)
        for _ in range(5):
            assert _submit(threads, "one", goes_on.wait).cancel()
        goes_on.set()
        assert running.result(PATIENCE)


def test_readers_make_a_gap_when_the_log_grows_and_not_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_LARGE_LOG", 10)
    monkeypatch.setattr(cache, "_LOOK_EVERY", 0.0)
    log = tmp_path / "log"
    with _threads(log) as threads:

        def starts() -> float:
            asked = monotonic()
            return threads.submit(monotonic).result(PATIENCE) - asked

        monkeypatch.setattr(cache, "_STILL", PATIENCE)
        starts()  # there is no log
        log.write_bytes(b"x" * 10)
        starts()
        monkeypatch.setattr(cache, "_STILL", 0.1)
        log.write_bytes(b"x" * 11)
        assert starts() >= 0.1
        monkeypatch.setattr(cache, "_STILL", PATIENCE)
        assert starts() < PATIENCE


async def _of(peer: str, forwarded: str) -> str:
    found = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        found.append(asking.client.get())

    headers = [(b"host", b"localhost"), (b"x-forwarded-for", forwarded.encode())]
    scope = {"type": "http", "method": "GET", "client": (peer, 1), "headers": headers, "raw_path": b"/", "path": "/"}
    await RequestGuard(app)(scope, None, None)  # type: ignore[arg-type]
    return found[0]


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
        ("127.0.0.1", "forged, 198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "2001:db8::7:1", "2001:db8::/64"),
        ("127.0.0.1", "unknown", "unknown"),
        ("127.0.0.1", "", ""),
        ("2001:db8::7:1", "", "2001:db8::/64"),
    ],
)
def test_a_visitor_is_who_the_proxy_on_this_machine_names(peer: str, forwarded: str, client: str) -> None:
    assert asyncio.run(_of(peer, forwarded)) == client
