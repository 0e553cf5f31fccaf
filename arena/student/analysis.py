"""Analysis: what each move of a game was worth by our search, which were mistakes, and what was better.

Pure: positions and moves in, judgements out, one after the other, so a caller that needs the first mistake need not
wait for the last. A move is compared with the best one at the same horizon, so no loss comes from seeing further after
it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from adsearch import CHANCE, Budget, Result, State, Table, expectiminimax, maxn, pvs, terms
from adsearch.ordering import Ordering
from agents.builtin.thinker import deepened
from db.records import MoveRecord

MISTAKE: Final = 0.10
"""A move that loses this share of the range between the least and the greatest utility is a mistake, ..."""
BLUNDER: Final = 0.25
"""... and one that loses this share is a blunder."""
_NODES: Final = 20_000
_NODES_IN_ALL: Final = 600_000
_LEAST_NODES: Final = 1_000


class Mark(StrEnum):
    """How bad a move was, as chess players write it."""

    NONE = ""
    MISTAKE = "?"
    BLUNDER = "??"
    """It lost much, or it gave a proven win or draw away."""


class PositionValue(Struct, frozen=True):
    """What a position is worth."""

    values: tuple[float, ...]
    """To every seat."""
    exact: bool
    """Whether it is proven: no estimate went into it."""
    distance: int | None = None
    """Plies to the end, where a win or a loss is proven."""
    known: bool = True
    """False where nothing is proven and the game has no estimate: then `values` mean nothing."""


class JudgedPly(Struct, frozen=True, kw_only=True):
    """One ply, judged."""

    ply: int
    who: int | str
    """The seat, "chance" or "opening"."""
    move: str
    before: PositionValue
    """With the best play from there."""
    after: PositionValue
    """The same once the ply was played, to the same horizon."""
    depth: int
    """How many plies were looked ahead; 0: the budget did not even reach one."""
    loss: float | None = None
    """What the move has cost whoever played it; None for what nobody chose, and where it cannot be told."""
    mark: Mark = Mark.NONE
    better: tuple[str, ...] = ()
    """Of a mistake: how the best play would have gone on."""


class SeatSummary(Struct, frozen=True):
    """The moves of one seat."""

    seat: int
    moves: int
    mistakes: int
    blunders: int
    loss: float | None
    """On average; None where no move could be judged."""
    luck: float | None
    """What chance gave the seat beyond what was to be expected, in all; None without chance."""


@dataclass(frozen=True, slots=True)
class AnalysisBudget:
    """How far to look from each position: a number of plies, of seconds, or of nodes."""

    depth: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def default(cls, plies: int, *, most: int = _NODES) -> AnalysisBudget:
        """The default for a game of so many plies: some seconds in all, at `most` so many nodes a ply,
        and the same judgements each time."""
        return cls(nodes=max(_LEAST_NODES, min(most, _NODES_IN_ALL // max(plies, 1))))

    def for_one_search(self) -> Budget | None:
        """For one search that begins now."""
        if self.seconds is not None:
            return Budget.seconds(self.seconds, self.clock)
        return None if self.nodes is None else Budget(nodes=self.nodes)


def judge_moves(start: State[Any], moves: Sequence[MoveRecord], budget: AnalysisBudget) -> Iterator[JudgedPly]:
    """Every ply of the game that begins at `start`. AdsearchError where it cannot be played by these rules.

    Where something is hidden the search sees all cards: nothing is marked there, for no player could know."""
    states = [start]
    for move in moves:
        states.append(states[-1].play(states[-1].from_text(move.move)))
    analyst = _Analyst(start, no_estimate=_has_no_estimate(states), budget=budget)
    for move, state, after in zip(moves, states, states[1:], strict=False):
        yield analyst.judge(move, state, after)


def summaries(plies: Iterable[JudgedPly], players: int) -> list[SeatSummary]:
    """What the judgements come to for each seat."""
    plies = list(plies)
    thrown = [ply for ply in plies if ply.who == "chance" and ply.before.known and ply.after.known]
    found = []
    for seat in range(players):
        own = [ply for ply in plies if ply.who == seat]
        losses = [ply.loss for ply in own if ply.loss is not None]
        luck = sum(ply.after.values[seat] - ply.before.values[seat] for ply in thrown) if thrown else None
        found.append(
            SeatSummary(
                seat,
                len(own),
                sum(ply.mark is Mark.MISTAKE for ply in own),
                sum(ply.mark is Mark.BLUNDER for ply in own),
                sum(losses) / len(losses) if losses else None,
                luck,
            )
        )
    return found


def first_mistake(plies: Iterable[JudgedPly], seat: int) -> JudgedPly | None:
    """The first grave mistake of the seat; failing that its first mistake."""
    first = None
    for ply in plies:
        if ply.who == seat and ply.mark is Mark.BLUNDER:
            return ply
        if ply.who == seat and ply.mark is Mark.MISTAKE:
            first = first or ply
    return first


def _has_no_estimate(states: Sequence[State[Any]]) -> bool:
    """Whether the game's estimate is the same everywhere."""
    if type(states[0]).evaluate is State.evaluate:
        return True
    open_ones = [state for state in states if state.turn is not None]
    return len(open_ones) > 2 and len({state.evaluate(0) for state in open_ones}) == 1


class _Analyst:
    """Judges the plies of one game."""

    def __init__(self, start: State[Any], *, no_estimate: bool, budget: AnalysisBudget) -> None:
        self._several = start.players > 2 or (start.players == 2 and not start.zero_sum)
        self._chance = start.chance
        self._hidden = start.hidden
        self._bounds = start.bounds
        self._no_estimate = no_estimate
        self._budget = budget
        # What the position is worth that the last ply led to.
        self._last: PositionValue | None = None
        # The greatest value so far, where the game gives no bounds.
        self._farthest = 1.0

    def judge(self, move: MoveRecord, state: State[Any], after: State[Any]) -> JudgedPly:
        """The ply `move`, which led from `state` to `after`."""
        memory: dict[str, Any] = {}
        if not (self._several or self._chance):
            memory = {"table": Table(200_000), "ordering": Ordering()}
        result = self._search(state, None, memory)
        depth = len(result.line) if result.depth is None else result.depth
        before = self._value(state, result)
        if self._last is not None and self._last.exact and not before.exact:
            before = self._last
        then = self._after(state, after, result, before, depth, memory)
        before, then = self._inferred(before, then, move.who)
        self._last = then
        judged = JudgedPly(ply=move.ply, who=move.who, move=move.move, before=before, after=then, depth=depth)
        if not isinstance(move.who, int):
            return judged
        both = (before.known and then.known) or (before.exact and then.exact)
        loss = max(0.0, before.values[move.who] - then.values[move.who]) if both else None
        mark = Mark.NONE if self._hidden else self._marked(before, then, move.who)
        better = _texts(state, result.line) if mark else ()
        return replace(judged, loss=loss, mark=mark, better=better)

    def _after(
        self,
        state: State[Any],
        after: State[Any],
        result: Result[Any],
        before: PositionValue,
        depth: int,
        memory: dict[str, Any],
    ) -> PositionValue:
        """What the position `after` a ply at `state` is worth, to the horizon to which that was looked at."""
        if after.turn is None:
            return self._value(after, None)
        found = self._search(after, max(0, depth - 1), memory)
        then = self._value(after, found)
        if state.turn == CHANCE or before.exact == then.exact:
            return then
        if result.move is not None and after.key == state.play(result.move).key:
            # The search went there itself, and was only cut off too early the second time.
            return PositionValue(before.values, before.exact, None if before.distance is None else before.distance - 1)
        # What is proven on one side alone may be so on the other, a little further away.
        return self._value(after, self._search(after, None, memory))

    def _inferred(
        self, before: PositionValue, after: PositionValue, who: int | str
    ) -> tuple[PositionValue, PositionValue]:
        """The same, where a proof of the one proves the other: who cannot but lose has lost after any move, and who has
        won after one could win before it."""
        if self._several or not isinstance(who, int) or before.exact == after.exact:
            return before, after
        low, high = self._bounds if who == 0 else (-self._bounds[1], -self._bounds[0])
        if before.exact and before.values[who] == low:
            return before, PositionValue(before.values, True)
        if after.exact and after.values[who] == high:
            return PositionValue(after.values, True), after
        return before, after

    def _search(self, state: State[Any], depth: int | None, memory: dict[str, Any]) -> Result[Any]:
        search: Callable[..., Result[Any]] = (
            maxn.search if self._several else expectiminimax.search if self._chance else pvs.search
        )
        options = {"pruning": "star1"} if search is expectiminimax.search else memory
        if depth == 0 or state.turn is None:
            return search(state, depth=0, **options)
        most = self._budget.depth if depth is None else depth
        return deepened(search, state, most, self._budget.for_one_search() or Budget(nodes=2**62), **options)

    def _value(self, state: State[Any], result: Result[Any] | None) -> PositionValue:
        """What the search said, for every seat."""
        if result is None:
            values: tuple[float, ...] = tuple(state.utilities())
            return PositionValue(values, True, 0)
        seat = terms.root_seat(state)
        if self._several:
            values = result.values or (result.value,)
        elif state.players == 1:
            values = (result.value,)
        else:
            values = (result.value, 0.0 - result.value) if seat == 0 else (0.0 - result.value, result.value)
        final = not (self._several or self._chance) and values[0] in self._bounds
        distance = result.depth if result.exact and final else None
        return PositionValue(values, result.exact, distance, known=result.exact or not self._no_estimate)

    def _marked(self, before: PositionValue, after: PositionValue, seat: int) -> Mark:
        """How bad it is for `seat` that it has what is `after` instead of what was `before`."""
        had, has = before.values[seat], after.values[seat]
        low, high = self._bounds
        self._farthest = max(self._farthest, abs(had), abs(has))
        whole = high - low if isfinite(high - low) else 2.0 * self._farthest
        lost = (had - has) / whole
        if lost <= 0.0:
            return Mark.NONE
        proven = [before.exact, after.exact]
        if all(proven) and not self._several and _outcome(had) > _outcome(has) and not self._chance:
            return Mark.BLUNDER
        if not (before.known and after.known):
            # A win that was there, or a loss that is; of the other side nothing is known.
            return Mark.MISTAKE
        if lost >= BLUNDER:
            return Mark.BLUNDER
        missed = not self._chance and ((proven == [True, False] and had == high) or (proven == [False, True]))
        return Mark.MISTAKE if lost >= MISTAKE or missed else Mark.NONE


def _outcome(value: float) -> int:
    """A win, a draw or a loss."""
    return (value > 0.0) - (value < 0.0)


def _texts(state: State[Any], line: Iterable[Any]) -> tuple[str, ...]:
    """The moves of a line as people write them."""
    texts = []
    for move in line:
        texts.append(state.to_text(move))
        state = state.play(move)
    return tuple(texts)
