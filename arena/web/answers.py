"""What routes have in common that answer each request anew: threads, pages, and where a form leads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, TypeVar

from starlette.responses import RedirectResponse, Response

from arena.web.drawn import HTML
from arena.web.headers import POLICY

if TYPE_CHECKING:
    from arena.pages.drawing import Document
    from arena.web.site import Site

T = TypeVar("T")


async def in_thread(site: Site, work: Callable[[], T]) -> T:
    """Reads or draws in a thread."""
    return await asyncio.get_running_loop().run_in_executor(site.threads, work)


async def once_in_thread(site: Site, key: Hashable, work: Callable[[], T]) -> T:
    """Reads in a thread, once for all who ask for the same at the same time: a lecture hall opens one page."""
    if (reading := site.shared.get(key)) is None:
        reading = site.shared[key] = asyncio.ensure_future(in_thread(site, work))
        reading.add_done_callback(lambda _: site.shared.pop(key))
    found: T = await asyncio.shield(reading)
    return found


async def at_desk(site: Site, work: Callable[[], T]) -> T:
    """Writes in a thread: one that does not keep pages waiting while a database is busy."""
    return await asyncio.get_running_loop().run_in_executor(site.desk, work)


async def at_door(site: Site, work: Callable[[], T]) -> T:
    """Writes to the accounts in a thread: signing in does not wait for the record."""
    return await asyncio.get_running_loop().run_in_executor(site.door, work)


def page(document: Document, status: int = 200) -> Response:
    """A page that is drawn for one request, and kept by nobody."""
    headers = {POLICY: document.policy, "content-type": HTML}
    return Response(document.text.encode("utf-8", "replace"), status, headers)


def leads_to(address: str) -> Response:
    """The answer to a form that was taken: the browser opens that page."""
    return RedirectResponse(address, 303)
