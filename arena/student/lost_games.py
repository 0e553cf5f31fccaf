"""Lost games: which game to look at first, and the ply that lost it.

A fault of the agent (a crash, an illegal move ...) comes first: no analysis is needed. Otherwise it is the first clear
mistake in a game against the weakest opponent, because that is the next opponent to beat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import tee

from msgspec import Struct

from adsearch import games
from agents.protocol import Verdict
from arena.history import shown_moves
from arena.student.analysis import AnalysisBudget, first_mistake, judge_moves
from db.records import GameRecord, JudgedPly, Mark, PastGame

_MOST_GAMES = 3
"""Number of games that are searched for a mistake."""
_MOST_NODES = 8_000
"""Nodes searched per ply."""


class LostGame(Struct, frozen=True):
    """A game that the agent lost."""

    id: int
    """Its number in the database."""
    rules: str
    seat: int
    """The agent's seat."""
    opponent: str
    record: GameRecord

    @property
    def at_fault(self) -> bool:
        """Whether the agent lost by its own fault."""
        return self.record.fault == self.seat and self.record.verdict != Verdict.RESIGNED


class TurningPoint(Struct, frozen=True):
    """The ply that lost a game: what to look at first."""

    game: LostGame
    ply: int
    """The ply of the fault or the mistake; 0: no single ply."""
    mistake: JudgedPly | None = None
    """Its moves are as people write them."""
    plies: Iterable[JudgedPly] = ()
    """The analysis of the game, which can be read once: what was not searched for the mistake is searched then."""


def reasons(lost: Sequence[LostGame]) -> dict[str, int]:
    """The number of lost games for each verdict, the most frequent first."""
    return dict(
        Counter(
            game.record.verdict if game.record.fault == game.seat else Verdict.NORMAL.value for game in lost
        ).most_common()
    )


def turning_point(lost: Sequence[LostGame]) -> TurningPoint | None:
    """The ply to look at first in these games; `lost` has the most useful games first. None if it is empty."""
    if not lost:
        return None
    for game in lost:
        if game.at_fault:
            return TurningPoint(game, len(game.record.moves) + 1)
    found: list[TurningPoint] = []
    unmarked: list[TurningPoint] = []
    against_one = [game for game in lost if game.opponent == lost[0].opponent]
    shortest = sorted(against_one, key=lambda game: len(game.record.moves))
    for game in shortest[:_MOST_GAMES]:
        budget = AnalysisBudget.default(len(game.record.moves), most=_MOST_NODES)
        start = games.start(game.rules)
        judged, plies = tee(judge_moves(start, game.record.moves, budget))
        mistake = first_mistake(judged, game.seat)
        if mistake is None:
            unmarked.append(TurningPoint(game, 0, plies=plies))
        else:
            before = start
            for move in game.record.moves[: mistake.ply - 1]:
                before = before.play(before.from_text(move.move))
            found.append(TurningPoint(game, mistake.ply, shown_moves.judged(before, mistake), plies))
            if mistake.mark is Mark.BLUNDER:
                break
    return found[-1] if found else unmarked[0]


def fault_and_mistake(game: PastGame, plies: Sequence[JudgedPly]) -> tuple[int | None, JudgedPly | None]:
    """The plies that lost a game: the ply of the fault, None if there was none; and the first mistake of the loser in
    the judged `plies`, the worst one if several players lost."""
    at_fault = game.fault is not None and game.verdict != Verdict.RESIGNED
    points = game.points or [0.0] * len(game.seats)
    losers = [seat for seat, share in enumerate(points) if share == min(points)] if game.fault is None else [game.fault]
    found = [mistake for seat in losers if (mistake := first_mistake(plies, seat))]
    found.sort(key=lambda mistake: (mistake.mark is not Mark.BLUNDER, mistake.ply))
    return (len(game.moves) + 1 if at_fault else None), (found[0] if found else None)
