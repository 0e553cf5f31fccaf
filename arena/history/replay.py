"""The replay of a recorded game: each position, the clocks, and what an agent printed before each of its moves.

It is computed from the recorded game and the rules, for terminals and pages. Nothing is guessed: if the start of a log
was not kept, no part of the log is shown at a move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final

from adsearch import State
from adsearch.pictures import boards
from agents.streams import Log
from arena.errors import UntrustedCode
from arena.history import recorded_rules, words
from arena.match.clock import at_first
from db.records import JudgedPly, MoveRecord, PastGame

_MOST_KEPT: Final = (Log.KEPT, 60 * 1024)
"""Bytes of a log that hosts keep: for a built-in player, and for a confined one."""


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """A position, and the ply that led to it."""

    number: int
    """Number of plies before this position."""
    move: MoveRecord | None
    """The ply that led here, its move as people write it; None at the start."""
    state: State[Any] | None
    """None if the rules cannot be loaded, or failed."""
    last: Any
    """What the board marks as last, as a value of the game."""
    left: tuple[int | None, ...]
    """The time on each seat's clock; None without a clock."""
    printed: str = ""
    """What the player of the ply wrote to its log since its move before."""
    judged: JudgedPly | None = None
    """The judgement of the ply; None if the game was not analysed."""
    passes: bool = False
    """Whether it is a tile or a card that is dealt before another one: who goes through the game need not stop here."""


class Where(StrEnum):
    """When an agent printed text that is not shown at a move: completes the heading "alice printed ..."."""

    AFTER = "after its last move"
    WITHOUT = "without making a move"
    UNKNOWN = "at moves that were not recorded"
    CUT = "at unknown moves, because the start of its log was not kept"


@dataclass(frozen=True, slots=True)
class Leftover:
    """The part of a seat's log that is not shown at a move."""

    text: str
    where: Where


@dataclass(frozen=True, slots=True)
class Replay:
    """A whole game, step by step."""

    game: PastGame
    """The game, with its moves as people write them."""
    steps: tuple[ReplayStep, ...]
    """The first position, and one step for each ply."""
    trouble: str
    """Why there are no positions, or none from some ply on; empty if there are all."""
    untrusted: bool
    """Whether positions are missing because the rules are untrusted code."""
    leftovers: tuple[Leftover, ...]
    """For each seat."""


def replay(game: PastGame, *, trust: bool = False) -> Replay:
    """The replay of the game, with positions if its rules are available. `trust`: run the rules of other people too."""
    logs = [
        placed(seat.stderr or "", [move.log for move in game.moves if move.who == seat.seat]) for seat in game.seats
    ]
    printed = {seat.seat: iter(parts) for seat, (parts, _) in zip(game.seats, logs, strict=True)}
    states, trouble, untrusted = _positions(game, trust)
    game = words.with_shown_moves(game, [state for state, _ in states])
    left = [at_first(clock) for clock in game.clocks]
    judged = {ply.ply: ply for ply in game.analysis}
    steps = [ReplayStep(0, None, *states[0], tuple(left))]
    for number, (move, (state, last)) in enumerate(zip(game.moves, states[1:], strict=True), start=1):
        said = ""
        if isinstance(move.who, int):
            left[move.who] = move.left
            said = next(printed[move.who])
        before_chance = number < len(game.moves) and game.moves[number].who == "chance"
        passes = move.who == "chance" and before_chance and state is not None and state.hidden
        steps.append(ReplayStep(number, move, state, last, tuple(left), said, judged.get(number), passes))
    return Replay(game, tuple(steps), trouble, untrusted, tuple(leftover for _, leftover in logs))


def played_on(state: State[Any] | None, line: Sequence[str]) -> list[tuple[State[Any], Any]]:
    """The positions after the moves of a line that begins at `state`, each with its move, up to a move that the rules
    do not play."""
    found: list[tuple[State[Any], Any]] = []
    if state is None:
        return found
    with suppress(Exception):  # a user-supplied game may raise anything
        for text in line:
            move = state.from_text(text)
            state = state.play(move)
            found.append((state, move))
    return found


def placed(log: str, written: Sequence[int | None]) -> tuple[list[str], Leftover]:
    """Splits `log`, the last part of an agent's output, into the parts that it wrote before each of its moves, and the
    rest.

    `written`: for each of its moves, the total number of bytes that it had written by then; None if not known.
    """
    nowhere = [""] * len(written)
    # Each replacement character was one byte that was not UTF-8.
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
    """The positions of the game, including the first one. AdsearchError if the rules do not allow its moves,
    UntrustedCode if the rules must not be run."""
    for state, _ in _played(game, trust):
        yield state


def _played(game: PastGame, trust: bool) -> Iterator[tuple[State[Any], Any]]:
    """Each position with what its board marks as last."""
    state = recorded_rules.start(game, trust=trust)
    last = None
    yield state, last
    for record in game.moves:
        move = state.from_text(record.move)
        state = state.play(move)
        last = boards.last_mark(state, record.who, move, last)
        yield state, last


def _positions(game: PastGame, trust: bool) -> tuple[list[tuple[State[Any] | None, Any]], str, bool]:
    """Each position (None where it is missing), the reason if any is missing, and whether the rules are untrusted."""
    found: list[tuple[State[Any] | None, Any]] = []
    trouble, untrusted = "", False
    try:
        found.extend(_played(game, trust))
    except UntrustedCode as error:
        trouble, untrusted = str(error), True
    except Exception as error:  # a user-supplied game may raise anything
        trouble = str(error) or type(error).__name__
    return found + [(None, None)] * (len(game.moves) + 1 - len(found)), trouble, untrusted
