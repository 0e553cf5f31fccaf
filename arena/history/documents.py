"""Games as JSON documents; all commands that play, list, show or export games use them.

Values in, values out. Durations are whole milliseconds, times are UTC in ISO 8601. Values that are not known, and
numbers that are not finite, are null. Points include the rulings, which are also listed.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any

from agents.protocol import Verdict
from arena.history.fields import LISTED
from arena.match.clock import MILLISECOND
from arena.match.schedule import Finished
from db.records import SEAT_RESULT, MoveRecord, PastGame, PastRuling, PastSeat, instant


def past(finished: Finished) -> PastGame:
    """A game that was just played, in the form of a recorded game."""
    planned, record = finished.game, finished.record
    return PastGame(
        id=planned.number,
        number=planned.number,
        pair=" - ".join(sorted(entrant.name for entrant in planned.entrants)),
        leg=planned.leg,
        kind=planned.conditions.kind,
        attempt=planned.attempt,
        game=planned.game,
        clock=planned.conditions.clock,
        seed=planned.seed,
        opening=" ".join(planned.opening) or None,
        status="void" if record.verdict == Verdict.VOID else "finished",
        verdict=record.verdict,
        fault=record.fault,
        detail=record.detail,
        plies=len(record.moves),
        started=instant(finished.started),
        finished=instant(finished.finished),
        lag=record.lag,
        seats=tuple(
            PastSeat(seat=seat.seat, player=seat.player, **{name: getattr(seat, name) for name in SEAT_RESULT})
            for seat in record.seats
        ),
        moves=record.moves,
    )


def heading(game: PastGame) -> dict[str, Any]:
    """The fields of the game for a listing."""
    counted = {
        "status": game.status_shown,
        "points": finite(game.counted),
        "utilities": finite(game.utilities),
        "ruling": None if game.ruling is None else ruled(game.ruling),
    }
    return {name: counted[name] if name in counted else getattr(game, name) for name in LISTED}


def whole(game: PastGame) -> dict[str, Any]:
    """The whole game, with its seats and moves."""
    return {
        **heading(game),
        "detail": game.detail,
        "host": game.host,
        "seats": [seat(one) for one in game.seats],
        "moves": [move(one) for one in game.moves],
    }


def seat(seat: PastSeat) -> dict[str, Any]:
    """The player in a seat, and the resources used."""
    return {
        "seat": seat.seat,
        "player": seat.player,
        "version": seat.version,
        "spent": milliseconds(seat.spent),
        "longest": milliseconds(seat.longest),
        "cpu": milliseconds(seat.cpu),
        "memory": seat.memory,
        "stderr": seat.stderr,
    }


def move(move: MoveRecord) -> dict[str, Any]:
    """One ply; `marks` only if there are any."""
    document = {
        "ply": move.ply,
        "who": move.who,
        "move": move.move,
        "spent": milliseconds(move.spent),
        "left": milliseconds(move.left),
        "cpu": milliseconds(move.cpu),
        "delay": milliseconds(move.delay),
        "lag": milliseconds(move.lag),
        "score": move.score if move.score is None or isfinite(move.score) else None,
        "depth": move.depth,
        "nodes": move.nodes,
        "line": move.line,
        "text": move.text,
    }
    return document | {"marks": move.marks} if move.marks else document


def ruled(ruling: PastRuling) -> dict[str, Any]:
    """A ruling about a game."""
    document = {"what": ruling.what, "seat": ruling.seat, "reason": ruling.reason, "when": ruling.when, "id": ruling.id}
    return document if ruling.revokes is None else document | {"revokes": ruling.revokes}


def milliseconds(time: int | None) -> int | None:
    """Nanoseconds as whole milliseconds."""
    return None if time is None else time // MILLISECOND


def finite(numbers: Iterable[float] | None) -> list[float | None] | None:
    """`numbers`, with None for those that JSON cannot represent."""
    return None if numbers is None else [number if isfinite(number) else None for number in numbers]
