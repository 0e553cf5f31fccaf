"""What happens on a ladder while it is served, as values for the screen, and which game to watch next.

Submissions change in this process and in others; only their rows tell. `SubmissionWatch` reads the rows that can have
changed since it looked last: newer ones, and those whose state was not final.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.match.schedule import Finished
from db import ladder
from db.database import Connection
from db.ladder import LadderLine, StoredSubmission
from db.running import GameInProgress


@dataclass(frozen=True, slots=True)
class SubmissionChanged:
    """A submission has another state, or another step of its check."""

    submission: StoredSubmission
    is_new_state: bool


@dataclass(frozen=True, slots=True)
class Rated:
    """There are new ratings."""

    standings: Sequence[LadderLine]


@dataclass(frozen=True, slots=True)
class Faulted:
    """A game ended by a fault of one of its players."""

    finished: Finished


@dataclass(frozen=True, slots=True)
class Notice:
    """Anything else, in words."""

    text: str


Happening = SubmissionChanged | Rated | Faulted | Notice


class SubmissionWatch:
    """The submissions of a ladder that can still change."""

    def __init__(self, connection: Connection, tournament: int) -> None:
        self._tournament = tournament
        newest = ladder.submissions(connection, tournament, most=1)
        self._last = newest[0].id if newest else 0
        self._open = {each.id: each for each in ladder.open_submissions(connection, tournament)}

    def changes(self, connection: Connection) -> list[SubmissionChanged]:
        """What has changed since the last call, oldest submission first."""
        changes = []
        for now in ladder.newer_submissions(connection, self._tournament, self._last, self._open.keys()):
            before = self._open.pop(now.id, None)
            if before is None or (before.state, before.steps) != (now.state, now.steps):
                changes.append(SubmissionChanged(now, before is None or before.state != now.state))
            if not now.state.is_final:
                self._open[now.id] = now
            self._last = max(self._last, now.id)
        return changes


# Which game to watch next: for `arena ladder watch` and for the pages of the web.


def most_interesting(
    playing: Sequence[GameInProgress], ratings: Mapping[str, float], before: Sequence[str]
) -> GameInProgress | None:
    """The game with the highest mean rating less the difference of the ratings; without ratings, the one that began
    first, because it has the most plies. If possible not again the players `before`."""

    def interest(game: GameInProgress) -> tuple[bool, float]:
        rated = [ratings[name] for name in game.players if name in ratings]
        is_rated = len(rated) == len(game.players)
        value = sum(rated) / len(rated) - (max(rated) - min(rated)) if is_rated else float("-inf")
        return sorted(game.players) != sorted(before), value

    return max(playing, key=interest, default=None)  # of equal ones the first


def older(playing: Sequence[GameInProgress], current: int | None) -> GameInProgress | None:
    """The game that began before the game `current`; the newest one if there is none, or if `current` is over."""
    ids = [game.id for game in playing]
    place = ids.index(current) if current in ids else 0
    return playing[place - 1] if playing else None
