"""A small web server that gives the answers that a test names, in their order, and keeps what it was asked."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from msgspec import Struct


class Given(Struct, frozen=True, kw_only=True):
    """An answer."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = {}
    reads: bool = True
    """Whether what is sent is read before; if not, the connection is closed after the answer."""


class Asked(Struct, frozen=True):
    """A request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class AnsweringServer:
    """The server; the last answer is given again and again."""

    def __init__(self, answers: Sequence[Given]) -> None:
        self.asked: list[Asked] = []
        self._waiting = [*answers]

    def next(self) -> Given:
        """The next answer."""
        return self._waiting.pop(0) if len(self._waiting) > 1 else self._waiting[0]

    @contextmanager
    def running(self, certificate: Path | None = None) -> Iterator[str]:
        """Its address while it runs. `certificate`: a file with a certificate and its key; then it speaks HTTPS."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            """Answers one request."""

            def _answer(self) -> None:
                given = outer.next()
                body = self.rfile.read(int(self.headers.get("content-length", 0))) if given.reads else b""
                outer.asked.append(Asked(self.command, self.path, dict(self.headers), body))
                self.send_response(given.status)
                for name, value in ({"Content-Length": str(len(given.body))} | given.headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(given.body)
                self.close_connection = True

            do_GET = do_POST = _answer  # noqa: N815 - the names are those of http.server

            def log_message(self, *_: Any) -> None:
                """Says nothing."""

        class Server(ThreadingHTTPServer):
            """Keeps errors of connections to itself: clients end some of them."""

            def handle_error(self, *_: Any) -> None:
                """Says nothing."""

        with Server(("127.0.0.1", 0), Handler) as server:
            if certificate is not None:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(certificate)
                server.socket = context.wrap_socket(server.socket, server_side=True)
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            try:
                yield f"http{'s' if certificate else ''}://127.0.0.1:{server.server_port}"
            finally:
                server.shutdown()
                thread.join()
