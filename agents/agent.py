"""Agent: what a student subclasses, and the clock that it is shown.

One object of the class plays one game, in a process of its own or, under `practice`, in the caller's. It knows nothing
of messages: a host shows it the state and takes its move. What it tells of its thinking is never an error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from math import inf
from random import Random
from typing import Any, Self

from adsearch import State


class Resign(Exception):
    """Raised in `choose` to give the game up."""


class Clock:
    """What an agent knows of its time for one move, in seconds. Without a clock all of it is infinite."""

    __slots__ = ("_now", "_since", "budget", "left")

    def __init__(
        self,
        left: float = inf,
        budget: float = inf,
        *,
        now: Callable[[], float] = time.monotonic,
        since: float | None = None,
    ) -> None:
        """`since` is the instant on the clock `now` at which the turn began, by default this one."""
        # What the agent had for the rest of the game (or the move, or the period) when its turn began.
        self.left = left
        # A sensible share of that for this move.
        self.budget = budget
        self._now = now
        self._since = now() if since is None else since

    def elapsed(self) -> float:
        """What this turn has taken so far."""
        return self._now() - self._since

    def remaining(self) -> float:
        """What is left of `left` at this instant, never below 0."""
        return max(0.0, self.left - self.elapsed())


class Agent:
    """A player. A subclass must say which move it chooses; all else may stay as it is."""

    name: str = ""
    """What the agent is called in this game."""
    seat: int = 0
    """Where it sits: seat 0 moves first."""
    random: Random
    """Seeded by the referee for each game: an agent that draws from nothing else plays the same game again."""

    _reported: dict[str, Any]

    def __new__(cls, *_: Any, **__: Any) -> Self:
        # Not in __init__, which a subclass may replace without a call of super().
        agent = super().__new__(cls)
        agent.random = Random(0)
        agent._reported = {}
        return agent

    def begin(self, state: State[Any], seat: int) -> None:
        """Called once, with the first position as the seat may see it, before anybody moves. It is not on the clock."""

    def choose(self, state: State[Any], clock: Clock) -> Any:
        """The move to play, one of `state.moves()`; any other value loses the game. `raise Resign` gives it up."""
        raise NotImplementedError(f"{type(self).__name__} must define choose(self, state, clock)")

    def end(self, utilities: tuple[float, ...] | None, verdict: str) -> None:
        """Called once, after the game: what it was worth to each seat (None where nobody can say) and why it ended."""

    def tell(
        self,
        *,
        depth: int | None = None,
        score: float | None = None,
        nodes: int | None = None,
        line: str | Iterable[Any] | None = None,
        text: str | None = None,
    ) -> None:
        """Tells people of the thinking behind the move that `choose` is about to return.

        `score` is for the agent's own seat; `line` is how it expects the game to go on, as moves or texts. A later call
        in the same turn replaces what an earlier one said. What cannot be shown is left out, and long texts are cut."""
        report = {"depth": depth, "score": score, "nodes": nodes, "line": line, "text": text}
        self._reported.update({what: value for what, value in report.items() if value is not None})
