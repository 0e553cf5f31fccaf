"""The pace of the TV page: a fast game is shown slowly enough to be watched, behind the game if need be.

Pure: it gets the messages of a game and the time, and says what is shown now.
"""

from __future__ import annotations

from collections import deque
from math import ceil
from typing import Final

from msgspec.structs import replace

from arena.match.live import LiveEnd, LiveGame, LivePly, NotLive, OfGame
from arena.play.followed_game import FollowedGame

_SECOND: Final = 1_000_000_000
STEP: Final = 0.6
"""Least seconds between two positions on a large board."""
_LONGEST: Final = 90.0
"""Seconds after which a game that was followed too slowly is shown at its end: plies are left out."""
_PATIENCE: Final = 3.0
"""Seconds after which another game is shown, if the director of this one does not answer."""
_END_SHOWN: Final = 5.0
"""Seconds for which the end is shown."""


class PacedGame:
    """One game on the TV page."""

    def __init__(self, id: int, now: float, step: float = STEP, *, is_recorded: bool = False) -> None:
        """`step`: least seconds between two positions. `is_recorded`: the game is over, and is shown from its first
        ply."""
        self.id = id
        self.shown = FollowedGame()
        """What is on the screen."""
        self._waiting = deque[LivePly | LiveEnd]()
        # Whether more of the game was known when the position was shown.
        self._is_behind = is_recorded
        self._is_recorded = is_recorded
        self._step = step
        self._began = now
        self._stepped = now
        self._ended: float | None = None

    @property
    def has_begun(self) -> bool:
        """Whether anything of the game is known."""
        return self.shown.game is not None

    @property
    def since(self) -> int | None:
        """When the turn on the screen began, in nanoseconds: in the game, or behind it when the position was shown."""
        return int(self._stepped * _SECOND) if self._is_behind else self.shown.since

    @property
    def spent(self) -> int | None:
        """How long the turn on the screen took, if its end is known: the clock stops then."""
        then = self._waiting[0] if self._waiting else None
        return then.spent if isinstance(then, LivePly) and then.who == self.shown.turn else None

    @property
    def has_all(self) -> bool:
        """Whether nothing more of the game comes."""
        return self.shown.is_over or self._is_recorded or any(isinstance(each, LiveEnd) for each in self._waiting)

    @property
    def is_lost(self) -> bool:
        """Whether the game was not played to its end."""
        return self.shown.is_not_live

    def take(self, message: OfGame) -> bool:
        """Takes the next message of the game; whether the screen changes now, be it that a clock stops."""
        match message:
            case LiveGame() if self.shown.game is None:
                self.shown.take(replace(message, plies=()) if self._is_recorded else message)
                self._waiting.extend(message.plies if self._is_recorded else ())
            case LiveGame():
                known = len(self.shown.plies) + sum(isinstance(each, LivePly) for each in self._waiting)
                if not self.shown.plies and not self._waiting:
                    self.shown.take(message)
                else:
                    self._waiting.extend(message.plies[known:])
            case LivePly() if self.shown.game is None:
                return False  # for somebody else who follows the game; it is in the game so far
            case LiveEnd() if self.shown.game is None:
                self.shown.take(NotLive(self.id))
            case LivePly() | LiveEnd():
                self._waiting.append(message)
                return len(self._waiting) == 1
            case NotLive():
                self.shown.take(message)
        return True

    def step(self, now: float) -> bool:
        """Goes on to the next position if it is time; whether the screen changes."""
        if not self._waiting or now - self._stepped < self._step:
            return False
        self._stepped = now
        steps = int((self._began + _LONGEST - now) / self._step)
        for _ in range(ceil(len(self._waiting) / steps) if steps > 0 else len(self._waiting)):
            message = self._waiting.popleft()
            self.shown.take(message)
            if isinstance(message, LiveEnd):
                self._ended = now
        self._is_behind = bool(self._waiting)
        return True

    def is_done(self, now: float) -> bool:
        """Whether another game can be shown."""
        if not self.has_begun:
            return self.is_lost or now - self._began >= _PATIENCE
        return self.is_lost or (self._ended is not None and now - self._ended >= _END_SHOWN)
