"""`arena ladder watch`: follows games while they are played, on a terminal or as lines of text.

It reads what the director publishes, and the database only to choose a game. Nothing that it does can delay a game.
"""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, monotonic_ns
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.text import Text

from arena.cli.asking.record_options import DatabaseOption, by_name, submissions
from arena.cli.terminal.screen import Screen, is_possible
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.cli.terminal.game_view import FollowedView
    from arena.match.live import OfGame
    from db.database import Connection, Database

_NEXT: Final = ("n", "right", "enter")
_QUIT: Final = ("q", "Q", "quit")
_REDRAW_EVERY: Final = 0.1
"""Seconds between two drawings while clocks run."""
_LOOK_EVERY: Final = 2.0
"""Longest wait for news of a next game, in seconds."""
_END_SHOWN: Final = 4.0
"""Seconds for which the end of a game is shown before the next one."""
_WAITING: Final = "no game is in progress: waiting for the next one"
_NOT_RUNNING: Final = " is not running any more"


def watch(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="Game in progress: its id, or tournament and number such as demo-12."),
    ] = None,
    tournament: Annotated[
        str | None,
        by_name(typer.Option, "--tournament", help="Running tournament or ladder.", show_default="the newest running"),
    ] = None,
    tv: Annotated[bool, typer.Option("--tv", help="Follow the most interesting game, then the next.")] = False,
    db: DatabaseOption = None,
) -> None:
    """Watch games of arena run or arena serve while they are played: board, clocks, last move.

    Without GAME it follows the newest game in progress, and goes on to another one when that is over. The most
    interesting game of --tv has strong players with similar ratings. Press n for another game and q to quit.
    Into a file or a pipe it prints a line for each move, until the run ends. What agents say about their moves is not
    shown. A GAME whose referee was lost is shown again when it is played again.

    Example: arena ladder watch

    Example: arena ladder watch demo-12

    Example: arena ladder watch --tournament cs101 --tv
    """
    from db import lookup
    from db.database import Database

    if game is not None and (tournament is not None or tv):
        raise typer.BadParameter("expected a game, or --tournament and --tv, got both")
    with Database(db, create=False) as database:
        with database.reading() as connection:
            if game is None:
                name, folder = _running(connection, database, tournament)
                chosen = None
            else:
                chosen = lookup.find_game(connection, game)
                name, folder = _place_of_game(connection, database, game, chosen)
        with closing(_Watching(database, name, folder, chosen, tv=tv)) as watching, suppress(KeyboardInterrupt):
            (_on_terminal if is_possible() else _as_lines)(watching)


_ON_HOSTS: Final = ". Games that `arena run --on` plays on game hosts cannot be watched"


def _running(connection: Connection, database: Database, tournament: str | None) -> tuple[str, Path]:
    """The tournament to watch, and its run folder. ArenaError if it is not running."""
    from arena.tournament.lock import running_in
    from db import lookup

    store = submissions(database).folder
    if tournament is not None:
        name = lookup.tournament_name(connection, lookup.find_tournament(connection, tournament))
        return name, _found(running_in(store, name), name)
    for row in lookup.tournaments(connection):
        if (folder := running_in(store, row.name)) is not None:
            return row.name, folder
    raise ArenaError(f"no tournament is running here; `arena run` or `arena serve` plays one{_ON_HOSTS}")


def _found(folder: Path | None, tournament: str) -> Path:
    if folder is None:
        raise ArenaError(
            f"tournament {tournament!r} is not running here; `arena run` or `arena serve` plays it{_ON_HOSTS}"
        )
    return folder


def _place_of_game(connection: Connection, database: Database, text: str, id: int) -> tuple[str, Path]:
    """The tournament of the game, and its run folder. ArenaError if the game is not being played."""
    from arena.tournament.lock import running_in
    from db import games

    found = games.game(connection, id)
    if found.status == "playing" and found.tournament is not None:
        folder = running_in(submissions(database).folder, found.tournament)
        return found.tournament, _found(folder, found.tournament)
    if found.status in ("finished", "void"):
        raise ArenaError(f"game {text} is over; `arena replay {text}` shows it")
    if found.status == "cancelled":
        raise ArenaError(f"game {text} was cancelled")
    raise ArenaError(f"game {text} has not begun; `arena ladder watch` shows games in progress")


class _Watching:
    """The connection to the director, the game that is followed, and the choice of the next one."""

    def __init__(self, database: Database, tournament: str, folder: Path, chosen: int | None, *, tv: bool) -> None:
        """`chosen`: the game that the user asked for; None: one after the other."""
        self.tournament = tournament
        self.chosen = chosen
        self.is_done = False
        """Whether the game that the user asked for is over."""
        self.screen: FollowedView | None = None
        self._database = database
        self._tv = tv
        self._id: int | None = None
        self._players: tuple[str, ...] = ()
        # Recorded as being played, but not known to the director: its process was killed.
        self._not_live = set[int]()
        self._connect(folder)

    def _connect(self, folder: Path) -> None:
        from arena.play.follower import Follower

        self._follower = Follower(folder)
        self._follower.subscribe_news()
        self._id = self.screen = None
        self._not_live.clear()
        self.follow_next()

    def close(self) -> None:
        self._follower.close()

    @property
    def has_ended(self) -> bool:
        """Whether the director has ended."""
        return self._follower.ended

    def _follow(self, id: int) -> None:
        from arena.cli.terminal.game_view import FollowedView

        if self._id is not None:
            self._follower.unsubscribe(self._id)
        self._id, self.screen = id, FollowedView(f"game {id}", self.screen)
        self._follower.subscribe(id)

    def follow_next(self) -> bool:
        """Follows another game, or the chosen one again; False if there is none now."""
        if self.chosen is not None:
            return self._follow_chosen(self.chosen)
        from arena.serve.ladder_events import most_interesting, older
        from db import ladder, lookup, running

        with self._database.reading() as connection:
            id = lookup.find_tournament(connection, self.tournament)
            playing = running.in_progress(connection, id)
            rated = ladder.standings(connection, id) if self._tv else []
        ratings = {line.name: line.rating for line in rated if line.rating is not None}
        playing = [game for game in playing if game.id not in self._not_live]
        if self._tv:
            others = [game for game in playing if game.id != self._id]
            found = most_interesting(others, ratings, self._players)
        else:
            found = older(playing, self._id)
        if found is None or found.id == self._id:
            return False
        self._players = found.players
        self._follow(found.id)
        return True

    def _follow_chosen(self, id: int) -> bool:
        """Follows this game if it is in progress. A game whose director or referee was lost is played again."""
        from db import games

        with self._database.reading() as connection:
            status = games.game(connection, id).status
        self.is_done = status not in ("scheduled", "playing")
        if status != "scheduled":
            self._follow(id)
        return status != "scheduled"

    def reconnect(self) -> bool:
        """Connects to the process that runs the tournament now, which may have a new director; False if none does."""
        from arena.tournament.lock import running_in

        if (folder := running_in(submissions(self._database).folder, self.tournament)) is None:
            return False
        self.close()
        self._connect(folder)
        return True

    def receive(self, timeout: float) -> list[OfGame]:
        """The messages of the game that have come; waits at most `timeout` seconds for any message."""
        from arena.match.live import GameNews, LiveEnd, NotLive, RatingNews, SubmissionNews

        found: list[OfGame] = []
        for message in self._follower.receive(timeout):
            if isinstance(message, NotLive):
                self._not_live.add(message.game)
            if isinstance(message, LiveEnd):
                self.is_done = message.game == self.chosen
            if not isinstance(message, GameNews | SubmissionNews | RatingNews) and message.game == self._id:
                found.append(message)
        return found


def _on_terminal(watching: _Watching) -> None:
    """Shows games on the whole screen until the user quits."""
    # When the next game is looked for; None while a game is in progress.
    due: float | None = None
    with Screen() as screen:
        while True:
            for message in watching.receive(0):
                if watching.screen is not None:
                    watching.screen.take(message)
            screen.draw(_picture(watching, screen))
            key = screen.key(_REDRAW_EVERY)
            if key in _QUIT:
                return
            game, now = watching.screen, monotonic()
            if game is not None:
                game.press(key)
            if watching.is_done:
                continue
            if game is not None and not game.is_over and not watching.has_ended:
                due = None
            elif due is None:
                due = now + (_END_SHOWN if game is not None and game.end is not None else 0.0)
            is_asked = key in _NEXT and watching.chosen is None
            if is_asked or (due is not None and now >= due):
                found = watching.reconnect() if watching.has_ended else watching.follow_next()
                due = None if found else now + _LOOK_EVERY


def _picture(watching: _Watching, screen: Screen) -> list[Text]:
    """What the terminal shows now."""
    from arena.cli.terminal.game_view import GameView, picture
    from arena.history.words import printable

    keys = "s: other side   w: in words   q: quit"
    another = "" if watching.chosen is not None else "n: another game   "
    is_gone = watching.has_ended and not watching.is_done
    game = watching.screen
    is_known = game is not None and (game.game is not None or not is_gone)
    view = game.view(monotonic_ns()) if game is not None and is_known else GameView(_WAITING)
    view.status = [f"{printable(watching.tournament)}{_NOT_RUNNING * is_gone}   {another}{keys}"]
    return picture(view, screen.look, *screen.size).lines


def _as_lines(watching: _Watching) -> None:
    """Prints a line for each move, until the chosen game is over, or until the director ends."""
    from arena.match.live import LiveGame, LivePly

    headed = None
    while not watching.has_ended or watching.reconnect():
        screen = watching.screen
        for message in watching.receive(_LOOK_EVERY):
            if screen is None:
                break
            screen.take(message)
            if screen is not headed and isinstance(message, LiveGame):
                headed = screen
                print(screen.header())
            if isinstance(message, LivePly) or (isinstance(message, LiveGame) and message.plies):
                print(screen.ply(), flush=True)
        if screen is not None and (screen.end is not None or (screen.is_over and watching.is_done)):
            print("", *screen.board(), *screen.ending(), "", sep="\n", flush=True)
            if watching.is_done:
                return
        if screen is None or screen.is_over:
            watching.screen = None
            watching.follow_next()
    print(f"{watching.tournament}{_NOT_RUNNING}")
