"""Some players in the first seat, each against each of some others: games that are played and not recorded, and what
several games were worth for a player.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from adsearch import games
from arena.errors import BadFixture
from arena.match.conditions import Conditions
from arena.match.openings import Book
from arena.match.schedule import Entrant, Finished, InOrder, Planned
from arena.play.cores import physical
from arena.play.director import Director
from arena.players.entrants import Confinement, enter
from arena.players.player import Player, unique_names
from arena.players.submissions import Store
from arena.walls.run_folder import RunFolder
from db.records import GameRecord, SeatRecord

Cell = tuple[str, str | None]
"""The names of the player in seat 0 and of its opponents; None in a game for one player."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The games to play."""

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

    def _planned(self, rules: str, entrants: Mapping[Player, Entrant], others: int) -> Iterator[Planned]:
        """All games, cell by cell."""
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

    def play(self, warn: Callable[[str], None]) -> Iterator[Finished]:
        """Plays all games. `warn` is told, before the first one, what is less safe than it could be."""
        with ExitStack() as stack:
            folder = stack.enter_context(RunFolder())
            store = Store(folder.path / "store")
            rules = store.take_game(self.game)
            others = games.start(rules).players - 1
            confinement = Confinement(folder.scratch, rules, self.conditions)
            entrants = self._entrants(rules, store, confinement)
            for warning in confinement.warnings:
                warn(warning)
            director = stack.enter_context(Director(folder, at_once=max(1, len(physical()) - 1)))
            for event in director.play(InOrder(self._planned(rules, entrants, others))):
                if isinstance(event, Finished):
                    yield event

    def _entrants(self, rules: str, store: Store, confinement: Confinement) -> dict[Player, Entrant]:
        """Each player as an entrant."""
        start = games.start(rules)
        players = [*dict.fromkeys([*self.rows, *self.columns])]
        names = unique_names(player.name for player in players)
        return {
            player: enter(player, name, start, store, confinement) for player, name in zip(players, names, strict=True)
        }

    def cells(self, finished: Sequence[Finished]) -> list[tuple[Cell, MatrixScore]]:
        """The score of seat 0 in each cell."""
        found: list[tuple[Cell, MatrixScore]] = []
        for at, (row, column) in enumerate(self.pairs):
            of_cell = [one.record for one in finished if (one.game.number - 1) // self.games == at]
            seats = [(record.seats[0], len(record.seats)) for record in of_cell]
            found.append(((row.name, None if column is None else column.name), scored(seats)))
        return found


# What several games were worth for a player: how many it won, and its mean score.


@dataclass(frozen=True, slots=True)
class MatrixScore:
    """The result of one player in several games."""

    games: int
    """Void games do not count."""
    won: int
    """Games in which it beat all others; alone in a game, those with a score above 0."""
    mean: float | None
    """The mean score; None if no game has one."""


def scored(results: Iterable[tuple[SeatRecord, int]]) -> MatrixScore:
    """The score of a player from its seats, each with the number of players of that game."""
    counted = [(seat, players) for seat, players in results if seat.points is not None]
    known = [seat.utility for seat, _ in counted if seat.utility is not None]
    return MatrixScore(
        games=len(counted),
        won=sum((seat.utility or 0.0) > 0 if players == 1 else seat.points == 1.0 for seat, players in counted),
        mean=sum(known) / len(known) if known else None,
    )


def mean_text(mean: float) -> str:
    """A mean score in a table: small ones have up to three digits that say something, such as -0.0556."""
    return f"{mean:.1f}" if abs(mean) >= 10.0 else f"{mean + 0.0:.3g}"


def by_player(records: Sequence[GameRecord]) -> dict[str, MatrixScore]:
    """The score of each player, in the order of the first game's seats."""
    names = dict.fromkeys(seat.player for record in records for seat in record.seats)
    return {
        name: scored((seat, len(record.seats)) for record in records for seat in record.seats if seat.player == name)
        for name in names
    }
