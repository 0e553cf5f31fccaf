"""What is kept of pages: drawn once for all, and drawn anew for those who have heard of news."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from arena.web.cache import Cache
from arena.web.drawn import Drawn


def test_those_who_ask_for_the_newest_get_what_is_drawn_after_that_once_for_all() -> None:
    drawn, failures = count(1), list[Exception]()

    def draw() -> Drawn:
        return Drawn(str(next(drawn)).encode(), "text/plain")

    async def asked() -> list[list[bytes]]:
        with ThreadPoolExecutor(2) as threads:
            cache = Cache(threads, failed=failures.append)
            found = [[await cache.get("/", draw)], [await cache.get("/", draw)]]
            found.append(await asyncio.gather(*(cache.get("/", draw, newest=True) for _ in range(9))))
            found.append([await cache.get("/", draw)])
        return [[kept.plain for kept in each] for each in found]

    assert asyncio.run(asked()) == [[b"1"], [b"1"], [b"2"] * 9, [b"2"]]
    assert failures == []
