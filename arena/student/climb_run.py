"""Runs a climb: plans its games and plays them, one opponent after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from adsearch import State, games
from arena.errors import BadFixture, BadPlayer
from arena.match.allowance import WallKind
from arena.match.conditions import Conditions
from arena.match.openings import Book
from arena.match.schedule import Entrant, Finished, Planned, repeats_tell
from arena.play.cores import physical
from arena.play.director import Director
from arena.players import versions
from arena.players.entrants import Confinement, enter
from arena.players.player import Player, PlayerKind, unique_names
from arena.players.submissions import Store
from arena.student.analysis import LostGame
from arena.student.climb import MOST, Climb, LadderStep, StepVerdict, fewest_rounds, ladder, opening_plies
from arena.tournament.recorded_games import RecordingSchedule
from arena.walls.run_folder import RunFolder
from db import audit, dialect, search
from db.bundles import store_beside
from db.database import Database


@dataclass(slots=True)
class ClimbRun:
    """One climb: its options and its results."""

    agent: str
    game: str
    against: tuple[str, ...]
    clock: str
    most: int | None
    """The largest number of games for each step; None: MOST, or the smallest number that can decide a step."""
    seed: int
    walls: WallKind | None
    climb: Climb | None = None
    ids: list[int] = field(default_factory=list)
    """Ids of the games, in the order in which they ended."""
    started_as: dict[str, str] = field(default_factory=dict)
    agents: dict[str, str] = field(default_factory=dict)
    """The agent of each player that is a recorded version, by the player's name."""
    is_program: bool = False
    """Whether the agent is a cmd: program, which `arena replay --debug` cannot run."""

    def play(self, db: str | None, introduce: Callable[[Climb, Confinement], None]) -> Iterator[float]:
        """Plays the whole climb; gives the seconds since its start after each game. If the arguments are wrong, no
        database is created.

        `introduce`: is called before the first game, with the plan and how agents are confined."""
        with ExitStack() as stack:
            folder = stack.enter_context(RunFolder())
            file = dialect.file_of(dialect.url(db))
            if file is not None and not file.exists():
                self._check_arguments(folder)
            database = stack.enter_context(Database(db))
            store = Store(store_beside(database.file))
            rules = store.take_game(self.game)
            confinement = Confinement(folder.scratch, rules, self._conditions)
            self.climb = climb = self._planned(rules, database, store, confinement)
            introduce(climb, confinement)
            director = stack.enter_context(Director(folder, at_once=max(1, len(physical()) - 1)))
            schedule = RecordingSchedule(climb, database, started_as=self.started_as, agents=self.agents)
            self.ids = schedule.ids
            begun = monotonic()
            for event in director.play(schedule):
                if isinstance(event, Finished):
                    yield monotonic() - begun
            yield monotonic() - begun

    @property
    def _conditions(self) -> Conditions:
        return Conditions(clock=self.clock, walls=self.walls)

    def _check_arguments(self, folder: RunFolder) -> None:
        """Raise an error for wrong arguments, by planning the climb in a temporary database."""
        with Database(str(folder.path / "trial.db")) as database:
            store = Store(store_beside(database.file))
            rules = store.take_game(self.game)
            copy = replace(self, started_as={}, agents={})
            copy._planned(rules, database, store, Confinement(folder.scratch, rules, self._conditions))

    def _planned(self, rules: str, database: Database, store: Store, confinement: Confinement) -> Climb:
        start = games.start(rules)
        if start.players < 2:
            raise BadFixture(f"{self.game} has only one player, so there are no opponents to climb")
        player, agent = self._named(self.agent, database, store)
        self.is_program = player.kind in (PlayerKind.COMMAND, PlayerKind.SOURCE)
        entrant = self._entered(player, agent, player.name, start, store, confinement)
        least = fewest_rounds() * start.players
        if self.most is None:
            self.most = max(MOST, least)
        elif self.most < least:
            raise BadFixture(
                f"--games: expected at least {least}, got {self.most}: fewer games of {self.game} cannot show that an "
                "agent is better, even if it wins them all"
            )
        opponents = [self._named(text, database, store) for text in self.against or ladder(start)]
        steps = [self._step(found, start, store, confinement) for found in opponents]
        if not self.against and (last := self._last_version(entrant, agent, rules, database, store)):
            steps.append(replace(self._step(last, start, store, confinement), own=True))
        rounds = self.most // start.players
        book = Book(rules, opening_plies(start), seed=self.seed)
        common = Planned(0, self.game, rules, (), self.seed, (), conditions=self._conditions)
        return Climb(
            entrant,
            steps,
            common,
            [book.opening(number).moves for number in range(rounds)],
            repeats=repeats_tell(start),
            gives_up=not self.against,
        )

    def _last_version(
        self, entrant: Entrant, agent: str, rules: str, database: Database, store: Store
    ) -> tuple[Player, str] | None:
        """The previous version of the agent that played this game and can still run, with the agent's name; or None."""
        agent = agent or entrant.name
        with database.reading() as connection:
            known = [one for one in audit.versions(connection) if one.agent == agent]
            played = search.versions_that_played(connection, agent, rules)
        this = next((one.number for one in known if one.source == entrant.source), len(known) + 1)
        for version in reversed(known):
            if version.number < this and version.number in played:
                with suppress(BadPlayer):
                    return replace(versions.player_of(version, store), name=f"{agent}@{version.number}"), agent
        return None

    def _step(
        self, opponent: tuple[Player, str], start: State[Any], store: Store, confinement: Confinement
    ) -> LadderStep:
        """The step against this opponent, who takes all seats but one."""
        player, agent = opponent
        others = [player.name] * (start.players - 1)
        names = unique_names([*self.started_as, *others])[len(self.started_as) :]
        entrants = [self._entered(player, agent, name, start, store, confinement) for name in names]
        return LadderStep(names[0], tuple(entrants))

    def _named(self, text: str, database: Database, store: Store) -> tuple[Player, str]:
        """The player that `text` names, and the recorded agent that it is a version of, or ""."""
        with database.reading() as connection:
            player, version = versions.named_player(connection, text, store)
        return player, "" if version is None else version.agent

    def _entered(
        self, player: Player, agent: str, name: str, start: State[Any], store: Store, confinement: Confinement
    ) -> Entrant:
        self.started_as[name] = player.text
        if agent:
            self.agents[name] = agent
        return enter(player, name, start, store, confinement)

    @property
    def name(self) -> str:
        """The agent's name in the games."""
        return next(iter(self.started_as), self.agent)

    def lost(self, climb: Climb) -> list[LostGame]:
        """The games that the agent lost: first those against the weakest opponent that it has not beaten yet."""
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
