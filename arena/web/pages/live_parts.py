"""The parts of a page that shows a game in progress, and of the TV page, as markup: a script puts each into the element
with its id.

The page is drawn with the same parts, so that it is right without scripts too, as of the time when it was loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from adsearch import CHANCE, State, games
from arena.history import recorded_rules, words
from arena.match.live import LiveGame, LivePly
from arena.match.seeds import GameSeeds
from arena.pages import event
from arena.pages.boards import drawn_boards, plain_board
from arena.pages.drawing import Document, part
from arena.pages.game import ShownPly, ShownSeat, about, items, runs, seat_kind, shape, shown
from arena.play.followed_game import FollowedGame
from arena.ratings.chart import shortened
from arena.results import figures
from arena.results.columns import Medium
from arena.results.report import ListedGame, Report, leaders
from arena.results.standings_table import columns_of
from arena.web import links
from arena.web.links import TournamentLinks
from arena.web.pages import frame
from arena.web.permissions import VISITOR, sees_board
from arena.web.results import Titled
from db.ladder import FORMAT as LADDER
from db.records import GameKind, PastGame

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
) -> Iterator[ShownSeat]:
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
        yield ShownSeat(
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
    drawn = drawn_boards([(position, followed.last)], ended=None if followed.end is None else 0)
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
        ShownPly(number, shown(text), ply.who, _spent(ply), passes=passes)
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


# A game in progress as the seat of the viewer's own agent sees it: its own cards, and what everyone sees.


class OwnSeatGame(FollowedGame):
    """What this seat knows of a game after the messages so far. The `state` never has more in it."""

    def __init__(self, seat: int, seeds: GameSeeds) -> None:
        super().__init__()
        self.seat = seat
        self._seeds = seeds
        # The position with everything that is hidden; None if it is not known.
        self._whole: State[Any] | None = None

    def _begin(self, game: LiveGame) -> None:
        super()._begin(replace(game, plies=()))
        self.game, self._whole = game, self.state
        self._see()
        for ply in game.plies:
            self._play(ply)

    def _play(self, ply: LivePly) -> None:
        seen, whole, self._whole = self.state, self._whole, None
        super()._play(ply)
        if whole is None or not whole.hidden:
            self._whole = self.state
            return
        try:
            if (move := self._move(whole, ply)) is None:
                return
            self._whole = whole.play(move)
            self.last = None
            if seen is not None and (text := whole.view_move(self.seat, move)) == whole.to_text(move):
                self.last = seen.from_text(text)
                self.texts[-1] = seen.shown(self.last)
        except Exception as error:  # user-supplied rules may raise anything
            self._whole, self.trouble = None, str(error) or type(error).__name__
        self._see()

    def _move(self, whole: State[Any], ply: LivePly) -> Any:
        """The move that was played; None if it is not known."""
        if ply.move is not None:
            return whole.from_text(ply.move)
        return self._seeds.outcome(ply.ply, whole.chances()) if whole.turn == CHANCE else None

    def _see(self) -> None:
        """The position is the whole one as the seat sees it."""
        whole, self.state = self._whole, None
        if whole is not None and self.game is not None:
            try:
                self.state = games.load(self.game.rules, whole.view(self.seat))
            except Exception as error:  # user-supplied rules may raise anything
                self.trouble = str(error) or type(error).__name__


# The TV page: one game after the other on a large board, for a projector, with the standings beside it.


_TOP: Final = 5
"""Number of agents in the standings."""


def tv_page(drawn: Mapping[str, str], side: Mapping[str, str], *, of: Titled | None) -> Document:
    """The page. `drawn`: the parts of the game that is shown now; empty if there is none. `side`: standings and last
    results."""
    title = "" if of is None else of.title
    return frame.drawn(
        "tv.html",
        title or "TV",
        of=of,
        at=links.tv(title),
        stream=links.events(tv=title),
        modules=("tv.js", "screens.js"),
        drawn=drawn,
        side=side,
        tv=links.TV,
    )


class Upset(Struct, frozen=True):
    """A win against an agent with a higher rating."""

    game: int
    winner: str
    """Its public name."""
    loser: str
    lead: float
    """By how much the loser's rating is higher."""


class Beside(Struct, frozen=True, kw_only=True):
    """What is beside the board of the TV page."""

    report: Report
    latest: Sequence[ListedGame]
    """The last games."""
    upset: Upset | None = None
    """The greatest of the day."""
    closes: datetime | None = None
    """When a ladder closes, or has closed, whose final has not begun."""


def tv_side(beside: Beside) -> dict[str, str]:
    """The parts beside the board, and the one that stands in its place while no game is played."""
    report, own = beside.report, TournamentLinks(beside.report.title)
    first = leaders(report.agents) if report.status == "finished" else []
    is_closed = beside.closes is not None and beside.closes <= report.made
    winners = [(words.printable(name), own.agent(name)) for name in first]
    return {
        "standings": part("leaders", [*_standings(beside.report, own)]),
        "results": part("results", [*_results(beside.latest, own)]),
        "upset": "" if beside.upset is None else part("upset", _upset(beside.upset, own)),
        "soon": "" if beside.closes is None or is_closed else part("soon", beside.closes),
        "waiting": part("waiting", report.title, event.podium(report, own), winners, is_closed),
    }


def _upset(found: Upset, own: TournamentLinks) -> dict[str, str]:
    return {
        "winner": words.printable(found.winner),
        "winner_at": own.agent(found.winner),
        "loser": words.printable(found.loser),
        "loser_at": own.agent(found.loser),
        "lead": figures.whole(found.lead),
        "game_at": links.game(found.game),
    }


def _standings(report: Report, own: TournamentLinks) -> Iterator[tuple[str, str, list[str]]]:
    """The first agents that have a rank, which anchors of a ladder have not: each with its page and its rating, or with
    its points where these decide, and what else is to be seen of it."""
    rated = [one for one in report.agents if one.rated is not None and one.rated.rating is not None]
    needless = "points" if report.format == LADDER and rated else "rating"
    columns = [one for one in columns_of(report.agents, Medium.TV) if one.name not in ("name", needless)]
    for agent in [one for one in report.agents if not one.left and one.standing.rank][:_TOP]:
        yield words.printable(agent.name), own.agent(agent.name), [one.said(agent) for one in columns]


def _results(latest: Sequence[ListedGame], own: TournamentLinks) -> Iterator[tuple[list[tuple[str, str]], str]]:
    """The last games, each with its players and result."""
    for game in latest:
        players = [(words.printable(name), own.agent(name)) for name in game.players]
        yield players, words.result(game.points or (None,))
