"""Neighbours: everyone plays the next one in the order of the names, once in each round."""

from __future__ import annotations

from dataclasses import dataclass

from arena.tournament.format import Scheduled, TournamentState


@dataclass(frozen=True, kw_only=True)
class Neighbours(Scheduled):
    """The format."""

    name = "neighbours"

    def meetings(self, so_far: TournamentState) -> list[list[tuple[str, str]]]:
        order = so_far.draw("order")
        return [[pair] for pair in zip(order, order[1:], strict=False)]

    def pairing_count(self, players: int, seats: int) -> int:
        return self.rounds * (players - 1)


FORMAT = Neighbours
