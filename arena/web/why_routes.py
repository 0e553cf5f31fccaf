"""The route of the page that says why an author's agent lost.

Drawing it searches games for some seconds, so it is drawn once for an author and a round, and one page after the other:
a class that asks after the final does not keep other pages waiting.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena.serve.opened import opened
from arena.web import links, why
from arena.web.answers import in_thread, page
from arena.web.drawn import BadQuery, Drawn
from arena.web.identity import signed_in, viewer_of
from arena.web.pages import why_page

if TYPE_CHECKING:
    from arena.web.cache import Kept
    from arena.web.names import SeenNames
    from arena.web.sight import Viewer
    from arena.web.site import Site

_LONGEST: Final = 100
"""Characters of the name of a further agent."""


def routes(response: Callable[[Request, Kept, Viewer], Response]) -> tuple[BaseRoute, ...]:
    """The route. `response` gives the answer with a page that was kept."""

    async def answer(request: Request) -> Response:
        site: Site = request.app.state.site
        if (await signed_in(request)).is_instructor:
            raise BadQuery("Only students have agents on the ladder.")
        viewer = await viewer_of(request)
        names = site.names.seen_by(viewer)
        asked = await in_thread(site, partial(_asked, site, names, request.query_params.get("agent", "")[:_LONGEST]))
        if asked.round is None:
            return page(why_page.no_games(asked))
        key = (links.WHY, asked.agent, asked.round)
        kept = await site.cache.get(key, partial(_draw, site, names, asked, asked.round), turn=site.why_turns)
        return response(request, kept, viewer)

    return (Route(links.WHY, answer, methods=["GET"]),)


def _asked(site: Site, names: SeenNames, further: str) -> why.AskedFor:
    with site.database.reading() as connection:
        return why.asked_for(connection, names, opened(connection, site.served), further)


def _draw(site: Site, names: SeenNames, asked: why.AskedFor, round: int) -> Drawn:
    about, found = why.feedback(site.database, site.store, names, round, asked.agent, now=datetime.now(UTC))
    site.mistakes[asked.agent] = {seen.id: seen.mistake for seen in found.found.to_see if seen.mistake is not None}
    return Drawn.page(why_page.why(asked, about, found))
