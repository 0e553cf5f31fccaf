"""`arena matrix`: some players in the first seat, each against each of some others: games won and mean scores."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final

import typer

from adsearch import games
from arena.cli.asking.playing_options import CLOCK_HELP, SeedOption, WallsOption
from arena.cli.asking.position_options import GameArgument
from arena.cli.play import scores
from arena.cli.play.scores import Score, mean_text
from arena.cli.terminal import progress_line
from arena.cli.terminal.listings import Shown, listed, show
from arena.errors import BadFixture
from arena.match.clock import TimeControl
from arena.match.conditions import Conditions
from arena.players.player import Player, read_player, unique_names
from arena.results.columns import Column, fields

if TYPE_CHECKING:
    from arena.match.schedule import Entrant, Finished, Planned
    from arena.players.confinement import Confinement
    from arena.players.submissions import Store

CELLS: Final[tuple[Column[tuple[_Cell, Score]], ...]] = (
    Column("player", value=lambda row: row[0][0]),
    Column("against", value=lambda row: row[0][1]),
    Column("games", value=lambda row: row[1].games),
    Column("won", value=lambda row: row[1].won),
    Column("mean_score", value=lambda row: row[1].mean),
)
"""One row for each cell of the table."""


@listed(lambda: CELLS)
def matrix(
    shown: Shown,
    game: GameArgument,
    players: Annotated[
        list[str], typer.Argument(metavar="PLAYER", help="Players for seat 0: a row of the table for each.")
    ],
    against: Annotated[
        list[str] | None,
        typer.Option("--against", metavar="PLAYER", help="Player for all other seats: a column. Can be repeated."),
    ] = None,
    count: Annotated[int, typer.Option("--games", metavar="N", min=1, max=10_000, help="Games for each cell.")] = 10,
    openings: Annotated[
        int, typer.Option(metavar="N", min=0, max=1000, help="Random plies at the start of each game.")
    ] = 0,
    clock: Annotated[str, typer.Option(metavar="CLOCK", help=CLOCK_HELP)] = "none",
    seed: SeedOption = None,
    walls: WallsOption = None,
) -> None:
    """Compare players in a table: each cell has the games won and the mean score of seat 0.

    The players of the rows sit in seat 0, those of --against in all other seats. The games of a cell have different
    dice and openings, and all cells have the same ones. A game is won by the player that beats all others; alone in a
    game, by a score above 0. The games are not recorded.

    Example: arena matrix maze:2,map=trap paranoid expectimax --against random --against greedy

    Example: arena matrix connect4 pvs:depth=2 pvs:depth=6 --against pvs:depth=4 --openings 4
    """
    from arena.match import seeds
    from arena.match.schedule import repeated_games, repeats_tell

    plan = _Plan(
        game=game,
        rows=tuple(map(read_player, dict.fromkeys(players))),
        columns=tuple(map(read_player, dict.fromkeys(against or []))),
        games=count,
        openings=openings,
        conditions=Conditions(clock=str(TimeControl.parse(clock)), walls=walls),
        seed=seeds.short_seed() if seed is None else seed,
    )
    plan.check()
    start = games.start(plan.game)
    finished: list[Finished] = []
    interrupted = False
    try:
        _play(plan, finished)
    except KeyboardInterrupt:
        interrupted = True
        print(f"\ninterrupted after {len(finished)} of {plan.total} games", file=sys.stderr)
    cells = plan.cells(finished)
    if not shown.is_table:
        show(cells, CELLS, shown)
    else:
        _show(plan, cells)
        if faults := sum(one.record.fault is not None for one in finished):
            print(f"games that ended by a fault of a player: {faults}; arena play shows what went wrong")
        if repeats_tell(start) and (repeated := repeated_games(finished)):
            advice = "" if openings else "; --openings 4 gives each game a different start"
            print(f"{repeated} of {len(finished)} games repeat another game of their cell move for move{advice}")
        if seed is None:
            print(f"to repeat with the same random numbers: --seed {plan.seed}")
    if interrupted:
        raise typer.Exit(130)


_Cell = tuple[str, str | None]
"""The names of the player in seat 0 and of its opponents; None in a game for one player."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The games to play, as given on the command line."""

    game: str
    rows: tuple[Player, ...]
    columns: tuple[Player, ...]
    games: int
    openings: int
    conditions: Conditions
    seed: int

    @property
    def pairs(self) -> list[tuple[Player, Player | None]]:
        """The players of each cell, row by row."""
        return [(row, column) for row in self.rows for column in self.columns or [None]]

    @property
    def total(self) -> int:
        """The number of all games."""
        return self.games * len(self.pairs)

    def check(self) -> None:
        """Raise BadFixture unless the game has seats for these players."""
        seats = games.start(self.game).players
        if seats == 1 and self.columns:
            raise BadFixture(f"{self.game} is for one player: leave out --against")
        if seats > 1 and not self.columns:
            raise BadFixture(f"{self.game} is for {seats} players: give opponents, such as --against random")

    def planned(self, rules: str, entrants: Mapping[Player, Entrant], others: int) -> Iterator[Planned]:
        """All games, cell by cell."""
        from arena.match.openings import Book
        from arena.match.schedule import Planned

        book = Book(rules, self.openings, seed=self.seed)
        openings = [book.opening(number) for number in range(self.games)]
        for at, (row, column) in enumerate(self.pairs):
            seated = [entrants[row], *([] if column is None else [entrants[column]] * others)]
            names = unique_names(entrant.name for entrant in seated)
            for number, opening in enumerate(openings):
                yield Planned(
                    number=at * self.games + number + 1,
                    game=self.game,
                    rules=rules,
                    entrants=tuple(replace(entrant, name=name) for entrant, name in zip(seated, names, strict=True)),
                    seed=self.seed,
                    identity=(number,),
                    conditions=self.conditions,
                    opening=opening.moves,
                )

    def cells(self, finished: Sequence[Finished]) -> list[tuple[_Cell, Score]]:
        """The score of seat 0 in each cell."""
        found: list[tuple[_Cell, Score]] = []
        for at, (row, column) in enumerate(self.pairs):
            of_cell = [one.record for one in finished if (one.game.number - 1) // self.games == at]
            seats = [(record.seats[0], len(record.seats)) for record in of_cell]
            found.append(((row.name, None if column is None else column.name), scores.scored(seats)))
        return found


def _play(plan: _Plan, finished: list[Finished]) -> None:
    """Play all games and append each one to `finished`."""
    from arena.match.schedule import Finished, InOrder
    from arena.play.cores import physical
    from arena.play.director import Director
    from arena.players.confinement import Confinement
    from arena.players.submissions import Store
    from arena.walls.run_folder import RunFolder

    with ExitStack() as stack:
        folder = stack.enter_context(RunFolder())
        store = Store(folder.path / "store")
        rules = store.take_game(plan.game)
        start = games.start(rules)
        confinement = Confinement(folder.scratch, rules, plan.conditions)
        entrants = _entrants(plan, rules, store, confinement)
        for warning in confinement.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        schedule = InOrder(plan.planned(rules, entrants, start.players - 1))
        director = stack.enter_context(Director(folder, at_once=max(1, len(physical()) - 1)))
        tell = stack.enter_context(progress_line.temporary())
        for event in director.play(schedule):
            if isinstance(event, Finished):
                finished.append(event)
                tell(f"{len(finished)} of {plan.total} games")


def _entrants(plan: _Plan, rules: str, store: Store, confinement: Confinement) -> dict[Player, Entrant]:
    """Each player as an entrant."""
    from arena.players.entrants import enter

    start = games.start(rules)
    players = [*dict.fromkeys([*plan.rows, *plan.columns])]
    names = unique_names(player.name for player in players)
    return {player: enter(player, name, start, store, confinement) for player, name in zip(players, names, strict=True)}


def _show(plan: _Plan, cells: Sequence[tuple[_Cell, Score]]) -> None:
    """Print the table."""
    print(f"{plan.game}: games won by seat 0, and its mean score\n")
    others = unique_names(column.name for column in plan.columns) or ("alone",)
    rows = []
    for at, row in enumerate(plan.rows):
        scores_of_row = [score for _, score in cells[at * len(others) :][: len(others)]]
        rows.append({"player": row.name} | dict(zip(others, map(_text, scores_of_row), strict=True)))
    show(rows, fields(("player", *others)))


def _text(score: Score) -> str:
    return f"{score.won}/{score.games}" + ("" if score.mean is None else f"  {mean_text(score.mean)}")
