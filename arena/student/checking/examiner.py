"""Examines agents: plays the games of their checks, with each agent confined, and reports the results.

It runs in the process of the command, with its own director, and a store that is deleted with the run folder. Nothing
is recorded in the database, and no process is left running.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final, Self

from arena.match.allowance import WallKind
from arena.match.schedule import Began
from arena.play import cores
from arena.play.director import Director
from arena.players.submissions import Store
from arena.student.checking import CheckReport
from arena.student.checking.check_maker import CheckMaker
from arena.student.checking.check_schedule import Candidate, CheckSchedule, ProgressNote
from arena.student.checking.exam import Exam
from arena.walls import meter
from arena.walls.run_folder import RunFolder

_MOST_AT_ONCE: Final = 4


class Examiner:
    """Examines agents, one or several at a time, under the same conditions."""

    def __init__(self, exam: Exam, folder: RunFolder, *, at_once: int | None = None, many: bool = False) -> None:
        """`at_once`: number of games played at the same time; None: see `games_at_once`. `many`: there are many agents,
        so each plays one game at a time. Raises ArenaError or AdsearchError for wrong conditions; anything wrong with
        an agent is a step of its report."""
        self._many = many
        self._maker = CheckMaker(exam, Store(folder.path / "store"), folder.scratch, numbers=count(1))
        walls = self._maker.confinement.wall_kind()
        self._director = Director(folder, at_once=at_once or games_at_once(walls, many=many))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._director.close()

    @property
    def warnings(self) -> list[str]:
        """Warnings about this machine, for the user."""
        return self._maker.confinement.warnings

    def each(
        self, candidates: Sequence[Candidate], changed: ProgressNote = lambda *_: None
    ) -> Iterator[tuple[int, CheckReport]]:
        """The report of each candidate, with its place in `candidates`, in the order in which the checks finish.

        `changed` is called when a check begins or ends, with the number of checks that ended and the places of the
        others in progress."""
        checks = (self._maker.check(place, candidate) for place, candidate in enumerate(candidates))
        schedule = CheckSchedule(lambda: next(checks, None), changed, many=self._many)
        yield from schedule.finished()
        for event in self._director.play(schedule):
            if isinstance(event, Began):
                schedule.began(event.game)
            yield from schedule.finished()
        yield from schedule.finished()


def games_at_once(walls: WallKind, *, many: bool) -> int:
    """The number of games played at the same time: one less than there are cores, at most 4; with `many` agents one for
    each core, if waiting for a processor is measured behind these walls and not charged."""
    if many and meter.counts_waits(walls):
        return cores.count()
    return max(1, min(_MOST_AT_ONCE, cores.count() - 1))
