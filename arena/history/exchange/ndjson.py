"""Games as NDJSON: one line per game, the document of `arena replay --show --format json` with all other recorded
fields.

Durations are written twice: in whole milliseconds as everywhere, and in nanoseconds (names that end in _ns), which an
import reads. No recorded field is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from arena.history import documents
from arena.history.exchange.checks import refuse
from arena.match.clock import MILLISECOND
from db.records import Integer64, MoveRecord, PastGame, PastRuling, PastSeat

_Value = TypeVar("_Value", bound=Struct)
_SEAT_TIMES: Final = ("spent", "longest", "cpu")
_MOVE_TIMES: Final = ("spent", "left")
_EXACT_MOVE_TIMES: Final = ("cpu", "delay", "lag")
"""Durations that are only read in nanoseconds."""


class _Seat(PastSeat, frozen=True, kw_only=True):
    spent_ns: Integer64 | None = None
    longest_ns: Integer64 | None = None
    cpu_ns: Integer64 | None = None


class _Move(MoveRecord, frozen=True, kw_only=True):
    cpu: Any = None
    delay: Any = None
    lag: Any = None
    """Imports ignore these three, because they are rounded; the fields in nanoseconds are read."""
    spent_ns: Integer64 | None = None
    left_ns: Integer64 | None = None
    cpu_ns: Integer64 | None = None
    delay_ns: Integer64 | None = None
    lag_ns: Integer64 | None = None


class _Ruling(PastRuling, frozen=True, kw_only=True):
    seat: Integer64 | None = None


class _Game(PastGame, frozen=True, kw_only=True):
    """A game as it is in a line."""

    id: Any = 0
    lag: Any = None
    """Imports ignore these two: the game gets a new id, and `lag_ns` is read."""
    lag_ns: Integer64 | None = None
    seats: tuple[_Seat, ...]
    moves: tuple[_Move, ...] = ()
    rulings: tuple[_Ruling, ...] = ()


def line(game: PastGame) -> str:
    """The line of one game."""
    document = documents.whole(game) | {
        "status": game.status,
        "pair": game.pair,
        "leg": game.leg,
        "lag_ns": game.lag,
        "counts": game.counts,
        "rulings": [documents.ruled(ruling) for ruling in game.rulings],
    }
    for written, seat in zip(document["seats"], game.seats, strict=True):
        written |= {"points": seat.points, "utility": seat.utility, "current": seat.current, "anchor": seat.anchor}
        written |= {f"{name}_ns": getattr(seat, name) for name in _SEAT_TIMES}
    for written, move in zip(document["moves"], game.moves, strict=True):
        written |= {f"{name}_ns": getattr(move, name) for name in (*_MOVE_TIMES, *_EXACT_MOVE_TIMES)}
        written |= {"log": move.log}
    return json.dumps(document, allow_nan=False) + "\n"


def read(text: str, name: str) -> Iterator[tuple[int, PastGame]]:
    """The games of the lines of `text`, each with its line's number."""
    # Only "\n" ends a line here, because JSON strings can contain other line separators.
    for number, written in enumerate(text.split("\n"), 1):
        if written.strip():
            try:
                found = _DECODER.decode(written)
            except (msgspec.DecodeError, UnicodeEncodeError) as error:
                refuse(name, number, f"expected a game as JSON: {error}")
            except RecursionError:
                refuse(name, number, "expected a game as JSON: its values are nested too deeply")
            yield number, _game(found)


_DECODER: Final = msgspec.json.Decoder(_Game)


def _game(found: _Game) -> PastGame:
    seats = tuple(_as(PastSeat, seat, **_times(seat, _SEAT_TIMES)) for seat in found.seats)
    moves = tuple(_as(MoveRecord, move, **_move_times(move)) for move in found.moves)
    rulings = tuple(_as(PastRuling, ruling) for ruling in found.rulings)
    return _as(PastGame, found, id=0, lag=found.lag_ns, seats=seats, moves=moves, rulings=rulings)


def _as(kind: type[_Value], found: Struct, **changed: Any) -> _Value:
    """The parsed value as a `kind`, with these fields changed."""
    return kind(**{name: getattr(found, name) for name in kind.__struct_fields__} | changed)


def _move_times(move: _Move) -> Mapping[str, Any]:
    return {**_times(move, _MOVE_TIMES), **{name: getattr(move, f"{name}_ns") for name in _EXACT_MOVE_TIMES}}


def _times(found: Struct, names: tuple[str, ...]) -> Mapping[str, Any]:
    """Durations in nanoseconds: from the fields in nanoseconds, else from milliseconds."""
    times = {}
    for name in names:
        rounded = getattr(found, name)
        exact = getattr(found, f"{name}_ns")
        times[name] = exact if exact is not None or rounded is None else rounded * MILLISECOND
    return times
