"""Recorded moves as people write them: in chess e4, where the record has e2e4.

Only terminals and pages show these forms; JSON, CSV and the database keep the stored texts. A text that is not a legal
move stays as it is, so a mistake in a record or in what an agent reported cannot hide the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from adsearch import State
from db.records import JudgedPly, MoveRecord, PastGame


def texts(state: State[Any] | None, line: Iterable[str]) -> list[str]:
    """The moves of `line`, played one after the other from `state`."""
    line, found = list(line), list[str]()
    if state is None or type(state).shown is State.shown:
        return line
    try:
        for text in line:
            move = state.from_text(text)
            found.append(state.shown(move))
            state = state.play(move)
    except Exception:  # not a legal move, or rules of a user, which may raise anything
        found += line[len(found) :]
    return found


def game(recorded: PastGame, states: Sequence[State[Any] | None]) -> PastGame:
    """The game with its opening, moves and analysis in this form; `states`: its positions, None if missing."""
    if not states or states[0] is None or type(states[0]).shown is State.shown:
        return recorded
    moves = tuple(_move(state, move) for state, move in zip(states, recorded.moves, strict=False))
    plies = tuple(judged(states[ply.ply - 1], ply) for ply in recorded.analysis)
    opening = recorded.opening and " ".join(texts(states[0], recorded.opening.split()))
    return replace(recorded, opening=opening, moves=moves, analysis=plies)


def judged(state: State[Any] | None, ply: JudgedPly) -> JudgedPly:
    """The judgement of a move that was made at `state`."""
    move, *answer = texts(state, [ply.move, *ply.answer])
    return replace(ply, move=move, better=tuple(texts(state, ply.better)), answer=tuple(answer))


def _move(state: State[Any] | None, move: MoveRecord) -> MoveRecord:
    line = None if move.line is None else " ".join(texts(state, move.line.split()))
    return replace(move, move=texts(state, [move.move])[0], line=line)
