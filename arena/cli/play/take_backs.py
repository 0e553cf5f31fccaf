"""Help for people at this terminal: a move is taken back, and which games are not rated because of a hint or of that.

It wraps the schedule of `arena play`. To take back a move, the person's game is resigned, and the game that continues
(`arena/match/take_back.py`) is played next. The resigned game is not recorded.
"""

from __future__ import annotations

from collections.abc import Collection

from agents.protocol import Verdict
from arena.history.words import GOT_HINT, TOOK_BACK
from arena.match.schedule import Began, Event, Finished, Planned, Ply, Schedule, WrappingSchedule
from arena.match.take_back import TakenBack, before_last_move
from db.records import MoveRecord


class TakeBacks(WrappingSchedule):
    """A schedule of games in which `people` can take back moves."""

    def __init__(self, schedule: Schedule, people: Collection[str], helped: dict[int, str]) -> None:
        """`helped` is filled here: for the number of each game with a hint or a take-back, what happened."""
        super().__init__(schedule)
        self._people = people
        self._helped = helped
        # The plies of the game in progress, the seats of people, and its number.
        self._plies: list[MoveRecord] = []
        self._seats: set[int] = set()
        self._number = 0
        # What stays of the game in progress, if it is being resigned because a move was taken back.
        self._asked: TakenBack | None = None
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
        asked, self._asked = self._asked, None
        if asked is None or finished.record.verdict != Verdict.RESIGNED:
            super().note(finished)
            return
        self._resigned, self._again = finished.game, asked.continued(finished)

    def see(self, event: Event) -> None:
        """Follow the game in progress."""
        match event:
            case Began(game):
                self._plies, self._number = [], game.number
                self._seats = {seat for seat, entrant in enumerate(game.entrants) if entrant.name in self._people}
            case Ply(_, move):
                self._plies.append(move)

    def take_back(self, name: str) -> bool:
        """Take back the last move of a person, as `name` asks; the caller then resigns. False if there is no move."""
        self._asked = before_last_move(self._plies, self._seats)
        if self._asked is None:
            return False
        self.kept = self._asked.plies
        self._helped[self._number] = f"{name} {TOOK_BACK}"
        return True

    def note_hint(self, name: str) -> None:
        """Note that `name` got a hint in the game in progress."""
        self._helped.setdefault(self._number, f"{name} {GOT_HINT}")

    def was_taken_back(self, game: Planned) -> bool:
        """Whether `game` was resigned because a move was taken back."""
        return game is self._resigned
