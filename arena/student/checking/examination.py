"""Examines agents: plays the games of their courses, behind the walls, and says what came of it.

It runs in the process of the command that checks, with a director of its own and a store that goes with the run folder.
Nothing goes on record, and no process is left.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, takewhile
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self

import msgspec

from adsearch import State, games
from adsearch.errors import one_of
from agents.protocol import Verdict
from arena.errors import BadFixture, BadPlayer
from arena.match.clock import SECOND
from arena.match.schedule import MOST_ATTEMPTS, Began, Entrant, Finished, Planned, refuse_broken_rules
from arena.play import cores
from arena.play.director import Director
from arena.players.confinement import Confinement
from arena.players.entrants import enter
from arena.players.player import Player, PlayerKind
from arena.players.submissions import Store
from arena.student.checking import FOUND, NAMES, Checked, Light, Step, lookup, opponent, positions, sequence, watched
from arena.student.checking.causes import Cause
from arena.student.checking.check_games import WATCHED, Batch, Cast, Course, Played
from arena.student.checking.conditions import Conditions
from arena.walls.kinds import Allowance, WallKind
from arena.walls.run_folder import RunFolder

_MOST_AT_ONCE: Final = 4
_RANDOM: Final = "random"
_LONG: Final = 3 * SECOND
"""Who takes so long for a move, and loses on time, is not asked again, however busy the machine was."""
_BUSY: Final = "0.4"
"""So often, in seconds, a watched agent says where it is busy."""

Report = Callable[[Step], None]


def examine(
    text: str,
    conditions: Conditions,
    folder: RunFolder,
    *,
    name: str = "",
    report: Report = lambda _: None,
) -> Checked:
    """What is to be said of the agent that `text` names, called `name` or else like its file; each step as it is made.

    ArenaError or AdsearchError where the conditions are wrong; whatever is wrong with the agent is a step."""
    with Examiner(conditions, folder) as examiner:
        return examiner.examine(text, name=name, report=report)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An agent that is to be examined."""

    name: str
    """What it is called; empty: like its file."""
    text: str
    player: Player | None = None
    """The same, where it was found already."""
    allowance: Allowance | None = None
    """What it may use, where that is not what everybody may."""
    walls: WallKind | None = None
    """The kind of walls that it gets, where it is not everybody's."""
    report: Report = lambda _: None


_NOTHING: Final = Batch(())


@dataclass(slots=True)
class _Running:
    """A course in progress."""

    place: int
    candidate: Candidate
    steps: list[Step] = field(default_factory=list)
    player: Player | None = None
    course: Course | None = None
    batch: Batch = _NOTHING
    waiting: Iterator[Planned] = field(default_factory=lambda: iter(()))
    """The games of the batch that are still to come."""
    again: deque[Planned] = field(default_factory=deque)
    """Games without a result, to be played once more."""
    tries: Counter[int] = field(default_factory=Counter)
    since: float = 0.0
    """When the batch was asked for."""
    enough: bool = False
    out: int = 0
    """How many of its games are in progress."""
    played: list[Played] = field(default_factory=list)

    def next(self, now: float) -> Planned | None:
        """Its next game, where one may begin."""
        if self.again:
            return self.again.popleft()
        too_late = now - self.since > self.batch.seconds and bool(self.tries)
        return None if self.enough or too_late else next(self.waiting, None)

    def ask(self, batch: Batch, now: float) -> None:
        """It wants these games next."""
        self.batch, self.waiting, self.since = batch, iter(batch.games), now
        self.enough, self.played = False, []
        self.tries.clear()

    def checked(self) -> Checked:
        """What came of it."""
        name = self.candidate.name or (self.player.name if self.player else self.candidate.text)
        return Checked(agent=name, steps=tuple(self.steps))


class Examiner:
    """Examines one agent after the other, or several at once, under the same conditions."""

    def __init__(
        self,
        conditions: Conditions,
        folder: RunFolder,
        *,
        at_once: int | None = None,
        now: Callable[[], float] = monotonic,
    ) -> None:
        """`at_once`: how many games are played at the same time; None: as many as this machine bears."""
        self.conditions = conditions
        self._store = Store(folder.path / "store")
        self._rules = self._store.take_game(conditions.game)
        self._start = games.start(self._rules)
        if conditions.only is not None:
            _refuse_unless_there(conditions.only, self._start, conditions)
        self._confinement = Confinement(
            folder.scratch,
            self._rules,
            walls=conditions.walls,
            allowance=conditions.allowance,
            python=conditions.python,
            modules=conditions.modules,
            fresh=False,
            ponder=conditions.ponder,
            ready=conditions.limits.ready,
        )
        self._now = now
        self._numbers = count(1)
        self._confinement.wall_kind()
        self._director = Director(folder, at_once=at_once or max(1, min(_MOST_AT_ONCE, cores.count() - 1)))

    @property
    def warnings(self) -> list[str]:
        """What whoever checks should know of this machine."""
        return self._confinement.warnings

    def examine(self, text: str, *, name: str = "", report: Report = lambda _: None) -> Checked:
        """One agent."""
        ((_, checked),) = self.each([Candidate(name, text, report=report)])
        return checked

    def each(self, candidates: Iterable[Candidate]) -> Iterator[tuple[int, Checked]]:
        """All of them, each with its place among them, in the order in which they are done."""
        evening = _Evening(self._courses(candidates), self._now)
        yield from evening.finished()
        for event in self._director.play(evening):
            if isinstance(event, Began):
                evening.began(event.game)
            yield from evening.finished()
        yield from evening.finished()

    def _courses(self, candidates: Iterable[Candidate]) -> Iterator[_Running]:
        for place, candidate in enumerate(candidates):
            running = _Running(place, candidate)
            running.course = self._course(candidate, running)
            yield running

    def _course(self, candidate: Candidate, running: _Running) -> Course:
        """The course of an agent that may not even be found."""

        def report(step: Step) -> None:
            running.steps.append(step)
            candidate.report(step)

        since = self._now()
        found = candidate.player or lookup.find(candidate.text)
        if isinstance(found, Cause):
            _lost(report, found, self.conditions.command(candidate.text))
            return
        running.player = found
        try:
            cast = self._cast(found, candidate)
        except BadPlayer as error:
            told, _, advice = str(error).partition("; ")
            _lost(report, Cause(told, advice), self.conditions.command(candidate.text))
            return
        took = round(self._now() - since, 3)
        held = [_found(found, took)]

        def tell(step: Step) -> None:
            # That a file can be imported is known only when it has been.
            if held and step.name != FOUND:
                report(held[0])
            held.clear()
            report(_with_neighbours(step, found))

        yield from sequence.run(
            cast, self._start, self._rules, self.conditions, numbers=self._numbers, now=self._now, report=tell
        )

    def _cast(self, player: Player, candidate: Candidate) -> Cast:
        """The agent, frozen and held in three ways, and its opponent."""
        name = candidate.name or player.name
        kept = enter(
            player,
            name,
            self._start,
            self._store,
            self._confinement,
            walls=candidate.walls,
            allowance=candidate.allowance,
        )
        python = player.kind is not PlayerKind.COMMAND

        def held(how: str, **orders: object) -> Entrant:
            return replace(kept, key=f"{kept.key} {how}", orders={**kept.orders, "fresh": True, **orders})

        command = kept.orders["command"]
        looked_at = {"command": _watched(command, "0")} if python else {}
        slow = {"command": _watched(command, _BUSY), "start": WATCHED, "ready": WATCHED} if python else {}
        return Cast(
            kept=kept,
            fresh=held("fresh"),
            watched=held("watched", **looked_at),
            slow=replace(held("slow", **slow), start=WATCHED),
            opponent=_opponent,
            text=candidate.text,
            python=python,
            code=partial(_line, self._store.folder / kept.source),
            behind=f"behind a {kept.walls}" if kept.walls != WallKind.LIMITS else "behind limits alone",
        )

    def close(self) -> None:
        """Ends all processes."""
        self._director.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class _Evening:
    """A schedule of courses: the games that they want, a later course's where no earlier one has any to begin."""

    def __init__(self, courses: Iterator[_Running], now: Callable[[], float]) -> None:
        self._coming = courses
        self._now = now
        self._running: list[_Running] = []
        # The games in progress: whose they are, and when they were asked for.
        self._out: dict[int, tuple[_Running, float]] = {}
        self._ready: dict[int, float] = {}
        self._done: deque[_Running] = deque()

    def next(self) -> Planned | None:
        """The next game to begin."""
        while True:
            for running in list(self._running):
                while running.course is not None:
                    if (game := running.next(self._now())) is not None:
                        running.out += 1
                        running.tries[game.number] += 1
                        self._out[game.number] = running, self._now()
                        return game
                    if running.out:
                        break
                    self._go_on(running)
            if (new := next(self._coming, None)) is None:
                return None
            self._running.append(new)
            self._go_on(new, begins=True)

    def note(self, finished: Finished) -> None:
        """A game is over; what is void is played again, by the same dice."""
        game, record = finished.game, finished.record
        refuse_broken_rules(record)
        running, asked = self._out.pop(game.number)
        ready = self._ready.pop(game.number, None)
        running.out -= 1
        played = Played(game, record, None if ready is None else ready - asked)
        tries = 1 if played.late and played.own.longest > _LONG else MOST_ATTEMPTS
        if record.verdict == Verdict.VOID and running.tries[game.number] < tries:
            running.again.append(game)
            return
        running.played.append(played)
        running.enough = running.batch.enough(played) or running.enough

    def began(self, game: Planned) -> None:
        """All players of the game are ready."""
        self._ready[game.number] = self._now()

    def finished(self) -> Iterator[tuple[int, Checked]]:
        """The courses that have come to their end since this was last asked."""
        while self._done:
            running = self._done.popleft()
            yield running.place, running.checked()

    def _go_on(self, running: _Running, *, begins: bool = False) -> None:
        """The games that it asked for are over: it says what it wants next, or is at its end."""
        if running.course is None:
            return
        try:
            batch = next(running.course) if begins else running.course.send(running.played)
        except StopIteration:
            running.course = None
            self._running.remove(running)
            self._done.append(running)
        else:
            running.ask(batch, self._now())


def _refuse_unless_there(only: int, start: State[Any], conditions: Conditions) -> None:
    """BadFixture where the agent would not be asked about a position of that number."""
    if only > conditions.positions:
        raise BadFixture(
            f"no position {only}: expected a number from 1 to {conditions.positions}, which is how many are asked "
            "about (more with --positions)"
        )
    wanted = positions.drawn(start, conditions.seed)
    numbers = [position.number for position in takewhile(lambda position: position.number <= only, wanted)]
    if only not in numbers:
        raise BadFixture(f"no position {only}: this game has few, here {one_of([str(each) for each in numbers])}")


def _opponent(moves: int | None) -> Entrant:
    """Whoever plays against the agent, and gives up after so many moves; None: never."""
    text = _RANDOM if moves is None else f"{opponent.__file__}:GivesUpAfter{moves}"
    return Entrant(_RANDOM, text, ("-m", "agents", text, "--connect", "-"), source=text)


def _watched(command: tuple[str, ...], busy: str) -> tuple[str, ...]:
    """The command that hosts the same agent, and watches it."""
    at = command.index("-m")
    return (*command[:at], "-c", Path(watched.__file__).read_text("utf-8"), busy, *command[at + 2 :])


def _line(folder: Path, file: str, line: int) -> str:
    """A line of a file in a submission; empty where there is none."""
    try:
        return (folder / file).read_text("utf-8", "replace").splitlines()[line - 1]
    except (OSError, IndexError):
        return ""


def _found(player: Player, seconds: float) -> Step:
    """The step that says what was found."""
    remark = lookup.remark(player)
    told, _, advice = remark.partition(": ")
    light = Light.WARNING if remark else Light.GOOD
    return Step(name=FOUND, light=light, seconds=seconds, told=told or player.text, advice=advice)


def _lost(report: Report, cause: Cause, again: str) -> None:
    """The agent was not found: why, and the rest is skipped."""
    report(Step(name=FOUND, light=Light.FAILED, seconds=0.0, told=cause.told, advice=cause.advice, again=again))
    for name in NAMES[1:]:
        report(Step(name=name, light=Light.SKIPPED, seconds=0.0))


def _with_neighbours(step: Step, player: Player) -> Step:
    """The step, with what its author cannot see where a module is missing: that it lies beside the file."""
    better = lookup.beside(player, step.told) if step.light is Light.FAILED else ""
    return msgspec.structs.replace(step, advice=better) if better else step
