"""Help for people at this terminal: a move is taken back, and which games are not rated because of a hint or of that.

It wraps the schedule of `arena play`. To take back a move, the person's game is resigned, and a new game is played
whose opening is the moves before the person's earlier turn. It has the same seeds, so the same dice fall. The resigned
game is not recorded; the protocol knows nothing of all this.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from adsearch import CHANCE, State, games
from agents.protocol import Verdict
from arena.match.schedule import Began, Event, Finished, Planned, Ply, Schedule, WrappingSchedule


class TakeBacks(WrappingSchedule):
    """A schedule of games in which `people` can take back moves."""

    def __init__(self, schedule: Schedule, people: Collection[str], helped: dict[int, str]) -> None:
        """`helped` is filled here: for the number of each game with a hint or a take-back, what happened."""
        super().__init__(schedule)
        self._people = people
        self._helped = helped
        # The game in progress: its position, and for each ply the seat to move and the move.
        self._state: State[Any] | None = None
        self._plies: list[tuple[int | None, str]] = []
        self._seats: set[int] = set()
        # Plies of the opening that the game was planned with, by game: those are nobody's moves.
        self._opening: dict[int, int] = {}
        self._number = 0
        # Whether the game in progress is being resigned because a move was taken back.
        self._is_asked = False
        self._again: Planned | None = None
        self._resigned: Planned | None = None
        # The number of plies that stayed when a move was last taken back.
        self.kept = 0

    def next(self) -> Planned | None:
        """The game that continues, or the next one."""
        again, self._again = self._again, None
        return again or super().next()

    def ahead(self) -> Planned | None:
        """The next game, if no person can take back a move in this one."""
        return None if self._people else super().ahead()

    def note(self, finished: Finished) -> None:
        """Plan the game that continues, if a move was taken back; pass on any other game."""
        asked, self._is_asked = self._is_asked, False
        if not asked or finished.record.verdict != Verdict.RESIGNED:
            super().note(finished)
            return
        game = finished.game
        opening = tuple([move for turn, move in self._plies[: self.kept] if turn != CHANCE])
        made = len(opening) - len(game.opening)
        limit = None if game.max_plies is None else game.max_plies - made
        self._resigned, self._again = game, replace(game, opening=opening, max_plies=limit)

    def see(self, event: Event) -> None:
        """Follow the game in progress."""
        match event:
            case Began(game):
                self._state, self._plies = games.start(game.rules), []
                self._seats = {seat for seat, entrant in enumerate(game.entrants) if entrant.name in self._people}
                self._opening.setdefault(game.number, len(game.opening))
                self._number = game.number
            case Ply(_, move) if self._state is not None:
                self._plies.append((self._state.turn, move.move))
                self._state = self._state.play(self._state.from_text(move.move))

    def take_back(self, name: str) -> bool:
        """Take back the last move of a person, as `name` asks; the caller then resigns. False if there is no move."""
        own = [ply for ply, (turn, _) in enumerate(self._plies) if turn in self._seats]
        if not own or own[-1] < self._opening[self._number]:
            return False
        self.kept, self._is_asked = own[-1], True
        self._helped[self._number] = f"{name} took back a move"
        return True

    def note_hint(self, name: str) -> None:
        """Note that `name` got a hint in the game in progress."""
        self._helped.setdefault(self._number, f"{name} got a hint")

    def was_taken_back(self, game: Planned) -> bool:
        """Whether `game` was resigned because a move was taken back."""
        return game is self._resigned
