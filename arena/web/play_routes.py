"""The routes on which people play: on a ladder the opponents and the begin of a game; and the game itself.

A game belongs to one account; for all others it does not exist. The routes of the game itself (`table_routes`) are the
same in the window of `arena play --web`. What happens in a game is in `persons_game.py`.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from time import monotonic_ns
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from adsearch import games
from adsearch.errors import AdsearchError
from agents import builtin
from arena.errors import ArenaError, BadFixture
from arena.history import words
from arena.serve.open_ladders import OpenLadder, opened
from arena.serve.submissions import possible_again
from arena.web import forms, links, results
from arena.web.answers import PageDrawing, in_thread, leads_to, page, wants_page
from arena.web.cache import TooBusy
from arena.web.events import Change, event
from arena.web.identity import NotSignedIn, account_of, viewer_of
from arena.web.own_routes import no_sign_in
from arena.web.page_values import BadQuery, NotThere
from arena.web.pages import frame, play_pages
from arena.web.pages.play_pages import CLOCKS, EITHER, Opponent, Opponents
from arena.web.permissions import Role, SeenNames, Viewer, What, may
from arena.web.persons_game import PersonsGame
from arena.web.results import Titled
from arena.web.site import Site
from db import ladder as record

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
        *table_routes(_found_game, _drawn, _again),
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
            going_on=[one.seen.key for one in site.tables.games(viewer.account) if not one.is_over],
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


# The routes of one game: its page, what the person does, and the same game once more.


Find = Callable[[Request], Awaitable[PersonsGame]]
"""The game of the request's path; NotThere if there is none, or if it is another person's."""
Draw = Callable[[Request, str], Awaitable[Response]]
"""The page of that game. The text says why the last move was not taken, or is empty."""
Again = Callable[[Request, PersonsGame, int], Awaitable[PersonsGame]]
"""That game again, with the person at this seat; ArenaError if that is not possible."""


def table_routes(find: Find, draw: Draw, again: Again) -> tuple[BaseRoute, ...]:
    """The routes of one game."""

    async def shown(request: Request) -> Response:
        return await draw(request, "")

    async def acted(request: Request) -> Response:
        """The person moves, or does something else. A script gets the words of a mistake alone."""
        site: PageDrawing = request.app.state.site
        game = await find(request)
        given = await forms.fields(request)
        if "seat" in given:
            try:
                return leads_to(links.table((await again(request, game, _seat(given["seat"]))).seen.key))
            except ArenaError as error:
                return await draw(request, words.printable(str(error)))
        threads = site.hints if given.get("do") == "hint" else site.threads  # a hint takes seconds
        wrong = await asyncio.get_running_loop().run_in_executor(threads, partial(_done, game, given))
        if wants_page(request):
            return await draw(request, wrong) if wrong else leads_to(links.table(game.seen.key))
        return PlainTextResponse(wrong, 400 if wrong else 200)

    return (
        Route("/p/{key:segment}", shown, methods=["GET"]),
        Route("/p/{key:segment}", acted, methods=["POST"]),
    )


def _seat(text: str) -> int:
    """The number of a seat; -1, which no game has, if it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 3 else -1


def _done(game: PersonsGame, given: Mapping[str, str]) -> str:
    """Does that; returns what is wrong with it, or nothing."""
    at = given.get("turn")
    acts: dict[str, Callable[[], None]] = {
        "hint": partial(game.find_hint, at),
        "take_back": partial(game.take_back, at),
        "flip": game.flip,
        "resign": game.resign,
        "give_up": game.give_up,
    }
    try:
        if "move" in given:
            game.move(given["move"], at)
        elif (act := acts.get(given.get("do", ""))) is not None:
            act()
        else:
            return "expected a move"
    except (ArenaError, AdsearchError) as error:
        return words.printable(str(error))
    return ""


# Sends the games that people play to their open pages: a game is drawn after each change, and once for all its pages.


def topic(game: PersonsGame) -> str:
    """The topic of the game's stream."""
    return f"p={game.seen.key}"


class TableStreams:
    """What it draws is published on the streams of the running event loop."""

    def __init__(self, site: PageDrawing, parts: Callable[[PersonsGame], Mapping[str, str]]) -> None:
        """`parts` draws the parts of a game's page, in a thread."""
        self._site = site
        self._parts = parts
        self._loop = asyncio.get_running_loop()
        # By key: whether the game has changed since its drawing began.
        self._drawing: dict[str, bool] = {}
        self._tasks = set[asyncio.Task[None]]()

    def changed(self, game: PersonsGame) -> None:
        """The game has changed. Any thread may call this."""
        self._loop.call_soon_threadsafe(self._note, game)

    def _note(self, game: PersonsGame) -> None:
        key = game.seen.key
        if key in self._drawing:
            self._drawing[key] = True
            return
        self._drawing[key] = False
        task = asyncio.create_task(self._draw(game))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _draw(self, game: PersonsGame) -> None:
        key = game.seen.key
        try:
            while True:
                self._drawing[key] = False
                streams = self._site.streams
                if topic(game) in streams.wanted:
                    streams.publish([await in_thread(self._site, partial(self._change, game))])
                else:
                    streams.forget(topic(game))  # a page that opens a stream asks for a new drawing
                if not self._drawing[key]:
                    return
        except TooBusy:
            self._loop.call_later(1.0, self._note, game)
        finally:
            del self._drawing[key]

    def _change(self, game: PersonsGame) -> Change:
        """The parts of the game's page. Runs in a thread."""
        data = self._parts(game)
        return Change(topic(game), "parts", data, event("parts", data, now=monotonic_ns()))
