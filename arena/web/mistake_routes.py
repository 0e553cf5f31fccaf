"""The route on which players find the mistakes of a game that they, or their agents, have played.

A script gets a line for each ply that was judged, and an error as a last line; without scripts the form waits.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Hashable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from arena.serve.submissions import possible_again
from arena.web import links
from arena.web.analysing import NotFound
from arena.web.answers import leads_to, page, wants_page
from arena.web.drawn import NotThere
from arena.web.identity import signed_in, viewer_of
from arena.web.live_routes import can_find_mistakes, game_over
from arena.web.pages import frame, result_pages

if TYPE_CHECKING:
    from arena.pages.drawing import Document
    from arena.web.analysing import Analyses
    from arena.web.site import Site


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
    is_new = not (site.analyses.is_busy(account.id, id) or site.analyses.is_running(id))
    if is_new and (again := site.searches.take(account.id, now := datetime.now(UTC))) is not None:
        return _refused(request, f"too many games in a row; {possible_again(again, now)}", frame.drawn)
    return await mistakes(request, site.analyses, account.id, id)


async def mistakes(
    request: Request, analyses: Analyses, whose: Hashable, id: int, drawn: Callable[..., Document] = frame.drawn
) -> Response:
    """Finds the mistakes of a game for someone, or waits until they are found. `drawn`: draws a page in its frame."""
    if analyses.is_busy(whose, id):
        return _refused(request, "another game of yours is being analysed: wait until it is done", drawn)
    running = analyses.analyse(whose, id)

    async def lines() -> AsyncIterator[str]:
        try:
            async for plies in running.progress():
                yield f"{plies}\n"
        except NotFound as error:
            yield f"{error}\n"

    if not wants_page(request):
        return StreamingResponse(lines(), media_type="text/plain; charset=utf-8")
    last = [line async for line in lines()][-1].strip()
    return leads_to(links.game(id)) if last.isdecimal() else _refused(request, last, drawn)


def _refused(request: Request, why: str, drawn: Callable[..., Document]) -> Response:
    if not wants_page(request):
        return PlainTextResponse(why, 409)
    return page(result_pages.message("No mistakes were found", why[0].upper() + why[1:], drawn=drawn), 409)
