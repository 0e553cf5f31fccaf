"""The parts of a page that shows a game in progress, as markup: a script puts each into the element with its id.

The page is drawn with the same parts, so that it is right without scripts too, as of the time when it was loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from adsearch import State
from arena.history import recorded_rules, words
from arena.match.live import LivePly
from arena.pages.boards import boards, plain_board
from arena.pages.drawing import Document, part
from arena.pages.game import Ply, Seat, about, items, runs, seat_kind, shape, shown
from arena.play.followed_game import FollowedGame
from arena.ratings.plots.chart import shortened
from arena.web import links
from arena.web.own_seat import OwnSeatGame
from arena.web.pages import frame
from arena.web.sight import VISITOR, sees_board
from db.records import GameKind, PastGame

if TYPE_CHECKING:
    from arena.web.results import Titled

_HIDDEN: Final = "The players do not see everything in this game, so its board is shown when it is over."
_NOT_PLAYED: Final = {
    "scheduled": "not begun yet: this page shows it from its first move on",
    "cancelled": "cancelled: it was not played",
}
_LATEST: Final = 100
"""Plies among which the last move is looked for: more than chance events ever come in a row."""
_SIZE: Final = 14
"""Of the names on a small screen, in pixels: bold letters of 13 are as wide."""
_ROOM: Final = 120
"""Pixels of a small screen's name: one that is wider loses its middle, because names with options differ at the end."""


def parts(
    game: PastGame,
    followed: FollowedGame,
    *,
    now: int,
    since: int | None = None,
    spent: int | None = None,
    most: int | None = None,
    ratings: Sequence[float | None] = (),
) -> dict[str, str]:
    """The parts. `game`: what visitors may see of its record. `now`: the instant at which running clocks are read
    without a script. `since`: when the turn began for those who watch; None: when it began in the game. `spent`: how
    long it took, if its end is known. `most`: the number of last moves that are listed; None: all. `ratings`: of the
    players, by seat."""
    return {
        "state": part("text", state(game, followed)),
        "seats": part("seats", [*_seats(game, followed, now=now, since=since, spent=spent, ratings=ratings)]),
        "last": _last_move(game, followed),
        "board": board(game, followed),
        "moves": _moves(game, followed, most),
    }


def small_parts(game: PastGame, followed: FollowedGame) -> dict[str, str]:
    """The parts of a small screen."""
    players = [
        {
            "name": shortened(words.printable(past.player), _SIZE, _ROOM),
            "kind": seat_kind(seat, game.game),
            "is_turn": seat == followed.turn,
        }
        for seat, past in enumerate(game.seats)
    ]
    return {
        "board": board(game, followed, plain=True),
        "players": part("small_players", players),
        "state": part("small_state", game.tournament or "", state(game, followed)),
    }


def address(game: PastGame, name: str) -> str | None:
    """The address of a player's page, if the game is of a tournament."""
    return links.agent(game.tournament, name) if game.tournament else None


def which_game(game: PastGame) -> str:
    """What people call it."""
    is_challenge = game.kind == GameKind.CHALLENGE
    return f"challenge, which counts nowhere (game {game.name})" if is_challenge else f"game {game.name}"


def state(game: PastGame, followed: FollowedGame) -> str:
    """Whether it is played, and how it ended."""
    if followed.end is not None:
        return words.printable(words.live_ending(followed.end.verdict, followed.end.points, game.players))
    if followed.game is None and game.status in _NOT_PLAYED:
        return _NOT_PLAYED[game.status] + (f": {words.printable(game.detail)}" if game.detail else "")
    if followed.is_not_live and followed.game is not None:
        return "interrupted: it will be played again"
    return "in progress" if followed.since is not None else "waiting for the players"


def _seats(
    game: PastGame,
    followed: FollowedGame,
    *,
    now: int,
    since: int | None,
    spent: int | None,
    ratings: Sequence[float | None] = (),
) -> Iterator[Seat]:
    """Each player with the time left; a script runs the clock that has an instant, down to the least that is known."""
    turn, since = followed.turn, followed.since if since is None else since
    for seat, past in enumerate(game.seats):
        is_running = seat == turn
        rating = ratings[seat] if seat < len(ratings) else None
        left = followed.left[seat] if seat < len(followed.left) else None
        instants: dict[str, str] = {}
        time = left
        if left is not None and is_running and since is not None:
            least = 0 if spent is None else max(0, left - spent)
            instants = {"data-least": _ms(least), "data-left": _ms(left), "data-since": _ms(since)}
            time = max(least, left - max(0, now - since))
        name = words.printable(past.player)
        yield Seat(
            name=name,
            kind=seat_kind(seat, game.game),
            about=about(seat, game.game, rating),
            href=address(game, past.player),
            time="" if time is None else words.clock(time),
            runs=instants,
            is_turn=is_running,
            is_below=seat == 0,
        )


def _ms(time: int) -> str:
    """Nanoseconds as milliseconds."""
    return f"{time / 1e6:.3f}"


def _last_move(game: PastGame, followed: FollowedGame) -> str:
    """The last move in words."""
    if not followed.plies:
        return part("text", "The game begins." if followed.since is not None else "")
    lines = _lines(game, followed, max(0, len(followed.plies) - _LATEST))
    return part("last", [_line(game, line) for line in words.latest(lines)])


def _lines(game: PastGame, followed: FollowedGame, begin: int = 0) -> list[words.Line]:
    plies = zip(followed.plies[begin:], followed.texts[begin:], strict=True)
    return words.lines([(ply.who, text) for ply, text in plies], game.game, first=begin + 1, deals=_deals(followed))


def _deals(followed: FollowedGame) -> bool:
    """Whether chance deals what players do not see."""
    return followed.has_hidden_move or (followed.state is not None and followed.state.hidden)


def _line(game: PastGame, line: words.Line) -> dict[str, str | None]:
    """A line of the list of moves."""
    is_player = isinstance(line.who, int) and line.who < len(game.seats)
    who = game.seats[line.who].player if isinstance(line.who, int) and is_player else str(line.who)
    return {
        "number": line.number,
        "who": words.printable(who) if is_player else who,
        "href": address(game, who) if is_player else None,
        "moves": shown(line.moves),
    }


def board(game: PastGame, followed: FollowedGame, *, plain: bool = False) -> str:
    """The board, or why there is none. `plain`: without its caption and what it says."""
    position = _begin(game) if followed.game is None else followed.state
    hides = followed.has_hidden_move or (position is not None and position.hidden)
    sees_own = isinstance(followed, OwnSeatGame) and position is not None  # then it has nothing else in it
    if followed.end is None and not sees_own and not sees_board(VISITOR, hides=hides, public=True):
        return part("no_board", _HIDDEN)
    if position is None:
        return part("no_board", "There is no board: the rules failed.") if followed.trouble else ""
    if plain:
        return plain_board(position, followed.last)
    drawn = boards([(position, followed.last)], ended=None if followed.end is None else 0)
    return drawn.drawn[0]


def _spent(ply: LivePly) -> str:
    """The time of a player's move."""
    return words.seconds(ply.spent) if isinstance(ply.who, int) and ply.spent is not None else ""


def _begin(game: PastGame) -> State[Any] | None:
    """The first position of a game of which no move is known; None if its rules fail or must not be run."""
    with suppress(Exception):  # user-supplied rules may raise anything
        return recorded_rules.start(game, trust=False)
    return None


def _moves(game: PastGame, followed: FollowedGame, most: int | None) -> str:
    """The items of the list of moves."""
    plies = followed.plies
    dealt = runs([ply.who for ply in plies], deals=_deals(followed))
    listed = [
        Ply(number, shown(text), ply.who, _spent(ply), passes=passes)
        for number, (ply, text, passes) in enumerate(zip(plies, followed.texts, dealt, strict=True), start=1)
    ]
    begin = 0 if most is None else max(0, len(plies) - most)
    begin += begin % 2  # whole rows: a player keeps its column
    found = items(listed[begin:], [*map(words.printable, game.players)], game.game)
    return part("moves", found, False, begin == 0)


# The page of a game that is in progress, or that has not begun. When the game is over, its address shows the replay.


def page(
    game: PastGame,
    drawn: Mapping[str, str] | None,
    *,
    of: Titled | None,
    near: Sequence[tuple[str, str]] = (),
    ratings: Sequence[float | None] = (),
) -> Document:
    """The page. `game`: what visitors may see of it. `drawn`: its parts now; None if they are not known. `near`: links
    to other games. `ratings`: of the players, by seat."""
    found = drawn or parts(game, FollowedGame(), now=0, ratings=ratings)
    facts = (
        words.without_store(game.game),
        which_game(game),
        "" if game.round is None else f"round {game.round}",
        words.clocks(game.clocks),
        *words.beginning(game),
    )
    is_cancelled = game.status == "cancelled"
    return frame.drawn(
        "live.html",
        words.printable(" – ".join(game.players)),
        of=of,
        stream="" if is_cancelled else links.events(g=game.id),
        modules=("live.js",) * (not is_cancelled),
        broad=True,
        above=links.games_of(game.tournament),
        shape=shape(len(game.players)),
        players=[(words.printable(name), address(game, name)) for name in game.players],
        drawn=found,
        is_cancelled=is_cancelled,
        is_playing=game.status == "playing",
        facts=words.printable(" · ".join(filter(None, facts))),
        near=near,
    )
