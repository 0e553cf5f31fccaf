"""The route with which a student starts a challenge: the answer leads to the game, or says why there is none."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena.accounts.audit import Act
from arena.errors import BadChallenge
from arena.serve.challenges import challenge, refusal
from arena.serve.opened import opened
from arena.serve.place import nudge
from arena.serve.submissions import possible_again
from arena.web import challenging, forms, links
from arena.web.answers import at_desk, leads_to
from arena.web.asking import client
from arena.web.drawn import BadQuery
from arena.web.identity import signed_in, viewer_of
from arena.web.own_routes import mine, note

if TYPE_CHECKING:
    from arena.web.site import Site


def routes() -> tuple[BaseRoute, ...]:
    """The routes."""
    return (
        Route(links.CHALLENGE, _my_page, methods=["GET"]),
        Route(links.CHALLENGE, _challenge, methods=["POST"]),
    )


async def _my_page(_: Request) -> Response:
    """Where the page of a refused challenge is read again."""
    return leads_to(links.ME)


async def _challenge(request: Request) -> Response:
    """A challenge of one of the account's agents to an opponent."""
    site: Site = request.app.state.site
    account = await signed_in(request)
    if account.is_instructor:
        raise BadQuery("only students can challenge an agent")
    if (again := site.challenges.take(account.id, now := datetime.now(UTC))) is not None:
        raise HTTPException(429, f"too many challenges in a row; {possible_again(again, now)}")
    given = await forms.fields(request)
    names, address = site.names.seen_by(await viewer_of(request)), client.get()

    def start() -> int:
        now = datetime.now(UTC)
        with site.database.reading() as connection:
            ladder = opened(connection, site.served)
            asked = given.get("agent", ""), given.get("opponent", "")
            players = challenging.recorded(connection, names, ladder, account.author, *asked)
            if why := refusal(connection, ladder, account.author, *players, now):  # before a lock is taken
                raise BadChallenge(why)

        def keep(id: int) -> None:
            """Before the row is committed, so that there is not one without the other."""
            note(site, Act.CHALLENGED, account, about=f"game {id}", address=address)

        return challenge(site.writable, ladder, account.author, *players, now, keep=keep)

    try:
        game = await at_desk(site, start)
    except BadChallenge as error:
        return await mine(request, account, wrong=str(error), status=409)
    nudge(site.store, site.served)
    return leads_to(links.game(game))
