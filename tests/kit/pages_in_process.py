"""The pages of a record without a server: requests go straight to the application, in this process.

For pages that write. Anybody can ask, with a session or without.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

from arena.accounts import sessions
from arena.accounts.people import Account
from arena.serve.submissions import Bucket, Buckets
from arena.web.analyses import Analyses
from arena.web.app import application
from arena.web.cache import Cache
from arena.web.events import Streams
from arena.web.identity import SignIns
from arena.web.permissions import Names
from arena.web.site import Site
from tests.kit.managed_ladder import ManagedLadder
from tests.kit.web_room import Answer

Result = TypeVar("Result")
ADDRESS: Final = "http://127.0.0.1:8000"


class PagesInProcess:
    """The application of a ladder."""

    def __init__(self, room: ManagedLadder, threads: ThreadPoolExecutor, loop: asyncio.Runner) -> None:
        self._loop = loop
        self.complaints: list[str] = []
        self._room = room
        self._sign_ins = SignIns(room.accounts, threads, served="cs101", address=ADDRESS)
        self._keys: dict[int, str] = {}
        unused: Any = None
        cache = Cache(threads, failed=lambda error: self.complaints.append(str(error)))
        site = Site(
            database=room.record,
            store=room.store,
            served="cs101",
            threads=threads,
            cache=cache,
            names=Names(accounts=room.accounts),
            streams=Streams(),
            sign_ins=self._sign_ins,
            no_sign_in="",
            no_hand_ins="",
            address=ADDRESS,
            record_writer=threads,
            account_writer=threads,
            hints=threads,
            writable=room.record,
            spool=unused,
            uploading={},
            open_pages=Counter(),
            downloading=set(),
            why_turns=unused,
            uploads=unused,
            plays=unused,
            challenges=Buckets(Bucket(timedelta(minutes=3), 10)),
            searches=Buckets(Bucket(timedelta(minutes=3), 10)),
            analyses=Analyses(str(room.record.file), cache.forget),
            tables=unused,
            complain=self.complaints.append,
        )
        self.site = site
        self._application = application(site)

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Does this on the event loop of the pages."""
        return self._loop.run(work)

    def key(self, account: Account) -> str:
        """The key of a session of this account."""
        if account.id not in self._keys:
            with self._room.accounts.writing() as connection:
                self._keys[account.id] = sessions.begin(connection, account, datetime.now(UTC))
        return self._keys[account.id]

    def ask(self, path: str, **more: Any) -> Answer:
        """The answer to a request; the arguments are those of `asked`."""
        return self._loop.run(self.asked(path, **more))

    async def asked(
        self,
        path: str,
        *,
        method: str = "GET",
        by: Account | None = None,
        fields: dict[str, str] | None = None,
        **headers: str,
    ) -> Answer:
        """The answer to a request, with `fields` to a form. `headers`: with "_" for "-"."""
        sent = {"host": "127.0.0.1:8000"} | {name.replace("_", "-"): value for name, value in headers.items()}
        body = urlencode(fields or {}).encode()
        if fields is not None:
            sent |= {"content-type": "application/x-www-form-urlencoded", "content-length": str(len(body))}
            sent.setdefault("sec-fetch-site", "same-origin")
        if by is not None:
            sent["cookie"] = f"{self._sign_ins.cookie}={self.key(by)}"
        return await self._answer("POST" if fields is not None else method, path, sent, body)

    async def _answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        place, _, query = path.partition("?")
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": place,
            "raw_path": place.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
            "client": ("192.0.2.7", 1234),
            "server": ("127.0.0.1", 8000),
        }
        messages: list[Any] = []
        requests: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            return requests.pop() if requests else await asyncio.Future()  # the client stays until it has the answer

        async def send(message: Any) -> None:
            messages.append(message)

        await self._application(scope, receive, send)
        start = messages[0]
        named = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        text = b"".join(message.get("body", b"") for message in messages[1:]).decode()
        return Answer(start["status"], named, text)


@contextmanager
def pages_in_process(room: ManagedLadder) -> Iterator[PagesInProcess]:
    """The application of this ladder; nothing may have gone wrong in it."""
    with ThreadPoolExecutor(2) as threads, asyncio.Runner() as loop:
        pages = PagesInProcess(room, threads, loop)
        yield pages
    assert pages.complaints == []
