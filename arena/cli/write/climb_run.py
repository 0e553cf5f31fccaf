"""A climb while it goes on: its games are planned and played, and each step is told as soon as it is decided."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from adsearch import games
from arena.cli.asking.database import submissions
from arena.cli.terminal import progress_line
from arena.cli.terminal.wrapping import line_width, shortened, wrapped
from arena.errors import BadFixture
from arena.history.words import printable
from arena.players.player import PlayerKind, unique_names

if TYPE_CHECKING:
    from adsearch import State
    from arena.match.schedule import Entrant
    from arena.players.confinement import Confinement
    from arena.players.player import Player
    from arena.players.submissions import Store
    from arena.student.climb import Climb, LadderStep
    from arena.student.lost_games import LostGame
    from arena.walls.kinds import WallKind
    from arena.walls.run_folder import RunFolder
    from db.database import Database

_SOON_CLEAR: Final = 8
"""Rounds: if all are won it takes no more."""
_BESIDE_NAMES: Final = 50
"""So many columns of a step's line are for all else."""


@dataclass(slots=True)
class ClimbRun:
    """One climb: as it was asked for, and how far it is."""

    agent: str
    game: str
    against: tuple[str, ...]
    clock: str
    most: int
    seed: int
    walls: WallKind | None
    quiet: bool
    climb: Climb | None = None
    ids: list[int] = field(default_factory=list)
    """Of the games in the order in which they were over."""
    started_as: dict[str, str] = field(default_factory=dict)
    agents: dict[str, str] = field(default_factory=dict)
    """Whose versions those are that are called otherwise."""
    told: int = 0
    """How many steps have been told."""
    estimated: bool = False
    """Whether it has been told how long it takes."""
    is_program: bool = False
    """Whether no Python debugger can look into the agent."""

    def play(self, db: str | None) -> None:
        """Plays until it is over. Where something is wrong with the arguments no database is made."""
        from arena.match.schedule import Finished
        from arena.play.cores import physical
        from arena.play.director import Director
        from arena.players.confinement import Confinement
        from arena.tournament.casual import Recorded
        from arena.walls.run_folder import RunFolder
        from db import dialect
        from db.database import Database

        with ExitStack() as stack:
            folder = stack.enter_context(RunFolder())
            file = dialect.file_of(dialect.url(db))
            if file is not None and not file.exists():
                self._try_out(folder)
            database = stack.enter_context(Database(db))
            store = submissions(database)
            rules = store.take_game(self.game)
            confinement = Confinement(folder.scratch, rules, walls=self.walls)
            self.climb = climb = self._planned(rules, database, store, confinement)
            for warning in confinement.warnings:
                print(f"warning: {warning}", file=sys.stderr)
            self._introduce(climb, confinement)
            director = stack.enter_context(Director(folder, at_once=max(1, len(physical()) - 1)))
            schedule = Recorded(climb, database, self.started_as, self.agents)
            self.ids = schedule.ids
            begun = monotonic()
            for event in director.play(schedule):
                if isinstance(event, Finished):
                    self._show(climb, monotonic() - begun)
            self._show(climb, monotonic() - begun)

    def _try_out(self, folder: RunFolder) -> None:
        """Refuses what is wrong with the arguments, by planning all of it in a database that nobody keeps."""
        from arena.players.confinement import Confinement
        from db.database import Database

        with Database(str(folder.path / "trial.db")) as database:
            store = submissions(database)
            rules = store.take_game(self.game)
            trial = replace(self, started_as={}, agents={})
            trial._planned(rules, database, store, Confinement(folder.scratch, rules, walls=self.walls))

    def _planned(self, rules: str, database: Database, store: Store, confinement: Confinement) -> Climb:
        from arena.match.openings import draw
        from arena.match.schedule import Planned
        from arena.student.climb import Climb, ladder, opening_plies

        start = games.start(rules)
        if start.players < 2:
            raise BadFixture(f"{self.game} is for one player: there is nobody to be better than")
        player, agent = self._named(self.agent, database, store)
        self.is_program = player.kind is PlayerKind.COMMAND
        entrant = self._entered(player, agent, player.name, start, store, confinement)
        steps = [self._step(text, start, database, store, confinement) for text in self.against or ladder(start)]
        rounds = max(1, self.most // start.players)
        common = Planned(0, self.game, rules, (), self.seed, (), clock=self.clock)
        return Climb(
            entrant,
            steps,
            common,
            draw(rules, opening_plies(start), range(rounds), seed=self.seed),
            repeats=not (start.chance or start.hidden),
            gives_up=not self.against,
        )

    def _step(
        self, text: str, start: State[Any], database: Database, store: Store, confinement: Confinement
    ) -> LadderStep:
        """The opponent `text`, on every seat but one."""
        from arena.student.climb import LadderStep

        player, agent = self._named(text, database, store)
        others = [player.name] * (start.players - 1)
        names = unique_names([*self.started_as, *others])[len(self.started_as) :]
        entrants = [self._entered(player, agent, name, start, store, confinement) for name in names]
        return LadderStep(names[0], tuple(entrants))

    def _named(self, text: str, database: Database, store: Store) -> tuple[Player, str]:
        """The player that `text` names; and whose version it is, if it is one on record."""
        from arena.players import versions

        with database.reading() as connection:
            player, version = versions.named(connection, text, store)
        return player, "" if version is None else version.agent

    def _entered(
        self, player: Player, agent: str, name: str, start: State[Any], store: Store, confinement: Confinement
    ) -> Entrant:
        from arena.players.entrants import enter

        self.started_as[name] = player.text
        if agent:
            self.agents[name] = agent
        return enter(player, name, start, store, confinement)

    @property
    def name(self) -> str:
        """What the agent is called."""
        return next(iter(self.started_as), self.agent)

    def lost(self, climb: Climb) -> list[LostGame]:
        """The games that it has lost: first those against the weakest opponent that is to be beaten yet."""
        from arena.student.climb import StepVerdict
        from arena.student.lost_games import LostGame

        lost = [
            (id, step, finished)
            for id, (step, finished) in zip(self.ids, climb.played, strict=False)
            if finished.record.verdict != "void" and climb.points(finished) < 0.5
        ]
        lost.sort(key=lambda one: one[1].verdict is StepVerdict.BETTER)
        return [
            LostGame(id, finished.game.rules, climb.seat(finished), step.opponent, finished.record)
            for id, step, finished in lost
        ]

    # On the screen, as it goes.

    def _introduce(self, climb: Climb, confinement: Confinement) -> None:
        if self.quiet:
            return
        if self.name in confinement.kinds:
            print(wrapped(printable(confinement.described(self.name))))
        seats = len(climb.steps[0].others) + 1
        soonest = _SOON_CLEAR * seats
        if self.most < soonest:
            print(wrapped(f"warning: nothing is clear before {soonest} games, and --games allows {self.most}"))
        count = len(climb.steps)
        steps = f"{count} step{'s' * (count != 1)}, up to {self.most} games each"
        print(wrapped(f"{printable(self.game)}   clock {self.clock}   {steps}"))
        print(wrapped(f"(in brackets: how likely it is that {printable(self.name)} is the better one)") + "\n")

    def _show(self, climb: Climb, seconds: float) -> None:
        """What has become clear, and what is being played."""
        if self.quiet:
            return
        self.clear()
        seats = len(climb.steps[0].others) + 1
        if not self.estimated and len(climb.played) >= seats:
            self.estimated = True
            each = seconds / len(climb.played)
            soon = min(_SOON_CLEAR * seats, self.most)
            long = _duration(each * self.most)
            print(f"at {each:.1f} s a game a step takes {_duration(each * soon)}{f' to {long}' * (soon < self.most)}\n")
        while self.told < len(climb.done):
            self.told += 1
            step = climb.steps[self.told - 1]
            print(_line(self.told, step), flush=True)
            if step.exhausted:
                print("    the same games came again and again: there is nothing new to play", flush=True)
        if self.told < len(climb.steps):
            progress_line.show(_line(self.told + 1, climb.steps[self.told]))

    def clear(self) -> None:
        """The line that is being written is gone."""
        if not self.quiet:
            progress_line.erase()


def _line(number: int, step: LadderStep) -> str:
    """A step."""
    from rich.cells import cell_len

    from arena.student.climb import StepVerdict

    room = max(8, min(22, line_width() - _BESIDE_NAMES))
    name = shortened(printable(step.opponent), room)
    name += " " * (room - cell_len(name))
    results = step.results
    line = f"{number:2}  {name}  won {results['won']:<3} drawn {results['drawn']:<3} lost {results['lost']:<3}"
    if not step.over:
        return f"{line} ..."
    said = {StepVerdict.BETTER: "better", StepVerdict.NOT_BETTER: "not better", StepVerdict.OPEN: "not clear"}[
        step.verdict
    ]
    return f"{line} {said} ({percent(step.likelihood)})"


def percent(share: float) -> str:
    """A likelihood, which is never quite 0 or 1."""
    return f"{min(max(round(100 * share), 1), 99)} %"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
