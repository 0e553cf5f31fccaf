"""The routes on which people play on a ladder: the opponents, the begin of a game, and whose game it is.

A game belongs to one account; for all others it does not exist. The routes of the game itself are in `table_routes.py`.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from adsearch import games
from agents import builtin
from arena.errors import ArenaError, BadFixture
from arena.serve.open_ladders import OpenLadder, opened
from arena.serve.submissions import possible_again
from arena.web import forms, links, results, table_routes
from arena.web.answers import in_thread, leads_to, page
from arena.web.identity import NotSignedIn, account_of, viewer_of
from arena.web.own_routes import no_sign_in
from arena.web.page_values import BadQuery, NotThere
from arena.web.pages import frame, play_pages
from arena.web.pages.play_pages import CLOCKS, EITHER, Opponent, Opponents
from arena.web.permissions import Role, What, may
from db import ladder as record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.web.permissions import SeenNames, Viewer
    from arena.web.persons_game import PersonsGame
    from arena.web.results import Titled
    from arena.web.site import Site

_NO_GAME: Final = "There is no such game."
_WAYS: Final = ((links.play(), "Other opponents"),)
"""Where it goes on after a game, other than with the same game again."""
_NOBODY: Final = "There is no such opponent in this game."


def routes() -> tuple[BaseRoute, ...]:
    """The routes."""
    return (
        Route("/play", _opponents, methods=["GET"]),
        Route("/play/{opponent:segment}", _begin, methods=["GET"]),
        Route("/play/{opponent:segment}", _open, methods=["POST"]),
        *table_routes.routes(_found_game, _drawn, _again),
    )


async def _player(request: Request) -> tuple[Site, Viewer, SeenNames]:
    """Who asks; NotSignedIn for someone who may not play."""
    site: Site = request.app.state.site
    viewer = await viewer_of(request)
    if viewer.role is Role.VISITOR:
        raise NotSignedIn
    if not may(viewer, What.PLAY):
        raise NotThere(_NO_GAME)
    return site, viewer, site.names.seen_by(viewer)


# The opponents.


def _titled(site: Site, names: SeenNames) -> tuple[OpenLadder, Titled]:
    with site.database.reading() as connection:
        ladder = opened(connection, site.served)
        return ladder, results.titled(connection, names, ladder.id)


def _found(site: Site, names: SeenNames, ladder: OpenLadder, game: str) -> tuple[dict[str, Opponent], list[Opponent]]:
    """The opponents in a game: the agents of the ladder by their names in the record, the best first; and the built-in
    agents."""
    lines = dict[str, record.LadderLine]()
    shown: Mapping[str, str] = {}
    if game == ladder.ladder.league.game_text:
        with site.database.reading() as connection:
            shown = names.read(connection).shown
            lines = {line.name: line for line in record.standings(connection, ladder.id)}
    agents = {
        name: Opponent(shown[name], line.rating, line.error, line.games)
        for name, line in lines.items()
        if line.status == "active" and name not in ladder.anchors
    }
    held = {name: line for name, line in lines.items() if name in ladder.anchors}
    able = builtin.able(games.start(_rules(ladder, game)))
    built_in = [Opponent(name, held[name].rating if name in held else None) for name in able]
    return agents, built_in


def _games_of(ladder: OpenLadder) -> list[str]:
    """The ladder's game, and all others for two players."""
    own = ladder.ladder.league.game_text
    return list(dict.fromkeys([own, *(name for name in games.names() if games.start(name).players == 2)]))


def _rules(ladder: OpenLadder, game: str) -> str:
    """The rules of a game of the list; BadQuery if it is another one."""
    if game not in _games_of(ladder):
        raise BadQuery(f"game: expected one of {', '.join(_games_of(ladder))}")
    return ladder.rules if game == ladder.ladder.league.game_text else game


async def _opponents(request: Request) -> Response:
    """All opponents in a game."""
    if await account_of(request) is None:
        return no_sign_in(request.app.state.site, 200)  # every page has a link to this one
    return await _listed(request)


async def _listed(request: Request, *, only: str = "", wrong: str = "") -> Response:
    """The page of all opponents, or of one."""
    site, viewer, names = await _player(request)
    asked = request.query_params.get("game", "")

    def draw() -> Response:
        ladder, of = _titled(site, names)
        game = asked or ladder.ladder.league.game_text
        agents, built_in = _found(site, names, ladder, game)
        if only and all(one.name != only for one in (*agents.values(), *built_in)):
            raise NotThere(_NOBODY)
        found = Opponents(
            ladder=of,
            game=game,
            games=_games_of(ladder),
            agents=list(agents.values()),
            built_in=built_in,
            going_on=_going_on(site, viewer),
        )
        return page(play_pages.opponents(found, only=only, wrong=wrong), 409 if wrong else 200)

    return await in_thread(site, draw)


def _chosen(site: Site, names: SeenNames, opponent: str, asked: str) -> tuple[str, str]:
    """The game, and the opponent's name in the record; NotThere if there is none."""
    ladder, _ = _titled(site, names)
    game = asked or ladder.ladder.league.game_text
    agents, built_in = _found(site, names, ladder, game)
    for name, one in (*agents.items(), *((one.name, one) for one in built_in)):
        if one.name == opponent:
            return game, name
    raise NotThere(_NOBODY)


def _going_on(site: Site, viewer: Viewer) -> list[str]:
    """The keys of the person's games that are not over."""
    return [one.seen.key for one in site.tables.games(viewer.account) if not one.is_over]


async def _begin(request: Request) -> Response:
    """The same with one opponent."""
    return await _listed(request, only=request.path_params["opponent"])


async def _open(request: Request) -> Response:
    """A game begins."""
    site, viewer, names = await _player(request)
    opponent, asked = request.path_params["opponent"], request.query_params.get("game", "")
    given = await forms.fields(request)
    seat, clock = given.get("seat", "0"), given.get("clock", next(iter(CLOCKS)))
    if seat not in ("0", "1", EITHER) or clock not in CLOCKS:
        raise BadQuery("expected a seat and a clock of the form")

    def start() -> Response:
        game, found = _chosen(site, names, opponent, asked)
        at = secrets.randbelow(2) if seat == EITHER else int(seat)
        made = site.tables.open(viewer.account, game=game, opponent=found, seat=at, clock=clock)
        return leads_to(links.table(made.seen.key))

    try:
        _check_number(site, viewer)
        return await in_thread(site, start)
    except ArenaError as error:
        return await _listed(request, only=opponent, wrong=str(error))


def _check_number(site: Site, viewer: Viewer) -> None:
    """Counts one more game of the person; BadFixture if these are too many."""
    if (again := site.plays.take(viewer.account, now := datetime.now(UTC))) is not None:
        raise BadFixture(f"too many games in a row; {possible_again(again, now)}")


# The game.


async def _own_game(request: Request) -> tuple[Site, SeenNames, PersonsGame]:
    """The account's game with this key; NotThere if there is none."""
    site, viewer, names = await _player(request)
    game = site.tables.find(viewer.account, request.path_params["key"])
    if game is None:
        raise NotThere(_NO_GAME)
    return site, names, game


async def _found_game(request: Request) -> PersonsGame:
    _, _, game = await _own_game(request)
    return game


async def _again(request: Request, game: PersonsGame, seat: int) -> PersonsGame:
    """The game begins once more."""
    site, viewer, _ = await _player(request)
    _check_number(site, viewer)
    return await in_thread(site, partial(site.tables.again, viewer.account, game, seat))


async def _drawn(request: Request, wrong: str) -> Response:
    """The page of a game."""
    site, names, game = await _own_game(request)

    def draw() -> Response:
        _, of = _titled(site, names)
        opponent = _shown(site, game)
        has_page = not builtin.is_builtin(game.seen.opponent)
        document = play_pages.page(
            game,
            opponent=opponent,
            href=links.agent(of.title, opponent) if has_page else "",
            drawn=partial(frame.drawn, of=of, above=[(links.play(), "Play")]),
            wrong=wrong,
            ways=_WAYS,
        )
        return page(document, 400 if wrong else 200)

    return await in_thread(site, draw)


def _shown(site: Site, game: PersonsGame) -> str:
    """The public name of the opponent. A built-in agent without a game is not in the record."""
    if builtin.is_builtin(game.seen.opponent):
        return game.seen.opponent
    with site.database.reading() as connection:
        return site.names.read(connection).shown[game.seen.opponent]


def parts(site: Site, game: PersonsGame) -> dict[str, str]:
    """The parts of the game's page, for its stream. Runs in a thread."""
    return play_pages.parts(game.seen, _shown(site, game), ways=_WAYS)
