"""What is known of the request that is being answered, also in the thread that reads or draws for it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

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
