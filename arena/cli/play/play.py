"""`arena play`: plays games and shows them on the terminal."""

from __future__ import annotations

import json
import shlex
import sys
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from adsearch import games
from adsearch.errors import AdsearchError
from adsearch.games.catalog import split_position
from agents import builtin
from arena import engines
from arena.cli.asking.game_options import (
    CLOCK_HELP,
    MARGIN_HELP,
    FromOption,
    GameArgument,
    MaxPliesOption,
    OpeningsOption,
    SeedOption,
    WallsOption,
    openings_asked,
)
from arena.cli.asking.record_options import DatabaseOption, named_players, submissions
from arena.cli.terminal.listings import Shown, listed, show
from arena.errors import BadFixture
from arena.history import words
from arena.match.clock import SECOND, TimeControl
from arena.match.conditions import DEFAULT_CLOCK, Conditions, Limits
from arena.match.openings import Book, ListedOpening, position_read
from arena.players.player import PlayerKind, unique_names
from arena.results.columns import Column, Medium, fields, worded
from db.errors import DatabaseError
from db.records import GameKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arena.match.schedule import Entrant, Event, Finished, Planned
    from arena.players.player import Player
    from db.database import Database


GAMES: Final = worded(
    *fields(("id", "game")),
    Column("players", text=lambda row: " - ".join(row["players"])),
    Column("points", text=lambda row: words.result(row["points"] or [None])),
    Column("verdict"),
    Column("fault", text=lambda row: "" if row["fault"] is None else row["players"][row["fault"]]),
    *fields(("plies", "clock", "seed", "started", "finished")),
    *fields(("tournament", "round", "number", "attempt", "opening", "status", "utilities", "ruling"), on=Medium.JSON),
    *fields(("kind", "detail", "host", "seats", "moves"), on=Medium.JSON),
)
"""Games that were just played."""


@listed()
def play(
    shown: Shown,
    game: GameArgument,
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER",
            help="Player for each seat: a built-in agent (see arena agents), human (you), FILE.py, FILE.py:CLASS, a "
            "folder with agent.py, a file or folder in another language, cmd:PROGRAM, an engine "
            f"({engines.forms()}), wait (started by hand), or a recorded agent (alice, alice@2).",
        ),
    ],
    count: Annotated[int, typer.Option("--games", metavar="N", min=1, max=100_000, help="Number of games.")] = 1,
    swap: Annotated[bool, typer.Option("--swap", help="Swap of seats after each game.")] = False,
    clock: Annotated[
        str | None,
        typer.Option(metavar="CLOCK", help=CLOCK_HELP, show_default="10+0.1, with a human none"),
    ] = None,
    margin: Annotated[float, typer.Option(metavar="SECONDS", min=0, max=3600, help=MARGIN_HELP)] = 0.05,
    seed: SeedOption = None,
    openings: OpeningsOption = "0",
    position: FromOption = None,
    max_plies: MaxPliesOption = None,
    reuse: Annotated[
        bool, typer.Option("--reuse", help="One process per agent for all games, instead of one per game.")
    ] = False,
    walls: WallsOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Results only, without boards and moves.")] = False,
    record: Annotated[bool, typer.Option(help="Recording of the games in the database.")] = True,
    web: Annotated[
        bool, typer.Option("--web", help="Page in the browser on which the human plays, for one game after the other.")
    ] = False,
    db: DatabaseOption = None,
) -> None:
    """Play one or more games and watch them: agents against each other, or you against an agent.

    Your agents are copied and play from the copy, in a fresh process for each game. The games are recorded:
    `arena replay last` steps through the last one, `arena replay last --logs` shows what its agents printed.

    When you play yourself, type ? for help. Without --clock you can type hint or undo. The game then does not count: it
    is recorded as annulled. Your own games are never rated. Ctrl-C asks before it ends the program.

    With --web you play in a browser on this computer, and nobody else can open the page. Hints and take-backs are
    there with a clock too. Ctrl-C ends the program; a game in progress is not recorded then.

    Example: arena play connect4 human minimax:depth=2

    Example: arena play connect4 human my_agent.py --web

    Example: arena play connect4 my_agent.py pvs --games 10 --swap --openings 4
    """
    from arena.match import seeds

    game, given = split_position(game)
    if given and position:
        raise BadFixture("--from: the game has a position already: give only one of the two")
    position = position_read(game, position or given) if position or given else ""
    found = named_players(players, db)
    guests = any(player.kind in (PlayerKind.HUMAN, PlayerKind.WAIT) for player, _ in found)
    people = any(player.kind is PlayerKind.HUMAN for player, _ in found)
    quiet = quiet or not shown.is_table
    plan = _Plan(
        game=game,
        players=tuple(player for player, _ in found),
        names=unique_names(player.name for player, _ in found),
        agents=tuple("" if version is None else version.agent for _, version in found),
        games=count,
        swap=swap,
        conditions=Conditions(
            clock=str(TimeControl.parse(clock if clock is not None else "none" if guests else DEFAULT_CLOCK)),
            margin=round(margin * SECOND),
            max_plies=max_plies,
            position=position,
            walls=walls,
            reuse=reuse,
            # People, and agents that are started by hand, have no time limit by default.
            limits=Limits(hello=None, move=30 * 24 * 3600 * SECOND) if guests else Limits(),
            kind=GameKind.WITH_A_PERSON if people else GameKind.CASUAL,
        ),
        seed=seeds.short_seed() if seed is None else seed,
        seed_given=seed is not None,
        openings=_openings(openings, game, position),
        quiet=quiet,
        web=web,
    )
    if plan.people and not shown.is_table:
        raise BadFixture(f"--format {shown.format} shows no boards, which a human player needs: leave it out")
    _refuse(plan)
    finished: list[Finished] = []
    try:
        with _opened(db) if record else nullcontext() as database:
            _play(plan, finished, database=database, silent=not shown.is_table)
            if finished and database is not None and not quiet:
                print(_replay_hint(finished[-1].game.number, several=len(finished) > 1, db=db))
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        raise typer.Exit(130) from None
    finally:
        if not shown.is_table:
            from arena.history import documents

            show([documents.whole(documents.past(event)) for event in finished], GAMES, shown)


def _openings(text: str, game: str, position: str) -> int | ListedOpening:
    """The openings that the option means."""
    asked = openings_asked(text)
    if asked == 0:
        return 0
    from arena.tournament import described_openings
    from arena.tournament.description import Table

    return described_openings.read(Table({"openings": asked}, ""), Path.cwd(), game, position)


def _replay_hint(last: int, *, several: bool, db: str | None) -> str:
    """The command that replays the last game."""
    where = "" if db is None else f" --db {shlex.quote(db)}"
    which = "the last game" if several else "this game"
    others = " (another game: its number)" * several
    return f"to step through {which}: arena replay {last}{where}{others}"


@dataclass(frozen=True, slots=True)
class _Plan:
    """The games to play, as given on the command line."""

    game: str
    players: tuple[Player, ...]
    names: tuple[str, ...]
    agents: tuple[str, ...]
    """For each player the recorded agent that it is a version of, or "" if none."""
    games: int
    swap: bool
    conditions: Conditions
    seed: int
    seed_given: bool
    openings: int | ListedOpening
    quiet: bool
    web: bool

    @property
    def people(self) -> list[str]:
        """The names of the human players."""
        return [name for name, player in zip(self.names, self.players, strict=True) if player.kind is PlayerKind.HUMAN]

    @property
    def watched(self) -> bool:
        """Whether each move is shown here."""
        return (bool(self.people) or not self.quiet) and not self.web

    def games_of(self, rules: str, entrants: Sequence[Entrant]) -> Callable[[int, int], Planned]:
        """What plans one game of these entrants, by the number of its pairing and that of its leg, both from 0 on. The
        games of a pairing share its opening; in each leg the entrants move on by one seat."""
        from arena.match.schedule import Planned

        book = Book(rules, self.openings, seed=self.seed, position=self.conditions.position)
        names = sorted(self.names)

        def planned(pairing: int, leg: int) -> Planned:
            return Planned(
                number=0,
                game=self.game,
                rules=rules,
                entrants=(*entrants[leg:], *entrants[:leg]),
                seed=self.seed,
                identity=(json.dumps([*names, pairing]),),
                leg=leg,
                conditions=self.conditions,
                position=book.opening(pairing).position,
                opening=book.opening(pairing).moves,
                watched=self.watched,
            )

        return planned

    def planned(self, rules: str, entrants: Sequence[Entrant]) -> list[Planned]:
        """All games in order. With `swap`, each group of games in a row, one per seat, shares its opening."""
        game, legs = self.games_of(rules, entrants), len(entrants) if self.swap else 1
        return [replace(game(*divmod(number, legs)), number=number + 1) for number in range(self.games)]


def _refuse(plan: _Plan) -> None:
    """Raise an error for players that cannot play this game together, before anything is created or recorded."""
    start = games.start(plan.game)
    if len(plan.players) != start.players:
        more = ["random"] * (start.players - len(plan.players))
        fitting = shlex.join([plan.game, *[player.text for player in plan.players][: start.players], *more])
        raise BadFixture(
            f"{plan.game} needs {start.players} players, got {len(plan.players)}; for example: arena play {fitting}"
            f"{_with_option(plan)}"
        )
    if plan.web:
        _refuse_in_a_browser(plan)
    if start.hidden and len(plan.people) > 1:
        raise BadFixture(
            f"{plan.game} has hidden information, so only one human can play at this terminal, got {len(plan.people)}"
        )
    for player in plan.players:
        if player.kind is PlayerKind.BUILTIN:
            builtin.check_can_play(player.text, start)


def _with_option(plan: _Plan) -> str:
    """How the game is called for the players that were given, if one of its options chooses their number."""
    game, given = games.find(plan.game)[0], len(plan.players)
    if ":" in plan.game or given not in game.seats:
        return ""
    for option in game.options:
        for value in option.choices or (range(given + 1) if option.low is not None else ()):
            with suppress(AdsearchError):
                if game.start(**{option.name: value}).players == given:
                    return f", or for {given} players {plan.game}:{option.name}={value}"
    return ""


def _refuse_in_a_browser(plan: _Plan) -> None:
    """Raise an error for players and options that make no sense with --web, and if the extra is missing."""
    from arena.cli.play import web_window

    if not plan.people:
        raise BadFixture("--web shows a page on which a human plays: write human for the seat that is yours")
    if len(plan.people) > 1:
        raise BadFixture(f"--web is for one human, got {len(plan.people)}: leave it out to play at this terminal")
    if any(player.kind is PlayerKind.WAIT for player in plan.players):
        raise BadFixture("wait cannot play with --web, because a take-back starts the agents again: give its file")
    if plan.games != 1:
        raise BadFixture("--games is of no use with --web: after each game the page has a button for another one")
    if plan.swap:
        raise BadFixture("--swap is of no use with --web: after each game the page has a button that swaps the seats")
    web_window.refuse_missing_packages()


def _opened(db: str | None) -> AbstractContextManager[Database | None]:
    """The database; None, with a note on stderr, if the default database cannot be opened or created."""
    from db.database import Database

    try:
        return Database(db)
    except DatabaseError as error:
        if db is not None:
            raise
        print(f"the games are not recorded: {error}", file=sys.stderr)
        return nullcontext()


def _play(plan: _Plan, finished: list[Finished], *, database: Database | None, silent: bool) -> None:
    """Play the games, show them unless `silent`, and append each finished game to `finished`."""
    from arena.cli.play import web_window
    from arena.cli.play.game_screen import GameScreen
    from arena.cli.play.human_player import JoiningPlayers, TakeBacks
    from arena.cli.terminal import notes
    from arena.cli.terminal.screen import Screen, is_possible
    from arena.match.schedule import Finished, InOrder, Schedule, repeated_games, repeats_tell
    from arena.play.director import Director
    from arena.players.entrants import Confinement, enter
    from arena.players.submissions import Store
    from arena.tournament.recorded_games import RecordingSchedule
    from arena.walls.run_folder import RunFolder
    from db.database import Database

    screen = GameScreen(quiet=not plan.watched, people=plan.people, on_stderr=silent)
    with ExitStack() as stack:
        # The command that starts an agent by hand must be there to be copied: then all is printed.
        is_by_hand = any(player.kind is PlayerKind.WAIT for player in plan.players)
        is_on_screen = plan.watched and not silent and not is_by_hand and is_possible()
        if is_on_screen:
            from arena.cli.play.play_screen import PlayScreen

            screen = PlayScreen(Screen(mouse=bool(plan.people)), people=plan.people)
        folder = stack.enter_context(RunFolder())
        store = Store(folder.path / "store") if database is None else submissions(database)
        rules = store.take_game(plan.game)
        start = games.start(rules)
        joining = JoiningPlayers(folder, screen)
        confinement = Confinement(folder.scratch, rules, plan.conditions)
        entrants = [
            joining.invited(player, name) or enter(player, name, start, store, confinement)
            for player, name in zip(plan.players, plan.names, strict=True)
        ]
        for warning in confinement.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        if plan.watched or plan.web:
            confined = {name: confinement.described(name) for name in confinement.kinds}
            for paragraph in notes.notes_due(confined, datetime.now(UTC).astimezone().date()):
                screen.say(paragraph)
        director = stack.enter_context(Director(folder))
        started_as = {name: player.text for player, name in zip(plan.players, plan.names, strict=True)}
        whose = {name: agent for name, agent in zip(plan.names, plan.agents, strict=True) if agent}

        def show(event: Event, annulled: str) -> None:
            if isinstance(event, Finished):
                finished.append(event)
            if not silent:
                screen.show(event)
                if annulled:
                    screen.say(f"   annulled, so this result does not count: {annulled}")

        if plan.web:
            if database is None:
                database = stack.enter_context(Database(str(folder.path / "games.db")))  # is gone with the folder
            web_window.play(
                web_window.WindowOffer(
                    game=plan.game,
                    clock=plan.conditions.clock,
                    names=plan.names,
                    seat=plan.names.index(plan.people[0]),
                    planned=plan.games_of(rules, entrants),
                    started_as=started_as,
                    agents=whose,
                ),
                *(folder, database, director),
                lambda event, id, annulled: show(replace(event, game=replace(event.game, number=id)), annulled),
            )
        else:
            schedule: Schedule = InOrder(plan.planned(rules, entrants))
            stack.callback(joining.close)
            helped: dict[int, str] = {}
            if database is not None:
                schedule = RecordingSchedule(schedule, database, started_as=started_as, agents=whose, annulled=helped)
            take_backs = TakeBacks(schedule, plan.people, helped)
            # On a whole screen a person sees how a game ended until the next one is asked for.
            take_backs.holds = is_on_screen and bool(plan.people)
            joining.director, joining.take_backs = director, take_backs
            stack.enter_context(joining.asking_before_the_end())
            stack.enter_context(screen.shown())
            stack.enter_context(screen.following(director))
            for event in director.play(take_backs):
                take_backs.see(event)
                annulled = ""
                if isinstance(event, Finished):
                    if take_backs.was_taken_back(event.game):
                        screen.go_back(take_backs.kept)
                        continue
                    annulled = helped.get(event.game.number, "")
                    known_as = schedule.ids[-1] if isinstance(schedule, RecordingSchedule) else event.game.number
                    event = replace(event, game=replace(event.game, number=known_as))
                show(event, annulled)
                if take_backs.is_held:
                    joining.ask_for_the_next()
    if silent:
        return
    if plan.games > 1:
        screen.show_score(finished)
    if repeats_tell(start) and (repeated := repeated_games(finished)):
        advice = "" if plan.openings else "; --openings 4 gives each game a different start"
        screen.say(f"{repeated} of {len(finished)} games repeat another game move for move{advice}")
    if not plan.seed_given:
        screen.say(f"to repeat with the same random numbers: --seed {plan.seed}")
