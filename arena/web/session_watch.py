"""Who is still signed in: asked of the accounts again where much time has passed since a request was let in.

A stream goes on for hours, so every second the accounts are asked whose the keys of open streams are: one query for all
of them. The streams of people who have signed out, or whose account was ended or has changed, end. A page whose stream
has ended asks for it again, and gets what is allowed now.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from arena.accounts import sessions
from arena.web.answers import write_accounts

if TYPE_CHECKING:
    from arena.accounts.people import Account
    from arena.web.identity import SignIns
    from arena.web.site import Site

_EVERY: Final = 1.0
"""Seconds."""


async def whose(site: Site, sign_ins: SignIns, keys: Collection[str]) -> dict[str, Account | None]:
    """Whose these keys of sessions and tokens are now; None: a visitor's."""
    found = await write_accounts(site, partial(sessions.holding, sign_ins.accounts, keys, datetime.now(UTC)))
    return sign_ins.learned(keys, found)


async def end_streams(site: Site) -> None:
    """Ends the streams that people may not follow any more."""
    if site.sign_ins is None or not (owners := site.streams.owners):
        return
    now = await whose(site, site.sign_ins, {owner.key for owner in owners})
    site.streams.close_those_of({owner for owner in owners if now[owner.key] != owner.account})


async def watch(site: Site) -> None:
    """Does so for ever."""
    while True:
        await asyncio.sleep(_EVERY)
        try:
            await end_streams(site)
        except Exception as error:  # an error now must not keep all later streams from being ended
            site.complain(f"the accounts do not say who is still signed in: {error}")
