"""Games as ndjson: one line a game, the same document as `arena show --format json`, and what else is on record.

Durations are there twice: in whole milliseconds as everywhere, and in nanoseconds (names that end in _ns), which are
what an import believes. Nothing that is on record of a game is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from arena.history import documents
from arena.history.exchange.checks import MOST, refuse
from arena.match.clock import MILLISECOND
from db.records import MoveRecord, PastGame, PastRuling, PastSeat

_Whole = Annotated[int, Meta(ge=-MOST, le=MOST)]
_SEAT_TIMES: Final = ("spent", "longest", "cpu")
_MOVE_TIMES: Final = ("spent", "left", "cpu", "delay", "lag")


class _Seat(Struct, kw_only=True):
    seat: _Whole
    player: str
    version: _Whole | None = None
    current: bool = True
    points: float | None = None
    utility: float | None = None
    spent: _Whole | None = None
    longest: _Whole | None = None
    cpu: _Whole | None = None
    spent_ns: _Whole | None = None
    longest_ns: _Whole | None = None
    cpu_ns: _Whole | None = None
    memory: _Whole | None = None
    stderr: str | None = None


class _Move(Struct, kw_only=True):
    ply: _Whole
    who: _Whole | str
    move: str
    spent: _Whole | None = None
    left: _Whole | None = None
    spent_ns: _Whole | None = None
    left_ns: _Whole | None = None
    cpu_ns: _Whole | None = None
    delay_ns: _Whole | None = None
    lag_ns: _Whole | None = None
    log: _Whole | None = None
    score: float | None = None
    depth: _Whole | None = None
    nodes: _Whole | None = None
    line: str | None = None
    text: str | None = None


class _Ruling(Struct, kw_only=True):
    what: str
    seat: _Whole | None = None
    reason: str
    when: str


class _Game(Struct, kw_only=True):
    number: _Whole
    tournament: str | None = None
    round: _Whole | None = None
    attempt: _Whole = 1
    pair: str
    leg: _Whole = 0
    game: str
    clock: str = "none"
    seed: int = 0
    opening: str | None = None
    status: str = "finished"
    verdict: str | None = None
    fault: _Whole | None = None
    detail: str | None = None
    plies: _Whole | None = None
    started: str | None = None
    finished: str | None = None
    lag_ns: _Whole | None = None
    host: dict[str, Any] | None = None
    seats: list[_Seat]
    moves: list[_Move] = []
    rulings: list[_Ruling] = []


_AS_THEY_ARE: Final = (
    *("number", "tournament", "round", "attempt", "pair", "leg", "game", "clock", "seed", "opening", "status"),
    *("verdict", "fault", "detail", "plies", "started", "finished", "host"),
)


def line(game: PastGame) -> str:
    """The line of one game."""
    document = documents.whole(game) | {
        "pair": game.pair,
        "leg": game.leg,
        "lag_ns": game.lag,
        "host": game.host,
        "rulings": [documents.ruled(ruling) for ruling in game.rulings],
    }
    for told, seat in zip(document["seats"], game.seats, strict=True):
        told |= {"points": seat.points, "utility": seat.utility, "current": seat.current}
        told |= {f"{name}_ns": getattr(seat, name) for name in _SEAT_TIMES}
    for told, move in zip(document["moves"], game.moves, strict=True):
        told |= {f"{name}_ns": getattr(move, name) for name in _MOVE_TIMES} | {"log": move.log}
    return json.dumps(document, allow_nan=False) + "\n"


def read(text: str, name: str) -> Iterator[tuple[int, PastGame]]:
    """The games of the lines of `text`, each with its line's number."""
    # Only "\n" ends a line here: JSON may hold other ends of lines inside of texts.
    for number, written in enumerate(text.split("\n"), 1):
        if written.strip():
            try:
                found = _DECODER.decode(written)
            except (msgspec.DecodeError, UnicodeEncodeError) as error:
                refuse(name, number, f"expected a game as JSON: {error}")
            yield number, _game(found)


_DECODER: Final = msgspec.json.Decoder(_Game)


def _game(found: _Game) -> PastGame:
    return PastGame(
        id=0,
        lag=found.lag_ns,
        seats=tuple(_seat(seat) for seat in found.seats),
        moves=tuple(_move(move) for move in found.moves),
        rulings=tuple(PastRuling(ruling.what, ruling.seat, ruling.reason, ruling.when) for ruling in found.rulings),
        **{name: getattr(found, name) for name in _AS_THEY_ARE},
    )


def _seat(seat: _Seat) -> PastSeat:
    same = ("seat", "player", "version", "current", "points", "utility", "memory", "stderr")
    return PastSeat(**_times(seat, _SEAT_TIMES), **{name: getattr(seat, name) for name in same})


def _move(move: _Move) -> MoveRecord:
    same = ("ply", "who", "move", "log", "score", "depth", "nodes", "line", "text")
    return MoveRecord(**_times(move, _MOVE_TIMES), **{name: getattr(move, name) for name in same})


def _times(told: Struct, names: tuple[str, ...]) -> Mapping[str, Any]:
    """Durations in nanoseconds: as they are told, or from milliseconds."""
    found = {}
    for name in names:
        rounded = getattr(told, name, None)
        exact = getattr(told, f"{name}_ns")
        found[name] = exact if exact is not None or rounded is None else rounded * MILLISECOND
    return found
