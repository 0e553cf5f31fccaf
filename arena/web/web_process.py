"""The page server as its director sees it: the socket that it listens on, and the process.

The director binds the socket, so that a port in use is found before anything starts, and so that connections wait
in the kernel while a new page server takes the place of one that died. The process ends with its director.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import Final
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from adsearch.errors import quote
from arena.errors import ArenaError
from arena.play.helper import Helper, HelperLimits, TooLong
from arena.serve.messages import LONGEST, Complaint, FromPages, from_pages
from arena.walls.run_folder import RunFolder

DEFAULT: Final = "127.0.0.1:8000"
"""Where the pages are by default: only this machine can open them."""
PACKAGES: Final = ("starlette", "uvicorn", "httptools", "python_multipart")
"""What the page server needs, from the extra `web`."""
_ADDRESS: Final = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.%]+)\]|(?P<name>[\w.-]+)):(?P<port>\d{1,5})", re.ASCII)
_LARGEST_PORT: Final = 65535
_NOT_ENCRYPTED: Final = (
    "Nobody can sign in here, because the connection is not encrypted. The person who runs this server can put it "
    "behind a proxy with HTTPS (--behind)."
)
_WAITING: Final = 2048
"""Connections that wait in the kernel."""
_UNSENT: Final = 65536
"""Bytes that the kernel keeps for a client that does not read: a slow viewer gets the newest state, not a queue."""


class MissingExtra(ArenaError):
    """The packages of the extra `web` are not installed."""

    extra = "web"


class WebSettings(Struct, frozen=True, kw_only=True):
    """What the director sends to the page server first, as one line of JSON."""

    database: str
    """Its address; it can have a password in it."""
    store: str
    """The folder of the agents' files, which also has the locks of running tournaments."""
    served: str
    """The name of the ladder."""
    roster: tuple[str, str] | None
    """The text of a roster and the name of its file."""
    listening: int
    """The descriptor of the socket."""
    hosts: tuple[str, ...]
    """Names of this server, beside IP addresses."""
    address: str
    """The address that people type."""
    no_sign_in: str
    """Why nobody can sign in; empty if people can."""
    no_hand_ins: str
    """Why nobody can hand in over the pages; empty if authors can."""


class WindowSettings(Struct, frozen=True, kw_only=True):
    """The same for the window of one person."""

    database: str
    """Its address; it can have a password in it."""
    listening: int
    """The descriptor of the socket."""
    port: int
    secret: str
    """What opens the window, once."""
    names: tuple[str, ...]
    """The players as they were given; `seat` is the person's."""
    seat: int
    game: str
    clock: str


class Listening:
    """The socket of the pages; it is bound and listens until `close`."""

    def __init__(self, address: str, behind: str | None = None) -> None:
        """`address`: such as 127.0.0.1:8000; port 0 is any free port. `behind`: the public address of a proxy.

        ArenaError if one of them is not an address, or the port is in use."""
        name, port = read_address(address)
        proxy = None if behind is None else read_behind(behind)
        self.hosts = tuple(filter(None, (name, proxy and proxy.hostname)))
        self._socket = _bound(name, port)
        self._name = name
        self._behind = proxy

    @property
    def descriptor(self) -> int:
        """The descriptor of the socket."""
        return self._socket.fileno()

    @property
    def port(self) -> int:
        """The port of the socket."""
        return int(self._socket.getsockname()[1])

    @property
    def address(self) -> str:
        """The address to type into a browser."""
        if self._behind is not None:
            return f"{self._behind.scheme}://{self._behind.netloc}"
        port = self.port
        name = socket.gethostname() if self._name in ("0.0.0.0", "::") else self._name
        return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"

    @property
    def no_sign_in(self) -> str:
        """Why nobody can sign in there: others could read what a browser sends. Empty if people can."""
        if self._behind is not None:
            is_safe = self._behind.scheme == "https"
        else:
            is_safe = ipaddress.ip_address(self._socket.getsockname()[0]).is_loopback
        return "" if is_safe else _NOT_ENCRYPTED

    def close(self) -> None:
        """Closes the socket."""
        self._socket.close()


class WebProcess(Helper):
    """The director's end of the page server."""

    def __init__(self, folder: RunFolder, listening: Listening, serve: str = "arena.web.server:serve") -> None:
        """Starts the process, which waits for its settings: it answers from then on."""
        listens = (listening.descriptor,)
        super().__init__(serve, HelperLimits(finishes=True), folder=folder, descriptors=listens, longest=LONGEST)

    def say(self, message: Struct) -> None:
        """Sends a message. A process that does not read its messages is killed."""
        if not self.lines.send(message):
            self.kill()

    def heard(self) -> Sequence[FromPages]:
        """What it has sent; it never waits. A process that sends a line without an end is killed."""
        try:
            return [from_pages(line) for line in self.lines.received()]
        except TooLong:
            self.kill()
            return [Complaint("the page server has sent a line that is too long")]


def refuse_missing_packages() -> None:
    """MissingExtra if this machine cannot run the page server."""
    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        raise MissingExtra(f"--web needs {', '.join(missing)}, which is not installed; to install")


def read_address(text: str) -> tuple[str, int]:
    """Name and port of a text such as "127.0.0.1:8000" or "[::1]:8000"; ArenaError if it is not one."""
    found = _ADDRESS.fullmatch(text.strip())
    if found is None or int(found["port"]) > _LARGEST_PORT:
        raise ArenaError(
            f"--listen: expected ADDRESS:PORT, such as {DEFAULT}, or 0.0.0.0:8000 for the whole network, "
            f"got {quote(text)}"
        )
    return found["v6"] or found["name"], int(found["port"])


def read_behind(text: str) -> SplitResult:
    """The public address of a proxy, such as "https://arena.example.org"; ArenaError if it is not one."""
    with suppress(ValueError):
        parts = urlsplit(text.strip())
        parts.port  # noqa: B018 - ValueError if it is not a number
        extra = parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
        if parts.scheme in ("http", "https") and parts.hostname and not extra:
            return parts
    raise ArenaError(
        f"--behind: expected the address that visitors type, such as https://arena.example.org, got {quote(text)}; "
        "the pages need a host name of their own, not a folder of another site"
    )


def _bound(name: str, port: int) -> socket.socket:
    """A socket that listens there; ArenaError if that is impossible."""
    shown = f"[{name}]:{port}" if ":" in name else f"{name}:{port}"
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            name, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ArenaError(f"--listen {shown}: this machine knows no such address ({error.strerror})") from None
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNSENT)  # connections inherit it
        made.bind(place)
        made.listen(_WAITING)
    except OSError as error:
        made.close()
        raise ArenaError(f"--listen {shown}: {error.strerror}; choose another port, or 0 for any free one") from None
    return made
