"""What all hosts of an agent share: over ZeroMQ, over stdio, and in `practice`.

These functions name and seed an agent, check its choice and its report, and print its traceback. They do not trust the
agent: they never raise, whatever it returns or reports.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from math import isfinite
from typing import Any, Final

from adsearch import State
from adsearch.state import how_written
from agents.agent import Agent

CHOICE_LENGTH: Final = 64
"""Longest text that describes an illegal choice, in characters: the protocol's longest move."""
_MOST_SHOWN: Final = 12
"""How many moves are listed."""
_MOST_MOVES: Final = 64
"""How many moves of a line are sent."""
_MOST_LETTERS: Final = 1000
"""Longest text that is sent, in characters. With line and marks it stays below the protocol's 16 KiB in any script."""
_MOST_COUNTED: Final = 2**63 - 1
"""The largest depth or number of nodes that is sent."""
_LARGEST: Final = 1e300
"""Scores must be smaller than this number."""

_CELL_LENGTH: Final = 16
"""Longest name of a cell that is sent, in characters."""
_MOST_MARKS: Final = 64
"""How many marks of cells are sent."""
_CELL_MARKS: Final = ("good", "bad", "best", "danger", "note")
"""The words with which a cell can be marked; a test compares these three with the protocol."""

_OUR_FOLDER: Final = os.path.dirname(__file__)


def seat(agent: Agent, name: str, number: int, seed: int) -> None:
    """Give the agent its name, seat and seed for a game."""
    agent.name = name
    agent.seat = number
    agent.random.seed(seed)
    agent._reported = {}


def legal(choice: Any, state: State[Any]) -> Any:
    """The move of `state.moves()` that equals `choice`; None if it is not legal."""
    try:
        hashed = hash(choice)
        # Compare the hash too: an object whose __eq__ always returns True must not pass as a move.
        return next((move for move in state.moves() if move == choice and hash(move) == hashed), None)
    except Exception:
        return None


def described(choice: Any) -> str:
    """The illegal `choice` as one short line, "choose returned ..."."""
    try:
        words = repr(choice)
        words = words if words.isprintable() else ascii(choice)
    except Exception:
        words = f"<{type(choice).__name__}>"
    said = "choose returned "
    most = CHOICE_LENGTH - len(said)
    words = words.encode("utf-8", "backslashreplace").decode("utf-8")
    return said + (words if len(words) <= most else f"{words[: most - 3]}...")


def complaint(choice: Any, state: State[Any]) -> str:
    """The line for the log of an agent that made this illegal choice."""
    note = f" ({written})" if (written := how_written(state)) else ""
    return f"{described(choice)}, which is not one of state.moves(): {listed(state.moves())}{note}"


def listed(moves: Sequence[Any]) -> str:
    """The first of these moves, as Python values."""
    return ", ".join(map(repr, moves[:_MOST_SHOWN])) + (", ..." if len(moves) > _MOST_SHOWN else "")


def reported(agent: Agent, state: State[Any]) -> dict[str, Any]:
    """The report that the agent made with `tell` in this turn, with correct types and sizes. Clears the report."""
    raw = agent._reported
    if not raw:
        return {}
    agent._reported = {}
    info: dict[str, Any] = {}
    for what in ("depth", "nodes"):
        with suppress(Exception):
            info[what] = min(max(int(raw[what]), 0), _MOST_COUNTED)
    with suppress(Exception):
        score = float(raw["score"])
        if isfinite(score) and abs(score) < _LARGEST:
            info["score"] = score
    if "line" in raw:
        with suppress(Exception):
            line = raw["line"]
            info["line"] = _plain(line) if isinstance(line, str) else _texts(line, state)
    if "text" in raw:
        with suppress(Exception):
            info["text"] = _plain(str(raw["text"]))
    if "marks" in raw:
        with suppress(Exception):
            info["marks"] = _marks(raw["marks"])
    return info


def _marks(marks: Any) -> dict[str, str | float]:
    """The first of these marks of cells, without those that the protocol refuses; numbers are held from -1 to 1."""
    found: dict[str, str | float] = {}
    for cell, mark in marks.items():
        if not (isinstance(cell, str) and cell.isascii() and cell.isprintable() and 1 <= len(cell) <= _CELL_LENGTH):
            continue
        if isinstance(mark, str):
            if mark in _CELL_MARKS:
                found[str(cell)] = str(mark)
        else:
            with suppress(Exception):
                heat = float(mark)
                if isfinite(heat):
                    found[str(cell)] = min(max(heat, -1.0), 1.0)
        if len(found) == _MOST_MARKS:
            break
    return found


def _texts(line: Any, state: State[Any]) -> tuple[str, ...]:
    """The moves of a line as text while they are legal from `state`; after that, each item as str."""
    texts: list[str] = []
    position: State[Any] | None = state
    for step in islice(line, _MOST_MOVES):
        move = None if position is None else legal(step, position)
        if position is None or move is None:
            # The text of a move, or any other object.
            texts.append(_plain(str(step), CHOICE_LENGTH))
            position = None if position is None else _after(position, texts[-1])
        else:
            texts.append(position.to_text(move))
            position = position.play(move)
    while sum(map(len, texts)) > _MOST_LETTERS:
        texts.pop()
    return tuple(texts)


def _after(state: State[Any], text: str) -> State[Any] | None:
    try:
        return state.play(state.from_text(text))
    except Exception:
        return None


def _plain(text: str, most: int = _MOST_LETTERS) -> str:
    """`text`, cut to `most` characters, without lone surrogates (UTF-8 cannot encode them)."""
    return text[:most].encode("utf-8", "replace").decode("utf-8")


def show(error: BaseException) -> None:
    """Print the traceback of `error` to the log, without the frames of our own code at its start."""
    import traceback  # imported here, because agents must start fast

    begin = error.__traceback__
    while begin is not None and os.path.dirname(begin.tb_frame.f_code.co_filename) == _OUR_FOLDER:
        begin = begin.tb_next
    with suppress(Exception):
        traceback.print_exception(type(error), error, begin or error.__traceback__, file=sys.stderr)
        sys.stderr.flush()
