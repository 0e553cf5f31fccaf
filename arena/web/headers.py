"""What is the same for every request and every answer: who may ask, and what browsers may do with the answer.

A plain ASGI middleware. A request whose Host is not a name of this server is refused: otherwise a page elsewhere could
point a name of its own at this machine, and read the pages with a visitor's browser (DNS rebinding).
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.web import asking
from arena.web.connection import network
from arena.web.drawn import NO_CONTENT_ALLOWED
from arena.web.identity import token_in

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


class Guard:
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
        asking.client.set(_client(scope))
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
    as for `Guard`."""
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
