"""What instructors have seen of what students' agents said: noted in the audit before they see it, once an hour."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from starlette.requests import Request

from arena.accounts import audit
from arena.accounts.audit import Act
from arena.web.answers import at_desk
from arena.web.identity import account_of
from arena.web.turns import client

if TYPE_CHECKING:
    from arena.web.site import Site


async def saw_log(request: Request, about: str) -> None:
    """An instructor sees this; nothing is noted about anybody else."""
    site: Site = request.app.state.site
    account = await account_of(request)
    if site.doorkeeper is not None and account is not None and account.is_instructor:
        seen = partial(audit.note_once, site.doorkeeper.accounts, Act.SAW_LOG, datetime.now(UTC))
        await at_desk(site, partial(seen, by=account, about=about, address=client.get()))
