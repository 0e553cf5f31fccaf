"""Games as JSON documents; all commands that play, list, show or export games use them.

Values in, values out. Durations are whole milliseconds, times are UTC in ISO 8601. Values that are not known, and
numbers that are not finite, are null. Points include the rulings, which are also listed.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, isfinite
from typing import Any, Final

from msgspec import Struct

from agents.protocol import Verdict
from arena.history.fields import LISTED
from arena.match.clock import MILLISECOND
from arena.match.schedule import Finished
from db.records import SEAT_RESULT, MoveRecord, PastGame, PastRuling, PastSeat, instant

_OF_SEATS: Final = ("seat", "player", "version", "spent", "longest", "cpu", "memory", "stderr")
_OF_MOVES: Final = (
    *("ply", "who", "move", "spent", "left", "cpu", "delay", "lag", "score", "depth", "nodes", "line", "text"),
)
_TIMES: Final = frozenset(("spent", "longest", "left", "cpu", "delay", "lag"))


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
    return _fields(seat, _OF_SEATS)


def move(move: MoveRecord) -> dict[str, Any]:
    """One ply; `marks` only if there are any."""
    return _fields(move, _OF_MOVES) | ({"marks": move.marks} if move.marks else {})


def _fields(record: Struct, names: Iterable[str]) -> dict[str, Any]:
    """These fields, with times in whole milliseconds, and None for numbers that JSON cannot represent."""
    values = {name: getattr(record, name) for name in names}
    times = {name: values[name] // MILLISECOND for name in _TIMES & values.keys() if values[name] is not None}
    return {name: None if value in (inf, -inf) or value != value else value for name, value in (values | times).items()}


def ruled(ruling: PastRuling) -> dict[str, Any]:
    """A ruling about a game."""
    document = {"what": ruling.what, "seat": ruling.seat, "reason": ruling.reason, "when": ruling.when, "id": ruling.id}
    return document if ruling.revokes is None else document | {"revokes": ruling.revokes}


def finite(numbers: Iterable[float] | None) -> list[float | None] | None:
    """`numbers`, with None for those that JSON cannot represent."""
    return None if numbers is None else [number if isfinite(number) else None for number in numbers]
