"""The standing process of a ladder: one director for people, checks, tournaments and the ladder's own games.

It runs in the process of `arena serve`. What must happen next is always in the database: every two seconds, and when a
command nudges, this process looks at the rows that other processes can have changed. So it can be killed at any moment,
and the next one goes on. A referee, rater, intake or page server that is lost is replaced.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Final, Generic, NamedTuple, TypeVar

from agents.protocol import Verdict
from arena.errors import RefereeLost
from arena.history import words
from arena.match.live import News, RatingNews, SubmissionNews
from arena.match.schedule import Began, Finished, PaceChanged, Planned, Schedule, WrappingSchedule, rules_failed
from arena.play.director import Director
from arena.play.helper import Helper
from arena.players.entrants import Confinement
from arena.players.submissions import Store
from arena.serve.challenges import Challenges
from arena.serve.checks import Checks
from arena.serve.intake import MOST_INTERRUPTIONS, IntakeProcess
from arena.serve.invited_games import GameInvitation, InvitedGames, planned
from arena.serve.ladder_events import Faulted, Happening, Notice, Rated, SubmissionWatch
from arena.serve.ladder_games import LadderGames
from arena.serve.messages import Nudges, WantGame
from arena.serve.open_ladders import OpenLadder, opened
from arena.serve.priority_schedule import REST, PrioritySchedule
from arena.serve.rater import RaterProcess
from arena.serve.submissions import AFTER_GRACE, GRACE
from arena.serve.timed_tournaments import TimedTournaments
from arena.tournament import host
from arena.tournament.recorded_games import Wait
from arena.walls.run_folder import RunFolder
from db import ladder as record
from db.database import Database
from db.errors import Busy
from db.ladder import SubmissionState
from db.records import GameKind

_RATED: Final = (GameKind.LADDER, GameKind.TOURNAMENT)
"""The kinds of games after which there are new ratings."""
_RATINGS_EVERY: Final = 60.0
"""Seconds between two reports of new ratings."""
_MOST_LOST: Final = 5
"""After this number of referees in a row that are lost soon, without a finished game, the server ends."""


class LadderParts(NamedTuple):
    """The schedules of a ladder."""

    people: InvitedGames
    checks: Checks
    challenges: Challenges
    games: LadderGames
    timed: TimedTournaments


class Serving(WrappingSchedule):
    """A ladder that is being served: the schedule that its director plays, and all that happens beside the games."""

    def __init__(
        self,
        ladder: OpenLadder,
        database: Database,
        folder: RunFolder,
        parts: LadderParts,
        *,
        submissions: SubmissionWatch,
        start_rater: Callable[[], RaterProcess],
        start_intake: Callable[[], IntakeProcess],
        pages: RestartedProcess[Any] | None = None,
        tell: Callable[[Happening], None],
        now: Callable[[], datetime],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`tell` is called with everything that happens. `submissions`: made before the parts, so that it sees what
        they change. `pages`: the page server; with one the ladder is served until it is stopped, also after its final.
        `clock`: seconds, for intervals."""
        self.ladder = ladder
        self._parts = parts
        challenges = parts.challenges
        self._turns = PrioritySchedule(
            [
                *(parts.people, parts.checks, challenges),
                *(parts.games.placements, parts.timed, parts.games),
                challenges.otherwise,
            ]
        )
        super().__init__(self._turns)
        self._database = database
        self._folder = folder
        self._tell = tell
        self._now = now
        self._clock = clock
        self._submissions = submissions
        self._nudges = Nudges(folder.path)
        self._rater = RestartedProcess("rater", start_rater, read=self._read_rater, tell=tell, clock=clock)
        start = partial(self._start_intake, start_intake)
        self._intake = RestartedProcess("intake", start, read=self._read_intake, tell=tell, clock=clock, at_once=False)
        # Whether uploads wait to be opened: then the intake is started, and nudged.
        self._uploads_wait = False
        self._pages = pages
        self._director: Director | None = None
        self._look_at = self._report_ratings_at = clock()
        # Whether nothing is left to be played, now or later.
        self.is_over = self._is_over()
        # Number of finished games.
        self._over = 0
        # What was reported: agents that were put aside, and those that cannot play.
        self._put_aside = 0
        self._left_out: dict[str, str] = {}
        self._broken_rules: set[str] = set()

    @property
    def warnings(self) -> list[str]:
        """Warnings about the description and this machine, for the instructor."""
        described = self.ladder.ladder
        leagues = (described.league, described.final, *(one.league for one in described.tournaments))
        short = dict.fromkeys(league.short_seed() for league in leagues)
        return [*filter(None, short), *self._parts.checks.warnings]

    # The schedule.

    def next(self) -> Planned | None:
        self._look_if_due()
        return super().next()

    def ahead(self) -> Planned | None:
        """None: no game is given ahead. The director asks this also while there is no room for another game."""
        self._look_if_due()
        return super().ahead()

    def rest(self) -> float | None:
        """When the director asks again; None: the final is over and there are no pages, so the server ends."""
        return None if self.is_over and self._pages is None else super().rest()

    def note(self, finished: Finished) -> None:
        """Passes the finished game on, and reports what follows from it."""
        super().note(finished)
        self._over += 1
        self._look_at = self._clock()
        self._report_broken_rules(finished)
        if finished.record.busy:
            self._tell(Notice(f"{words.without_store(finished.record.detail)}; {finished.record.busy}"))
        if finished.game.conditions.kind not in _RATED:
            return
        if self._rater.process is not None:
            self._rater.process.nudge()
        if finished.record.fault is not None and finished.record.verdict not in (Verdict.RESIGNED, Verdict.VOID):
            self._tell(Faulted(finished))
        for name in self._parts.games.quarantined[self._put_aside :]:
            self._put_aside += 1
            self._tell(Notice(f"{name} is put aside after faults in a row; it plays again after its next submission"))

    def _report_broken_rules(self, finished: Finished) -> None:
        """Reports each error in the rules once."""
        game, record = finished.game, finished.record
        if rules_failed(record) and record.detail not in self._broken_rules:
            self._broken_rules.add(record.detail)
            self._tell(
                Notice(
                    f"{game.game}: {words.without_store(record.detail)}; such games are void and not played again, "
                    "so correct the rules (this error is reported once)"
                )
            )

    # The process.

    def play(
        self, schedule: Schedule, heard_by: Callable[[Director], AbstractContextManager[None]], *, at_once: int
    ) -> None:
        """Plays until `schedule` has nothing more to play: this schedule, and around it what can stop it.

        `heard_by`: inside, a director hears what stops it. RefereeLost if one referee after the other is lost."""
        lost = 0
        while True:
            since, over = self._clock(), self._over
            try:
                director = Director(self._folder, at_once=at_once, cores_a_game=self.ladder.ladder.league.cores_a_game)
                with director, heard_by(director), self._connected(director):
                    host.measured_speed()  # while the referee starts
                    for event in director.play(schedule):
                        if isinstance(event, Began):
                            self._parts.checks.began(event.game)
                        elif isinstance(event, PaceChanged) and event.at_once != event.before:
                            self._tell(Notice(_pace(event)))
                    return
            except RefereeLost as error:
                lost = lost + 1 if self._over == over and self._clock() - since < SOON else 0
                if lost == _MOST_LOST:
                    raise
                self._tell(Notice(f"{error}; a new referee plays them again"))
                self._turns.interrupted()

    def end_rater(self) -> None:
        """Ends the rater, which writes its last ratings first: that takes up to half a minute."""
        self._rater.close()

    def kill_rater(self) -> None:
        """Kills the rater: the next one reads all results again."""
        self._rater.kill()

    def close(self) -> None:
        """Ends the rater, the intake and the page server; games in progress are scheduled again."""
        try:
            self._turns.close()
        finally:
            self._nudges.close()
            self._intake.close()
            self._rater.close()
            if self._pages is not None:
                self._pages.close()

    @contextmanager
    def _connected(self, director: Director) -> Iterator[None]:
        """Inside, this director's loop also hears nudges, the rater, the intake and the page server."""
        self._director = director
        self._parts.people.end_game = director.give_up
        director.watch(self._nudges.fileno(), self._nudged)
        try:
            with ExitStack() as stack:
                stack.enter_context(self._rater.connected(director))
                stack.enter_context(self._intake.connected(director))
                if self._pages is not None:
                    stack.enter_context(self._pages.connected(director))
                yield
        finally:
            self._director = None
            self._parts.people.end_game = lambda _: None

    def _publish(self, news: News) -> None:
        if self._director is not None:
            self._director.live.publish_news(news)

    # What other processes do.

    def _nudged(self) -> None:
        if self._nudges.read():
            self._look_at = self._clock()

    def _look_if_due(self) -> None:
        if self._clock() >= self._look_at:
            self._look_at = self._clock() + REST
            with suppress(Busy):
                self._look()
            self._rater.replace_if_due()
            if self._uploads_wait:
                self._intake.replace_if_due()
                if self._intake.process is not None:
                    self._intake.process.nudge()
            if self._pages is not None:
                self._pages.replace_if_due()

    def _look(self) -> None:
        """Reads what has changed in the database, and reports it."""
        with self._database.reading() as connection:
            self.ladder = opened(connection, self.ladder.name)
            changes = self._submissions.changes(connection)
            self._uploads_wait = bool(record.unopened(connection, self.ladder.id))
            same_files = record.same_files(connection, self.ladder.id) if changes else {}
            extended = record.last_extension(connection, self.ladder.id)
        self._turns.look(self.ladder)
        for change in changes:
            self._publish(SubmissionNews(change.submission.id))
            self._tell(change)
        entered = [one.submission for one in changes if one.submission.state is SubmissionState.ENTERED]
        for source in dict.fromkeys(one.source or "" for one in entered):
            if agents := same_files.get(source):
                self._tell(Notice(words.same_files([*agents], agents.values())))
        self.is_over = self._is_over()
        is_closed = self.ladder.closes <= self._now()
        if is_closed != self._parts.games.is_closed:
            self._parts.games.is_closed = is_closed
            last = self.ladder.until(extended)
            then = "then" if last <= self._now() else f"after the last extension, which ends at {words.moment(last)},"
            closed = f"the ladder is closed; the pairs in progress are finished, {then} the final is played"
            if not self.is_over:
                again = f"the ladder is open again, until {words.moment(self.ladder.closes)}"
                self._tell(Notice(closed if is_closed else again))
        left_out = self._parts.games.left_out
        for name in left_out.keys() - self._left_out.keys():
            self._tell(Notice(f"{name} cannot play: {left_out[name]}"))
        self._left_out = left_out

    def _is_over(self) -> bool:
        return self.ladder.closes <= self._now() and self._parts.timed.is_over

    def _read_rater(self, rater: RaterProcess) -> None:
        if rater.read():
            self._parts.games.reload()
            self._publish(RatingNews(self.ladder.id))
            self._report_ratings()

    def _start_intake(self, start: Callable[[], IntakeProcess]) -> IntakeProcess:
        """Starts it, and reports uploads that were being opened each time when earlier ones were killed."""
        with suppress(Busy), self._database.reading() as connection:
            for one in record.unopened(connection, self.ladder.id):
                if one.interruptions >= MOST_INTERRUPTIONS:
                    what = f"submission {one.id} of {one.author} ({one.label})"
                    times = words.counted(one.interruptions, "time")
                    self._tell(
                        Notice(f"{what}: the server ended {times} while it opened this upload; it is opened last")
                    )
        return start()

    def _read_intake(self, intake: IntakeProcess) -> None:
        if intake.read():
            self._look_at = self._clock()

    def _report_ratings(self) -> None:
        if self._clock() >= self._report_ratings_at:
            self._report_ratings_at = self._clock() + _RATINGS_EVERY
            with suppress(Busy), self._database.reading() as connection:
                self._tell(Rated(record.standings(connection, self.ladder.id)))


def _pace(event: PaceChanged) -> str:
    games = words.counted(event.at_once, "game")
    return f"players waited for a processor for {event.waited:.0%} of their thinking time: from now on {games} at once"


# Builds the standing process of a ladder from its parts.


@contextmanager
def standing(
    ladder: OpenLadder,
    database: Database,
    store: Store,
    folder: RunFolder,
    *,
    wait: Wait,
    tell: Callable[[Happening], None],
    start_pages: Callable[[InvitedGames], RestartedProcess[Any]] | None = None,
    now: Callable[[], datetime],
) -> Iterator[Serving]:
    """The standing process of `ladder`; its rater runs until the end of the `with` block, and is killed if that ends by
    a KeyboardInterrupt. `start_pages` starts the page server, for which games with people are played."""

    def say(text: str) -> None:
        tell(Notice(text))

    def plan(wanted: WantGame, number: int) -> GameInvitation:
        return planned(wanted, serving.ladder, games.player, number=number)

    confinement = Confinement(folder.scratch, ladder.rules, ladder.ladder.league.conditions)
    confinement.check()
    people = InvitedGames(database, wait, plan)
    pages = None if start_pages is None else start_pages(people)
    with database.reading() as connection:
        submissions = SubmissionWatch(connection, ladder.id)
    games = LadderGames(ladder, database, store, confinement, wait=wait, say=say)
    challenges = Challenges(ladder, database, games.player, wait=wait, now=now)
    parts = LadderParts(
        people=people,
        checks=Checks(
            ladder,
            database,
            store,
            scratch=folder.scratch,
            wait=wait,
            entered=lambda _: games.reload(),
            now=now,
        ),
        challenges=challenges,
        games=games,
        timed=TimedTournaments(
            ladder,
            database,
            store,
            folder,
            wait,
            now,
            ladder_is_over=lambda: games.is_over and not challenges.is_playing,
            say=say,
            uploads_end_after=timedelta(0) if pages is None else GRACE + AFTER_GRACE,
        ),
    )
    serving = Serving(
        ladder,
        database,
        folder,
        parts,
        submissions=submissions,
        start_rater=partial(RaterProcess, folder, database, ladder.id),
        start_intake=partial(IntakeProcess, folder, database, store, ladder.name),
        pages=pages,
        tell=tell,
        now=now,
    )
    with closing(serving):
        try:
            yield serving
        except KeyboardInterrupt:
            serving.kill_rater()
            raise
        except Exception as error:
            parts.checks.ends_by = error
            raise


# A process beside the director, such as the rater: another one takes its place when it ends.


SOON: Final = 10.0
"""Seconds. A process that is lost sooner after its start is likely to be lost again."""


P = TypeVar("P", bound=Helper)


class RestartedProcess(Generic[P]):
    """One process, and the next one when it has ended."""

    def __init__(
        self,
        name: str,
        start: Callable[[], P],
        *,
        read: Callable[[P], None],
        tell: Callable[[Happening], None],
        clock: Callable[[], float] = monotonic,
        at_once: bool = True,
    ) -> None:
        """`name`: for the message about its end. `read` reads what the process has sent. Without `at_once` the first
        process is started by `replace_if_due`."""
        self._name, self._start, self._read, self._tell, self._clock = name, start, read, tell, clock
        self._since = clock() if at_once else -inf
        self._director: Director | None = None
        # None: it has ended, or there was none, and the next one has not been started yet.
        self.process: P | None = start() if at_once else None

    @contextmanager
    def connected(self, director: Director) -> Iterator[None]:
        """Inside, the director's loop hears the process."""
        self._director = director
        self._watch()
        try:
            yield
        finally:
            self._director = None

    def _watch(self) -> None:
        if self._director is not None and self.process is not None:
            _keep_on_our_cores(self.process.pid)
            self._director.watch(self.process.fileno(), self.heard)

    def heard(self) -> None:
        """Reads what the process sent, and replaces it if it has ended."""
        process = self.process
        if process is None:
            return
        self._read(process)
        if process.is_gone():
            self._tell(Notice(f"the {self._name} {process.how_it_ended()}; a new one continues"))
            if self._director is not None:
                self._director.unwatch(process.fileno())
            process.end()
            self.process = None
            self.replace_if_due()

    def replace_if_due(self) -> None:
        """Starts a new process if there is none; after one that was lost soon, there is a pause."""
        if self.process is None and self._clock() - self._since >= SOON:
            self._since = self._clock()
            self.process = self._start()
            self._watch()

    def close(self) -> None:
        """Ends the process."""
        if self.process is not None:
            self.process.end()
            self.process = None

    def kill(self) -> None:
        """Kills the process, so that `close` need not wait for it."""
        if self.process is not None:
            self.process.kill()


def _keep_on_our_cores(pid: int) -> None:
    """Keeps every thread of that process off the cores that games have for themselves."""
    if sys.platform != "linux":
        return
    ours = os.sched_getaffinity(0)
    with suppress(OSError):  # it has ended
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(ProcessLookupError):
                os.sched_setaffinity(int(thread.name), ours)
