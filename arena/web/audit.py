"""What pages add to the audit of themselves: what instructors have seen of what students' agents said, before they see
it and once an hour; and who has played a game by hand, which the record does not say."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from starlette.requests import Request

from arena.accounts import audit
from arena.accounts.audit import Act
from arena.web.answers import write_record
from arena.web.identity import account_of
from arena.web.page_values import client
from db.errors import DatabaseError

if TYPE_CHECKING:
    from arena.web.site import Site


def played(site: Site, account: Hashable, game: int) -> None:
    """The account has played this game by hand. Runs in any thread."""
    if site.sign_ins is None or not isinstance(account, int):
        return
    try:
        audit.note_played(site.sign_ins.accounts, datetime.now(UTC), account=account, game=game)
    except DatabaseError as error:
        site.complain(f"it was not noted who has played game {game}: {error}")


async def saw_log(request: Request, about: str) -> None:
    """An instructor sees this; nothing is noted about anybody else."""
    site: Site = request.app.state.site
    account = await account_of(request)
    if site.sign_ins is not None and account is not None and account.is_instructor:
        seen = partial(audit.note_once, site.sign_ins.accounts, Act.SAW_LOG, datetime.now(UTC))
        await write_record(site, partial(seen, by=account, about=about, address=client.get()))
