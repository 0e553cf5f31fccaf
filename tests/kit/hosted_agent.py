"""Hosts an agent in this process, as our kit does in a confined one, and returns the verdict and log it would get.

Fast enough for hundreds of broken files. What depends on walls or time needs a real process.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from unittest import mock

import msgspec

from adsearch import games
from agents import hosting, loading, streams
from agents.errors import AgentsError
from agents.protocol import ClockInfo, Move, Start, Turn, Verdict
from agents.strict import MISTAKE, Mistake, StrictPlayer
from arena.student.checking.explanations import Failure

STORED = "ab" * 32
"""The name of a folder in a store of submissions."""


def failure_of(spec: str, rules: str = "tictactoe") -> Failure | None:
    """How the agent that `spec` names fails when asked for its first move; None if it does not."""
    modules, path, log = set(sys.modules), list(sys.path), io.StringIO()
    try:
        with (
            contextlib.redirect_stderr(log),
            contextlib.redirect_stdout(log),
            mock.patch.object(sys, "stdin", streams.NoKeyboard()),
            mock.patch.object(sys, "breakpointhook", streams._no_keyboard),
        ):
            ended = _played(spec, rules)
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            if STORED in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]
    if ended is None:
        return None
    verdict, detail, asked = ended
    stderr = log.getvalue()
    if verdict is Verdict.CRASHED:
        last = [line for line in stderr.splitlines() if line.strip()][-1:]
        detail = f"{detail}: {last[0].strip()[:200]}" if last else detail
    return Failure(verdict, detail, stderr, asked=asked)


def _played(spec: str, rules: str) -> tuple[Verdict, str, bool] | None:
    asked = False
    try:
        player = StrictPlayer(loading.find(spec), report=_log)
        state = games.start(rules)
        clock = ClockInfo("none", None)
        player.answer(Start(1, rules, 0, ("it", "other"), clock, 7, state.position()), 0)
        asked = True
        answer = player.answer(Turn(1, "00000000", 1, (), None, None), 0)
    except AgentsError as error:
        if error.__cause__ is not None:
            hosting.show(error.__cause__)
        print(f"agents: {error}", file=sys.stderr)
        return Verdict.CRASHED, "exited with code 2", asked
    except BaseException as error:
        hosting.show(error)
        return Verdict.CRASHED, "exited with code 1", asked
    if isinstance(answer, Move):
        try:
            state.from_text(answer.move)
        except ValueError as error:
            return Verdict.ILLEGAL, str(error), asked
    return None


def _log(mistake: Mistake) -> None:
    print(MISTAKE + msgspec.json.encode(mistake).decode(), file=sys.stderr)


def stored(folder: Path) -> Path:
    """A folder in `folder` that looks like a submission in a store."""
    path = folder / STORED
    path.mkdir(parents=True, exist_ok=True)
    return path
