"""The route on which players find the mistakes of a game that they, or their agents, have played.

A script gets a line for each ply that was judged, and an error as a last line; without scripts the form waits.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from arena.serve.submissions import possible_again
from arena.web import links
from arena.web.analysing import NotFound
from arena.web.answers import leads_to, page
from arena.web.drawn import NotThere
from arena.web.identity import signed_in, viewer_of
from arena.web.live_routes import can_find_mistakes, game_over
from arena.web.pages import result_pages

if TYPE_CHECKING:
    from arena.web.site import Site

_TITLE: Final = "No mistakes were found"


def routes() -> tuple[BaseRoute, ...]:
    """The route."""
    return (Route("/g/{id:segment}/mistakes", _find, methods=["POST"]),)


async def _find(request: Request) -> Response:
    site: Site = request.app.state.site
    account, viewer = await signed_in(request), await viewer_of(request)
    found = await game_over(request)
    id = found.shown.id
    if found.shown.analysis:
        return leads_to(links.game(id))
    if not can_find_mistakes(viewer, found):
        raise NotThere("There is no such game.")
    has_script = "text/html" not in request.headers.get("accept", "")
    if site.analyses.is_busy(account.id, id):
        return _refused("another game of yours is being analysed: wait until it is done", has_script=has_script)
    if (again := site.searches.take(account.id, now := datetime.now(UTC))) is not None:
        return _refused(f"too many games in a row; {possible_again(again, now)}", has_script=has_script)
    running = site.analyses.analyse(account.id, id)

    async def lines() -> AsyncIterator[str]:
        try:
            async for plies in running.progress():
                yield f"{plies}\n"
        except NotFound as error:
            yield f"{error}\n"

    if has_script:
        return StreamingResponse(lines(), media_type="text/plain; charset=utf-8")
    last = [line async for line in lines()][-1]
    return leads_to(links.game(id)) if last.strip().isdecimal() else _refused(last.strip(), has_script=False)


def _refused(why: str, *, has_script: bool) -> Response:
    text = why[0].upper() + why[1:]
    return PlainTextResponse(why, 409) if has_script else page(result_pages.message(_TITLE, text), 409)
