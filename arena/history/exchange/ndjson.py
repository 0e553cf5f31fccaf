"""Games as NDJSON: one line per game, the document of `arena replay --show --format json` with all other recorded
fields.

Durations are written twice: in whole milliseconds as everywhere, and in nanoseconds (names that end in _ns), which an
import reads. No recorded field is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final, TypeVar

import msgspec
from msgspec import NODEFAULT, Struct, defstruct

from arena.history import documents
from arena.history.exchange.checks import refuse
from arena.match.clock import MILLISECOND
from db.records import MILLISECONDS, Integer64, MoveRecord, PastGame, PastRuling, PastSeat

_Value = TypeVar("_Value", bound=Struct)
_ROUNDED: Final = ("cpu", "delay", "lag")
"""Durations of moves and games that are only read in nanoseconds."""


@cache
def _times(kind: type[Struct]) -> list[str]:
    return [name for name in kind.__struct_fields__ if name in MILLISECONDS]


def _in_a_line(kind: type[Struct], *more: tuple[str, Any, Any]) -> Any:
    """The record as it is in a line, with its durations in nanoseconds too."""
    exact = [(f"{name}_ns", Integer64 | None, None) for name in _times(kind)]
    return defstruct(f"_{kind.__name__}", [*exact, *more], bases=(kind,), frozen=True, kw_only=True)


_Ruling: Any = _in_a_line(PastRuling, ("seat", Integer64 | None, None))
_Seat: Any = _in_a_line(PastSeat)
_Move: Any = _in_a_line(MoveRecord, *[(name, Any, None) for name in _ROUNDED])
_Game: Any = _in_a_line(
    PastGame,
    ("id", Any, 0),  # an import gives a new one
    ("lag", Any, None),
    ("seats", tuple[_Seat, ...], NODEFAULT),
    ("moves", tuple[_Move, ...], ()),
    ("rulings", tuple[_Ruling, ...], ()),
)
_DECODER: Final = msgspec.json.Decoder(_Game)


def line(game: PastGame) -> str:
    """The line of one game."""
    document = documents.whole(game) | {
        "status": game.status,
        "pair": game.pair,
        "leg": game.leg,
        **_exact(game),
        "counts": game.counts,
        "rulings": [documents.ruled(ruling) for ruling in game.rulings],
    }
    for written, seat in zip(document["seats"], game.seats, strict=True):
        written |= {"points": seat.points, "utility": seat.utility, "current": seat.current, "anchor": seat.anchor}
        written |= _exact(seat)
    for written, move in zip(document["moves"], game.moves, strict=True):
        written |= {**_exact(move), "log": move.log}
    return json.dumps(document, allow_nan=False) + "\n"


def _exact(record: Struct) -> dict[str, Any]:
    return {f"{name}_ns": getattr(record, name) for name in _times(type(record))}


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


def _game(found: Any) -> PastGame:
    seats = tuple([_as(PastSeat, seat) for seat in found.seats])
    moves = tuple([_as(MoveRecord, move, _ROUNDED) for move in found.moves])
    rulings = tuple([_as(PastRuling, ruling) for ruling in found.rulings])
    return _as(PastGame, found, _ROUNDED, id=0, seats=seats, moves=moves, rulings=rulings)


def _as(kind: type[_Value], found: Any, unread: Sequence[str] = (), **changed: Any) -> _Value:
    """The parsed value as a `kind`, with these fields changed. Durations are read in nanoseconds, or if these are
    missing in milliseconds, except those in `unread`."""
    fields = {name: getattr(found, name) for name in kind.__struct_fields__}
    for name in _times(kind):
        exact = getattr(found, f"{name}_ns")
        if exact is not None or name in unread:
            fields[name] = exact
        elif fields[name] is not None:
            fields[name] *= MILLISECOND
    return kind(**fields | changed)
