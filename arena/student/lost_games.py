"""Lost games: which of them to look at first, and where each was lost.

A fault of its own (a crash, an illegal move ...) comes first: no search can say more than that. Else it is the first
clear mistake in a game against the weakest opponent, for that is the next one to beat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from adsearch import games
from agents.protocol import Verdict
from arena.student.analysis import AnalysisBudget, JudgedPly, Mark, first_mistake, judge_moves
from db.records import GameRecord, PastGame

_MOST_GAMES = 3
"""A mistake is looked for in so many games."""
_MOST_NODES = 8_000


class LostGame(Struct, frozen=True):
    """A game that the agent has lost."""

    id: int
    """Its number on record."""
    rules: str
    seat: int
    """Where the agent sat."""
    opponent: str
    record: GameRecord

    @property
    def at_fault(self) -> bool:
        """Whether it lost by a fault of its own."""
        return self.record.fault == self.seat and self.record.verdict != Verdict.RESIGNED


class TurningPoint(Struct, frozen=True):
    """Where a game was lost: what to look at first."""

    game: LostGame
    ply: int
    """Where it failed, or made its mistake; 0: nowhere in particular."""
    mistake: JudgedPly | None = None


def reasons(lost: Sequence[LostGame]) -> dict[str, int]:
    """How many games were lost how, by verdict; the most frequent first."""
    return dict(
        Counter(
            game.record.verdict if game.record.fault == game.seat else Verdict.NORMAL.value for game in lost
        ).most_common()
    )


def turning_point(lost: Sequence[LostGame]) -> TurningPoint | None:
    """What to look at first in these games, those that say most first; None where there are none."""
    if not lost:
        return None
    for game in lost:
        if game.at_fault:
            return TurningPoint(game, len(game.record.moves) + 1)
    found: list[TurningPoint] = []
    against_one = [game for game in lost if game.opponent == lost[0].opponent]
    shortest = sorted(against_one, key=lambda game: len(game.record.moves))
    for game in shortest[:_MOST_GAMES]:
        budget = AnalysisBudget.default(len(game.record.moves), most=_MOST_NODES)
        mistake = first_mistake(judge_moves(games.start(game.rules), game.record.moves, budget), game.seat)
        if mistake is not None:
            found.append(TurningPoint(game, mistake.ply, mistake))
            if mistake.mark is Mark.BLUNDER:
                break
    return found[-1] if found else TurningPoint(shortest[0], 0)


def fault_and_mistake(game: PastGame, plies: Sequence[JudgedPly]) -> tuple[int | None, JudgedPly | None]:
    """Where a game was lost: the ply of the fault, None where there was none; and of `plies`, its judgements, the first
    mistake of the player that lost, the gravest if several did."""
    at_fault = game.fault is not None and game.verdict != Verdict.RESIGNED
    points = game.points or [0.0] * len(game.seats)
    losers = [seat for seat, share in enumerate(points) if share == min(points)] if game.fault is None else [game.fault]
    found = [mistake for seat in losers if (mistake := first_mistake(plies, seat))]
    found.sort(key=lambda mistake: (mistake.mark is not Mark.BLUNDER, mistake.ply))
    return (len(game.moves) + 1 if at_fault else None), (found[0] if found else None)
