"""Hands in to a page server, for `arena submit --to`: packs the agent, sends it, and reads what becomes of it.

HTTP is spoken by the standard library. The token goes to that server alone: certificates are verified, no redirect is
followed, and nothing is sent without encryption, except to this machine itself. What the server answers is data: its
size is limited, it must have the fields of a submission, and its texts are printable where they are shown.
"""

from __future__ import annotations

import io
import ipaddress
import re
import ssl
import time
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from socket import gaierror
from typing import IO, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, ProxyHandler, Request, build_opener

import msgspec
from msgspec import Struct

from adsearch.errors import quote
from arena.errors import BadServer, BadSubmission, NoAnswer
from arena.history.words import printable
from arena.match.allowance import MEBIBYTE
from arena.players.contents import Contents
from arena.serve.spool import MOST_BYTES, MOST_UPLOADED_FILES
from arena.serve.submissions import SubmissionDocument

_API: Final = "/api/v1"
_SECONDS: Final = 60.0
"""How long a server may take to take or to give a part of what is sent, and to give a whole answer."""
_OUTAGE: Final = 60.0
"""Seconds for which a server may be away while somebody waits: so long it takes to start again."""
_AGAIN: Final = 2.0
"""Seconds after which it is asked again."""
_MOST_ANSWERED: Final = MEBIBYTE
_MOST_WORDS: Final = 300
"""Characters of what a server says that are shown."""
_PART: Final = 65536
"""Bytes."""
_TOKEN: Final = re.compile(r"at_[A-Za-z0-9_-]{1,200}")
_EXAMPLE: Final = "https://arena.example.org"
_FILE_MODE: Final = 0o100644
_PROGRAM_MODE: Final = 0o100755


class Packed(Struct, frozen=True):
    """An agent as it is sent."""

    name: str
    """The name of the file."""
    content: bytes


def packed(path: Path) -> Packed:
    """The file or zip at `path`; or a zip of the folder there, or of the file and those beside it that it needs.
    BadPlayer or BadSubmission if it cannot be sent.

    Hidden files and Python's caches are left out. A symbolic link inside the folder becomes the file it leads to."""
    contents = Contents(MOST_BYTES, MOST_UPLOADED_FILES, leave_out=path / "arena.store")
    if not path.exists():
        raise BadSubmission(f"no file or folder {quote(str(path))}")
    name = path.resolve().name if path.name in ("", "..") else path.name
    if path.is_dir():
        contents.add_folder(path)
    else:
        contents.add_agent_file(path)
        if len(contents.files) == 1:
            return Packed(name, contents.files[name].content)
        name = path.stem
    if not contents.files:
        raise BadSubmission(f"the folder {quote(name)} has no files")
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, file in contents.files.items():
            entry = zipfile.ZipInfo(inside)  # with one date for all: the same files are the same zip
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (_PROGRAM_MODE if file.executable else _FILE_MODE) << 16
            archive.writestr(entry, file.content)
    content = written.getvalue()
    if len(content) > MOST_BYTES:
        raise BadSubmission(f"{quote(name)} is too large: expected at most {MOST_BYTES // MEBIBYTE} MiB")
    return Packed(f"{name}.zip", content)


class HandInClient:
    """What one author hands in to one page server."""

    def __init__(
        self,
        address: str,
        token: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """BadServer if no token can be sent to this address."""
        self._address, self._host, encrypted = _read_address(address)
        self._token = token.strip()
        self._clock, self._sleep = clock, sleep
        if not self._token:
            raise BadServer(
                "a server needs your token: set the environment variable ARENA_TOKEN, or give --token; "
                f"{self._address}/me makes one"
            )
        if not _TOKEN.fullmatch(self._token):
            raise BadServer(f"expected a token, which begins with at_, as {self._address}/me shows it")
        # Without encryption no proxy is asked: it could be on another machine.
        proxies = ProxyHandler() if encrypted else ProxyHandler({})
        self._opener = build_opener(proxies, _Plain(), _Encrypted(ssl.create_default_context()), _NoRedirects())

    def hand_in(self, agent_file: Packed, *, agent: str = "") -> SubmissionDocument:
        """Sends the agent; the submission, which is received or refused. BadSubmission or BadServer if there is none.

        `agent`: the second part of the name of a further agent of this author."""
        query = {"file": agent_file.name} | ({"agent": agent} if agent else {})
        answer = self._answer(f"/submissions?{urlencode(query)}", agent_file.content)
        if answer.status in (400, 413):
            raise BadSubmission(answer.words or f"{self._host} refused the file: too large, or not an agent")
        if answer.status == 409 and (refused := _document(answer)) is None:
            raise BadSubmission(answer.words or f"{self._host} refused the file")
        return refused if answer.status == 409 and refused is not None else self._read(answer, 201)

    def page(self, submission: int) -> str:
        """The address of the submission's page."""
        return f"{self._address}/s/{submission}"

    def look(self, submission: int) -> SubmissionDocument:
        """The submission as it is now. While the server is away for a moment, it is asked again."""
        until = self._clock() + _OUTAGE
        while True:
            try:
                return self._read(self._answer(f"/s/{submission}"), 200)
            except NoAnswer:
                if self._clock() >= until:
                    raise
            self._sleep(_AGAIN)

    def _read(self, answer: _Answer, expected: int) -> SubmissionDocument:
        """The submission in an answer with that status; BadServer says what is there instead."""
        host, status = self._host, answer.status
        said = f": {answer.words}" if answer.words else ""
        if status == expected and (found := _document(answer)) is not None:
            return found
        if status == 401:
            raise BadServer(f"{host} does not know this token: it is mistyped or revoked; {self._address}/me makes one")
        if status in (301, 302, 303, 307, 308):
            place = f", to {printable(answer.leads_to)[:_MOST_WORDS]}" if answer.leads_to else ""
            raise BadServer(f"{host} leads elsewhere{place}: expected the address of the page server itself")
        if status >= 500:
            raise NoAnswer(f"{host} cannot answer now ({status}{said}); try again later")
        if answer.words:
            raise BadServer(f"{host} refused that ({status}{said})")
        raise BadServer(f"{host} is not a server of arena that takes agents ({status}); check the address")

    def _answer(self, place: str, content: bytes | None = None) -> _Answer:
        """What the server answers; NoAnswer or BadServer if that is nothing."""
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json", "User-Agent": "arena"}
        body = None
        if content is not None:
            headers |= {"Content-Type": "application/octet-stream", "Content-Length": str(len(content))}
            body = io.BytesIO(content)  # it is sent in parts, each with its own time limit
        request = Request(f"{self._address}{_API}{place}", body, headers)
        try:
            try:
                response = self._opener.open(request, timeout=_SECONDS)
            except HTTPError as error:
                response = error
            with response:
                return _Answer(response.status, _whole(response, self._clock), response.headers)
        except OSError as error:
            reason = error.reason if isinstance(error, URLError) else error
            raise self._trouble(reason, sent=content is not None) from None
        except (HTTPException, ValueError):
            raise BadServer(f"{self._host} does not answer as a web server; check the address") from None

    def _trouble(self, reason: object, *, sent: bool) -> BadServer:
        """Why there is no answer. `sent`: whether an agent may have been sent."""
        host = self._host
        if isinstance(reason, ssl.SSLCertVerificationError):
            return BadServer(f"the certificate of {host} is not valid ({printable(reason.verify_message)})")
        if isinstance(reason, ssl.SSLError):
            return BadServer(f"{host} does not answer with HTTPS; check the address")
        if isinstance(reason, gaierror):
            return NoAnswer(f"there is no server {host}, or no network")
        if isinstance(reason, ConnectionRefusedError):
            return NoAnswer(f"nothing answers at {host}")
        late = isinstance(reason, TimeoutError)
        what = "did not answer in time" if late else "closed the connection, or cannot be reached"
        look = f"; look at {self._address}/me, it may have your agent" if sent else ""
        return NoAnswer(f"{host} {what}{look}")


class _Answer:
    """What a server answered."""

    def __init__(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.status, self.body = status, body
        self.leads_to = headers.get("location") or ""
        self._kind = headers.get("content-type") or ""

    @property
    def words(self) -> str:
        """What a server of arena says about a refusal, on one line; empty for other answers."""
        said: Any = ""
        if self._kind.startswith("text/plain"):
            said = self.body.decode("utf-8", "replace")
        with suppress(msgspec.DecodeError, RecursionError, AttributeError):
            said = said or msgspec.json.decode(self.body).get("error")
        return printable(said.strip())[:_MOST_WORDS].rstrip(".") if isinstance(said, str) else ""


def _document(answer: _Answer) -> SubmissionDocument | None:
    """The submission in an answer; None if there is none."""
    try:
        return msgspec.json.decode(answer.body, type=SubmissionDocument)
    except (msgspec.DecodeError, RecursionError):
        return None


def _whole(response: HTTPResponse | HTTPError, clock: Callable[[], float]) -> bytes:
    """The body; a longer one than any submission has is cut off, and what is cut off is not a submission."""
    stream: IO[bytes] | HTTPResponse | None = response.fp if isinstance(response, HTTPError) else response
    body, until = bytearray(), clock() + _SECONDS
    while isinstance(stream, HTTPResponse) and (part := stream.read1(_PART)):
        body += part
        if len(body) > _MOST_ANSWERED:
            return b""
        if clock() > until:
            raise TimeoutError
    return bytes(body)


def _read_address(text: str) -> tuple[str, str, bool]:
    """The address of a page server, its host and port, and whether it is encrypted; BadServer if it is not one."""
    wrong = BadServer(f"expected the address of a page server, such as {_EXAMPLE}, got {quote(text)}")
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise wrong from None
    is_plain = text.isascii() and text.isprintable() and not re.search(r"[\s@\\]", text)
    if parts.scheme not in ("https", "http") or not host or not is_plain:
        raise wrong
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise wrong
    if parts.scheme == "http" and not _is_this_machine(host):
        raise BadServer(f"expected an address with https://, got {quote(text)}: others could read the token")
    return f"{parts.scheme}://{parts.netloc}", parts.netloc, parts.scheme == "https"


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


class _NoRedirects(HTTPRedirectHandler):
    """A redirect is an answer: followed, it would give the token to another address."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Makes no request."""


class _EarlyAnswer:
    """A server that refuses what is being sent answers before it has read it all: the answer counts, not the cut."""

    def request(self, *given: Any, **more: Any) -> None:
        """Sends a request, as far as the server takes it."""
        with suppress(BrokenPipeError, ConnectionResetError):
            super().request(*given, **more)  # type: ignore[misc]


class _PlainConnection(_EarlyAnswer, HTTPConnection):
    """Without encryption."""


class _EncryptedConnection(_EarlyAnswer, HTTPSConnection):
    """With encryption."""


class _Plain(HTTPHandler):
    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_PlainConnection, req)


class _Encrypted(HTTPSHandler):
    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__(context=context)
        self._verified = context

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_EncryptedConnection, req, context=self._verified)
