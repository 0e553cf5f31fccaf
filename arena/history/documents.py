"""Games as JSON documents; all commands that play, list, show or export games use them.

Values in, values out. Durations are whole milliseconds, times are UTC in ISO 8601. Values that are not known, and
numbers that are not finite, are null. Points include the rulings, which are also listed.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple

from agents.protocol import Verdict
from arena.match.clock import MILLISECOND
from arena.match.schedule import Finished
from db.records import MILLISECONDS, MoveRecord, PastGame, PastRuling, PastSeat, instant


def past(finished: Finished) -> PastGame:
    """A game that was just played, in the form of a recorded game."""
    planned, record = finished.game, finished.record
    return PastGame(
        **planned.recorded,
        id=planned.number,
        number=planned.number,
        pair=" - ".join(sorted(entrant.name for entrant in planned.entrants)),
        game=planned.game,
        status="void" if record.verdict == Verdict.VOID else "finished",
        verdict=record.verdict,
        fault=record.fault,
        detail=record.detail,
        plies=len(record.moves),
        started=instant(finished.started),
        finished=instant(finished.finished),
        lag=record.lag,
        seats=tuple([PastSeat(*astuple(seat)) for seat in record.seats]),
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
        "seats": [_document(one, SEAT) for one in game.seats],
        "moves": [move(one) for one in game.moves],
    }


def move(move: MoveRecord) -> dict[str, Any]:
    """One ply; `marks` only if there are any."""
    document = _document(move, MOVE)
    if move.score is not None and not isfinite(move.score):
        document["score"] = None
    return document | {"marks": move.marks} if move.marks else document


def ruled(ruling: PastRuling) -> dict[str, Any]:
    """A ruling about a game."""
    document = {"what": ruling.what, "seat": ruling.seat, "reason": ruling.reason, "when": ruling.when, "id": ruling.id}
    return document if ruling.revokes is None else document | {"revokes": ruling.revokes}


def _document(record: Struct, names: Iterable[str]) -> dict[str, Any]:
    """These fields of the record, durations in whole milliseconds."""
    document = {name: getattr(record, name) for name in names}
    for name, value in document.items():
        if name in MILLISECONDS and value is not None:
            document[name] = value // MILLISECOND
    return document


def finite(numbers: Iterable[float] | None) -> list[float | None] | None:
    """`numbers`, with None for those that JSON cannot represent."""
    return None if numbers is None else [number if isfinite(number) else None for number in numbers]


# The names of a game's fields in listings, JSON and files; all of these use the same lists.


LISTED: Final = (
    *("id", "tournament", "round", "number", "attempt", "game", "players", "opening", "clock", "seed", "status"),
    *("points", "utilities", "verdict", "fault", "plies", "started", "finished", "ruling", "kind", "position"),
)
"""The fields in a listing, in JSON and in CSV."""
TEXTS: Final = (
    *("tournament", "game", "pair", "clock", "opening", "status", "verdict", "detail", "started", "finished"),
    *("kind", "position"),
)
"""The fields that are strings in files."""
NUMBERS: Final = ("round", "number", "attempt", "leg", "seed", "fault", "plies")
"""The fields that are whole numbers in files."""
SEAT: Final = ("seat", "player", "version", "spent", "longest", "cpu", "memory", "stderr", "clock", "adsearch")
"""The fields of a seat in the JSON of a game."""
MOVE: Final = ("ply", "who", "move", "spent", "left", "cpu", "delay", "lag", "score", "depth", "nodes", "line", "text")
"""The fields of a ply in the JSON of a game."""
SHOWN: Final = ("ply", "who", "player", "move", "spent", "left", "score", "depth", "nodes", "line", "text", "marks")
"""The columns of the plies of a game in CSV."""
BEFORE_PLAYERS: Final = ("id", "tournament", "number", "attempt", "pair", "leg", "game", "round")
AFTER_PLAYERS: Final = (
    *("result", "counts", "utilities", "versions", "outdated", "anchors", "opening", "clock", "seed"),
    *("status", "verdict", "fault", "plies", "started", "finished"),
    *("detail", "ruling", "ruling_seat", "ruling_reason", "ruling_when", "movers", "moves", "kind", "position"),
)
"""The columns of a CSV file of games, before and after those of the players."""
