"""Screens on pages: on each, one game in progress after the other, slowly enough to be watched.

The TV page has a large one; the front page, and the page of a tournament, small ones. No game is on two screens of a
page.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from typing import Final, Protocol

from msgspec import Struct

from arena.match.live import LiveEnd, LiveGame, OfGame
from arena.web.pace import STEP, PacedGame
from db.records import PastGame

SECOND: Final = 1_000_000_000
_NEXT_EVERY: Final = SECOND // 2
"""Time between two looks for the next game of a page with a large screen."""
_SMALL_NEXT_EVERY: Final = 2 * SECOND
"""The same for a page with small ones only."""


class Recorded(Struct, frozen=True):
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
    ) -> Recorded | None:
        """The game in progress to show next, of that tournament or of any, with its players' ratings; none of
        `without`, and if possible not by the players `before`. None if there is none. `public`: for visitors;
        `player`: only games of this one."""

    def played(self, id: int) -> tuple[LiveGame, LiveEnd] | None:
        """A finished game as its director published it; None if it is not finished."""


class Screen:
    """One of them."""

    def __init__(self, step: float) -> None:
        """`step`: least seconds between two positions."""
        self._step = step
        self.is_large = step == STEP
        self.paced: PacedGame | None = None
        self.game: Recorded | None = None
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

    def show(self, game: Recorded | None, now: int) -> None:
        """Shows this game next; None: nothing."""
        if game is not None:
            self.game, self.paced = game, PacedGame(game.shown.id, now / SECOND, self._step)
        elif self.paced is not None:
            self.paced, self.changed = None, True

    def take_over(self, other: Screen) -> None:
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
        self.each = [Screen(step) for step in steps]
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

    def tick(self, now: int) -> Iterator[tuple[int, Screen]]:
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


def _found(look: Callable[..., Recorded | None], screen: Screen, others: Sequence[Screen]) -> Recorded | None:
    """The game that a screen shows next; `others`: those that show a game."""
    taken = frozenset(one.paced.id for one in others if one.paced is not None)
    last = screen.lost if screen.paced is None else screen.paced.id
    without = taken if last is None else taken | {last}
    before = () if screen.game is None else tuple(screen.game.players)
    found = look(without=without, before=before)
    if found is None and last is not None and last == screen.lost:
        return look(without=taken, before=before)
    return found
