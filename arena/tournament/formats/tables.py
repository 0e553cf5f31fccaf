"""Tables, for games of any number of players: each round has as many tables as can be filled.

The players' numbers of tables differ by at most one, and players are placed so that each two meet about equally often.
Each table plays as many games as there are seats, and every player sits in each seat once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

from arena.match.seeds import number
from arena.tournament.format import InRounds, Pairing, TournamentState

_MOST_TO_IMPROVE = 100
"""Most players for which the tables are improved by swaps; with more, comparing all swaps would take minutes."""

Meetings = Counter[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class Tables(InRounds):
    """The format."""

    name = "tables"
    for_two = False
    some_meet = True
    plan_rounds = (1, 3, 10, 30)

    def next_round(self, so_far: TournamentState) -> list[Pairing]:
        """The next round; empty after the last one. Players that were added late then get extra rounds, until they have
        played as often as the others. Pairings of withdrawn players stay: the director forfeits their games."""
        played = Counter(name for pairing in so_far.known for name in pairing.names)
        round = so_far.last_round + 1
        seats = so_far.seats
        places = len(so_far.names) - len(so_far.names) % seats
        if round > self.rounds:
            due = self.rounds * places // len(so_far.names)
            late = sum(played[name] < due for name in so_far.names)
            places = min(places, -(-late // seats) * seats)
        drawn = {name: number(so_far.seed, "tables", round, name) for name in so_far.names}
        order = sorted(so_far.names, key=lambda name: (played[name], drawn[name], name))
        meetings: Meetings = Counter()
        for pairing in so_far.known:
            meetings.update(combinations(sorted(pairing.names), 2))
        tables = _filled(order[:places], seats, meetings)
        if len(order) <= _MOST_TO_IMPROVE:
            _improve(tables, order[places:], meetings, played)
        met = so_far.met()
        together = (tuple(sorted(names)) for names in tables)
        return [so_far.pairing(names, cycle=met[names], round=round) for names in together]

    def pairing_count(self, players: int, seats: int) -> int:
        return self.rounds * (players // seats)

    def most_meetings(self, players: int, seats: int) -> int:
        return self.rounds if players == seats else 1


FORMAT = Tables


def _filled(names: Sequence[str], seats: int, meetings: Meetings) -> list[list[str]]:
    """The players at tables: each table is filled with the players who have met the others there least often."""
    waiting = list(names)
    tables = []
    while waiting:
        table = [waiting.pop(0)]
        while len(table) < seats:
            met = [_repetition(name, table, meetings) for name in waiting]
            table.append(waiting.pop(met.index(min(met))))
        tables.append(table)
    return tables


def _improve(tables: list[list[str]], free: list[str], meetings: Meetings, played: Counter[str]) -> None:
    """Swaps players between two tables, or with a free player who has played as often, as long as a swap lowers the
    sum of `_repetition`."""
    improving = True
    while improving:
        improving = False
        for one, other in combinations([*tables, free], 2):
            for here, there in product(range(len(one)), range(len(other))):
                left = one[here]
                right = other[there]
                if other is free and played[left] != played[right]:
                    continue
                now = _repetition(left, one, meetings)
                then = _repetition(right, [name for name in one if name != left], meetings)
                if other is not free:
                    now += _repetition(right, other, meetings)
                    then += _repetition(left, [name for name in other if name != right], meetings)
                if then < now:
                    one[here] = right
                    other[there] = left
                    improving = True


def _repetition(name: str, table: Sequence[str], meetings: Meetings) -> int:
    """The sum of squares of how often `name` has met each player at this table; squares make a third meeting count
    much more than a second."""
    return sum(meetings[(name, other) if name < other else (other, name)] ** 2 for other in table if other != name)
