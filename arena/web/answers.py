"""What routes have in common that answer each request anew: threads, pages, and where a form leads."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from arena.web.drawn import HTML
from arena.web.headers import POLICY

if TYPE_CHECKING:
    from arena.pages.drawing import Document
    from arena.web.events import Owner, Streams
    from arena.web.site import Site
    from arena.web.tables import Tables

T = TypeVar("T")


class Drawing(Protocol):
    """A page server that draws and sends changes: that of a ladder (`site.py`), or of one person (`window.py`)."""

    @property
    def threads(self) -> Executor:
        """Where pages are drawn."""

    @property
    def hints(self) -> Executor:
        """Where hints are waited for."""

    @property
    def streams(self) -> Streams:
        """The streams of open pages."""

    @property
    def open_pages(self) -> Counter[tuple[int | str, str]]:
        """The number of open streams by whose they are, and by topic."""

    @property
    def tables(self) -> Tables:
        """The games that people play."""


async def in_thread(site: Drawing, work: Callable[[], T]) -> T:
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


def wants_page(request: Request) -> bool:
    """Whether a form is sent by a browser itself, which shows the answer as a page; scripts want a text."""
    return "text/html" in request.headers.get("accept", "")


def leads_to(address: str) -> Response:
    """The answer to a form that was taken: the browser opens that page."""
    return RedirectResponse(address, 303)


class PageStream(Response):
    """An answer that goes on until the page is closed."""

    def __init__(
        self,
        site: Drawing,
        topic: str,
        owner: Owner | None = None,
        opened: Callable[[], None] | None = None,
        *,
        whose: int | str,
        gzip: bool,
    ) -> None:
        """`opened` is called as soon as the stream gets changes. `whose` page it is: an account's or an address's."""
        super().__init__()
        self._site = site
        self._topic = topic
        self._owner = owner
        self._opened = opened
        self._whose = whose
        self._gzip = gzip

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        pages, page = self._site.open_pages, (self._whose, self._topic)
        pages[page] += 1
        try:
            await self._site.streams.serve(
                self._topic, receive, send, gzip=self._gzip, owner=self._owner, opened=self._opened
            )
        finally:
            pages[page] -= 1
            if not pages[page]:
                del pages[page]
