"""One request for a move: the game as other programs send it, and its clock, which the reading thread can stop. The
main thread answers a turn; the reading thread only sets its flags. So a turn that is stopped before the main thread
begins it is answered too, as quickly as possible.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Final

from adsearch import State
from agents.agent import WITHOUT_CLOCK, Clock
from arena.match import clock as match_clock
from arena.match.clock import SECOND, TimeControl

FOREVER: Final = 1e9
"""The time for a move that has no limit, in seconds. Not infinite: then the built-in agents set a limit themselves."""
INTERRUPT: Final = signal.SIGUSR2
"""The signal that interrupts an agent that does not stop."""
_GRACE: Final = 0.5
"""How long an agent that is stopped can take to return its move, in seconds, before it is interrupted."""
_END_AFTER: Final = 1.0
"""How long an agent can delay the end of this process, in seconds."""


class TurnClock(Clock):
    """A clock whose time is over as soon as it is stopped."""

    __slots__ = ()

    def elapsed(self) -> float:
        return self.left if self.stopped else super().elapsed()

    def remaining(self) -> float:
        return 0.0 if self.stopped else super().remaining()


class Turn:
    """A request for a move, from its arrival to its answer."""

    def __init__(self, words: tuple[str, ...] = (), *, held: bool = False) -> None:
        """`held`: the answer is sent only when the turn is released."""
        self.words = words
        self.clock = TurnClock()
        self.released = threading.Event()
        if not held:
            self.released.set()
        # Limits for the built-in agents that search.
        self.depth: int | None = None
        self.nodes: int | None = None
        # Whether the answer was sent.
        self.answered = False
        self._begun = time.monotonic()
        self._thought = threading.Event()

    def allow(self, left: float, budget: float) -> None:
        """Set the time for this turn, in seconds since it arrived."""
        self.clock.left, self.clock.budget = left, budget

    def seconds(self) -> float:
        """The time since the turn arrived, also if its clock is stopped."""
        return time.monotonic() - self._begun

    def stop(self) -> None:
        """The move is wanted at once; an agent that goes on thinking is interrupted soon."""
        self._stop(_GRACE, inf)

    def leave(self) -> None:
        """This process must end: interrupt the agent soon; if that does not help, end the process."""
        self._stop(_GRACE / 5, _END_AFTER)

    def over(self) -> None:
        """The agent has returned: interrupt it no more."""
        self._thought.set()

    def _stop(self, grace: float, patience: float) -> None:
        self.clock.stopped = True
        self.released.set()
        threading.Thread(target=self._insist, args=(grace, patience), daemon=True).start()

    def _insist(self, grace: float, patience: float) -> None:
        """Interrupt the main thread again and again, because an agent can catch the exception."""
        since = time.monotonic()
        if self._thought.wait(grace):
            return
        while time.monotonic() - since < patience:
            signal.pthread_kill(threading.main_thread().ident or 0, INTERRUPT)
            if self._thought.wait(grace):
                return
        os._exit(0)


def end_process_soon() -> None:
    """This process ends in a moment, even if its agent hangs or has left threads that run on."""
    end = threading.Timer(_END_AFTER, os._exit, (0,))
    end.daemon = True
    end.start()


def suggested(control: TimeControl) -> tuple[float, float]:
    """The time left and the budget for the next move, in seconds, at the start of this time control."""
    clock = match_clock.Clock([control])
    left, budget = clock.left(0), clock.budget(0)
    return (inf, WITHOUT_CLOCK) if left is None or budget is None else (left / SECOND, budget / SECOND)


def nanoseconds(seconds: float) -> int:
    """A time of a time control: at least a millisecond, so that there is a clock."""
    return max(int(min(seconds, FOREVER) * SECOND), SECOND // 1000)


# A game as other programs send it to an engine: every message has the start position and all moves since.


class LineOfPlay:
    """A start position and the moves played from it."""

    def __init__(
        self, start: State[Any], *, rules: str, opened: Callable[[State[Any]], State[Any]] = lambda state: state
    ) -> None:
        """`rules`: the game and its options; `opened`: the state to use instead of a finished one."""
        self.rules = rules
        self._opened = opened
        self.texts: list[str] = []
        self.states = [start]

    @property
    def start(self) -> State[Any]:
        """The first position."""
        return self.states[0]

    @property
    def state(self) -> State[Any]:
        """The position after all moves."""
        return self.states[-1]

    def follow(self, texts: Sequence[str]) -> None:
        """Play `texts` from the start; BadMove, with the legal moves before it, if one is illegal."""
        same = next(
            (at for at, (old, new) in enumerate(zip(self.texts, texts, strict=False)) if old != new),
            min(len(self.texts), len(texts)),
        )
        self.undo(len(self.texts) - same)
        for text in texts[same:]:
            self.play(text)

    def play(self, text: str) -> None:
        """Play one more move; BadMove if it is illegal."""
        state = self.state
        after = state.play(state.from_text(text))
        self.states.append(self._opened(after) if after.turn is None else after)
        self.texts.append(text)

    def undo(self, count: int) -> None:
        """Take back the last `count` moves."""
        if count:
            del self.texts[-count:]
            del self.states[-count:]
