"""`arena run`: a tournament, from a description or from the command line; the same command goes on where it stopped."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from adsearch.errors import quote
from arena.cli.asking.playing_options import SeedOption
from arena.cli.asking.record_options import DatabaseOption, submissions
from arena.errors import BadLeague, BadPlayer, RefereeLost
from arena.walls.kinds import WallKind
from db.errors import NotFound

if TYPE_CHECKING:
    from arena.cli.play.tournament_display import TournamentDisplay
    from arena.play.director import Director
    from arena.tournament.duration import GameTime
    from arena.tournament.league import League
    from arena.tournament.tournament import Tournament
    from arena.walls.run_folder import RunFolder
    from db.database import Connection


_DESCRIBED: Final = (
    *("name", "format", "rounds", "clock", "margin", "seed", "openings", "max_plies", "games_at_once", "walls", "sprt"),
)
"""The options that are keys of a description."""


def run(
    context: typer.Context,
    what: Annotated[
        list[str], typer.Argument(metavar="FILE.toml | GAME PLAYER PLAYER...", help="A description, or what and who.")
    ],
    name: Annotated[str | None, typer.Option(help="Its name, without a file.  [default: made of the game]")] = None,
    format: Annotated[
        str | None,
        typer.Option(help="round-robin, gauntlet, swiss, knockout, match or tables; usual: the first or the last."),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How often all meet; each meeting is a game in each seat.")] = 1,
    clock: Annotated[str, typer.Option(help="Such as 10+0.1, move=0.1 or none.")] = "10+0.1",
    margin: Annotated[float, typer.Option(min=0, help="How many seconds a player may be late.")] = 0.05,
    seed: SeedOption = None,
    openings: Annotated[int, typer.Option(min=0, help="Begin each pair with so many random plies.")] = 0,
    max_plies: Annotated[int | None, typer.Option(min=1, help="After so many moves a game is a draw.")] = None,
    games_at_once: Annotated[
        int | None, typer.Option(min=1, help="So many at the same time.  [default: one less than cores]")
    ] = None,
    walls: Annotated[
        WallKind | None, typer.Option(help="How agents of yours are confined.  [default: the best that there is]")
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1",
            help="End a match once the first player is found at least ELO1 better, or at most ELO0: 0,50.",
        ),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Print the plan and other formats to choose from; play nothing.")
    ] = False,
    rerun_changed: Annotated[
        bool, typer.Option("--rerun-changed", help="Play the games of agents whose source has changed again.")
    ] = False,
    db: DatabaseOption = None,
) -> None:
    """Run a tournament. Interrupted, by Ctrl-C or a power cut, it goes on when the same command is given again.

    Ctrl-C once finishes the games in progress, twice stops at once.

    Example: arena run cs101.toml

    Example: arena run connect4 random alphabeta:depth=2 alphabeta:depth=4 --rounds 2 --openings 2

    Example: arena run connect4 alphabeta:depth=4 alphabeta:depth=2 --rounds 100 --openings 4 --sprt 0,50
    """
    from arena.tournament import league as leagues

    test = None if sprt is None else _sprt_bounds(sprt)
    if len(what) == 1:
        for option in _DESCRIBED:
            source = context.get_parameter_source(option)
            if source is not None and source.name == "COMMANDLINE":
                raise BadLeague(f"--{option.replace('_', '-')}: goes without a file; a description says it itself")
        if what[0].endswith(".py"):
            raise BadLeague(f"expected FILE.toml, or a game and its players, got {what[0]} alone")
        league = leagues.read(Path(what[0]))
    else:
        league = leagues.from_arguments(
            what[0],
            what[1:],
            name=name,
            format=format or ("match" if test else None),
            rounds=rounds,
            clock=clock,
            margin=margin,
            seed=seed,
            openings=openings,
            max_plies=max_plies,
            games_at_once=games_at_once,
            walls=walls,
            sprt=test,
        )
    _run(league, db, plan=plan, rerun_changed=rerun_changed)


def _sprt_bounds(text: str) -> dict[str, float]:
    """The test that "0,50" asks for."""
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise BadLeague(f"--sprt: expected ELO0,ELO1, such as 0,50, got {quote(text)}") from None
    return {"elo0": elo0, "elo1": elo1}


def demo(db: DatabaseOption = None) -> None:
    """The two-minute tour: the built-in agents in a small tournament of Connect-4, and where to look next.

    Example: arena demo
    """
    from arena.tournament import league as leagues

    _run(leagues.read(Path(__file__).with_name("demo.toml")), db, plan=False, rerun_changed=False)


def _run(league: League, db: str | None, *, plan: bool, rerun_changed: bool) -> None:
    from arena.cli.play.tournament_display import TournamentDisplay
    from arena.tournament.lock import alone
    from arena.tournament.tournament import Tournament
    from arena.walls.run_folder import RunFolder
    from db.database import Database

    if not plan:
        _check_cores(league)
    _check_what_agents_import(league)
    display = TournamentDisplay(league)
    if plan:
        _show_plan(league, db, display)
        return
    with ExitStack() as stack:
        database = stack.enter_context(Database(db))
        with database.reading() as connection:
            display.show_plan(_game_time(connection, league))
        store = submissions(database)
        stack.enter_context(alone(store.folder, league.name))
        folder = stack.enter_context(RunFolder())
        tournament = Tournament.begin(
            league, database, store, scratch=folder.scratch, wait=display.pause, rerun_changed=rerun_changed
        )
        try:
            with display.running(tournament):
                _play(tournament, folder, display)
        except KeyboardInterrupt:
            display.say("stopped; games in progress will be played again")
        finally:
            tournament.close()
        display.conclude(tournament, database)
    if not tournament.is_over:
        raise typer.Exit(130)


def _show_plan(league: League, db: str | None, display: TournamentDisplay) -> None:
    """What there is to come, what else could be played instead, and what has been played already."""
    from arena.cli.play.choices_table import show_choices
    from arena.players.submissions import Store
    from arena.tournament.duration import game_time
    from arena.tournament.plan import plan_of
    from arena.walls.run_folder import RunFolder
    from db.database import Database

    stands = None
    time = game_time(league, ())
    with (
        suppress(NotFound),
        RunFolder() as folder,
        Database(db, read_only=True) as database,
        database.reading() as connection,
    ):
        time = _game_time(connection, league)
        stands = plan_of(connection, league, Store(folder.scratch / "store"))
    display.show_plan(time)
    if stands is not None:
        display.show_earlier_games(stands.over, stands.all, stands.changed)
        if stands.repeated:
            display.say(f"{stands.repeated} of {stands.over} games repeat another move for move")
    show_choices(league, time)


def _game_time(connection: Connection, league: League) -> GameTime:
    """How long a game takes, by those on record."""
    from arena.tournament.duration import RECENT, game_time
    from db import games

    return game_time(league, games.latest_durations(connection, league.game, league.clock, most=RECENT))


def _check_cores(league: League) -> None:
    """BadLeague where players are to think in each other's time, and would keep each other from it."""
    from arena.play import cores

    there = cores.count()
    if league.ponder and league.at_once(there) * league.cores_a_game >= there:
        needed = league.cores_a_game + 1
        advice = f"games_at_once = {fit}" if (fit := (there - 1) // league.cores_a_game) else f"a machine with {needed}"
        raise BadLeague(
            f"{league.name}: ponder = true needs a core for each player and one for the rest, which is "
            f"{league.at_once(there) * league.cores_a_game + 1}, and this machine has {there}: use {advice}, or leave "
            "ponder out"
        )


def _check_what_agents_import(league: League) -> None:
    """BadLeague where the interpreter or a module that the description names is not here."""
    if league.python is None and league.modules is None:
        return
    from arena.walls import library
    from arena.walls.run_folder import RunFolder

    with RunFolder() as folder:
        try:
            library.lay_out(folder.scratch, python=league.python, modules=league.modules, rules=league.game)
        except BadPlayer as error:
            raise BadLeague(f"{league.name}: {error}") from None


def _play(tournament: Tournament, folder: RunFolder, display: TournamentDisplay) -> None:
    """Plays until the tournament is over, or stopped; a referee that is lost is replaced."""
    from arena.play import cores
    from arena.play.director import Director

    at_once = tournament.league.at_once(cores.count())
    lost_at = -1
    while not tournament.is_over:
        try:
            director = Director(folder, at_once=at_once, cores_a_game=tournament.league.cores_a_game)
            with director, _ctrl_c_finishes(director, display):
                display.follow(director)
                for event in director.play(tournament):
                    display.show(event)
                return
        except RefereeLost as error:
            if tournament.over == lost_at:
                raise  # twice in a row without a game in between: something is wrong
            lost_at = tournament.over
            display.say(f"{error}; going on with a new one")
            tournament.interrupted()


@contextmanager
def _ctrl_c_finishes(director: Director, display: TournamentDisplay) -> Iterator[None]:
    """Inside, the first Ctrl-C lets the games in progress come to their end, the second ends everything."""

    def interrupted(*_: object) -> None:
        if director.finishing:
            raise KeyboardInterrupt
        director.finish()
        display.say("finishing the games in progress; Ctrl-C again stops now")

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
