"""What every host of an agent does with it, whether over sockets, over pipes or in `practice`.

It names and seeds an agent, takes its choice and what it reports, and shows where it failed. Nothing here trusts the
agent: these functions give an answer whatever it returns or reports.
"""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any, Final

from adsearch import State
from agents.agent import Agent

CHOICE_LENGTH: Final = 64
"""What stands for an illegal choice is no longer: the referee takes no longer move."""
_MOST_SHOWN: Final = 12
_MOST_MOVES: Final = 64
"""At most so many moves of a line are passed on."""
_MOST_LETTERS: Final = 1000
"""A text is cut here. With the line it stays under the 16 KiB that the protocol allows, whatever the letters are."""
_MOST_COUNTED: Final = 2**63 - 1
_LARGEST: Final = 1e300

_HERE = Path(__file__).parent
_OUR_CODE: Final = frozenset(str(path) for path in _HERE.glob("*.py"))


def seat(agent: Agent, name: str, number: int, seed: int) -> None:
    """The agent sits down for a game."""
    agent.name = name
    agent.seat = number
    agent.random.seed(seed)
    agent._reported = {}


def legal(choice: Any, state: State[Any]) -> Any:
    """The one of `state.moves()` that `choice` is; None where it is none of them."""
    try:
        hashed = hash(choice)
        # Equal and of equal hash: nothing passes for a move by merely claiming to be equal to everything.
        return next((move for move in state.moves() if move == choice and hash(move) == hashed), None)
    except Exception:
        return None


def described(choice: Any) -> str:
    """`choice`, which is no legal move, on one short line."""
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
    """What to write into the log of an agent that made this illegal choice."""
    moves = state.moves()
    shown = ", ".join(map(repr, moves[:_MOST_SHOWN])) + (", ..." if len(moves) > _MOST_SHOWN else "")
    return f"{described(choice)}, which is not one of state.moves(): {shown}"


def reported(agent: Agent, state: State[Any]) -> dict[str, Any]:
    """What the agent told in this turn at `state`, with the right types and sizes; it is then forgotten."""
    raw = agent._reported
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
    return info


def _texts(line: Any, state: State[Any]) -> tuple[str, ...]:
    """The moves of a line as texts, as far as they can be followed; the rest as it stands."""
    texts: list[str] = []
    position: State[Any] | None = state
    for step in islice(line, _MOST_MOVES):
        move = None if position is None else legal(step, position)
        if position is None or move is None:
            # A text of a move, or something that only the agent understands.
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
    """`text` cut to size, and such that it can be encoded."""
    return text[:most].encode("utf-8", "replace").decode("utf-8")


def show(error: BaseException) -> None:
    """Writes the traceback of `error` to the log, beginning where our code ends and the agent's begins."""
    begin = error.__traceback__
    while begin is not None and begin.tb_frame.f_code.co_filename in _OUR_CODE:
        begin = begin.tb_next
    with suppress(Exception):
        traceback.print_exception(type(error), error, begin or error.__traceback__, file=sys.stderr)
        sys.stderr.flush()
