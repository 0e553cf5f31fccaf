"""What all answers have in common: who may ask and what of that is noted, what browsers may do with the answer,
threads, pages, and where a form leads.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable
from concurrent.futures import Executor
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Final, Protocol, TypeVar
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.accounts import audit, sessions
from arena.accounts.audit import Act
from arena.accounts.people import Account
from arena.pages.drawing import Document
from arena.web import page_values
from arena.web.connection import network
from arena.web.events import Owner, Streams
from arena.web.identity import SignIns, account_of, token_in
from arena.web.page_values import HTML, NO_CONTENT_ALLOWED
from arena.web.persons_game import PersonsGames
from arena.web.site import Site

T = TypeVar("T")


class PageDrawing(Protocol):
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
    def tables(self) -> PersonsGames:
        """The games that people play."""


async def in_thread(site: PageDrawing, work: Callable[[], T]) -> T:
    """Reads or draws in a thread."""
    return await asyncio.get_running_loop().run_in_executor(site.threads, work)


async def once_in_thread(site: Site, key: Hashable, work: Callable[[], T]) -> T:
    """Reads in a thread, once for all who ask for the same at the same time: a lecture hall opens one page."""
    if (reading := site.shared.get(key)) is None:
        reading = site.shared[key] = asyncio.ensure_future(in_thread(site, work))
        reading.add_done_callback(lambda _: site.shared.pop(key))
    found: T = await asyncio.shield(reading)
    return found


async def write_record(site: Site, work: Callable[[], T]) -> T:
    """Writes in a thread: one that does not keep pages waiting while a database is busy."""
    return await asyncio.get_running_loop().run_in_executor(site.record_writer, work)


async def write_accounts(site: Site, work: Callable[[], T]) -> T:
    """Writes to the accounts in a thread: signing in does not wait for the record."""
    return await asyncio.get_running_loop().run_in_executor(site.account_writer, work)


async def whose(site: Site, sign_ins: SignIns, keys: Collection[str]) -> dict[str, Account | None]:
    """Whose these keys of sessions and tokens are now; None: a visitor's. For what has gone on for long since its
    request was let in."""
    found = await write_accounts(site, partial(sessions.holding, sign_ins.accounts, keys, datetime.now(UTC)))
    return sign_ins.learned(keys, found)


async def saw_log(request: Request, about: str) -> None:
    """Adds to the audit what an instructor sees of what students' agents said, before it is seen and once an hour;
    nothing is noted about anybody else."""
    site: Site = request.app.state.site
    account = await account_of(request)
    if site.sign_ins is not None and account is not None and account.is_instructor:
        seen = partial(audit.note_once, site.sign_ins.accounts, Act.SAW_LOG, datetime.now(UTC))
        await write_record(site, partial(seen, by=account, about=about, address=page_values.client.get()))


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
        site: PageDrawing,
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


# What is the same for every request and every answer: who may ask, and what browsers may do with the answer.


POLICY: Final = "content-security-policy"
_ALWAYS: Final = {
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
_DEFAULTS: Final = {
    POLICY: NO_CONTENT_ALLOWED,
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
}
"""Set unless the answer has its own."""
_NOT_IN_FRAMES: Final = "; frame-ancestors 'none'"


class RequestGuard:
    """Refuses foreign hosts, adds the headers of every answer, and gives routes the path as it was sent."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = (), *, tokens: bool = True) -> None:
        """`hosts`: names of this server, beside IP addresses, localhost and the names of this machine. `tokens`:
        whether a request with a token is answered as one of its owner, whatever cookie comes with it."""
        self._app = app
        self._tokens = tokens
        self._hosts = {folded(name) for name in (*hosts, *_own_names())}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _ALWAYS.items():
                    headers[name] = value
                for name, value in _DEFAULTS.items():
                    headers.setdefault(name, value)
                headers[POLICY] += _NOT_IN_FRAMES
            await send(message)

        names = Headers(scope=scope).getlist("host")
        if len(names) != 1 or not self.knows(names[0]):
            refusal = PlainTextResponse(
                "This server is not known by that name. Open it by its IP address, or ask the person who runs it "
                "to start it with --behind and the address that you typed.\n",
                status_code=400,
            )
            await refusal(scope, receive, send_with_headers)
            return
        if is_from_elsewhere(scope["method"], Headers(scope=scope), tokens=self._tokens):
            refusal = PlainTextResponse("This was sent by another site, so it is refused.\n", status_code=403)
            await refusal(scope, receive, send_with_headers)
            return
        page_values.client.set(_client(scope))
        # Not decoded: an encoded "/" in a name does not separate segments.
        scope["path"] = scope["raw_path"].decode("latin-1")
        await self._app(scope, receive, send_with_headers)

    def knows(self, host: str) -> bool:
        """Whether a Host header names this server."""
        name, colon, port = host.rpartition(":")
        if not colon or not (port.isascii() and port.isdigit()):
            name = host
        if name.startswith("[") and name.endswith("]"):
            name = name[1:-1]
        if folded(name) in self._hosts:
            return True
        with suppress(ValueError):
            ipaddress.ip_address(name)
            return True
        return False


def is_from_elsewhere(method: str, headers: Headers, *, tokens: bool) -> bool:
    """Whether a page of another site can have made the browser send this request, with its reader's cookies. `tokens`:
    as for `RequestGuard`."""
    if method in ("GET", "HEAD", "OPTIONS", "TRACE") or (tokens and token_in(headers) is not None):
        return False  # it changes nothing; or its sender knows a token, which no browser adds by itself
    if (site := headers.get("sec-fetch-site")) is not None:
        return site != "same-origin"
    return urlsplit(headers.get("origin", "")).netloc.lower() != headers.get("host", "").lower()


def _client(scope: Scope) -> str:
    """The address of the visitor: of a proxy on this machine, the one that the proxy names."""
    address = network(scope["client"][0]) if scope.get("client") else ""
    named = ",".join(Headers(scope=scope).getlist("x-forwarded-for")).rpartition(",")[2].strip()[:64]
    try:
        return address or (named and network(named))
    except ValueError:
        return named  # such as "unknown"


def folded(name: str) -> str:
    """A host name in the form in which it is compared."""
    return name.lower().rstrip(".")


def takes_gzip(headers: Headers) -> bool:
    """Whether the client reads gzip."""
    for part in headers.get("accept-encoding", "").lower().split(","):
        coding, _, quality = part.partition(";")
        if coding.strip() in ("gzip", "*"):
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _own_names() -> list[str]:
    name = socket.gethostname()
    first = name.partition(".")[0]
    return ["localhost", name, first, f"{first}.local"]
