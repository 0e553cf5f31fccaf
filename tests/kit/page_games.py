"""Recorded games for the tests of pages, made without a database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import structs

from adsearch import games
from arena.student.analysis import AnalysisBudget, judge_moves
from db.records import MoveRecord, PastGame, PastSeat
from tests.kit import places, sample_record

COUNTDOWN: Final = f"{places.COUNTDOWN}:Countdown"
_SHORTER: Final = {"ludo": "ludo:players=4,tokens=1", "pig": "pig:goal=30", "words": "words:tiles=AAEEINORSTDL_,rack=3"}
EVERY_GAME: Final = (*(_SHORTER.get(name, name) for name in games.names()), COUNTDOWN)
"""Each game of the catalogue, those that go on for long made shorter, and one of somebody's own."""


def analysed(game: PastGame, *, depth: int = 1) -> PastGame:
    """The game with its analysis, at that search depth."""
    budget = AnalysisBudget(depth=depth)
    return structs.replace(game, analysis=tuple(judge_moves(games.start(game.game), game.moves, budget)))


def past_game(
    rules: str,
    players: Sequence[str] | None = None,
    *,
    moves: str | None = None,
    logs: Sequence[str] = (),
    **how: Any,
) -> PastGame:
    """A game as it is read back; random moves up to the end, or these. `logs`: what each seat printed in all.

    What is printed is written in equal shares: before each move, and after the last."""
    names = list(players or (f"p{seat}" for seat in range(games.start(rules).players)))
    changed = {name: how.pop(name) for name in ("verdict", "fault") if name in how}
    record = sample_record.played(7, rules, names, moves=moves, **changed)
    written = [log.encode() for log in logs] + [b""] * (len(names) - len(logs))
    own = [sum(move.who == seat for move in record.moves) for seat in range(len(names))]
    done = [0] * len(names)

    def logged(move: MoveRecord) -> MoveRecord:
        if not isinstance(move.who, int):
            return move
        done[move.who] += 1
        return structs.replace(move, log=len(written[move.who]) * done[move.who] // (own[move.who] + 1))

    seats = tuple(
        PastSeat(
            seat=seat.seat,
            player=seat.player,
            points=seat.points,
            utility=seat.utility,
            spent=seat.spent,
            longest=seat.longest,
            stderr=log.decode(),
        )
        for seat, log in zip(record.seats, written, strict=True)
    )
    given: dict[str, Any] = {
        "id": 7,
        "tournament": "cs101",
        "number": 12,
        "pair": "p",
        "game": rules,
        "clock": "10+0.1",
        "verdict": record.verdict,
        "fault": record.fault,
        "detail": record.detail,
        "plies": len(record.moves),
        "finished": "2026-05-01T12:00:00Z",
        "seats": seats,
        "moves": tuple(map(logged, record.moves)),
    }
    return PastGame(**given | how)


def named(rules: object) -> str:
    """What a test of these rules is called, on every machine."""
    return str(rules).rpartition("/")[2]
