"""The routes of what changes while it is looked at: a game, its mistakes, the TV page, and the streams of all pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Hashable
from datetime import UTC, datetime
from functools import partial
from time import monotonic_ns
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from arena.history.exchange import pgn
from arena.pages import replay_page
from arena.pages.drawing import Document
from arena.serve.submissions import possible_again
from arena.web import links
from arena.web.analyses import Analyses, NoSuchGame
from arena.web.answers import PageStream, in_thread, leads_to, once_in_thread, page, saw_log, takes_gzip, wants_page
from arena.web.cache import KeptPage
from arena.web.events import MOST, MOST_TOPICS, Owner, event
from arena.web.identity import account_of, signed_in, viewer_of
from arena.web.live import PUBLIC, PUBLIC_TV, RecordedGames, game_topic
from arena.web.live_record import LiveRecord
from arena.web.page_values import BadQuery, Drawn, NotThere, client, number_in
from arena.web.pages import frame, live_parts, result_pages
from arena.web.pages.live_parts import which_game
from arena.web.permissions import Viewer, What, may
from arena.web.site import Site
from db.games import OVER
from db.records import GameKind, JudgedPly

Answer = Callable[[Request, KeptPage, Viewer], Response]
_PATIENCE: Final = 1.0
"""Seconds that a page waits for the state of its game."""
_MOST_OF_ONE: Final = 20
"""Open pages of one account."""
_MOST_OF_VISITORS: Final = MOST // 2
"""Open pages of visitors with one address. A lecture hall can have one address."""
_MOST_TOPICS_OF_VISITORS: Final = MOST_TOPICS // 2
"""Different ones: all pages of a lecture hall show a few games."""
_LONGEST: Final = 500
"""Characters of a tournament's name, at most."""


def routes(answer: Answer) -> tuple[BaseRoute, ...]:
    """The routes. `answer` makes the answer of a page that is kept."""
    return (
        Route("/g/{id:segment}", partial(_game, answer), methods=["GET"]),
        Route("/g/{id:segment}/mistakes", _find, methods=["POST"]),
        Route("/g/{id:segment}/pgn", _pgn, methods=["GET"]),
        Route("/tv", _tv, methods=["GET"]),
        Route("/events", _events, methods=["GET"]),
    )


def _record(site: Site, viewer: Viewer) -> LiveRecord:
    return LiveRecord(site.database, site.names.seen_by(viewer), site.served)


def _id(text: str) -> int:
    if (found := number_in(text)) is None:
        raise NotThere("There is no such game.")
    return found


async def _game(answer: Answer, request: Request) -> Response:
    """A game: live while it is played, then the replay."""
    site: Site = request.app.state.site
    viewer = await viewer_of(request)
    record, id = _record(site, viewer), _id(request.path_params["id"])
    try:
        mistake = next((found.get(id) for agent, found in site.mistakes.items() if viewer.owns(agent)), None)
        kept = await site.cache.get(("/g", id, viewer, mistake), partial(_replay, record, viewer, id, mistake))
        await saw_log(request, f"game {id}")
        return answer(request, kept, viewer)
    except _NotOver as not_over:
        found = not_over.game
    drawn = None
    if found.shown.status == "playing":
        drawn = await site.streams.state(game_topic(id, found.own_seat), "parts", patience=_PATIENCE)
    of = await in_thread(site, partial(record.titled, found.tournament))
    near = await in_thread(site, partial(record.beside, found))
    return page(live_parts.page(found.shown, drawn, of=of, near=links.near(*near), ratings=found.ratings))


class _NotOver(Exception):
    """The game is not over: there is no replay yet."""

    def __init__(self, game: RecordedGames) -> None:
        super().__init__()
        self.game = game


def _replay(record: LiveRecord, viewer: Viewer, id: int, mistake: JudgedPly | None) -> Drawn:
    """The page of a game that is over, with a mistake of the viewer's agent; _NotOver if it is not over, NotThere if
    there is none."""
    found = record.whole_game(id)
    if found is None:
        raise NotThere("There is no such game.")
    if found.shown.status not in OVER:
        raise _NotOver(found)
    game, ways = found.shown, links.near(*record.beside(found))
    if title := game.tournament:
        if len({*game.players}) == 2:
            ways += [(links.TournamentLinks(title).pair(*game.players) or "", "All games of these two")]
        ways += [(links.ruling(title, game.number), "Rule on this game")] * (
            may(viewer, What.MANAGE) and game.kind != GameKind.CHALLENGE  # it counts nowhere
        )
    ways += [(links.pgn(id), "PGN")]
    agents = {name: links.agent(title, name) for name in game.players} if title else {}
    sees_words = may(viewer, What.SAID) or any(seat.stderr is not None for seat in game.seats)
    return Drawn.page(
        replay_page.page(
            game,
            drawn=partial(
                frame.drawn,
                of=record.titled(found.tournament),
                at=links.games(title or ""),
                modules=replay_page.MODULES,
                broad=True,
                above=links.games_of(title),
            ),
            private=sees_words,
            near=ways,
            called=which_game(game),
            mistake=mistake,
            own=found.own_seat,
            find=links.mistakes(id) if can_find_mistakes(viewer, found) else "",
            agents=agents,
            ratings=record.ratings(found),
            person=found.person,
        )
    )


async def game_over(request: Request) -> RecordedGames:
    """The game of the request's path, with its moves; NotThere if it is not over."""
    site: Site = request.app.state.site
    record = _record(site, await viewer_of(request))
    found = await in_thread(site, partial(record.whole_game, _id(request.path_params["id"])))
    if found is None or found.shown.status not in OVER:
        raise NotThere("There is no such game.")
    return found


def can_find_mistakes(viewer: Viewer, game: RecordedGames) -> bool:
    """Whether the viewer can have the mistakes of the game found, which is over: that was not done, and it is a game of
    the viewer's own, or an instructor asks."""
    is_own = game.own_seat is not None or may(viewer, What.MANAGE)
    return is_own and bool(game.shown.moves) and not game.shown.analysis


async def _pgn(request: Request) -> Response:
    """A game that is over, as PGN: a download."""
    site: Site = request.app.state.site
    found = await game_over(request)
    disposition = {"content-disposition": f'attachment; filename="game-{found.shown.id}.pgn"'}
    return PlainTextResponse(await in_thread(site, partial(pgn.text, found.shown)), headers=disposition)


async def _tv(request: Request) -> Response:
    """The TV page of a tournament, or of all."""
    site: Site = request.app.state.site
    viewer = await viewer_of(request)
    record = _record(site, viewer)
    name = await _tournament(site, viewer, request.query_params.get("t", ""))
    topic = _tv_topic(viewer, name)
    shown = await site.streams.state(topic, "screen-0", patience=_PATIENCE)
    side = await site.streams.state(topic, "parts", patience=_PATIENCE)
    of = await in_thread(site, partial(record.titled, name or None))
    return page(live_parts.tv_page(shown["parts"] if shown else {}, side or {}, of=of))


def _tv_topic(viewer: Viewer, tournament: str) -> str:
    """What the TV page follows: that of all tournaments shows those that the viewer may see."""
    return f"tv={tournament}" if tournament or may(viewer, What.RESULTS) else f"{PUBLIC_TV}="


async def _tournament(site: Site, viewer: Viewer, title: str) -> str:
    """The name in the record of the tournament with this public name; empty if `title` is empty."""
    if len(title) > _LONGEST:
        raise NotThere("There is no such tournament.")
    if not title:
        return ""
    read = partial(_record(site, viewer).tournament_name, title)
    return await once_in_thread(site, ("tournament", viewer, title), read)


async def _events(request: Request) -> Response:
    """The stream of a page."""
    site: Site = request.app.state.site
    query = request.query_params
    kinds = [kind for kind in ("g", "tv", "t", "s", "p", "front") if kind in query]
    if len(query) != 1 or len(kinds) != 1:
        raise BadQuery("expected one of g=GAME, t=TOURNAMENT, tv=TOURNAMENT, s=SUBMISSION, p=KEY and front=")
    (kind,) = kinds
    if kind == "front" and query[kind]:
        raise BadQuery("front: expected no value")
    viewer = await viewer_of(request)
    record = _record(site, viewer)
    which = query[kind]
    topic = f"{kind}={which}"
    opened: Callable[[], None] | None = None
    if kind == "p":
        if (played := site.tables.find(viewer.account, which)) is None:
            raise NotThere("There is no such game.")
        opened = partial(site.tables.changed, played)  # it is drawn when the stream is open: no change is missed
    elif kind == "g":
        id = _id(which)
        found = await once_in_thread(site, ("game", viewer, id), partial(record.game, id))
        if found is None:
            raise NotThere("There is no such game.")
        if found.is_over:
            return _over()
        topic = game_topic(id, found.own_seat)
    elif kind == "s":
        id = _id(which)
        if not await in_thread(site, partial(record.has_submission, id)):
            raise NotThere("There is no such submission.")
        topic = f"s={id}"
    elif kind == "front":
        topic = "front=" if may(viewer, What.RESULTS) else f"front={PUBLIC}"
    elif kind == "t" and not which:
        raise NotThere("There is no such tournament.")
    else:
        name = await _tournament(site, viewer, which)
        topic = _tv_topic(viewer, name) if kind == "tv" else f"t={name}"
    owner = await _owner(request)
    if _has_too_many(site, viewer, topic) or site.streams.is_full(topic):
        return PlainTextResponse("There are too many open pages.", 503, {"retry-after": "10"})
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    return PageStream(site, topic, owner, opened, whose=_whose(viewer), gzip=takes_gzip(request.headers))


async def _owner(request: Request) -> Owner | None:
    """By whose rights the request's stream is sent; None for a visitor."""
    sign_ins, account = request.app.state.site.sign_ins, await account_of(request)
    return None if sign_ins is None or account is None else Owner(sign_ins.key(request), account)


def _whose(viewer: Viewer) -> int | str:
    """Whose page it is: an account's, or an address's."""
    return viewer.account or client.get()


def _has_too_many(site: Site, viewer: Viewer, topic: str) -> bool:
    """Whether the viewer's account, or the visitor's address, has as many open pages as it may have."""
    if not (whose := _whose(viewer)):
        return False
    theirs = {which: pages for (owner, which), pages in site.open_pages.items() if owner == whose}
    if viewer.account:
        return sum(theirs.values()) >= _MOST_OF_ONE
    is_new = topic not in theirs
    return sum(theirs.values()) >= _MOST_OF_VISITORS or (is_new and len(theirs) >= _MOST_TOPICS_OF_VISITORS)


def _over() -> Response:
    """The stream of a game that is over: nothing is followed for it."""
    return Response(event("over", None, now=monotonic_ns()).plain, media_type="text/event-stream; charset=utf-8")


# The route on which players find the mistakes of a game that they, or their agents, have played.


async def _find(request: Request) -> Response:
    """The answer to the form with which players have the mistakes of a game found."""
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
        except NoSuchGame as error:
            yield f"{error}\n"

    if not wants_page(request):
        return StreamingResponse(lines(), media_type="text/plain; charset=utf-8")
    last = [line async for line in lines()][-1].strip()
    return leads_to(links.game(id)) if last.isdecimal() else _refused(request, last, drawn)


def _refused(request: Request, why: str, drawn: Callable[..., Document]) -> Response:
    if not wants_page(request):
        return PlainTextResponse(why, 409)
    return page(result_pages.message("No mistakes were found", why[0].upper() + why[1:], drawn=drawn), 409)
