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

from arena.web.cache import Cache
from arena.web.drawn import JSON, Drawn
from arena.web.turns import Busy, Turns
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
        monkeypatch.setattr("arena.web.turns._MOST", 0)
        for now[0] in (5.0, 10.0):
            assert await cache.get("key", lambda: Drawn(b"2", JSON)) is first
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        now[0] = 100.0
        with pytest.raises(Busy):
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
