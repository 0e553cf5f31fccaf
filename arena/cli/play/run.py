"""`arena run` and `arena demo`: plays a tournament, from a description or from the command line, and continues one that
was stopped.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from adsearch import games
from adsearch.errors import quote
from adsearch.games import catalog
from arena.cli.asking.game_options import (
    CLOCK_HELP,
    MARGIN_HELP,
    FromOption,
    MaxPliesOption,
    OnOption,
    OpeningsOption,
    WallsOption,
    check_on,
    clocks_asked,
    cluster_at,
    openings_asked,
    rule_asked,
)
from arena.cli.asking.record_options import DatabaseOption, open_to_others, submissions
from arena.cli.play.match_output import MatchOutput, with_match_output
from arena.cli.terminal import notes
from arena.cli.terminal.notes import wrapped
from arena.errors import ArenaError, BadLeague, BadPlayer, RefereeLost
from arena.tournament import formats
from db.errors import NotFound

if TYPE_CHECKING:
    from arena.cli.play.tournament_display import TournamentDisplay
    from arena.cli.terminal.stopping import Stopping
    from arena.history.exchange.growing_file import GrowingFile
    from arena.match.schedule import Event
    from arena.players.submissions import Store
    from arena.tournament.duration import GameTime
    from arena.tournament.league import League
    from arena.tournament.tournament import Tournament
    from arena.walls.run_folder import RunFolder
    from db.database import Connection


_DESCRIBED: Final = (
    *("name", "format", "rounds", "clock", "margin", "seed", "seats_key", "openings", "position", "max_plies"),
    *("resign", "draw", "games_at_once", "walls", "sprt"),
)
"""The options that are also keys of a description."""


@with_match_output
def run(
    context: typer.Context,
    output: MatchOutput,
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE.toml | GAME PLAYER...", help="Description of a tournament, or a game and its players."
        ),
    ],
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the tournament.", show_default="made from the game")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help=f"Format: {', '.join(formats.names())}.",
            autocompletion=formats.names,
            show_default=f"{formats.FOR_TWO}; {formats.FOR_SEVERAL} if the game has more than 2 seats",
        ),
    ] = None,
    rounds: Annotated[
        int, typer.Option(metavar="N", min=1, help="Number of rounds; a pairing plays one game per seat.")
    ] = 1,
    clock: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]CLOCK",
            help=f"{CLOCK_HELP.removesuffix('.')}; with NAME= that of one player. Can be repeated.",
            show_default="10+0.1",
        ),
    ] = None,
    margin: Annotated[float, typer.Option(metavar="SECONDS", min=0, help=MARGIN_HELP)] = 0.05,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", help="Random seed, to repeat openings and chance events.", show_default="random"
        ),
    ] = None,
    seats_key: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Key of the players' own seeds, to repeat their random choices too.",
            show_default="random",
        ),
    ] = None,
    openings: OpeningsOption = "0",
    position: FromOption = None,
    max_plies: MaxPliesOption = None,
    resign: Annotated[
        str | None,
        typer.Option(
            metavar="MOVES,SCORE",
            help="Loss of a player that reports -SCORE or less with MOVES moves in a row, in chess in centipawns: "
            "3,600. With ,both the other player must agree.",
            show_default="never",
        ),
    ] = None,
    draw: Annotated[
        str | None,
        typer.Option(
            metavar="FROM,MOVES,SCORE",
            help="Draw if both players report a score within SCORE with MOVES moves in a row, after FROM moves each: "
            "40,8,10.",
            show_default="never",
        ),
    ] = None,
    games_at_once: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Number of games played at the same time.",
            show_default="processor cores minus one",
        ),
    ] = None,
    walls: WallsOption = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1",
            help="SPRT bounds of a match, such as 0,50; the match ends when the first player is found to be at most "
            "ELO0 or at least ELO1 stronger.",
        ),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Plan only: games and time of this format and others; plays nothing.")
    ] = False,
    fit: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Time that the whole tournament can take, such as 90m or 2h: writes a format and rounds for it into "
            "the description, and plans only.",
            show_default="as described",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Time to stop, such as 06:00 (the next time that the clock shows it) or '2026-05-02 06:00'. No game "
            "starts after it; games in progress are finished, so the command ends up to one game later.",
            show_default="when all games are over",
        ),
    ] = None,
    rerun_changed: Annotated[
        bool, typer.Option("--rerun-changed", help="New games for agents whose source has changed.")
    ] = False,
    on: OnOption = None,
    db: DatabaseOption = None,
) -> None:
    """Run a tournament, or continue one that was interrupted.

    Press Ctrl-C once to finish the games in progress and stop, twice to stop immediately; SIGTERM does the same. After
    that, after --until, a crash or a power cut, the same command continues the tournament. The exit code is 0 when the
    tournament is over or --until stopped it, 130 after Ctrl-C, 143 after SIGTERM. `arena course init` creates a
    description.

    Example: arena run cs101.toml

    Example: arena run cs101.toml --until 06:00

    Example: arena run cs101.toml --plan

    Example: arena run connect4 random minimax alphabeta --openings 2

    Example: arena run connect4 pvs random --rounds 50 --sprt 0,50

    Example: arena run chess uci:stockfish uci:gnuchess --openings book.epd --clock 8+0.08 --pgn out.pgn --every 10

    Example: arena run cs101.toml --on tcp://scheduler:8786
    """
    from arena.cli.terminal.stopping import read_until
    from arena.tournament import league as leagues
    from arena.tournament.description import Table, read_toml

    if until is not None and (plan or fit is not None):
        raise BadLeague(f"--until: not allowed with {'--plan' if plan else '--fit'}, which plays nothing")
    check_on(on)
    stops = None if until is None else read_until(until, datetime.now(UTC))
    test = None if sprt is None else _sprt_bounds(sprt)
    within = None if fit is None else Table({"--fit": fit}, "").duration("--fit", timedelta())
    file = Path(what[0]) if len(what) == 1 else None
    if within is not None and file is None:
        raise BadLeague(
            "--fit: expected a description FILE.toml, into which it writes; `arena course init NAME` makes one"
        )
    if len(what) == 1:
        for option in _DESCRIBED:
            source = context.get_parameter_source(option)
            if source is not None and source.name == "COMMANDLINE":
                key = f"{option} = ..."
                raise BadLeague(
                    f"--{option.replace('_', '-')}: not allowed with a description; write {key} into {what[0]} instead"
                )
        _check_description(what[0])
        keys = read_toml(Path(what[0]))
        if leagues.LADDER_TABLE in keys:
            raise BadLeague(f"{what[0]} describes a ladder; run it with: arena serve {what[0]}")
        _check_package(str(keys.get("format", formats.FOR_TWO)), keys.get("name", Path(what[0]).stem), db)
        with notes.temporary_line() as tell:
            league = leagues.read(Path(what[0]), tell=tell)
    else:
        described = dict(
            name=name,
            format=format or (formats.with_key("sprt")[0] if test else None),
            rounds=rounds,
            **clocks_asked(clock or ()),
            margin=margin,
            seed=seed,
            seats_key=seats_key,
            openings=openings_asked(openings),
            max_plies=max_plies,
            position=position,
            resign=rule_asked(resign, "--resign", ("moves", "score"), "both"),
            draw=rule_asked(draw, "--draw", ("from", "moves", "score")),
            games_at_once=games_at_once,
            walls=walls,
            sprt=test,
        )
        with notes.temporary_line() as tell:
            league = leagues.from_arguments(what[0], what[1:], tell, **described)
    if plan or within is not None:
        _show_plan(league, db, file=file, within=within)
    else:
        files = output.check(league, on)
        _run(league, db, rerun_changed=rerun_changed, until=stops, on=on, output=output, files=files)


def _check_description(text: str) -> None:
    """BadLeague, with the command to type instead, if a lone argument is an agent, a game or a missing file."""
    if text.endswith(".py"):
        example = f"arena run connect4 {text} random"
        raise BadLeague(f"{text} is an agent; name a game and at least two players, for example: {example}")
    if Path(text).exists():
        return
    if catalog.begins_with_name(text):
        raise BadLeague(f"{text} is a game; name its players too, for example: arena run {text} random minimax")
    if Path(f"{text}.toml").exists():
        raise BadLeague(f"no file {quote(text)}; did you mean arena run {text}.toml?")
    raise BadLeague(
        f"no file {quote(text)}; create a description with `arena course init NAME`, or name a game and its players, "
        "for example: arena run connect4 random minimax"
    )


def _check_package(format: str, tournament: str, db: str | None) -> None:
    """BadLeague, with the package that is missing, if the tournament began with a format that is not there any more."""
    from db import running
    from db.database import Database

    if format in formats.names() or formats.FORMATS.package(format):
        return
    with suppress(NotFound), Database(db, read_only=True) as database, database.reading() as connection:
        if (row := running.tournament(connection, tournament)) is not None:
            formats.recorded(row["format"], row["settings"])


def _sprt_bounds(text: str) -> dict[str, float]:
    """The bounds in the value of --sprt, such as "0,50"."""
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise BadLeague(f"--sprt: expected ELO0,ELO1, such as 0,50, got {quote(text)}") from None
    return {"elo0": elo0, "elo1": elo1}


def demo(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="With --course: the new folder of the course.", show_default="course-demo"),
    ] = None,
    course: Annotated[
        bool, typer.Option("--course", help="A whole course instead: 40 submissions, tournament, grades and web pages.")
    ] = False,
    db: DatabaseOption = None,
) -> None:
    """Run an example tournament: built-in agents play Connect-4 for about ten seconds.

    Its name is "demo"; the examples in the help of other commands use it.

    With --course, the demo writes the folder of a whole course and gives every command of its instructor, in about two
    minutes. It prints each command first. The same command continues the demo after an interruption.

    Example: arena demo

    Example: arena demo --course

    Example: arena demo --course my-course
    """
    from arena.tournament import league as leagues

    if course:
        if db is not None:
            raise typer.BadParameter("--db: not with --course, which keeps its database in the folder of the course")
        play_course(folder or Path("course-demo"))
        return
    if folder is not None:
        raise typer.BadParameter(f"unexpected argument '{folder}'; for a course: arena demo --course {folder}")
    _run(leagues.read(Path(__file__).with_name("demo.toml")), db, rerun_changed=False, output=MatchOutput())
    print("  arena new my_agent.py --game connect4   (writes an agent of your own)")


def _run(
    league: League,
    db: str | None,
    *,
    rerun_changed: bool,
    until: datetime | None = None,
    on: str | None = None,
    output: MatchOutput,
    files: Sequence[GrowingFile] = (),
) -> None:
    from arena.cli.play.tournament_display import TournamentDisplay
    from arena.cli.terminal.stopping import Signals, Stopping
    from arena.history import words
    from arena.tournament.lock import tournament_lock
    from arena.tournament.tournament import Tournament
    from arena.walls.run_folder import RunFolder
    from db.database import Database

    if on is None:
        _check_cores(league)
    _check_what_agents_import(league)
    display = TournamentDisplay(league)
    signals = Signals()

    def wait(reason: str) -> None:
        with signals.waiting():
            display.pause(reason)

    with ExitStack() as stack:
        stack.enter_context(signals.handled(display.say))
        database = stack.enter_context(Database(db))
        with database.reading() as connection:
            display.show_plan(None if on else _game_time(connection, league))
        store = submissions(database)
        for why in open_to_others(database.file):
            display.warn(why)
        lock = stack.enter_context(tournament_lock(store.folder, league.name, database=database))
        folder = stack.enter_context(RunFolder())
        if on is None:  # nobody can watch games that other machines play
            lock.note(folder.path)
        tournament = Tournament.begin(
            league,
            database,
            store,
            scratch=folder.scratch,
            wait=wait,
            rerun_changed=rerun_changed,
            traffic=output.traffic(database),
        )
        stopping = Stopping(tournament, signals, display.say, until=until, now=lambda: datetime.now(UTC))
        try:
            with ExitStack() as playing:
                playing.callback(tournament.close)
                playing.enter_context(signals.playing())
                if until is not None:
                    display.say(f"stops at {words.local_time(until)}: no game starts after that")
                with (
                    display.running(tournament, on_hosts=on is not None),
                    output.following(files, tournament, database, display) as tell,
                ):
                    if on is None:
                        _play(tournament, folder, display, stopping, tell)
                    else:
                        _play_on_hosts(on, tournament, store, folder, display, stopping, tell)
        except KeyboardInterrupt:
            if not tournament.is_over:
                display.say("stopped; the games in progress will be played again")
        display.conclude(tournament, database)
    if not all(file.is_whole for file in files):
        raise typer.Exit(1)
    if not tournament.is_over and not stopping.in_time:
        raise typer.Exit(128 + (signals.number or signal.SIGINT))


def _show_plan(league: League, db: str | None, *, file: Path | None, within: timedelta | None) -> None:
    """Print the plan, what has been played already, and other formats with their games and time.

    `file`: the description; `within`: make it fit into this time first."""
    from arena.cli.play.tournament_display import TournamentDisplay, fit, show_advice, show_choices
    from arena.match.schedule import repeats_tell
    from arena.play import cores
    from arena.players.submissions import Store
    from arena.tournament import league as leagues
    from arena.tournament.duration import game_time
    from arena.tournament.preparation import plan_of
    from arena.walls.run_folder import RunFolder
    from db.database import Database

    _check_what_agents_import(league)
    planned = None
    time = game_time(league, (), there=cores.count())
    with (
        suppress(NotFound),
        RunFolder() as folder,
        Database(db, read_only=True) as database,
        database.reading() as connection,
    ):
        time = _game_time(connection, league)
        planned = plan_of(connection, league, Store(folder.scratch / "store"))
    if within is not None and file is not None:
        if planned is not None:
            raise BadLeague(f"--fit: {league.name} has begun: its format stays, and rounds can only be added")
        fit(league, time, file, within)
        league = leagues.read(file)
    display = TournamentDisplay(league)
    display.show_plan(time)
    if planned is not None:
        display.show_earlier_games(planned.over, planned.all, planned.changed)
        if planned.repeated and repeats_tell(games.start(league.game)):
            display.say(f"{planned.repeated:,} of {planned.over:,} games repeat another game move for move")
    show_choices(league, time)
    if planned is None and within is None:
        show_advice(league, time, file)


def _game_time(connection: Connection, league: League) -> GameTime:
    """The expected time of a game, from recorded games."""
    from arena.play import cores
    from arena.tournament.duration import RECENT, game_time
    from db import games as record

    recent = record.latest_times(connection, league.game, league.conditions.clock, most=RECENT)
    return game_time(league, recent, there=cores.count())


def _check_cores(league: League) -> None:
    """BadLeague if players think in each other's time (ponder) and there are too few processor cores for that."""
    from arena.play import cores

    there = cores.count()
    if league.conditions.ponder and league.at_once(there) * league.cores_a_game >= there:
        needed = league.cores_a_game + 1
        advice = f"games_at_once = {fit}" if (fit := (there - 1) // league.cores_a_game) else f"a machine with {needed}"
        raise BadLeague(
            f"{league.name}: ponder = true needs one core for each player and one for the server, "
            f"{league.at_once(there) * league.cores_a_game + 1} in total, but this machine has {there}: use {advice}, "
            "or leave ponder out"
        )


def _check_what_agents_import(league: League) -> None:
    """BadLeague if the Python interpreter or a module that the description names is not installed."""
    if league.conditions.python is None and league.conditions.modules is None:
        return
    from arena.walls import library
    from arena.walls.run_folder import RunFolder

    with RunFolder() as folder:
        try:
            terms = league.conditions
            library.lay_out(
                folder.scratch, python=terms.python, modules=terms.modules, rules=league.game, adsearch=terms.adsearch
            )
        except BadPlayer as error:
            raise BadLeague(f"{league.name}: {error}") from None


def _play(
    tournament: Tournament,
    folder: RunFolder,
    display: TournamentDisplay,
    stopping: Stopping,
    tell: Callable[[Event], None],
) -> None:
    """Play until the tournament is over or stopped; a referee process that ended is replaced."""
    from arena.play import cores
    from arena.play.director import Director
    from arena.tournament import host

    at_once = tournament.league.at_once(cores.count())
    lost_at = -1
    while not tournament.is_over and not stopping.stopped:
        try:
            director = Director(folder, at_once=at_once, cores_a_game=tournament.league.cores_a_game)
            with director, stopping.heard_by(director):
                host.measured_speed()  # while the referee starts
                display.follow(director)
                for event in director.play(stopping):
                    display.show(event)
                    tell(event)
                return
        except RefereeLost as error:
            if tournament.over == lost_at:
                raise  # the new referee was lost too, before a single game ended: replacing it does not help
            lost_at = tournament.over
            display.say(f"{error}; a new one plays the unfinished games again")
            tournament.interrupted()


def _play_on_hosts(
    on: str,
    tournament: Tournament,
    store: Store,
    folder: RunFolder,
    display: TournamentDisplay,
    stopping: Stopping,
    tell: Callable[[Event], None],
) -> None:
    """Play on the game hosts of a Dask cluster until the tournament is over or stopped."""
    from arena.hosts.home import Home
    from arena.hosts.travelling import Sender
    from arena.play import cores

    if tournament.is_over:
        return
    sender = Sender(Home.new_run(), tournament, store)
    with ExitStack() as stack:
        games = tournament.league.at_once(cores.count()) * tournament.league.cores_a_game
        cluster, is_local = stack.enter_context(cluster_at(on, folder, games))
        home = Home(
            cluster,
            sender,
            display.say,
            left=lambda: tournament.all - tournament.over,
            reference=tournament.first_speed(),
            tolerance=inf if is_local else tournament.league.most_unlike,
            alone=is_local,
        )
        stack.enter_context(stopping.heard_by(home))
        display.follow(home)
        for event in home.play(stopping):
            display.show(event)
            tell(event)


# `arena demo --course`: writes a course to try, and gives every command of its instructor.


@dataclass(frozen=True, slots=True)
class RunStep:
    """One command of the instructor."""

    why: str
    arguments: tuple[str, ...]
    to: str = ""
    """The file into which the output is redirected, if any."""

    def __str__(self) -> str:
        return shlex.join(("arena", *self.arguments)) + (f" > {self.to}" if self.to else "")


STEPS: Final = (
    RunStep(
        "Collect the submissions from three learning systems: each is matched with a student and checked.",
        ("course", "collect", "cs101.toml", "moodle.zip", "canvas.zip", "blackboard"),
    ),
    RunStep(
        "Who copied? The page shows similar sources side by side.",
        ("course", "similar", "cs101.toml", "--html", "similar.html"),
    ),
    RunStep("Play the tournament.", ("run", "cs101.toml")),
    RunStep("Which grades are still undecided?", ("course", "grades", "cs101.toml", "--preview")),
    RunStep(
        "The grades, in the columns that a learning system imports.",
        ("course", "grades", "cs101.toml", "--columns", "id,Grade=marks,Why=marks_why"),
        to="grades.csv",
    ),
    RunStep(
        "For each student, a private page that says why games were lost.",
        ("course", "feedback", "cs101.toml", "feedback"),
    ),
    RunStep("The public web page: students are shown by alias.", ("course", "report", "cs101.toml", "site")),
)
RESULTS: Final = (
    ("site/index.html", "the public page: standings, crosstable and all games"),
    ("feedback/finch/index.html", "what one student gets; feedback/mail.csv is for mail merge"),
    ("similar.html", "similar sources, side by side"),
    ("grades.csv", "a line for each student"),
)
"""What the commands wrote: each file, and what it is."""

Give = Callable[[RunStep, Path], int]
"""Gives the command of a step in a folder; returns its exit code."""


def play_course(folder: Path, *, give: Give | None = None) -> None:
    """Writes the course into `folder`, or continues the course there, and gives all commands in that folder."""
    from arena.course.example import is_there, languages_here, write

    if is_there(folder):
        print(f"{folder} is there already: the demo continues in it.")
    elif folder.exists():
        raise ArenaError(
            f"{quote(str(folder))} already exists: name a new folder, such as arena demo --course my-course"
        )
    else:
        write(folder, languages_here())
        print(
            wrapped(f"{folder} is a new folder: a course of 45 students with 40 submissions; README.txt explains it.")
        )
    print(f"{len(STEPS)} commands follow. Together they take about two minutes on two processor cores.")
    print(f"\n$ cd {shlex.quote(str(folder))}")
    if os.environ.get("ARENA_DB"):
        print("$ unset ARENA_DB")
    began = time.monotonic()
    for number, step in enumerate(STEPS, 1):
        print(f"\n{wrapped(f'# {number} of {len(STEPS)}: {step.why}', more='# ')}\n$ {step}", flush=True)
        _check(give(step, folder) if give else _give(step, folder), folder)
    print(f"\nThe demo is over; it took {time.monotonic() - began:.0f} s. Now look at:")
    for file, what in RESULTS:
        print(f"  {folder / file}\n      {what}")
    print(f"Delete {folder} when you have seen enough; the demo changed nothing else.")


def _give(step: RunStep, folder: Path) -> int:
    """Gives the command in a process of its own; after Ctrl-C waits for its end, and returns 130."""
    environment = {name: value for name, value in os.environ.items() if name != "ARENA_DB"}
    with (
        _counting_ctrl_c() as pressed,
        open(folder / step.to if step.to else os.devnull, "w", encoding="utf-8") as file,
    ):
        # -P: a file in the folder cannot be imported in place of a module.
        code = subprocess.run(
            [sys.executable, "-P", "-m", "arena", *step.arguments],
            cwd=folder,
            env=environment,
            stdout=file if step.to else None,
            check=False,
        ).returncode
    return 130 if pressed else code


@contextmanager
def _counting_ctrl_c() -> Iterator[list[int]]:
    """Inside, Ctrl-C is only noted, because the terminal also sends it to the command, which decides what to finish."""
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


def _check(code: int, folder: Path) -> None:
    """Ends the demo if a command did not end well."""
    again = f"arena demo --course {shlex.quote(str(folder))}"
    if code == 130:
        print(f"\nThe demo was interrupted; to continue: {again}", file=sys.stderr)
        raise typer.Exit(130)
    if code:
        raise ArenaError(f"the command above ended with exit code {code}; when its problem is solved: {again}")
