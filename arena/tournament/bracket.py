"""The bracket of a format whose losers are out: its series, who went through and why, and what it says in words.

Values only, for tables, pages and reports; a format with `has_bracket` makes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace


class Why(StrEnum):
    """Why a player went through."""

    WON = "won"
    TIED = "tied, higher seed"
    WITHDREW = "opponent withdrew"
    """The opponent withdrew or was quarantined."""
    BYE = "bye"
    PAIRED = "already paired"
    """A ruling changed the result after the next round was paired."""


class Series(Struct, frozen=True):
    """A place in the bracket: two players, one of whom goes through."""

    players: tuple[str | None, str | None]
    """From top to bottom; None for a bye's missing player (see `why`), or for a player who is not known yet."""
    points: tuple[float, float] = (0.0, 0.0)
    games: int = 0
    """Number of games that the points are from."""
    winner: str | None = None
    """The player who went through; None while the series is undecided."""
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class Bracket:
    """The whole knockout: all series, and who went through."""

    seeds: tuple[str, ...]
    """All players, the strongest seed first."""
    rounds: tuple[tuple[Series, ...], ...]
    """From the first round to the final, each from top to bottom; the winners of places 2i and 2i+1 meet in place i of
    the next round."""
    _seed: dict[str, int] = field(init=False, repr=False, compare=False)
    _series: dict[str, list[tuple[int, Series]]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_seed", {name: seed for seed, name in enumerate(self.seeds, 1)})
        object.__setattr__(self, "_series", {name: [] for name in self.seeds})
        for round, series in enumerate(self.rounds, 1):
            for one in series:
                for name in one.players:
                    if name is not None:
                        self._series[name].append((round, one))

    @property
    def winner(self) -> str | None:
        """The winner of the knockout; None while it is undecided."""
        return self.rounds[-1][0].winner

    def seed(self, name: str) -> int:
        """The player's seed, from 1."""
        return self._seed[name]

    def title(self, round: int) -> str:
        """The name of the round; rounds are counted from 1."""
        return "Final" if round == len(self.rounds) else f"Round {round}"

    def reached(self, name: str) -> str:
        """The last round that the player reached, or "winner"."""
        return "winner" if name == self.winner else self.title(self.of(name)[-1][0]).lower()

    def of(self, name: str) -> list[tuple[int, Series]]:
        """The series of a player, including byes, each with its round."""
        return self._series[name]

    def sentence(self, series: Series, statuses: Mapping[str, str]) -> str:
        """The state of a series, in a sentence; empty if neither player is known. `statuses`: by player, such as
        "withdrawn"."""
        named = [f"{name} ({self.seed(name)})" for name in series.players if name is not None]
        score = [f"{points:g}" for points in series.points]
        if series.winner is not None and series.winner == series.players[1]:
            named.reverse()
            score.reverse()
        through, *other = named or [""]
        if series.why is Why.BYE:
            return f"{through} has a bye"
        if not other:
            return f"{through} waits for the other player" if through else ""
        if series.winner is None:
            stands = f"{'-'.join(score)} so far" if series.games else "no result yet"
            return f"{through} against {other[0]}: {stands}"
        result = "-".join(score) if series.games else "without a game"
        match series.why:
            case Why.TIED:
                return f"{through} and {other[0]} tied {result}: {series.winner} goes through as the higher seed"
            case Why.WITHDREW:
                return f"{through} goes through against {other[0]} {result}: {self.who_left(series, statuses)}"
            case Why.PAIRED:
                return f"{through} went through against {other[0]} before a ruling; now the score is {result}"
            case _:
                return f"{through} beat {other[0]} {result}"

    def who_left(self, series: Series, statuses: Mapping[str, str]) -> str:
        """The player who left the series to the other one, and how: "alice withdrew"."""
        loser = next(name for name in series.players if name is not None and name != series.winner)
        how = {"withdrawn": "withdrew", "quarantined": "was quarantined"}.get(statuses.get(loser, ""), "forfeited")
        return f"{loser} {how}"

    def places(self) -> dict[str, tuple[float, ...]]:
        """By name, the keys that rank the players, higher is better: the round that the player reached, whether it is
        still in, and (among players who lost in the same round) its share of the points of that series."""
        return {name: self._place(name, *series[-1]) for name, series in self._series.items()}

    def _place(self, name: str, round: int, last: Series) -> tuple[float, ...]:
        if last.winner is None:
            return round, 1.0, 0.0
        if last.winner == name:
            return round + 1, 1.0, 0.0
        points = last.points[last.players.index(name)]
        return round, 0.0, points / last.games if last.games else 0.0

    def renamed(self, names: Mapping[str, str]) -> Bracket:
        """The same bracket with other names."""

        def one(series: Series) -> Series:
            top, bottom = (None if name is None else names[name] for name in series.players)
            winner = None if series.winner is None else names[series.winner]
            return replace(series, players=(top, bottom), winner=winner)

        rounds = tuple(tuple(map(one, series)) for series in self.rounds)
        return Bracket(tuple(names[name] for name in self.seeds), rounds)
