"""The rater: a helper that computes the ratings of a ladder, and of other tournaments, while the games go on.

It reads the results from the database and writes ratings to it. The director only nudges it when a game is over, and is
nudged when there are new ratings; a lost nudge costs half a minute. Killed at any moment, it loses nothing: the next
one reads all results again. It ends with its director.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Final

from arena.play.helper import Asker, AskerEnded, Helper, HelperLimits
from arena.walls.run_folder import RunFolder
from db import ladder
from db.database import Database
from db.errors import Busy, DatabaseError

if TYPE_CHECKING:
    from arena.serve.rating import LadderRatings, TournamentRatings

GAMES: Final = 20
"""Number of games after which ratings are computed anew."""
SECONDS: Final = 30.0
"""Seconds after which they are computed anew, if a game ended."""
LAST_RATINGS_WITHIN: Final = 30.0
"""Seconds that it has for its last ratings when the server ends: a fit of a thousand versions takes some."""
_SHARE: Final = 0.1
"""The part of the time that is spent on ratings at most: with thousands of versions they are computed less often."""
_LIMITS: Final = HelperLimits(nice=10, finishes=True)
"""Games come first."""


class RaterProcess(Helper):
    """The director's end of the rater. It is nudged when a game is over; at its end it writes its last ratings."""

    def __init__(self, folder: RunFolder, database: Database, tournament: int) -> None:
        super().__init__(rate, _LIMITS, folder=folder, ends_within=LAST_RATINGS_WITHIN)
        # Not as an argument: the address of a database can have a password in it.
        self.send((database.address.render_as_string(hide_password=False), tournament))


class Rater:
    """Computes ratings when enough has happened."""

    def __init__(self, database: Database, tournament: int, now: Callable[[], float] = monotonic) -> None:
        self._database, self._tournament, self._now = database, tournament, now
        self._ratings: LadderRatings | None = None
        # Games that ended since the last fit.
        self._games = 0
        self._not_before = now()
        self._fitted = self._not_before - SECONDS
        # Whether there are results that the written ratings do not know.
        self._is_stale = True
        # Those of other tournaments: at most once in `SECONDS`.
        self._others: TournamentRatings | None = None
        self._others_due = self._not_before

    def note(self, games: int) -> None:
        """That many games are over."""
        self._games += games

    @property
    def wait(self) -> float:
        """Seconds until `rate` is to be called; 0 or less: now."""
        due = self._fitted if self._games >= GAMES else self._fitted + SECONDS
        return max(due, self._not_before) - self._now()

    def rate(self) -> bool:
        """Reads the new results and writes ratings; returns whether there are new ones."""
        # Late: numpy is imported after `main` has set its threads.
        from arena.serve.rating import LadderRatings, TournamentRatings

        began = self._now()
        self._games = 0
        is_written = False
        with suppress(Busy):  # it tries again when the next ratings are due
            with self._database.reading() as connection:
                if self._ratings is None:
                    self._ratings = LadderRatings(connection, self._tournament)
                self._is_stale |= self._ratings.read(connection)
                current = {line.version for line in ladder.standings(connection, self._tournament)}
            if self._is_stale:
                new = self._ratings.fitted(current)
                self._ratings.write(self._database, new, datetime.now(UTC))
                self._is_stale, is_written = False, bool(new)
        if began >= self._others_due:
            self._others = self._others or TournamentRatings()
            with suppress(Busy):
                is_written |= self._others.rate(self._database, datetime.now(UTC))
            self._others_due = self._now() + SECONDS
        self._fitted = self._now()
        self._not_before = self._fitted + (self._fitted - began) / _SHARE
        return is_written


def rate(asker: Asker) -> None:
    """Rates until the director ends, and then the last games; each answer says that there are new ratings; in a
    helper."""
    # One thread: the other cores play games. numpy reads this when it is imported.
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    address, tournament = asker.job(tuple[str, int])
    try:
        with Database(address, create=False) as database:
            rater = Rater(database, tournament)
            with suppress(AskerEnded):
                while True:
                    asker.wait(max(0.0, rater.wait))
                    rater.note(asker.nudges())
                    if rater.wait <= 0.0 and rater.rate():
                        asker.answer(True)
            rater.rate()  # perhaps no other process follows
    except DatabaseError as error:
        sys.exit(str(error))
