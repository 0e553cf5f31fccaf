"""Thinker: what all built-in agents that search have in common: options, the time for a move, and what they report.

A built-in is a subclass that says which search to call. Whatever the clock shows, it plans for less than what is left;
without a clock it counts nodes instead of seconds, so that the same seed gives the same game.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from random import Random
from typing import Any, ClassVar, Final, TypedDict, cast

from adsearch import Budget, Result, State, terms
from adsearch.errors import BadSearch
from agents.agent import Agent, Clock
from agents.errors import BadAgent

NODES: Final = 30_000
"""Positions that are looked at for a move where there is neither clock nor limit: about 0.2 s."""
TABLE_SIZE: Final = 400_000
"""Entries of the table that a built-in keeps for a game: at most some 120 MB."""

_RESERVE: Final = 0.005
"""Seconds that are never planned for."""
_LEAST: Final = 32
"""Nodes that are looked at even when there is no time."""


class Limits(TypedDict, total=False):
    """How much a built-in thinks about a move: options that all of them take."""

    depth: int | None
    seconds: float | None
    nodes: int | None
    share: float
    shuffle: bool
    seed: int | None


class Thinker(Agent):
    """An agent that searches: the base of the built-in ones."""

    kinds: ClassVar[tuple[str, ...]] = ()
    """What it can play besides games for one, or for two with opposed interests: "chance", "several", "hidden"."""

    def __init__(
        self,
        *,
        depth: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        share: float = 0.9,
        shuffle: bool = False,
        seed: int | None = None,
    ) -> None:
        check("depth", depth, 1, terms.DEEPEST)
        check("seconds", seconds, 0.001, 86400)
        check("nodes", nodes, 1)
        check("share", share, 0.01, 1)
        self.depth = depth
        self.seconds = seconds
        self.nodes = nodes
        self.share = share
        self.shuffle = shuffle
        self.seed = seed
        # Seconds by which turns have lately taken longer than planned.
        self.late = 0.0

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        """The search: as deep as `depth` and as long as `budget`; at least one of them is given."""
        raise NotImplementedError

    def begin(self, state: State[Any], seat: int) -> None:
        self.late = 0.0
        if self.seed is not None:
            self.random.seed(self.seed)

    def choose(self, state: State[Any], clock: Clock) -> Any:
        moves = state.moves()
        if len(moves) == 1:
            return moves[0]
        planned = self.planned(clock)
        result = self.think(shuffled(state, self.random) if self.shuffle else state, *self.limits(clock, planned))
        self.tell(depth=reached(result), score=result.value, nodes=result.nodes, line=result.line)
        self.late = max(clock.elapsed() - max(planned, 0.0), self.late / 2)
        return result.move

    def planned(self, clock: Clock) -> float:
        """How many seconds the move may take."""
        # Twice what the machine, or the last step of a search, has lately taken beyond the plan is kept back.
        safe = clock.remaining() - _RESERVE - 2 * self.late
        return min(clock.budget * self.share, safe, inf if self.seconds is None else self.seconds)

    def limits(self, clock: Clock, planned: float) -> tuple[int | None, Budget | None]:
        """The depth and the budget of the search."""
        nodes = self.nodes
        if planned <= 0:
            nodes = min(_LEAST, nodes or _LEAST)
        elif planned < inf:
            return self.depth, Budget(nodes=nodes, until=planned, clock=clock.elapsed)
        elif nodes is None and self.depth is None:
            nodes = NODES
        return self.depth, None if nodes is None else Budget(nodes=nodes)


Search = Callable[..., Result[Any]]


def deepened(
    search: Search, state: State[Any], depth: int | None, budget: Budget | None, **options: Any
) -> Result[Any]:
    """What `search` finds, one ply deeper each time up to `depth`, as far as the budget allows: its last whole result.

    A search that is cut off where it stands has seen its first moves only."""
    if budget is None:
        return search(state, depth=depth, **options)
    result = None
    nodes = 0
    for deeper in range(1, (depth or terms.DEEPEST) + 1):
        left = budget if budget.nodes is None else Budget(max(0, budget.nodes - nodes), budget.until, budget.clock)
        found = search(state, depth=deeper, budget=left, **options)
        nodes += found.nodes
        if result is None or found.depth != 0:
            result = found
        if found.depth == 0 or found.exact:
            break
    if result is None:
        raise BadSearch(f"expected a depth of 1 or more, got {depth}")
    return result


def reached(result: Result[Any]) -> int:
    """The depth of a result; the length of its line where it looked to the end."""
    return len(result.line) if result.depth is None else result.depth


def check(name: str, value: float | None, low: float, high: float = inf) -> None:
    """BadAgent unless the value of the option is from `low` to `high`, or left open."""
    if value is not None and not low <= value <= high:
        limits = f"{low:g} or more" if high == inf else f"from {low:g} to {high:g}"
        raise BadAgent(f"{name}: expected {limits}, got {value}")


def shuffled(state: State[Any], random: Random) -> State[Any]:
    """`state` with its moves in another order, so that of equal moves another one is the first."""
    return cast("State[Any]", _Shuffled(state, random))


class _Shuffled:
    """A state that lists its moves in an order of its own; what is played from it is as ever."""

    def __init__(self, state: State[Any], random: Random) -> None:
        moves = list(state.moves())
        random.shuffle(moves)
        self._state = state
        self._moves = tuple(moves)

    def moves(self) -> tuple[Any, ...]:
        """The moves, shuffled."""
        return self._moves

    def __getattr__(self, name: str) -> Any:
        return getattr(self._state, name)
