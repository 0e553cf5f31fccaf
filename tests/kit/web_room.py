"""A page server as a real process on a free port, without a director, and a client that sends what it is given.

The client changes no path, as browsers do, and follows no redirect.
"""

from __future__ import annotations

import gzip
import http.client
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Self

import msgspec
from msgspec import Struct

from arena.play.helper import HelperLimits
from arena.web.web_process import Listening, WebSettings
from tests.kit.effort import PATIENCE
from tests.kit.places import ROOT


class Answer(Struct, frozen=True):
    """What the server answered."""

    status: int
    headers: Mapping[str, str]
    """By their names in lower case."""
    text: str
    """The body, unpacked."""

    @property
    def everything(self) -> str:
        """All that a visitor gets: the headers and the body."""
        return "\n".join([*(f"{name}: {value}" for name, value in self.headers.items()), self.text])


class PageServer:
    """A page server of this database; it runs until `close`."""

    def __init__(self, database: str, store: Path, *, served: str, roster: Path | None = None) -> None:
        self._listening = Listening("127.0.0.1:0")
        self.address = self._listening.address
        """Such as http://127.0.0.1:43210."""
        self.complaints = b""
        """What it has reported; complete after `close`."""
        self._settings = WebSettings(
            database=f"sqlite:///{database}",
            store=str(store),
            served=served,
            roster=None if roster is None else (roster.read_text("utf-8"), roster.name),
            listening=self._listening.descriptor,
            hosts=self._listening.hosts,
            address=self._listening.address,
            no_sign_in=self._listening.no_sign_in,
            no_hand_ins="",
        )
        self.start()

    def start(self) -> None:
        """Starts the process; connections wait until it answers."""
        self._link, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "arena.play.helper", "arena.web.server:serve"],
                stdin=theirs.fileno(),
                pass_fds=[self._listening.descriptor],
                env=os.environ | {"PYTHONPATH": str(ROOT)},
            )
        for job in (HelperLimits(finishes=True), self._settings):
            self._link.sendall(msgspec.json.encode(job) + b"\n")

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def kill(self) -> None:
        """Ends the process by SIGKILL; the port stays open."""
        self._process.kill()
        self._process.wait(PATIENCE)
        self._link.close()

    def close(self) -> None:
        """Ends the process as its director does, and closes the port."""
        self._link.shutdown(socket.SHUT_WR)
        try:
            while received := self._link.recv(65536):
                self.complaints += received
            self._process.wait(PATIENCE)
        finally:
            self._process.kill()
            self._process.wait()
            self._link.close()
            self._listening.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get(self, path: str, *, method: str = "GET", **headers: str) -> Answer:
        """The answer to one request. `headers`: with "_" for "-"."""
        with self.open(path, method=method, **headers) as response:
            body = response.read()
        names = {name.lower(): value for name, value in response.getheaders()}
        if names.get("content-encoding") == "gzip" and body:
            body = gzip.decompress(body)
        return Answer(response.status, names, body.decode("utf-8"))

    @contextmanager
    def open(self, path: str, *, method: str = "GET", **headers: str) -> Iterator[http.client.HTTPResponse]:
        """The same, before its body is read: for streams."""
        with closing(http.client.HTTPConnection(self.address.removeprefix("http://"), timeout=PATIENCE)) as connection:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.putrequest(method, path, skip_host="host" in sent, skip_accept_encoding=True)
            for name, value in sent.items():
                connection.putheader(name, value)
            connection.endheaders()
            yield connection.getresponse()
