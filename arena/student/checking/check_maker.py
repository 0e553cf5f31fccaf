"""Checks of agents under the same conditions: their schedule, which any director can play, who makes them, and who
plays.

`arena check` and `arena course collect` play them with an `Examiner`, a ladder among its other games. `CheckMaker`
finds the agent, copies it to a store and confines it. Anything wrong with an agent is a step of its report; nothing is
recorded in the database, and no process is left running.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, takewhile
from pathlib import Path
from time import monotonic
from typing import Any, Final, Self

import msgspec
from msgspec import structs

from adsearch import State, games
from adsearch.errors import one_of
from adsearch.form import Form
from arena.errors import BadFixture, BadPlayer
from arena.match.allowance import Allowance, WallKind
from arena.match.schedule import MOST_ATTEMPTS, Began, Entrant, Finished, Planned, Schedule, refuse_broken_rules
from arena.play import cores
from arena.play.director import Director
from arena.players.entrants import Confinement, enter, of_kit
from arena.players.player import Player
from arena.players.submissions import Store, build_warnings
from arena.student.checking import (
    NUMBERED_STEPS,
    CheckReport,
    CheckStep,
    Exam,
    Light,
    StepName,
    agent_lookup,
    resigning_opponent,
)
from arena.student.checking.explanations import Explanation
from arena.student.checking.planned_games import CheckPlayers, GamePlanner, draw_positions
from arena.student.checking.played_games import CheckGame
from arena.student.checking.steps import Check, GameBatch, GameRequests
from arena.walls import meter
from arena.walls.run_folder import RunFolder

# The schedule of checks: which game of which check is next. Any director can play it.


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


_RANDOM: Final = "random"


class CheckMaker:
    """Makes checks, all under the same conditions."""

    def __init__(self, exam: Exam, store: Store, scratch: Path, *, numbers: Iterator[int]) -> None:
        """`scratch`: the folder of a run in which agents get their folders; `numbers`: of the games. Raises ArenaError
        or AdsearchError for wrong conditions."""
        self.exam = exam
        self._store = store
        self._rules = store.take_game(exam.game)
        self._start = games.start(self._rules)
        if exam.only is not None:
            _refuse_unless_there(exam.only, self._start, exam)
        terms = structs.replace(exam.conditions, reuse=True)
        self.confinement = Confinement(scratch, self._rules, terms)
        self.confinement.check()  # else each agent would be told of it
        self._numbers = numbers

    def check(self, place: int, candidate: Candidate) -> RunningCheck:
        """A check of this agent that has not begun; `place` identifies it."""
        running = RunningCheck(place, candidate)
        running.requests = self._requests(candidate, running)
        return running

    def _requests(self, candidate: Candidate, running: RunningCheck) -> GameRequests:
        """The games of one agent's check; none if the agent is not found."""
        since = monotonic()
        found = candidate.player or agent_lookup.find(candidate.text)
        if not isinstance(found, Explanation):
            running.player = found
            try:
                players = self._players(found, candidate)
                planner = GamePlanner(players, self._start, self._rules, self.exam, self._numbers)
            except BadPlayer as error:
                found = Explanation.of_error(error)
        if isinstance(found, Explanation):
            report_not_found(running.report, found, again=self.exam.command(candidate.text))
            return
        took = round(monotonic() - since, 3)
        player = found
        warnings = build_warnings(self._store.folder / players.kept.source)
        waiting = [_found_step(player, warnings, took)]

        def report(step: CheckStep) -> None:
            # Whether a file can be imported is known only after its import.
            if waiting and step.name is not StepName.FOUND:
                running.report(waiting[0])
            waiting.clear()
            advice = agent_lookup.neighbour_advice(player, step.message) if step.light is Light.FAILED else ""
            running.report(msgspec.structs.replace(step, advice=advice) if advice else step)

        yield from Check(planner, now=monotonic, report=report).games()

    def _players(self, player: Player, candidate: Candidate) -> CheckPlayers:
        """The agent's submission, hosted with strict states and started in two ways, and its opponents."""
        name = candidate.name or player.name
        kept = enter(
            player,
            name,
            self._start,
            self._store,
            self.confinement,
            walls=candidate.walls,
            allowance=candidate.allowance,
        )
        python = player.is_python
        if python:
            command = (*kept.settings["command"], "--strict")
            kept = replace(kept, key=f"{kept.key} strict", settings={**kept.settings, "command": command})

        return CheckPlayers(
            kept=kept,
            fresh=replace(kept, key=f"{kept.key} fresh", settings={**kept.settings, "fresh": True}),
            opponent=partial(_opponent, self.exam.conditions.adsearch),
            text=candidate.text,
            python=python,
            waits_charged=not meter.counts_waits(WallKind(kept.walls)),
            confined=f"in a {kept.walls}" if kept.walls != WallKind.LIMITS else "with limits only",
            source_line=partial(self._store.line, kept.source),
        )


def _refuse_unless_there(only: int, start: State[Any], exam: Exam) -> None:
    """Raise BadFixture if the check has no position of that number."""
    if only > exam.positions:
        raise BadFixture(
            f"no position {only}: expected a number from 1 to {exam.positions}, the number of positions tried "
            "(more with --positions)"
        )
    wanted = draw_positions(start, exam.seed)
    numbers = [position.number for position in takewhile(lambda position: position.number <= only, wanted)]
    if only not in numbers:
        raise BadFixture(
            f"no position {only}: this game has few, with the numbers {one_of([str(each) for each in numbers])}"
        )


def _opponent(adsearch: Form | None, moves: int | None) -> Entrant:
    """An opponent that resigns after this number of moves; None: never."""
    text = _RANDOM if moves is None else f"{resigning_opponent.__file__}:ResignsAfter{moves}"
    return of_kit(text, _RANDOM, adsearch)


def _found_step(player: Player, of_compiler: str, seconds: float) -> CheckStep:
    """The result of the step FOUND for an agent that was found."""
    warning, _, advice = agent_lookup.name_warning(player).partition(": ")
    if of_compiler:
        warning = f"the compiler warns: {of_compiler}"
    light = Light.WARNING if warning else Light.GOOD
    return CheckStep(name=StepName.FOUND, light=light, seconds=seconds, message=warning or player.text, advice=advice)


def report_not_found(report: Callable[[CheckStep], None], why: Explanation, *, again: str) -> None:
    """Report that the agent was not found, and why; all other steps are skipped."""
    first, *rest = NUMBERED_STEPS
    report(CheckStep(name=first, light=Light.FAILED, seconds=0.0, message=why.message, advice=why.advice, again=again))
    for name in rest:
        report(CheckStep(name=name, light=Light.SKIPPED, seconds=0.0))


# Examines agents: plays the games of their checks, with each agent confined, and reports the results.


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
