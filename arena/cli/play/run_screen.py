"""`arena run` on the whole screen: the progress, the standings and the newest results, and one game while it is played.

A thread draws it and hears keys, so that the director's loop never waits for a terminal. What is said stands at the
bottom, and is printed when the screen is left.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from time import monotonic, monotonic_ns
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

from arena.cli.play.live_table import LiveTable
from arena.cli.terminal.followed_view import FollowedView
from arena.cli.terminal.game_view import picture
from arena.cli.terminal.screen import Screen
from arena.cli.terminal.wrapping import wrap_lines

if TYPE_CHECKING:
    from arena.play.follower import Follower
    from arena.tournament.tournament import Tournament

_EVERY: Final = 0.25
"""Seconds between two drawings, unless a key is pressed."""
_LINGERS: Final = 2.0
"""Seconds for which the end of a game is shown."""
_SAID: Final = 4
"""Number of messages that are shown."""
_BESIDE: Final = 42
"""Columns of the game beside the standings."""
_BOTH: Final = 110
"""Columns of a screen on which both have room."""
_KEYS: Final = "g: a game or standings   n: another game   s: turn   w: in words   Ctrl-C: stop"


class RunScreen:
    """Draws a tournament until it is closed."""

    def __init__(self, tournament: Tournament, screen: Screen) -> None:
        self.table = LiveTable(tournament)
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
        """Show a message."""
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
        wide = columns - _BESIDE - 2 if columns >= _BOTH else columns
        status = Text(_KEYS, no_wrap=True)
        if self._game is not None and (self._shows_game or columns >= _BOTH):
            view = self._game.view(monotonic_ns())
            if columns < _BOTH:
                return [*picture(view, self._screen.look, columns, high).lines, *said, status]
            game = picture(view, self._screen.look, _BESIDE, high).lines
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
