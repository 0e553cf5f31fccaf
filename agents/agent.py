"""Agent, the base class that a student extends, and Clock, which an agent is given for each move.

One object plays one game: in its own process, or with `practice` in the caller's process. An agent sees no messages:
its host (`player.py`) passes it the state and the clock, and sends its move to the referee.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from math import inf
from random import Random
from typing import Any, Final, Self

from adsearch import State


class Resign(Exception):
    """Raised in `choose` to resign the game."""


WITHOUT_CLOCK: Final = 1.0
"""The budget of a move in a game without a clock, in seconds: an agent that uses its budget takes no minute a move."""


class Clock:
    """An agent's time for one move, in seconds. In a game without a clock, `left` is infinite, and `budget` is 1."""

    __slots__ = ("_now", "_since", "budget", "left", "stopped")

    def __init__(
        self,
        left: float = inf,
        budget: float = WITHOUT_CLOCK,
        *,
        now: Callable[[], float] = time.monotonic,
        since: float | None = None,
    ) -> None:
        """`since` is the time at which the turn started, as `now` measures it (default: the current time)."""
        # The time that the agent had at the start of its turn: for the rest of the game, or of the period, or for this
        # move, as the time control says.
        self.left = left
        # The time that the referee suggests for this move; at most `left`.
        self.budget = budget
        # Whether the move is wanted at once, before the time is over. Only `arena engine` sets it.
        self.stopped = False
        self._now = now
        self._since = now() if since is None else since

    def elapsed(self) -> float:
        """Time since the turn started."""
        return self._now() - self._since

    def remaining(self) -> float:
        """Time left now: `left` minus `elapsed()`, never below 0."""
        return max(0.0, self.left - self.elapsed())


class Agent:
    """A player. A subclass must define `choose`; the other methods are optional."""

    name: str = ""
    """The agent's name in this game."""
    seat: int = 0
    """The agent's seat in this game; seat 0 moves first."""
    random: Random
    """Random numbers, seeded by the referee for each game. An agent that uses no others plays the same game again."""

    _reported: dict[str, Any]

    def __new__(cls, *_: Any, **__: Any) -> Self:
        # Not in __init__, because a subclass can define __init__ without calling super().__init__().
        agent = super().__new__(cls)
        agent.random = Random(0)
        agent._reported = {}
        return agent

    def begin(self, state: State[Any], seat: int) -> None:
        """Called once before the first move, with the start position as this seat sees it. Its time is not on the
        clock."""

    def choose(self, state: State[Any], clock: Clock) -> Any:
        """Return the move to play, one of `state.moves()`. Any other value loses the game; `raise Resign` resigns."""
        raise NotImplementedError(f"{type(self).__name__} must define choose(self, state, clock)")

    def end(self, utilities: tuple[float, ...] | None, verdict: str) -> None:
        """Called once after the game, with the utility of each seat (None if not known) and the reason it ended."""

    def tell(
        self,
        *,
        depth: int | None = None,
        score: float | None = None,
        nodes: int | None = None,
        line: str | Iterable[Any] | None = None,
        text: str | None = None,
        marks: Mapping[str, str | float] | None = None,
    ) -> None:
        """Report the search behind the move that `choose` is about to return; it is recorded and shown with the move.

        `score` is from the view of the agent's own seat; `line` is the expected continuation (principal variation), as
        moves or texts. `marks` are drawn on the board of a replay: for the name of a cell, such as "e4", one of "good",
        "bad", "best", "danger" and "note", or a number from -1 (bad) to 1 (good); at most 64 cells. A later call in the
        same turn replaces the values of an earlier one. This method never raises: values that cannot be shown are left
        out, and long texts are cut."""
        report = {"depth": depth, "score": score, "nodes": nodes, "line": line, "text": text, "marks": marks}
        self._reported.update({what: value for what, value in report.items() if value is not None})
