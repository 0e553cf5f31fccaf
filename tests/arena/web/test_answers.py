"""Reads that many visitors ask for at the same time."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from tests.kit import needs

pytest.importorskip("starlette", reason=needs.extra("web"))

from arena.web.answers import once_in_thread
from tests.kit.effort import PATIENCE


def test_what_many_ask_for_at_once_is_read_once_and_afterwards_again() -> None:
    begun: list[int] = []
    go_on = Event()

    def read() -> int:
        begun.append(len(begun))
        assert go_on.wait(PATIENCE)
        return begun[-1]

    async def ask() -> None:
        with ThreadPoolExecutor(4) as threads:
            site: Any = SimpleNamespace(threads=threads, shared={})
            asking = [asyncio.ensure_future(once_in_thread(site, "a game", read)) for _ in range(500)]
            await asyncio.sleep(0)  # all of them have asked
            asking.pop(0).cancel()  # the first one has left; the others still get their answer
            go_on.set()
            assert await asyncio.gather(*asking) == [0] * 499
            assert await once_in_thread(site, "a game", read) == 1
            assert site.shared == {}

    asyncio.run(asyncio.wait_for(ask(), PATIENCE))
