"""Round-robin: everyone meets everyone, as often as there are rounds in the description.

The Berger tables of FIDE say who meets in which round; the players' numbers in them are drawn from the seed. Who sits
first is not the tables' affair: it follows from who meets, and changes each time they do.
"""

from __future__ import annotations

from arena.tournament.formats.pairing import Pairing
from arena.tournament.formats.tournament_state import Terms, TournamentState, scheduled


def further(terms: Terms, so_far: TournamentState) -> list[Pairing]:
    """All pairings that are not known yet. Withdrawn players keep theirs: the director forfeits them."""
    order = so_far.draw("order")
    rounds = [[(order[first - 1], order[second - 1]) for first, second in meet] for meet in table(len(order))]
    return scheduled(so_far, rounds, terms.rounds)


def table(players: int) -> list[list[tuple[int, int]]]:
    """The Berger table for players numbered from 1: for each round who meets, first the one who has White.

    With an odd number, whoever would meet the highest number of the next larger table is free in that round."""
    even = players + players % 2
    turn = even - 1
    rounds = []
    for at in range(turn):
        high = (at * even // 2) % turn
        meetings = [(high + 1, even) if at % 2 == 0 else (even, high + 1)]
        meetings += [((high + step) % turn + 1, (high - step) % turn + 1) for step in range(1, even // 2)]
        rounds.append([meeting for meeting in meetings if even == players or even not in meeting])
    return rounds
