"""Thinker, the base class of all built-in agents that search: their options, time management, and report.

A subclass only says which search to call. The time planned for a move is always less than the time left. Without a
clock the limit is a number of nodes instead, so that the same seed gives the same game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypedDict, cast

from adsearch import Budget, Result, State, features, terms
from adsearch.errors import BadSearch, BadSetting
from adsearch.searcher import Evaluate
from agents.agent import Agent, Clock
from agents.errors import BadAgent

if TYPE_CHECKING:
    from adsearch.games.checkers import Checkers
    from adsearch.games.checkers_endgames import Endgames

NODES: Final = 30_000
"""Limit of nodes for a move if there is neither a clock nor an option that limits the search: about 0.2 s."""
TABLE_SIZE: Final = 400_000
"""Entries of a built-in agent's transposition table: at most about 120 MB."""

_RESERVE: Final = 0.005
"""Part of the time left that is never planned for a move, in seconds."""
_LEAST: Final = 32
"""Limit of nodes when no time is left."""


class SearchLimits(TypedDict, total=False):
    """The options of all built-in agents that search: limits for a move, its evaluation, and randomness."""

    depth: int | None
    rounds: int | None
    seconds: float | None
    nodes: int | None
    share: float
    evaluate: str | None
    weights: str | None
    endgames: int | None
    shuffle: bool
    seed: int | None


@dataclass(frozen=True, slots=True)
class Weighted:
    """The options `evaluate` and `weights` of an agent; BadAgent if the weights are not written as weights."""

    evaluate: str | None
    weights: str | None

    def __post_init__(self) -> None:
        try:
            features.read_weights(self.weights or features.EXAMPLE)
        except BadSetting as error:
            raise BadAgent(f"weights: {error}") from None

    def function(self, state: State[Any]) -> Evaluate[Any] | None:
        """The evaluation function for the game of `state`; None: the game's own. BadSetting if the game does not have
        these features."""
        if self.evaluate is None and self.weights is None:
            return None
        return features.evaluation(state, only=self.evaluate, weights=self.weights)


class Thinker(Agent):
    """Base class of the built-in agents that search."""

    kinds: ClassVar[tuple[str, ...]] = ()
    """The kinds of games it can play besides deterministic games for one player or two-player zero-sum games:
    "chance", "several" (players, or not zero-sum), "hidden" (information)."""

    def __init__(
        self,
        *,
        depth: int | None = None,
        rounds: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        share: float = 0.9,
        evaluate: str | None = None,
        weights: str | None = None,
        endgames: int | None = None,
        shuffle: bool = False,
        seed: int | None = None,
    ) -> None:
        check("depth", depth, 1, terms.DEEPEST)
        check("rounds", rounds, 1, terms.DEEPEST)
        if depth is not None and rounds is not None:
            raise BadAgent("expected depth or rounds, got both")
        check("seconds", seconds, 0.001, 86400)
        check("nodes", nodes, 1)
        check("share", share, 0.01, 1)
        if endgames is not None:
            from adsearch.games.checkers_endgames import FEWEST, MOST  # here and below: few agents use tables

            check("endgames", endgames, FEWEST, MOST)
        self.depth = depth
        self.rounds = rounds
        self.seconds = seconds
        self.nodes = nodes
        self.share = share
        self.given = Weighted(evaluate, weights)
        # The evaluation function of the searches; None: the game's own.
        self.evaluate: Evaluate[Any] | None = None
        self.endgames = endgames
        # The endgame tables of the searches; None: without.
        self.tables: Endgames | None = None
        self.shuffle = shuffle
        self.seed = seed
        # Seconds by which the last turns took longer than planned; halved each turn.
        self.late = 0.0

    def think(self, state: State[Any], depth: int | None, budget: Budget | None) -> Result[Any]:
        """Search to `depth` or until `budget` is used up; at least one of them is given."""
        raise NotImplementedError

    def begin(self, state: State[Any], seat: int) -> None:
        self.late = 0.0
        self.evaluate = self.given.function(state)
        if self.endgames is not None:
            from agents.endgames import tables_for

            self.tables = tables_for(state, self.endgames)
        if self.rounds is not None:
            self.depth = min(self.rounds * state.plies_a_round, terms.DEEPEST)
        if self.seed is not None:
            self.random.seed(self.seed)

    def choose(self, state: State[Any], clock: Clock) -> Any:
        moves = state.moves()
        if len(moves) == 1:
            return moves[0]
        if self.tables is not None:
            state = self.tables.around(cast("Checkers", state))
        planned = self.planned(clock)
        result = self.think(shuffled(state, self.random) if self.shuffle else state, *self.limits(clock, planned))
        self.tell(depth=reached(result), score=result.value, nodes=result.nodes, line=result.line)
        if not clock.stopped:
            self.late = max(clock.elapsed() - max(planned, 0.0), self.late / 2)
        return result.move

    def planned(self, clock: Clock) -> float:
        """The time planned for this move, in seconds."""
        # Keep a reserve of twice the recent overrun, which comes from the machine or from a search's last step.
        safe = clock.remaining() - _RESERVE - 2 * self.late
        suggested = clock.budget * self.share if clock.left < inf else inf
        return min(suggested, safe, inf if self.seconds is None else self.seconds)

    def limits(self, clock: Clock, planned: float) -> tuple[int | None, Budget | None]:
        """The depth limit and the budget of the search."""
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
    """Iterative deepening: call `search` with depth 1, 2, ... `depth` within the budget; return the last whole result.

    A search that was cut off is not used: it has searched only some of the first moves."""
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
    """The depth of a result; if the game tree was searched completely, the length of the principal variation."""
    return len(result.line) if result.depth is None else result.depth


def check(name: str, value: float | None, low: float, high: float = inf) -> None:
    """Raise BadAgent unless the option's value is None or from `low` to `high`."""
    if value is not None and not low <= value <= high:
        limits = f"{low:g} or more" if high == inf else f"from {low:g} to {high:g}"
        raise BadAgent(f"{name}: expected {limits}, got {value}")


def shuffled(state: State[Any], random: Random) -> State[Any]:
    """`state` with its moves in random order, so that the first of several equal moves is a random one."""
    return cast("State[Any]", _Shuffled(state, random))


class _Shuffled:
    """A state whose `moves()` are shuffled; states after it are not."""

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
