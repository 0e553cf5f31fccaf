"""`arena climb`: how far up a ladder of ever stronger opponents an agent gets, and what to look at where it ends."""

from __future__ import annotations

import shlex
import sys
import textwrap
from contextlib import ExitStack
from dataclasses import dataclass, field
from enum import StrEnum
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.database import DatabaseOption
from arena.walls import Kind

if TYPE_CHECKING:
    from adsearch import State
    from arena.climb import Climb, Step
    from arena.confinement import Confinement
    from arena.director import Entrant
    from arena.lesson import Lesson, Lost
    from arena.players import Player
    from arena.submissions import Store
    from db.database import Database

_USUAL_CLOCK: Final = "5+0.05"
_SOON_CLEAR: Final = 8
"""Rounds: if all are won it takes no more."""
_REASONS: Final = {
    "normal": "outplayed",
    "resigned": "given up",
    "time": "on time",
    "illegal": "by an illegal move",
    "crashed": "by a crash",
    "garbage": "by breaking the protocol",
    "flooded": "by sending too much",
    "memory": "out of memory",
    "unready": "for not being ready in time",
}
"""How games are lost, in words."""


class Form(StrEnum):
    """How what was found is printed."""

    TABLE = "table"
    JSON = "json"


def climb(
    agent: Annotated[
        str, typer.Argument(metavar="FILE", help="Your agent: a file, a folder, cmd:PROGRAM, or alice@2 of the record.")
    ],
    game: Annotated[str, typer.Option("--game", metavar="GAME", help="The game, with options if you like.")],
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="PLAYER", help="Instead of the ladder: a built-in, a file, alice@2. May be repeated."),
    ] = None,
    clock: Annotated[str, typer.Option(help="As `arena play` takes it.")] = _USUAL_CLOCK,
    most: Annotated[int, typer.Option("--games", min=2, max=10_000, help="So many games a step at most.")] = 40,
    seed: Annotated[int | None, typer.Option(min=0, help="Play the games of this seed.")] = None,
    walls: Annotated[
        Kind | None, typer.Option(help="How agents of yours are confined. Usual: the best that this machine offers.")
    ] = None,
    db: DatabaseOption = None,
    format: Annotated[Form, typer.Option("--format", help="How to print what was found.")] = Form.TABLE,
) -> None:
    """How good is my agent? It plays ever stronger opponents, until it is clear.

    Games come in pairs, with one opening and seats changed; all go on record.
    It ends at the second opponent in a row that is not beaten, and says what to
    look at first.

    Example: arena climb my_agent.py --game connect4

    Example: arena climb my_agent.py --game connect4 --against my_agent@1
    """
    from arena import seeds
    from arena.clock import TimeControl
    from db.database import Database

    ascent = _Ascent(
        agent, game, tuple(against or ()), str(TimeControl.parse(clock)), most,
        seeds.short_seed() if seed is None else seed, walls, quiet=format is Form.JSON,
    )  # fmt: skip
    interrupted = False
    with Database(db) as database:
        try:
            ascent.play(database)
        except KeyboardInterrupt:
            interrupted = True
    ascent.clear()
    if interrupted:
        print("interrupted", file=sys.stderr)
    if ascent.climb is not None:
        _tell(ascent, ascent.climb, format, in_haste=interrupted, seed_given=seed is not None)
    if interrupted:
        raise typer.Exit(130)
    if ascent.climb is not None and ascent.climb.broken:
        raise typer.Exit(1)


def add_to(app: typer.Typer) -> None:
    """Adds the command to `app`."""
    app.command()(climb)


# Playing.


@dataclass(slots=True)
class _Ascent:
    """One climb: as it was asked for, and how far it is."""

    agent: str
    game: str
    against: tuple[str, ...]
    clock: str
    most: int
    seed: int
    walls: Kind | None
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

    def play(self, database: Database) -> None:
        """Plays until it is over."""
        from arena.casual import Recorded
        from arena.cli.database import submissions
        from arena.confinement import Confinement
        from arena.cores import physical
        from arena.director import Director, Finished
        from arena.run_folder import RunFolder

        with ExitStack() as stack:
            folder = stack.enter_context(RunFolder())
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

    def _planned(self, rules: str, database: Database, store: Store, confinement: Confinement) -> Climb:
        from adsearch import games
        from arena.climb import Climb, ladder, opening_plies
        from arena.director import Planned
        from arena.errors import BadFixture
        from arena.openings import draw

        start = games.start(rules)
        if start.players < 2:
            raise BadFixture(f"{self.game} is for one player: there is nobody to be better than")
        player, agent = self._named(self.agent, database, store)
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

    def _step(self, text: str, start: State[Any], database: Database, store: Store, confinement: Confinement) -> Step:
        """The opponent `text`, on every seat but one."""
        from arena.climb import Step
        from arena.players import told_apart

        player, agent = self._named(text, database, store)
        others = [player.name] * (start.players - 1)
        names = told_apart([*self.started_as, *others])[len(self.started_as) :]
        entrants = [self._entered(player, agent, name, start, store, confinement) for name in names]
        return Step(names[0], tuple(entrants))

    def _named(self, text: str, database: Database, store: Store) -> tuple[Player, str]:
        """The player that `text` names; and whose version it is, if it is one on record."""
        from arena import versions

        with database.reading() as connection:
            player, version = versions.named(connection, text, store)
        return player, "" if version is None else version.agent

    def _entered(
        self, player: Player, agent: str, name: str, start: State[Any], store: Store, confinement: Confinement
    ) -> Entrant:
        from arena.entrants import enter

        self.started_as[name] = player.text
        if agent:
            self.agents[name] = agent
        return enter(player, name, start, store, confinement)

    @property
    def name(self) -> str:
        """What the agent is called."""
        return next(iter(self.started_as), self.agent)

    def lost(self, climb: Climb) -> list[Lost]:
        """The games that it has lost: first those against the weakest opponent that is to be beaten yet."""
        from arena.climb import Shown
        from arena.lesson import Lost

        lost = [
            (id, step, finished)
            for id, (step, finished) in zip(self.ids, climb.played, strict=False)
            if finished.record.verdict != "void" and climb.points(finished) < 0.5
        ]
        lost.sort(key=lambda one: one[1].verdict is Shown.BETTER)
        return [
            Lost(id, finished.game.rules, climb.seat(finished), step.opponent, finished.record)
            for id, step, finished in lost
        ]

    # On the screen, as it goes.

    def _introduce(self, climb: Climb, confinement: Confinement) -> None:
        if self.quiet:
            return
        if self.name in confinement.kinds:
            print(_wrapped(confinement.described(self.name)))
        seats = len(climb.steps[0].others) + 1
        soonest = _SOON_CLEAR * seats
        if self.most < soonest:
            print(_wrapped(f"warning: nothing is clear before {soonest} games, and --games allows {self.most}"))
        count = len(climb.steps)
        print(f"{self.game}   clock {self.clock}   {count} step{'s' * (count != 1)}, up to {self.most} games each\n")

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
        if sys.stderr.isatty() and self.told < len(climb.steps):
            print(_line(self.told + 1, climb.steps[self.told]), end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """The line that is being written is gone."""
        if sys.stderr.isatty() and not self.quiet:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _line(number: int, step: Step) -> str:
    """A step."""
    from arena.climb import Shown
    from arena.words import printable

    name = printable(step.opponent)
    name = name if len(name) <= 22 else f"{name[:10]}…{name[-11:]}"
    results = step.results
    line = f"{number:2}  {name:<22}  won {results['won']:<3} drawn {results['drawn']:<3} lost {results['lost']:<3}"
    if not step.over:
        return f"{line} ..."
    said = {Shown.BETTER: "better", Shown.NOT_BETTER: "not better", Shown.OPEN: "not clear"}[step.verdict]
    return f"{line} {said} ({_percent(step.likelihood)})"


def _percent(share: float) -> str:
    """A likelihood, which is never quite 0 or 1."""
    return f"{min(max(round(100 * share), 1), 99)} %"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 80, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


# What it came to.


def _tell(ascent: _Ascent, climb: Climb, format: Form, *, in_haste: bool, seed_given: bool) -> None:
    """All that was found; `in_haste` nothing is looked for any more."""
    from arena.cli.listing import tell
    from arena.climb import GIVES_UP
    from arena.lesson import lesson, reasons

    lost = ascent.lost(climb)
    if format is Form.JSON:
        tell(_document(ascent, climb, lost, None if in_haste else lesson(lost)))
        return
    print()
    if climb.done or not climb.broken:
        print(_wrapped(_sentence(ascent.name, climb)))
    if climb.gave_up:
        rest = ", ".join(step.opponent for step in climb.steps if not step.begun)
        print(_wrapped(f"no higher, for {GIVES_UP} in a row were not beaten; not tried: {rest}"))
    if lost:
        told = ", ".join(f"{count} {_REASONS.get(verdict, verdict)}" for verdict, count in reasons(lost).items())
        print(_wrapped(f"lost {len(lost)} of {len(climb.played)} games: {told}"))
    if climb.broken:
        print(_wrapped(f"it failed in {climb.faults} games in a row, so no more were played; what is wrong is told by"))
        print(f"    {_check(ascent)}")
    if not in_haste and (learned := lesson(lost)) is not None:
        print("\nlook at this first")
        print(textwrap.indent(_wrapped(_said(ascent, learned)), "    "))
        for command in _commands(learned):
            print(f"    {command}")
    if not seed_given:
        print(f"\nthe same again: --seed {ascent.seed}")


def _sentence(name: str, climb: Climb) -> str:
    """Better than whom, and than whom not yet."""
    from arena.climb import Shown
    from arena.words import printable

    said = []
    for words, shown in (
        ("better than ", Shown.BETTER),
        ("not yet better than ", Shown.NOT_BETTER),
        ("not clear against ", Shown.OPEN),
    ):
        steps = [step for step in climb.steps if step.verdict is shown and step.games]
        if steps:
            said.append(
                words + ", ".join(f"{printable(step.opponent)} ({_percent(step.likelihood)})" for step in steps)
            )
    return f"{printable(name)}: " + ("; ".join(said) if said else "no round was whole, so there is nothing to compare")


def _said(ascent: _Ascent, learned: Lesson) -> str:
    """The lesson in words."""
    from arena.words import printable, verdict, without_store

    game, mistake = learned.game, learned.mistake
    words = f"game {game.id} against {game.opponent}: "
    if game.at_fault:
        how = verdict(game.record).partition(";")[0]
        detail = without_store(game.record.detail).removeprefix(ascent.name).lstrip(":, ")
        return printable(f"{words}{how}" + (f": {detail}" if detail else ""))
    if mistake is None:
        return printable(f"{words}no single mistake stands out; look at all of it")
    return printable(
        f"{words}at ply {mistake.ply} {ascent.name} played {mistake.move}{mistake.mark}, better was {mistake.better[0]}"
    )


def _commands(learned: Lesson) -> list[str]:
    id = learned.game.id
    first = "logs" if learned.game.at_fault else "analyse"
    at = [f"arena debug {id} --ply {learned.ply}"] if learned.ply else []
    return [f"arena replay {id}", f"arena {first} {id}", *at]


def _check(ascent: _Ascent) -> str:
    return shlex.join(["arena", "check", ascent.agent, "--game", ascent.game])


def _document(ascent: _Ascent, climb: Climb, lost: list[Lost], learned: Lesson | None) -> dict[str, Any]:
    from arena.lesson import reasons

    steps = [
        {
            "opponent": step.opponent,
            "games": step.games,
            "wins": step.results["won"],
            "draws": step.results["drawn"],
            "losses": step.results["lost"],
            "rounds": step.counts,
            "likelihood": step.likelihood if step.games else None,
            "verdict": step.verdict.value,
        }
        for step in climb.steps
        if step.begun
    ]
    return {
        "agent": ascent.name,
        "game": ascent.game,
        "clock": ascent.clock,
        "seed": ascent.seed,
        "steps": steps,
        "games": len(climb.played),
        "lost": reasons(lost),
        "broken": climb.broken,
        "look": None
        if learned is None
        else {
            "game": learned.game.id,
            "ply": learned.ply or None,
            "told": _said(ascent, learned),
            "commands": _commands(learned),
        },
    }
