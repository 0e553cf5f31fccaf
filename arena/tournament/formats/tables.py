"""Tables, for games of any number of players: in each round as many tables as can be filled.

Everybody plays equally often to within one; who sits together is chosen so that everybody meets everybody else about
equally often. At each table so many games are played as there are seats, and everybody sits on each seat once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product

from arena.match.seeds import number
from arena.tournament.formats.pairing import Pairing
from arena.tournament.formats.tournament_state import Terms, TournamentState

_MOST_TO_IMPROVE = 100
"""With more players in a round the tables stay as they were first laid: comparing all would take minutes."""

Meetings = Counter[tuple[str, str]]


def further(terms: Terms, so_far: TournamentState) -> list[Pairing]:
    """The next round; none when all were said. Then come rounds for those who were added too late to have played as
    often as the others, until they have. Withdrawn players keep theirs: the director forfeits them."""
    played = Counter(name for pairing in so_far.known for name in pairing.names)
    round = so_far.last_round + 1
    seats = terms.seats
    places = len(so_far.names) - len(so_far.names) % seats
    if round > terms.rounds:
        due = terms.rounds * places // len(so_far.names)
        late = sum(played[name] < due for name in so_far.names)
        places = min(places, -(-late // seats) * seats)
    drawn = {name: number(so_far.seed, "tables", round, name) for name in so_far.names}
    order = sorted(so_far.names, key=lambda name: (played[name], drawn[name], name))
    meetings: Meetings = Counter()
    for pairing in so_far.known:
        meetings.update(combinations(sorted(pairing.names), 2))
    tables = _laid(order[:places], seats, meetings)
    if len(order) <= _MOST_TO_IMPROVE:
        _improve(tables, order[places:], meetings, played)
    met = so_far.met()
    together = (tuple(sorted(names)) for names in tables)
    return [so_far.pairing(names, cycle=met[names], round=round, legs=seats) for names in together]


def _laid(names: Sequence[str], seats: int, meetings: Meetings) -> list[list[str]]:
    """The players at tables, one after the other with those whom they have met least often."""
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
    """Exchanges players of two tables, or with one who is free and has played as often, as long as that makes fewer
    sit together again."""
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
    """How much `name` meets the same others again at this table: each counts by the square of how often they have met,
    so that a third time is far worse than a second."""
    return sum(meetings[(name, other) if name < other else (other, name)] ** 2 for other in table if other != name)
