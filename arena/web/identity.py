"""Who a request is from: by a bearer token, or else by the session cookie that using an invitation sets.

What the accounts say is kept for some seconds, because a page asks often. Over a connection that is not encrypted,
nobody can sign in, except on this machine itself.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Executor
from datetime import UTC, datetime, timedelta
from functools import partial
from time import monotonic
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from arena.accounts import sessions
from arena.accounts.people import Account
from arena.accounts.sessions import KeyKind, kind_of
from arena.web.page_values import BadQuery, asker, hands_in, is_visitor, manages
from arena.web.permissions import VISITOR, Role, Viewer
from db.accounts import AccountsDatabase

_KEPT: Final = 5.0
"""Seconds for which the answer of the accounts is used: so long a session can go on that was ended by a command."""
_MOST: Final = 10_000
"""Keys."""
_BEARER: Final = "bearer "


class NotSignedIn(HTTPException):
    """The page is for people with an account."""

    def __init__(self) -> None:
        super().__init__(401)


class SignIns:
    """Knows whose a key is."""

    def __init__(
        self,
        accounts: AccountsDatabase,
        threads: Executor,
        *,
        served: str,
        address: str,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`served`: the name of the ladder. `address`: the one that people type; without HTTPS the browser must be on
        this machine."""
        parts = urlsplit(address)
        self.accounts = accounts
        self._served = served
        self._is_encrypted = parts.scheme == "https"
        self.cookie = "__Host-arena" if self._is_encrypted else f"arena-{parts.port}"
        """The name of the cookie. All servers of a machine share its cookies, so the port is part of it."""
        self._threads, self._clock = threads, clock
        self._known: OrderedDict[str, tuple[float, Account | None]] = OrderedDict()

    async def account(self, request: Request) -> Account | None:
        """Whose the request is; None for a visitor, and for a student of another ladder than `served`."""
        key = self.key(request)
        if not key:
            return None
        until, account = self._known.get(key, (0.0, None))
        if self._clock() >= until:
            find = partial(sessions.find, self.accounts, key, datetime.now(UTC))
            account = self._learned(key, await asyncio.get_running_loop().run_in_executor(self._threads, find))
        return account

    def learned(self, keys: Collection[str], found: Mapping[str, Account]) -> dict[str, Account | None]:
        """Whose these keys are, as the accounts have just said it: `found` has those that hold."""
        return {key: self._learned(key, found.get(key)) for key in keys}

    def admits(self, account: Account | None) -> bool:
        """Whether somebody with this account is more than a visitor here."""
        # A student of another ladder is not: an author of the same name can be somebody else.
        return account is not None and (account.is_instructor or account.ladder == self._served)

    def _learned(self, key: str, found: Account | None) -> Account | None:
        account = found if self.admits(found) else None
        self._known[key] = self._clock() + _KEPT, account
        while len(self._known) > _MOST:
            self._known.popitem(last=False)
        return account

    def key(self, request: Request) -> str:
        """The key of a token, or of a session in a cookie, that the request has; empty if it has none.

        Each kind of key holds only in its place. A password for a proxy, which browsers send along, is not meant."""
        token = token_in(request.headers)
        if token is not None:
            return token
        key = request.cookies.get(self.cookie, "")
        return key if kind_of(key) is KeyKind.SESSION else ""

    def forget(self) -> None:
        """Sessions were begun or ended: the accounts are asked again."""
        self._known.clear()

    def let_in(self, answer: Response, key: str) -> None:
        """The browser that gets the answer has this session."""
        most_age = int(sessions.LONGEST / timedelta(seconds=1))
        answer.set_cookie(
            self.cookie, key, max_age=most_age, path="/", secure=self._is_encrypted, httponly=True, samesite="lax"
        )

    def let_out(self, answer: Response) -> None:
        """The browser that gets the answer has no session any more."""
        answer.delete_cookie(self.cookie, path="/", secure=self._is_encrypted, httponly=True, samesite="lax")


def token_in(headers: Headers) -> str | None:
    """The bearer token in the headers; None if there is none. No browser adds one by itself."""
    given = headers.get("authorization", "")
    token = given[len(_BEARER) :].strip() if given[: len(_BEARER)].lower() == _BEARER else ""
    return token if kind_of(token) is KeyKind.TOKEN else None


async def account_of(request: Request) -> Account | None:
    """The account that the request is from; None for a visitor. It is the same during the whole request."""
    sign_ins: SignIns | None = request.app.state.site.sign_ins
    if sign_ins is None:
        is_visitor.set(True)
        return None
    if not hasattr(request.state, "account"):
        request.state.account = await sign_ins.account(request)
    account: Account | None = request.state.account
    is_visitor.set(account is None)
    asker.set("" if account is None else f"account {account.id}")
    is_instructor = account is not None and Role(account.role) is Role.INSTRUCTOR
    site = request.app.state.site
    manages.set(site.served if is_instructor else "")
    if account is not None:
        hands_in.set(partial(site.takes, account.author))
    return account


async def signed_in(request: Request) -> Account:
    """The account that the request is from; NotSignedIn for a visitor."""
    account = await account_of(request)
    if account is None:
        raise NotSignedIn
    return account


async def signed_in_here(request: Request) -> Account:
    """The account that the request is from, by a session. A token, which lies in files and is copied, makes and ends no
    keys: BadQuery."""
    account = await signed_in(request)
    if token_in(request.headers) is not None:
        raise BadQuery("a token cannot do that: sign in with a browser")
    return account


async def viewer_of(request: Request) -> Viewer:
    """Who looks."""
    account = await account_of(request)
    return VISITOR if account is None else Viewer(Role(account.role), account.id, account.author)
