"""Gauntlet: some players, the challengers, each meet all the others; there are no other pairings.

It measures new agents against known ones, or many agents against a few. Challengers do not meet each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from arena.tournament.format import Scheduled, TournamentState

if TYPE_CHECKING:
    from arena.tournament.description import Table


@dataclass(frozen=True, kw_only=True)
class Gauntlet(Scheduled):
    """The format."""

    name = "gauntlet"
    agent_keys = old_keys = ("gauntlet",)

    gauntlet: tuple[str, ...] = ()
    """The challengers, sorted."""

    @classmethod
    def read(cls, table: Table, agents: Sequence[str]) -> Self:
        found = super().read(table, agents)
        return replace(found, gauntlet=tuple(sorted(found.gauntlet)))

    def check(self, table: Table, players: int) -> None:
        if not 0 < len(self.gauntlet) < players:
            table.fail(
                "expected the names of the agents that play against all others; name some agents, not all", "gauntlet"
            )

    @property
    def apart(self) -> Sequence[str]:
        return self.gauntlet

    def meetings(self, so_far: TournamentState) -> list[list[tuple[str, str]]]:
        order = so_far.draw("order")
        challengers = [name for name in order if name in self.gauntlet]
        field = [name for name in order if name not in self.gauntlet]
        most = max(len(challengers), len(field))
        rounds = []
        for at in range(most):
            pairs = [(challenger, (at + number) % most) for number, challenger in enumerate(challengers)]
            rounds.append([(challenger, field[other]) for challenger, other in pairs if other < len(field)])
        return rounds

    def pairing_count(self, players: int, seats: int) -> int:
        return self.rounds * len(self.gauntlet) * (players - len(self.gauntlet))

    @classmethod
    def suggestions(cls, players: int, bars: Sequence[str]) -> Iterator[Gauntlet]:
        if bars:
            yield from (cls(gauntlet=tuple(bars), rounds=rounds) for rounds in (1, 3, 10))


FORMAT = Gauntlet
