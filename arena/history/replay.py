"""A game on record step by step: each position, both clocks, and what an agent printed before each of its moves.

It is made of the record and the rules alone, for terminals and pages alike. What is not known is not guessed: where
the beginning of a log was not kept, nothing of it is placed at a move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final

from adsearch import State
from agents.streams import Log
from arena.errors import BadClock, UntrustedCode
from arena.history import recorded_rules
from arena.match.clock import Clock, TimeControl
from db.records import MoveRecord, PastGame

_MOST_KEPT: Final = (Log.KEPT, 60 * 1024)
"""Bytes of a log that hosts keep: for a player of ours, and for one behind walls."""


@dataclass(frozen=True, slots=True)
class Step:
    """A position, and how it came about."""

    number: int
    """How many plies have been played; 0 is the beginning."""
    move: MoveRecord | None
    """The ply that led here; None at the beginning."""
    state: State[Any] | None
    """None where the rules cannot tell it."""
    last: Any
    """The move that led here, as the game has it."""
    left: tuple[int | None, ...]
    """What each seat's clock shows; None without a clock."""
    printed: str = ""
    """What the player of the ply wrote to its log since its move before."""


class Where(StrEnum):
    """When an agent printed what stands at none of its moves."""

    AFTER = "after its last move"
    WITHOUT = "without a move"
    UNKNOWN = "at which moves is not on record"
    CUT = "at which moves is not known, for the beginning was not kept"


@dataclass(frozen=True, slots=True)
class Leftover:
    """What of a seat's log stands at none of its moves."""

    text: str
    where: Where


@dataclass(frozen=True, slots=True)
class Replay:
    """A whole game, to be gone through."""

    steps: tuple[Step, ...]
    """The beginning, and one for each ply."""
    trouble: str
    """Why there are no positions, or none from some ply on; empty where all is well."""
    untrusted: bool
    """Whether that is because the rules are code that was not trusted."""
    leftovers: tuple[Leftover, ...]
    """Of each seat."""


def replay(game: PastGame, *, trust: bool = False) -> Replay:
    """The game, gone through by its rules as far as they are here. `trust`: also by others' rules."""
    logs = [placed(seat.stderr or "", _logged(game, seat.seat)) for seat in game.seats]
    printed = {seat.seat: iter(parts) for seat, (parts, _) in zip(game.seats, logs, strict=True)}
    states, trouble, untrusted = _positions(game, trust)
    left = [_at_first(game)] * len(game.seats)
    steps = [Step(0, None, *states[0], tuple(left))]
    for number, (move, (state, last)) in enumerate(zip(game.moves, states[1:], strict=True), start=1):
        said = ""
        if isinstance(move.who, int):
            left[move.who] = move.left
            said = next(printed[move.who])
        steps.append(Step(number, move, state, last, tuple(left), said))
    return Replay(tuple(steps), trouble, untrusted, tuple(leftover for _, leftover in logs))


def placed(log: str, written: Sequence[int | None]) -> tuple[list[str], Leftover]:
    """What of `log`, the end of what an agent wrote, it wrote before each of its moves, and what is left over.

    `written`: how many bytes it had written in all when it made each of its moves; None where that is not known.
    """
    nowhere = [""] * len(written)
    # What was no UTF-8 was a byte each.
    data = log.replace("\N{REPLACEMENT CHARACTER}", "?").encode("utf-8", "replace")
    ends = [0, *(end for end in written if end is not None)]
    if len(ends) <= len(written) or any(end < begin for begin, end in pairwise(ends)):
        return nowhere, Leftover(log, Where.UNKNOWN)
    if len(data) < ends[-1] or any(most - 3 <= len(data) <= most for most in _MOST_KEPT):
        return nowhere, Leftover(log, Where.CUT)
    parts = [data[begin:end].decode("utf-8", "replace") for begin, end in pairwise(ends)]
    rest = data[ends[-1] :].decode("utf-8", "replace")
    return parts, Leftover(rest, Where.AFTER if written else Where.WITHOUT)


def positions(game: PastGame, *, trust: bool = False) -> Iterator[State[Any]]:
    """The positions of the game, the first one included. An AdsearchError where it cannot be played by these rules,
    UntrustedCode where they must not be run."""
    for state, _ in _played(game, trust):
        yield state


def _played(game: PastGame, trust: bool) -> Iterator[tuple[State[Any], Any]]:
    """Each position with the move that led to it."""
    state = recorded_rules.start(game, trust=trust)
    yield state, None
    for record in game.moves:
        move = state.from_text(record.move)
        state = state.play(move)
        yield state, move


def _positions(game: PastGame, trust: bool) -> tuple[list[tuple[State[Any] | None, Any]], str, bool]:
    """Each position that the rules can tell, what is wrong where they cannot, and whether they were not trusted."""
    found: list[tuple[State[Any] | None, Any]] = []
    trouble, untrusted = "", False
    try:
        found.extend(_played(game, trust))
    except UntrustedCode as error:
        trouble, untrusted = str(error), True
    except Exception as error:  # a game of somebody's own may fail with anything
        trouble = str(error) or type(error).__name__
    return found + [(None, None)] * (len(game.moves) + 1 - len(found)), trouble, untrusted


def _logged(game: PastGame, seat: int) -> list[int | None]:
    return [move.log for move in game.moves if move.who == seat]


def _at_first(game: PastGame) -> int | None:
    """What the clocks show before the game."""
    try:
        return Clock(TimeControl.parse(game.clock), 1).left(0)
    except BadClock:
        return None
