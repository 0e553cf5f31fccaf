"""`arena run` on the whole screen: the progress, the standings and the newest results, and one game while it is played.

A thread draws it and hears keys, so that the director's loop never waits for a terminal. What is said stands at the
bottom, and is printed when the screen is left.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, monotonic_ns
from typing import TYPE_CHECKING, Final

from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from agents.protocol import Verdict
from arena.cli.terminal import bars
from arena.cli.terminal.game_view import FollowedView, picture
from arena.cli.terminal.notes import wrap_lines
from arena.cli.terminal.screen import Screen
from arena.history import words
from arena.match.schedule import Finished
from arena.ratings.points import APART
from arena.ratings.systems.incremental import Elo, EloRating
from arena.results.columns import Column, Medium
from arena.results.report import ReportedAgent, reported_agents
from arena.results.standings_table import columns_of
from arena.tournament.tournament import Tournament
from db.errors import Busy
from db.records import RatedGame

if TYPE_CHECKING:
    from arena.hosts.home import Home
    from arena.play.director import Director
    from arena.play.follower import Follower

_EVERY: Final = 0.25
"""Seconds between two drawings, unless a key is pressed."""
_LINGERS: Final = 2.0
"""Seconds for which the end of a game is shown."""
_SAID: Final = 4
"""Number of messages that are shown."""
_BESIDE: Final = 42
"""Columns of the game beside the standings, at least."""
_TABLE: Final = 104
"""Columns that standings can use; the game has what is left."""
_BOTH: Final = 110
"""Columns of a screen on which both have room."""
_KEYS: Final = "g: a game or standings   n: another game   s: other side   w: in words   Ctrl-C: stop"


class RunScreen:
    """Draws a tournament until it is closed."""

    def __init__(self, tournament: Tournament, screen: Screen, time_left: Callable[[], str]) -> None:
        self.table = LiveTable(tournament, time_left)
        self._screen = screen
        self._said: deque[str] = deque(maxlen=_SAID)
        self._all_said: list[str] = []
        self._over = threading.Event()
        self._follower: Follower | None = None
        self._game: FollowedView | None = None
        self._number: int | None = None
        # When something of the game was heard last.
        self._last_news = 0.0
        # Whether a game is shown instead of the standings, where there is no room for both.
        self._shows_game = False
        self._thread = threading.Thread(target=self._draw_until_over, daemon=True)
        self._thread.start()

    def say(self, text: str) -> None:
        self._said.append(text)
        self._all_said.append(text)

    def close(self) -> list[str]:
        """Draw no more; returns what was said."""
        self._over.set()
        self._thread.join()
        return self._all_said

    def _draw_until_over(self) -> None:
        while not self._over.is_set():
            try:
                self._follow()
                self._screen.draw(self.lines())
                self._press(self._screen.key(_EVERY))
            except Exception as error:  # the games go on, whatever a picture lacks
                self.say(f"a picture could not be drawn: {type(error).__name__}: {error}")
                self._over.wait(_LINGERS)
        with suppress(Exception):
            self._screen.draw(self.lines())
        if self._follower is not None:
            self._follower.close()

    def _press(self, key: str) -> None:
        if key in ("g", "tab"):
            self._shows_game = not self._shows_game
        elif key in ("n", "right"):
            self._go_on()
        elif self._game is not None:
            self._game.press(key)

    # The game.

    def _follow(self) -> None:
        """Take in what has happened in the game that is shown, and go on to another one when it is over."""
        from arena.play.director import Director
        from arena.play.follower import Follower

        director = self.table.director
        if self._follower is None and isinstance(director, Director):
            self._follower = Follower(director.folder.path)
        if self._follower is None:
            return
        for message in self._follower.receive(0):
            if self._game is not None and getattr(message, "game", None) == self._number:
                self._game.take(message)  # type: ignore[arg-type]
                self._last_news = monotonic()
        if self._game is None or (self._game.is_over and monotonic() - self._last_news >= _LINGERS):
            self._go_on()

    def _go_on(self) -> None:
        """Follow the next game in progress."""
        playing = [] if self.table.director is None else [game.number for game in self.table.director.in_progress]
        others = [number for number in playing if number != self._number]
        if self._follower is None or not others:
            return
        later = [number for number in others if self._number is not None and number > self._number]
        if self._number is not None:
            self._follower.unsubscribe(self._number)
        self._number = (later or others)[0]
        self._game = FollowedView(f"game {self._number}", self._game)
        self._follower.subscribe(self._number)

    # The picture.

    def lines(self) -> list[Text]:
        """What the screen shows now."""
        columns, rows = self._screen.size
        said = [Text(line) for text in self._said for line in wrap_lines(text, width=columns)][-_SAID:]
        high = rows - len(said) - 1
        beside = max(_BESIDE, columns - _TABLE)
        wide = columns - beside - 2 if columns >= _BOTH else columns
        status = Text(_KEYS, no_wrap=True)
        if self._game is not None and (self._shows_game or columns >= _BOTH):
            view = self._game.view(monotonic_ns())
            if self._shows_game:
                return [*picture(view, self._screen.look, columns, high).lines, *said, status]
            game = picture(view, self._screen.look, beside, high).lines
        else:
            game = []
        table = self._table(wide, high)
        table += [Text() for _ in range(high - len(table))]
        for line, part in zip(table, game, strict=False):
            line.append(" " * (wide + 2 - line.cell_len)).append_text(part)
        return [*table, *said, status]

    def _table(self, wide: int, high: int) -> list[Text]:
        """The standings, as lines of at most this width."""
        console = Console(width=wide, height=high, force_terminal=True, color_system="truecolor")
        rendered = console.render_lines(self.table.picture(wide, high), console.options, pad=False)
        lines = [Text.assemble(*[(one.text, one.style or "") for one in line]) for line in rendered]
        with suppress(IndexError):
            while not lines[-1].plain.strip():
                lines.pop()
        return lines[:high]


# The live table of a running tournament: standings, games in progress, last results, time left.


_LAST: Final = 6
"""Number of results that are shown below the table."""
_PLAYING: Final = 4
"""Number of games in progress that are shown."""
_WIDE: Final = 78
"""Columns from which on the range of a score is shown."""
_SHARE: Final = 0.05
"""Largest share of the time that is spent on reading the standings."""
_READ_EVERY: Final = 0.1
"""Shortest time between two readings of the standings, in seconds."""


class LiveTable:
    """What a terminal shows while a tournament runs."""

    def __init__(
        self, tournament: Tournament, time_left: Callable[[], str], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`time_left`: the time that the other games need, in words."""
        # The director that plays the games; None until it has started.
        self.director: Director | Home | None = None
        self._tournament = tournament
        self._time_left = time_left
        self._clock = clock
        # The ratings, without the finished games in `_unrated`: they are added when the table is drawn.
        self._ratings = Elo()
        for played in tournament.rated_so_far():
            self._ratings.play(played)
        self._unrated: deque[Finished] = deque()
        self._results: list[str] = []
        self._read_standings()

    def add(self, event: Finished, line: str) -> None:
        """Add a finished game, with its result as a `line`."""
        self._unrated.append(event)
        self._results = [*self._results, line][-_LAST:]
        if self._clock() >= self._read_again:
            with suppress(Busy):  # the tournament itself waits for the database, before its next result
                self._read_standings()

    def _read_standings(self) -> None:
        """Read the standings from the database, with the forfeits, rulings and new versions that no event reports."""
        began = self._clock()
        self._standings = reported_agents(self._tournament.standings())  # one assignment: a thread reads them
        self._stands = self._tournament.stands() if len(self._standings) == 2 else ""
        ended = self._clock()
        self._read_again = ended + max(_READ_EVERY, (ended - began) / _SHARE)

    def _rated(self) -> dict[str, EloRating]:
        """The ratings after all games so far."""
        while self._unrated:
            if (played := _played(self._unrated.popleft())) is not None:
                self._ratings.play(played)
        return self._ratings.rated()

    def picture(self, width: int, height: int) -> Group:
        """The current table for a screen of that size; a thread calls this several times a second."""
        tournament = self._tournament
        bar = Progress(
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[left]}"),
        )
        bar.add_task("", total=max(1, tournament.expected), completed=tournament.over, left=self._time_left())
        playing = self.director.in_progress if self.director is not None else []
        now = [
            Text(
                "  playing: " + words.printable(" - ".join(entrant.name for entrant in game.entrants)),
                no_wrap=True,
                overflow="ellipsis",
            )
            for game in playing[:_PLAYING]
        ]
        if (more := len(playing) - _PLAYING) > 0:
            now.append(Text(f"  ... and {words.counted(more, 'more game')}"))
        if (hosts := getattr(self.director, "status", None)) is not None:
            now.insert(0, Text(f"  {hosts()}"))
        if self._stands:
            now.insert(0, Text(f"  {words.printable(self._stands)}", overflow="fold"))
        results = [Text(line, no_wrap=True, overflow="ellipsis") for line in self._results]
        below: list[RenderableType] = [bar, *now, *results]
        head = 1
        return Group(*self._table(height - head - len(below), width), *below)

    def _table(self, most: int, width: int) -> list[RenderableType]:
        """The standings, in at most this number of lines below their head."""
        lines, rated = self._standings, self._rated()
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        elo = Column[ReportedAgent](
            "elo", value=lambda one: f"{round(rated[one.name].rating)}" if one.name in rated else "-", number=True
        )
        interval = Column[ReportedAgent](bars.SCORE, value=lambda one: bars.score(one.standing))
        columns = [*columns_of(lines, Medium.LIVE), elo, *([interval] if width >= _WIDE else [])]
        for one in columns:
            table.add_column(one.title or one.name, justify="right" if one.number else "left", no_wrap=True)
        # None stands for the heading above the players that are apart.
        apart = [line for line in lines if line.standing.apart]
        rows = [*(line for line in lines if not line.standing.apart), *([None] if apart else []), *apart]
        shown = rows if len(rows) <= most else rows[: max(1, most - 1)]
        for line in shown:
            if line is None:
                table.add_row("", Text(f"the {APART}:", "dim"))
            else:
                table.add_row(*(Text(words.printable(one.said(line))) for one in columns))
        hidden = sum(line is not None for line in rows[len(shown) :])
        return [table, *([Text(f"... and {hidden} more")] if hidden else [])]


def _played(event: Finished) -> RatedGame | None:
    """The game as a rated game; None if it is not rated."""
    points = [seat.points for seat in event.record.seats]
    shares = tuple(share for share in points if share is not None)
    if len(shares) < len(points) or event.record.verdict in (Verdict.FORFEIT, Verdict.VOID):
        return None
    return RatedGame(tuple(seat.player for seat in event.record.seats), shares)
