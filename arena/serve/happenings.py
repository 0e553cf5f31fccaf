"""What happens on a ladder while it is served, as values for the screen.

Submissions change in this process and in others; only their rows tell. `SubmissionWatch` reads the rows that can have
changed since it looked last: newer ones, and those whose state was not final.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.match.schedule import Finished
from db import ladder
from db.database import Connection
from db.ladder import LadderLine, StoredSubmission


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
