"""The schedule of checks: which game of which check is next. Any director can play it.

`arena check` and `arena course collect` play it with a director of their own (`check_maker.py`), and a ladder among its
other games. Nothing is recorded here.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from arena.errors import BadFixture
from arena.match.allowance import Allowance, WallKind
from arena.match.schedule import MOST_ATTEMPTS, Finished, Planned, Schedule, refuse_broken_rules
from arena.players.player import Player
from arena.student.checking import CheckReport, CheckStep
from arena.student.checking.explanations import Explanation
from arena.student.checking.played_games import CheckGame
from arena.student.checking.steps import GameBatch, GameRequests

ProgressNote = Callable[[int, Sequence[int]], None]
"""Called with the number of checks that ended, and the places of those in progress."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An agent to examine."""

    name: str
    """The agent's name; empty: the name of its file."""
    text: str
    player: Player | Explanation | None = None
    """The player that `text` names, or why there is none, if already known."""
    allowance: Allowance | None = None
    """The agent's own allowance; None: the same as for all agents."""
    walls: WallKind | None = None
    """The agent's own kind of walls; None: the same as for all agents."""
    report: Callable[[CheckStep], None] = lambda _: None
    """Called with each step as soon as its result is known."""


_NO_GAMES: Final = GameBatch(())


@dataclass(slots=True)
class RunningCheck:
    """A check in progress."""

    place: int
    candidate: Candidate
    steps: list[CheckStep] = field(default_factory=list)
    player: Player | None = None
    requests: GameRequests | None = None
    """None after the check has ended."""
    batch: GameBatch = _NO_GAMES
    waiting: Iterator[Planned] = field(default_factory=lambda: iter(()))
    """The games of the batch that have not started."""
    again: deque[Planned] = field(default_factory=deque)
    """Void games, to be played again."""
    tries: Counter[int] = field(default_factory=Counter)
    """How often each game of the batch has started, by its number."""
    since: float = 0.0
    """When the batch was requested."""
    enough: bool = False
    in_progress: int = 0
    """Number of its games in progress."""
    played: list[CheckGame] = field(default_factory=list)

    def report(self, step: CheckStep) -> None:
        """Add the result of a step."""
        self.steps.append(step)
        self.candidate.report(step)

    def next(self, now: float) -> Planned | None:
        """The next game to start; None if none can start now."""
        if self.again:
            return self.again.popleft()
        too_late = now - self.since > self.batch.seconds and bool(self.tries)
        return None if self.enough or too_late else next(self.waiting, None)

    def ask(self, batch: GameBatch, now: float) -> None:
        """Start a new batch of games."""
        self.batch, self.waiting, self.since = batch, iter(batch.games), now
        self.enough, self.played = False, []
        self.tries.clear()

    def finished(self) -> CheckReport:
        """The report."""
        name = self.candidate.name or (self.player.name if self.player else self.candidate.text)
        return CheckReport(agent=name, steps=tuple(self.steps))


class CheckSchedule(Schedule):
    """The schedule of the checks. A check begins when the others have no game to start.

    If there are `many`, each plays one game at a time: an agent then has one process for all of them, and its report
    does not depend on which of two games ends first."""

    def __init__(
        self, coming: Callable[[], RunningCheck | None], changed: ProgressNote = lambda *_: None, *, many: bool
    ) -> None:
        """`coming`: returns the next check to begin; None if there is none now."""
        self._coming = coming
        self._changed = changed
        self._many = many
        # Number of checks that ended.
        self._ended = 0
        self._running: list[RunningCheck] = []
        # The games in progress: each with its check, and the time when it was requested.
        self._in_progress: dict[int, tuple[RunningCheck, float]] = {}
        self._ready: dict[int, float] = {}
        self._done: deque[RunningCheck] = deque()

    def next(self) -> Planned | None:
        """The next game to start."""
        while True:
            if (game := self._next_of_running()) is not None:
                return game
            if (new := self._coming()) is None:
                return None
            self._running.append(new)
            self._continue(new, first_time=True)
            self._note_progress()

    def _next_of_running(self) -> Planned | None:
        """The next game of the first check in progress that can start one."""
        for running in list(self._running):
            while running.requests is not None and not (self._many and running.in_progress):
                if (game := running.next(monotonic())) is not None:
                    running.in_progress += 1
                    running.tries[game.number] += 1
                    self._in_progress[game.number] = running, monotonic()
                    return game
                if running.in_progress:
                    break
                self._continue(running)
        return None

    def note(self, finished: Finished) -> None:
        """Take a finished game; a void game is played again with the same dice. If user-supplied rules are broken, the
        check gets a BadFixture: it goes on from there, or does not catch it."""
        game, record = finished.game, finished.record
        running, asked = self._in_progress.pop(game.number)
        ready = self._ready.pop(game.number, None)
        running.in_progress -= 1
        try:
            refuse_broken_rules(record)
        except BadFixture as error:
            self._continue(running, error)
            return
        played = CheckGame(game, record, None if ready is None else ready - asked)
        if played.undecided and running.tries[game.number] < MOST_ATTEMPTS:
            running.again.append(game)
            return
        running.played.append(played)
        running.enough = running.batch.enough(played) or running.enough

    def began(self, game: Planned) -> None:
        """Note that all players of the game are ready, if it is one of these checks' games."""
        if game.number in self._in_progress:
            self._ready[game.number] = monotonic()

    def finished(self) -> Iterator[tuple[int, CheckReport]]:
        """The checks that finished since the last call."""
        while self._done:
            running = self._done.popleft()
            yield running.place, running.finished()

    def _continue(self, running: RunningCheck, error: BadFixture | None = None, *, first_time: bool = False) -> None:
        """Send the check its finished games, or the error; it requests the next batch or ends."""
        if running.requests is None:
            return
        # In the order of the requests: no check depends on which game finished first.
        played = sorted(running.played, key=lambda game: game.planned.number)
        try:
            if error is not None:
                batch = running.requests.throw(error)
            else:
                batch = next(running.requests) if first_time else running.requests.send(played)
        except StopIteration:
            running.requests = None
            self._running.remove(running)
            self._done.append(running)
            self._ended += 1
            self._note_progress()
        else:
            running.ask(batch, monotonic())

    def _note_progress(self) -> None:
        self._changed(self._ended, [running.place for running in self._running])
