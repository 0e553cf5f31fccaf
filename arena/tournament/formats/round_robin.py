"""Round-robin: every two players meet `rounds` times.

The Berger tables of FIDE give the pairings of each round; the players' numbers in the tables are drawn from the seed.
The first seat does not come from the tables: `Pairing.of` draws it, and it changes with each pairing of two players.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena.tournament.format import Scheduled, TournamentState


@dataclass(frozen=True, kw_only=True)
class RoundRobin(Scheduled):
    """The format."""

    name = "round-robin"
    every_two_meet = True
    plan_rounds = (1, 2, 5)
    for_ladders = True
    old_keys = ("rounds",)

    def meetings(self, so_far: TournamentState) -> list[list[tuple[str, str]]]:
        order = so_far.draw("order")
        return [[(order[first - 1], order[second - 1]) for first, second in meet] for meet in table(len(order))]


FORMAT = RoundRobin


def table(players: int) -> list[list[tuple[int, int]]]:
    """The Berger table for players numbered from 1: for each round its pairs, White first.

    With an odd number of players, the table of one more player is used; the opponent of that player has no game in the
    round."""
    even = players + players % 2
    turn = even - 1
    rounds = []
    for at in range(turn):
        high = (at * even // 2) % turn
        meetings = [(high + 1, even) if at % 2 == 0 else (even, high + 1)]
        meetings += [((high + step) % turn + 1, (high - step) % turn + 1) for step in range(1, even // 2)]
        rounds.append([meeting for meeting in meetings if even == players or even not in meeting])
    return rounds
