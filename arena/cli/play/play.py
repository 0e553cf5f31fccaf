"""`arena play`: games on the terminal, now."""

from __future__ import annotations

import json
import shlex
import sys
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final

import typer

from adsearch import games
from agents import builtin
from arena.cli.asking.playing_options import SeedOption, WallsOption
from arena.cli.asking.position_options import GameArgument
from arena.cli.asking.record_options import DatabaseOption, submissions
from arena.cli.terminal.listings import FormatOption, OutputFormat, show
from arena.errors import BadFixture, BadPlayer
from arena.match.clock import SECOND, TimeControl
from arena.players.player import PlayerKind, read_player, unique_names
from db.errors import DatabaseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.cli.play.joining_players import JoiningPlayers
    from arena.match.schedule import Entrant, Finished, Planned
    from arena.players.confinement import Confinement
    from arena.players.player import Player
    from arena.players.submissions import Store
    from arena.walls.kinds import WallKind
    from db.database import Database

_USUAL_CLOCK: Final = "10+0.1"


def play(
    game: GameArgument,
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER PLAYER...",
            help="A built-in agent, FILE.py, FILE.py:CLASS, a folder with agent.py, cmd:PROGRAM, human, wait, "
            "or an agent on record: alice, alice@2.",
        ),
    ],
    count: Annotated[int, typer.Option("--games", min=1, max=100_000, help="How many games.")] = 1,
    swap: Annotated[bool, typer.Option("--swap", help="Change seats after each game.")] = False,
    clock: Annotated[
        str | None,
        typer.Option(
            help="60, 60+0.5, 40/300+3, 60+5x10, move=0.1 (seconds) or none. Usual: 10+0.1; with people none."
        ),
    ] = None,
    margin: Annotated[float, typer.Option(min=0, max=3600, help="How many seconds a player may be late.")] = 0.05,
    seed: SeedOption = None,
    openings: Annotated[
        int, typer.Option(min=0, max=1000, help="Begin with so many random plies; with --swap, pairs with the same.")
    ] = 0,
    max_plies: Annotated[int | None, typer.Option(min=1, help="After so many moves the game is a draw.")] = None,
    reuse: Annotated[bool, typer.Option("--reuse", help="Keep an agent's process for its next game.")] = False,
    walls: WallsOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the results alone.")] = False,
    record: Annotated[bool, typer.Option(help="Keep the games in the database, for `arena replay` and `show`.")] = True,
    db: DatabaseOption = None,
    format: FormatOption = OutputFormat.TABLE,
) -> None:
    """Play a game, or several, and watch.

    Agents of yours are copied, and play from the copy, each game in a fresh process. What was played is kept:
    `arena replay last` steps through it, `arena logs last` shows what agents printed.

    Example: arena play connect4 pvs alphabeta:depth=4 --clock 5+0.1

    Example: arena play connect4 my_agent.py human
    """
    from arena.match import seeds

    found = _named(players, db)
    guests = any(player.kind in (PlayerKind.HUMAN, PlayerKind.WAIT) for player, _ in found)
    quiet = quiet or format is not OutputFormat.TABLE
    plan = _Plan(
        game=game,
        players=tuple(player for player, _ in found),
        names=unique_names(player.name for player, _ in found),
        agents=tuple(agent for _, agent in found),
        games=count,
        swap=swap,
        clock=str(TimeControl.parse(clock if clock is not None else "none" if guests else _USUAL_CLOCK)),
        margin=round(margin * SECOND),
        seed=seeds.short_seed() if seed is None else seed,
        seed_given=seed is not None,
        openings=openings,
        max_plies=max_plies,
        walls=walls,
        fresh=not reuse,
        with_guests=guests,
        quiet=quiet,
    )
    if plan.people and format is not OutputFormat.TABLE:
        raise BadFixture(f"--format {format} is for programs: a person needs to see the board")
    _refuse(plan)
    finished: list[Finished] = []
    try:
        with _opened(db) if record else nullcontext() as database:
            _play(plan, finished, database=database, silent=format is not OutputFormat.TABLE)
            if finished and database is not None and not quiet:
                print(_replay_hint(finished[-1].game.number, several=len(finished) > 1, db=db))
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        raise typer.Exit(130) from None
    finally:
        if format is not OutputFormat.TABLE:
            from arena.cli.play import game_rows

            show([game_rows.game(event) for event in finished], game_rows.COLUMNS, format=format)


def _replay_hint(last: int, *, several: bool, db: str | None) -> str:
    """How to look at a game again."""
    where = "" if db is None else f" --db {shlex.quote(db)}"
    which = "the last game" if several else "it"
    others = "; any other by the number in front of its line" * several
    return f"step through {which}: arena replay {last}{where}{others}"


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be played, as the command was given."""

    game: str
    players: tuple[Player, ...]
    names: tuple[str, ...]
    agents: tuple[str, ...]
    """Of each player the agent that it is a version of, if it is one on record."""
    games: int
    swap: bool
    clock: str
    margin: int
    seed: int
    seed_given: bool
    openings: int
    max_plies: int | None
    walls: WallKind | None
    fresh: bool
    with_guests: bool
    quiet: bool

    @property
    def people(self) -> list[str]:
        """The names of those who sit at this terminal."""
        return [name for name, player in zip(self.names, self.players, strict=True) if player.kind is PlayerKind.HUMAN]

    @property
    def watched(self) -> bool:
        """Whether each move is shown."""
        return bool(self.people) or not self.quiet

    def planned(self, rules: str, entrants: Sequence[Entrant]) -> list[Planned]:
        """All games in order. With `swap`, as many in a row as there are seats share their opening."""
        from arena.match.fixture import Limits
        from arena.match.openings import Book
        from arena.match.schedule import Planned

        # Who was asked to come, or to think, may take all day.
        limits = Limits(hello=None, move=30 * 24 * 3600 * SECOND) if self.with_guests else Limits()
        legs = len(entrants) if self.swap else 1
        book = Book(rules, self.openings, seed=self.seed)
        names = sorted(self.names)
        planned = []
        for number in range(self.games):
            meeting, leg = divmod(number, legs)
            planned.append(
                Planned(
                    number=number + 1,
                    game=self.game,
                    rules=rules,
                    entrants=(*entrants[leg:], *entrants[:leg]),
                    seed=self.seed,
                    identity=(json.dumps([*names, meeting]),),
                    leg=leg,
                    clock=self.clock,
                    margin=self.margin,
                    opening=book.opening(meeting),
                    max_plies=self.max_plies,
                    limits=limits,
                    watched=self.watched,
                )
            )
        return planned


def _named(texts: Sequence[str], db: str | None) -> list[tuple[Player, str]]:
    """The players that `texts` name, each with the agent that it is a version of, if it is one on record."""
    from arena.players import versions
    from db.database import Database

    try:
        return [(read_player(text), "") for text in texts]
    except BadPlayer as error:
        unknown = error
    try:
        database = Database(db, create=False)
    except DatabaseError:
        raise unknown from None
    with database, database.reading() as connection:
        found = [versions.named(connection, text, submissions(database)) for text in texts]
    return [(player, "" if version is None else version.agent) for player, version in found]


def _refuse(plan: _Plan) -> None:
    """Refuses players who cannot play the game together, before anything is made or kept."""
    start = games.start(plan.game)
    if len(plan.players) != start.players:
        more = ["random"] * (start.players - len(plan.players))
        fitting = shlex.join([plan.game, *[player.text for player in plan.players][: start.players], *more])
        raise BadFixture(
            f"{plan.game} is for {start.players} players, got {len(plan.players)}; such as: arena play {fitting}"
        )
    if start.hidden and len(plan.people) > 1:
        raise BadFixture(f"{plan.game} has secrets: one person at this terminal, got {len(plan.people)}")
    for player in plan.players:
        if player.kind is PlayerKind.BUILTIN:
            builtin.check_can_play(player.text, start)


def _opened(db: str | None) -> AbstractContextManager[Database | None]:
    """The database; where nobody named one and there can be none here, nothing, and a word about it."""
    from db.database import Database

    try:
        return Database(db)
    except DatabaseError as error:
        if db is not None:
            raise
        print(f"not on record: {error}", file=sys.stderr)
        return nullcontext()


def _play(plan: _Plan, finished: list[Finished], *, database: Database | None, silent: bool) -> None:
    """Plays the games, shows them unless `silent`, and adds to `finished` those that are over."""
    from arena.cli.play.game_screen import GameScreen
    from arena.cli.play.joining_players import JoiningPlayers
    from arena.match.schedule import Finished, InOrder, Schedule, repeated_games
    from arena.play.director import Director
    from arena.players.confinement import Confinement
    from arena.players.submissions import Store
    from arena.tournament.casual import Recorded
    from arena.walls.run_folder import RunFolder

    screen = GameScreen(quiet=not plan.watched, people=plan.people, on_stderr=silent)
    with ExitStack() as stack:
        folder = stack.enter_context(RunFolder())
        store = Store(folder.path / "store") if database is None else submissions(database)
        rules = store.take_game(plan.game)
        start = games.start(rules)
        joining = JoiningPlayers(folder, screen)
        confinement = Confinement(folder.scratch, rules, walls=plan.walls, fresh=plan.fresh)
        entrants = _entrants(plan, rules, store=store, confinement=confinement, joining=joining)
        for warning in confinement.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        if plan.watched:
            for name in confinement.kinds:
                screen.say(confinement.described(name))
        schedule: Schedule = InOrder(plan.planned(rules, entrants))
        director = stack.enter_context(Director(folder))
        stack.callback(joining.close)
        joining.director = director
        if database is not None:
            started_as = {name: player.text for player, name in zip(plan.players, plan.names, strict=True)}
            whose = {name: agent for name, agent in zip(plan.names, plan.agents, strict=True) if agent}
            schedule = Recorded(schedule, database, started_as=started_as, agents=whose)
        for event in director.play(schedule):
            if isinstance(event, Finished):
                known_as = schedule.ids[-1] if isinstance(schedule, Recorded) else event.game.number
                event = replace(event, game=replace(event.game, number=known_as))
                finished.append(event)
            if not silent:
                screen.show(event)
    if silent:
        return
    if plan.games > 1:
        screen.show_score(finished)
    if repeated := repeated_games(finished):
        advice = "" if plan.openings or start.chance else "; use --openings to begin them differently"
        screen.say(f"{repeated} of {len(finished)} games repeat another move for move{advice}")
    if not plan.seed_given:
        screen.say(f"the same again: --seed {plan.seed}")


def _entrants(
    plan: _Plan, rules: str, *, store: Store, confinement: Confinement, joining: JoiningPlayers
) -> list[Entrant]:
    """The players, ready to be seated."""
    from arena.players.entrants import enter

    start = games.start(rules)
    return [
        joining.invited(player, name) or enter(player, name, start, store, confinement)
        for player, name in zip(plan.players, plan.names, strict=True)
    ]
