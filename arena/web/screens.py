"""Screens on pages: on each, one game in progress after the other, slowly enough to be watched.

The TV page has a large one; the front page, and the page of a tournament, small ones. No game is on two screens of a
page.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from math import ceil
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from arena.match.live import LiveEnd, LiveGame, LivePly, NotLive, OfGame
from arena.play.followed_game import FollowedGame
from db.records import PastGame

SECOND: Final = 1_000_000_000
_NEXT_EVERY: Final = SECOND // 2
"""Time between two looks for the next game of a page with a large screen."""
_SMALL_NEXT_EVERY: Final = 2 * SECOND
"""The same for a page with small ones only."""


class RecordedGames(Struct, frozen=True):
    """A game as the record has it."""

    tournament: str | None
    """Its name in the record, by which its director is found."""
    shown: PastGame
    """What visitors may see of it, without moves."""
    ratings: Sequence[float | None] = ()
    """Of its players, by seat, if they were read."""
    players: Sequence[str] = ()
    """Their names in the record."""
    own_seat: int | None = None
    """The seat from which the viewer may see what the rules hide from others; of a game that the viewer has played by
    hand, the viewer's; None if there is none."""
    person: int | None = None
    """The seat of the person in a game that was played by hand; None in all others."""

    @property
    def is_over(self) -> bool:
        """Whether it will not be played any more."""
        return self.shown.status not in ("scheduled", "playing")


class Games(Protocol):
    """Where games to be shown are found."""

    def next_game(
        self,
        tournament: str | None,
        *,
        without: Collection[int],
        before: Sequence[str],
        public: bool,
        player: str = "",
    ) -> RecordedGames | None:
        """The game in progress to show next, of that tournament or of any, with its players' ratings; none of
        `without`, and if possible not by the players `before`. None if there is none. `public`: for visitors;
        `player`: only games of this one."""

    def played(self, id: int) -> tuple[LiveGame, LiveEnd] | None:
        """A finished game as its director published it; None if it is not finished."""


class LiveScreen:
    """One of them."""

    def __init__(self, step: float) -> None:
        """`step`: least seconds between two positions."""
        self._step = step
        self.is_large = step == STEP
        self.paced: PacedGame | None = None
        self.game: RecordedGames | None = None
        self.changed = False
        # The last game that its director did not know: others are tried first.
        self.lost: int | None = None

    @property
    def follows(self) -> tuple[int, str] | None:
        """The game that it follows now, and its tournament."""
        game, paced = self.game, self.paced
        if game is None or paced is None or paced.has_all or game.tournament is None:
            return None
        return paced.id, game.tournament

    def take(self, message: OfGame) -> None:
        """Takes the next message about its game."""
        if self.paced is not None and message.game == self.paced.id:
            self.changed |= self.paced.take(message)

    def revive(self, games: Games, now: int) -> None:
        """A game that was over before it could be followed is shown from the record."""
        paced = self.paced
        if paced is not None and paced.is_lost:
            self.lost = paced.id
        if paced is not None and paced.is_lost and not paced.has_begun:
            played = games.played(paced.id)
            self.paced = None if played is None else PacedGame(paced.id, now / SECOND, self._step, is_recorded=True)
            for message in played or ():
                self.take(message)

    def step(self, now: int) -> None:
        """Goes on to the next position, if it is time."""
        if self.paced is not None:
            self.changed |= self.paced.step(now / SECOND)

    def is_free(self, now: int) -> bool:
        """Whether another game can be shown."""
        return self.paced is None or self.paced.is_done(now / SECOND)

    def show(self, game: RecordedGames | None, now: int) -> None:
        """Shows this game next; None: nothing."""
        if game is not None:
            self.game, self.paced = game, PacedGame(game.shown.id, now / SECOND, self._step)
        elif self.paced is not None:
            self.paced, self.changed = None, True

    def take_over(self, other: LiveScreen) -> None:
        """Shows what was shown on another screen."""
        self.game, self.paced, other.paced = other.game, other.paced, None
        self.changed = other.changed = True


class Screens:
    """The screens of one page."""

    def __init__(
        self, games: Games, tournament: str | None, steps: Sequence[float], *, public: bool, player: str = ""
    ) -> None:
        """`tournament`: whose games; None: of all. `steps`: of each screen. `public`: for visitors. `player`: only
        games of this one."""
        self.each = [LiveScreen(step) for step in steps]
        self._next_game = partial(games.next_game, tournament, public=public, player=player)
        self._games = games
        self._every = _NEXT_EVERY if any(one.is_large for one in self.each) else _SMALL_NEXT_EVERY
        self._next = 0

    @property
    def follows(self) -> dict[int, str]:
        """The games that are followed now, each with its tournament."""
        return dict(found for screen in self.each if (found := screen.follows) is not None)

    def take(self, message: OfGame) -> None:
        """Takes the next message about one of its games."""
        for screen in self.each:
            screen.take(message)

    def tick(self, now: int) -> Iterator[tuple[int, LiveScreen]]:
        """The screens that have changed since the last tick, with their numbers."""
        for screen in self.each:
            screen.revive(self._games, now)
        free = [screen for screen in self.each if screen.is_free(now)]
        if free and now >= self._next:
            self._next = now + self._every
            look = cache(self._next_game)  # idle screens ask for the same
            for screen in [*free]:
                others = [one for one in self.each if one not in free]
                if (found := _found(look, screen, others)) is None and screen.is_large and others:
                    screen.take_over(others[0])
                else:
                    screen.show(found, now)
                if screen.paced is not None:
                    free.remove(screen)
        for number, screen in enumerate(self.each):
            screen.step(now)
            if screen.changed:
                screen.changed = False
                yield number, screen


def _found(
    look: Callable[..., RecordedGames | None], screen: LiveScreen, others: Sequence[LiveScreen]
) -> RecordedGames | None:
    """The game that a screen shows next; `others`: those that show a game."""
    taken = frozenset(one.paced.id for one in others if one.paced is not None)
    last = screen.lost if screen.paced is None else screen.paced.id
    without = taken if last is None else taken | {last}
    before = () if screen.game is None else tuple(screen.game.players)
    found = look(without=without, before=before)
    if found is None and last is not None and last == screen.lost:
        return look(without=taken, before=before)
    return found


# The pace of the TV page: a fast game is shown slowly enough to be watched, behind the game if need be.


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
        return int(self._stepped * SECOND) if self._is_behind else self.shown.since

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
