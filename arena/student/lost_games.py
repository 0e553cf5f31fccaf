"""The lesson of lost games: which of them to look at first, and where.

Whoever fails looks at that first: no search can tell more than the fault. Else it is the first clear mistake in a game
against the weakest opponent, for that is the next one to beat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from adsearch import games
from agents.protocol import Verdict
from arena.student.analysis import Effort, Judged, Mark, first_mistake, judged
from db.records import GameRecord, PastGame

LOOKED_AT = 3
"""In so many games a mistake is looked for."""
_NODES = 8_000


class Lost(Struct, frozen=True):
    """A game that the agent has lost."""

    id: int
    """By what it is known on record."""
    rules: str
    seat: int
    """Where the agent sat."""
    opponent: str
    record: GameRecord

    @property
    def at_fault(self) -> bool:
        """Whether it lost by a fault of its own."""
        return self.record.fault == self.seat and self.record.verdict != Verdict.RESIGNED


class Lesson(Struct, frozen=True):
    """What to look at first."""

    game: Lost
    ply: int
    """Where it failed, or made its mistake; 0: nowhere in particular."""
    mistake: Judged | None = None


def reasons(lost: Sequence[Lost]) -> dict[str, int]:
    """How many games were lost how, by verdict; the most frequent first."""
    return dict(
        Counter(
            game.record.verdict if game.record.fault == game.seat else Verdict.NORMAL.value for game in lost
        ).most_common()
    )


def lesson(lost: Sequence[Lost]) -> Lesson | None:
    """What is to be learned from these games, those that say most first; None where there are none."""
    if not lost:
        return None
    for game in lost:
        if game.at_fault:
            return Lesson(game, len(game.record.moves) + 1)
    found: list[Lesson] = []
    against_one = [game for game in lost if game.opponent == lost[0].opponent]
    shortest = sorted(against_one, key=lambda game: len(game.record.moves))
    for game in shortest[:LOOKED_AT]:
        effort = Effort(nodes=min(_NODES, Effort.usual(len(game.record.moves)).nodes or _NODES))
        mistake = first_mistake(judged(games.start(game.rules), game.record.moves, effort), game.seat)
        if mistake is not None:
            found.append(Lesson(game, mistake.ply, mistake))
            if mistake.mark is Mark.BLUNDER:
                break
    return found[-1] if found else Lesson(shortest[0], 0)


def looked_at(game: PastGame, plies: Sequence[Judged]) -> tuple[int | None, Judged | None]:
    """What to look at in a game whose judgements are `plies`: the ply at which it was lost by a fault, None where there
    was none; and the first mistake of whoever lost, the gravest if several did."""
    at_fault = game.fault is not None and game.verdict != Verdict.RESIGNED
    points = game.points or [0.0] * len(game.seats)
    losers = [seat for seat, share in enumerate(points) if share == min(points)] if game.fault is None else [game.fault]
    found = [mistake for seat in losers if (mistake := first_mistake(plies, seat))]
    found.sort(key=lambda mistake: (mistake.mark is not Mark.BLUNDER, mistake.ply))
    return (len(game.moves) + 1 if at_fault else None), (found[0] if found else None)
