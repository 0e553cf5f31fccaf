"""Makes checks of agents under the same conditions, for a schedule to play (`CheckMaker`), and plays them (`Examiner`).

It finds the agent, copies it to a store and confines it. Anything wrong with an agent is a step of its report; nothing
is recorded in the database, and no process is left running.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, takewhile
from pathlib import Path
from time import monotonic
from typing import Any, Final, Self

import msgspec
from msgspec import structs

from adsearch import State, games
from adsearch.errors import one_of
from arena.errors import BadFixture, BadPlayer
from arena.match.allowance import WallKind
from arena.match.schedule import Began, Entrant
from arena.play import cores
from arena.play.director import Director
from arena.players.entrants import Confinement, enter
from arena.players.player import Player
from arena.players.submissions import Store, build_warnings
from arena.student.checking import (
    NUMBERED_STEPS,
    CheckReport,
    CheckStep,
    Light,
    StepName,
    agent_lookup,
    resigning_opponent,
)
from arena.student.checking.check_schedule import Candidate, CheckSchedule, ProgressNote, RunningCheck
from arena.student.checking.exam import Exam
from arena.student.checking.explanations import Explanation
from arena.student.checking.planned_games import CheckPlayers, GamePlanner, draw_positions
from arena.student.checking.steps import Check, GameRequests
from arena.walls import meter
from arena.walls.run_folder import RunFolder

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
            opponent=_opponent,
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


def _opponent(moves: int | None) -> Entrant:
    """An opponent that resigns after this number of moves; None: never."""
    text = _RANDOM if moves is None else f"{resigning_opponent.__file__}:ResignsAfter{moves}"
    return Entrant(_RANDOM, text, ("-m", "agents", text, "--connect", "-"), source=text)


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
