"""What a page function gets and gives back: values between the routes and the pages; and what is known of the request
that is being answered, in any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Final, Self

from msgspec import Struct

from arena.pages.drawing import Document
from arena.web.permissions import VISITOR, Viewer

HTML: Final = "text/html; charset=utf-8"
JSON: Final = "application/json"
NO_CONTENT_ALLOWED: Final = "default-src 'none'"
"""The Content-Security-Policy of everything that is not a page."""
_DIGITS: Final = 18
"""Every number with at most this many digits fits into a 64-bit id."""


class NotThere(LookupError):
    """No page has this address; the text says what is missing, for visitors."""


class BadQuery(ValueError):
    """A parameter of the address is invalid; the text says which and what is expected, for visitors."""


def number_in(text: str) -> int | None:
    """The whole number that was written; None if it is not one, or too large for an id of 64 bits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None


def whole(text: str, field: str) -> int:
    """The number that was written in this field; BadQuery if it is not one."""
    if (found := number_in(text)) is None:
        raise BadQuery(f"{field}: expected a whole number")
    return found


class Asked(Struct, frozen=True):
    """What a visitor asks for."""

    names: Mapping[str, str]
    """The parts of the path, by the names in the route."""
    query: Mapping[str, str]
    """Those parameters of the address that the route has."""
    viewer: Viewer = VISITOR


class Drawn(Struct, frozen=True):
    """A page, or JSON, to be sent."""

    body: bytes
    kind: str
    """Its Content-Type."""
    policy: str = NO_CONTENT_ALLOWED
    """Its Content-Security-Policy."""

    @classmethod
    def page(cls, document: Document) -> Self:
        """A page."""
        return cls(document.text.encode("utf-8", "replace"), HTML, document.policy)


# What is known of the request that is being answered, also in the thread that reads or draws for it.


client: Final[ContextVar[str]] = ContextVar("client", default="")
"""The address that the request is from; empty if it says nothing about the visitor."""
is_visitor: Final[ContextVar[bool]] = ContextVar("is_visitor", default=False)
"""Whether nobody has signed in who makes it."""
asker: Final[ContextVar[str]] = ContextVar("asker", default="")
"""The account that makes it: a class behind one address does not share its turns. Empty of a visitor."""
manages: Final[ContextVar[str]] = ContextVar("manages", default="")
"""The ladder that who makes it manages; empty if it is no instructor."""
hands_in: Final[ContextVar[Callable[[], bool]]] = ContextVar("hands_in", default=lambda: True)
"""Tells whether the served ladder still takes something of who makes it; asked in the thread that draws."""
