"""Analysis: the value of each move of a game by our search, the mistakes, and the better moves; and of many games,
which one to look at first.

Pure: takes positions and moves, and yields the judgements one by one, so that a caller can stop at the first mistake. A
move is compared with the best move at the same search horizon, so that deeper search after a move does not look like a
loss.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import tee
from math import isfinite
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from adsearch import CHANCE, Budget, Result, State, Table, expectiminimax, games, maxn, pvs, terms
from adsearch.ordering import Ordering
from adsearch.state import texts
from agents.builtin.thinker import deepened
from agents.protocol import Verdict
from arena.history import words
from db.records import GameRecord, JudgedPly, Mark, MoveRecord, PastGame, PositionValue

MISTAKE: Final = 0.10
"""Loss from which a move is a mistake, as a share of the range between the least and the greatest utility."""
BLUNDER: Final = 0.25
"""Loss from which a move is a blunder, as a share of the same range."""
_NODES: Final = 20_000
"""Default number of nodes searched per ply, at most."""
_TOTAL_NODES: Final = 600_000
"""Default number of nodes searched per game."""
_LEAST_NODES: Final = 1_000
"""Default number of nodes searched per ply, at least."""


class SeatSummary(Struct, frozen=True):
    """The moves of one seat."""

    seat: int
    moves: int
    mistakes: int
    blunders: int
    loss: float | None
    """Mean loss per move; None if no move could be judged."""
    luck: float | None
    """The total gain from chance events compared with their expected values; None without chance."""


@dataclass(frozen=True, slots=True)
class AnalysisBudget:
    """The search limit for each position: plies, seconds or nodes."""

    depth: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def default(cls, plies: int, *, most: int = _NODES) -> AnalysisBudget:
        """The default for a game of this many plies: at `most` nodes per ply, a few seconds in total. The judgements
        are the same each time."""
        return cls(nodes=max(_LEAST_NODES, min(most, _TOTAL_NODES // max(plies, 1))))

    def for_one_search(self) -> Budget | None:
        """The budget of one search that starts now."""
        if self.seconds is not None:
            return Budget.seconds(self.seconds, self.clock)
        return None if self.nodes is None else Budget(nodes=self.nodes)


def judge_moves(
    start: State[Any], moves: Sequence[MoveRecord], budget: AnalysisBudget, *, seat: int | None = None
) -> Iterator[JudgedPly]:
    """Judges every ply of the game that starts at `start`; with `seat` only the moves of that seat, which takes less
    time. AdsearchError if a move cannot be played by these rules.

    In games with hidden information the search sees everything, so no move is marked as a mistake."""
    states = [start]
    for move in moves:
        states.append(states[-1].play(states[-1].from_text(move.move)))
    analyst = _Analyst(start, no_estimate=_has_no_estimate(states), budget=budget)
    for move, state, after in zip(moves, states, states[1:], strict=False):
        if seat is None or move.who == seat:
            yield analyst.judge(move, state, after)
        else:
            analyst.skip()


def summaries(plies: Iterable[JudgedPly], players: int) -> list[SeatSummary]:
    """The summary of the judgements for each seat."""
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
    """The first blunder of the seat; without a blunder, its first mistake; None without either."""
    first = None
    for ply in plies:
        if ply.who == seat and ply.mark is Mark.BLUNDER:
            return ply
        if ply.who == seat and ply.mark is Mark.MISTAKE:
            first = first or ply
    return first


def _has_no_estimate(states: Sequence[State[Any]]) -> bool:
    """Whether the game's estimate is the same in all positions."""
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
        # The value of the position after the last ply.
        self._last: PositionValue | None = None
        # The greatest absolute value so far, for games without bounds.
        self._farthest = 1.0

    def skip(self) -> None:
        """Goes on without judging a ply."""
        self._last = None

    def judge(self, move: MoveRecord, state: State[Any], after: State[Any]) -> JudgedPly:
        """Judges the ply `move`, which led from `state` to `after`."""
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
        judged = replace(judged, loss=loss, mark=mark)
        if not mark:
            return judged
        # A search of its own: the one with a shared memory does not always know the whole line.
        answer = () if after.turn is None else texts(after, self._search(after, None, {}).line)
        return replace(judged, better=tuple(texts(state, result.line)), answer=tuple(answer))

    def _after(
        self,
        state: State[Any],
        after: State[Any],
        result: Result[Any],
        before: PositionValue,
        depth: int,
        memory: dict[str, Any],
    ) -> PositionValue:
        """The value of the position `after` a ply at `state`, searched to the same horizon as `state`."""
        if after.turn is None:
            return self._value(after, None)
        found = self._search(after, max(0, depth - 1), memory)
        then = self._value(after, found)
        if state.turn == CHANCE or before.exact == then.exact:
            return then
        if result.move is not None and after.key == state.play(result.move).key:
            # The first search already searched this move; the second one only ran out of budget earlier.
            return PositionValue(before.values, before.exact, None if before.distance is None else before.distance - 1)
        # If only one of the two values is proven, a deeper search may prove the other one.
        return self._value(after, self._search(after, None, memory))

    def _inferred(
        self, before: PositionValue, after: PositionValue, who: int | str
    ) -> tuple[PositionValue, PositionValue]:
        """`before` and `after`, both proven if a proof of one proves the other: in a lost position every move loses;
        a move that wins proves that the position before it was won."""
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
        """The search result as a value for every seat."""
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
        """The mark of a move of `seat` that changed the value from `before` to `after`."""
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
            # A proven win given away, or a proven loss reached; the other value is not known.
            return Mark.MISTAKE
        if lost >= BLUNDER:
            return Mark.BLUNDER
        missed = not self._chance and ((proven == [True, False] and had == high) or (proven == [False, True]))
        return Mark.MISTAKE if lost >= MISTAKE or missed else Mark.NONE


def _outcome(value: float) -> int:
    """1 for a win, 0 for a draw, -1 for a loss."""
    return (value > 0.0) - (value < 0.0)


# Lost games: which game to look at first, and the ply that lost it.


_MOST_GAMES = 3
"""Number of games that are searched for a mistake."""
_MOST_NODES = 8_000
"""Nodes searched per ply."""


class LostGame(Struct, frozen=True):
    """A game that the agent lost."""

    id: int
    """Its number in the database."""
    rules: str
    seat: int
    """The agent's seat."""
    opponent: str
    record: GameRecord

    @property
    def at_fault(self) -> bool:
        """Whether the agent lost by its own fault."""
        return self.record.fault == self.seat and self.record.verdict != Verdict.RESIGNED


class TurningPoint(Struct, frozen=True):
    """The ply that lost a game: what to look at first."""

    game: LostGame
    ply: int
    """The ply of the fault or the mistake; 0: no single ply."""
    mistake: JudgedPly | None = None
    """Its moves are as people write them."""
    plies: Iterable[JudgedPly] = ()
    """The analysis of the game, which can be read once: what was not searched for the mistake is searched then."""


def reasons(lost: Sequence[LostGame]) -> dict[str, int]:
    """The number of lost games for each verdict, the most frequent first."""
    return dict(
        Counter(
            game.record.verdict if game.record.fault == game.seat else Verdict.NORMAL.value for game in lost
        ).most_common()
    )


def turning_point(lost: Sequence[LostGame]) -> TurningPoint | None:
    """The ply to look at first in these games; `lost` has the most useful games first. None if it is empty."""
    if not lost:
        return None
    for game in lost:
        if game.at_fault:
            return TurningPoint(game, len(game.record.moves) + 1)
    found: list[TurningPoint] = []
    unmarked: list[TurningPoint] = []
    against_one = [game for game in lost if game.opponent == lost[0].opponent]
    shortest = sorted(against_one, key=lambda game: len(game.record.moves))
    for game in shortest[:_MOST_GAMES]:
        budget = AnalysisBudget.default(len(game.record.moves), most=_MOST_NODES)
        start = games.start(game.rules)
        judged, plies = tee(judge_moves(start, game.record.moves, budget))
        mistake = first_mistake(judged, game.seat)
        if mistake is None:
            unmarked.append(TurningPoint(game, 0, plies=plies))
        else:
            before = start
            for move in game.record.moves[: mistake.ply - 1]:
                before = before.play(before.from_text(move.move))
            found.append(TurningPoint(game, mistake.ply, words.with_shown_line(before, mistake), plies))
            if mistake.mark is Mark.BLUNDER:
                break
    return found[-1] if found else unmarked[0]


def fault_and_mistake(game: PastGame, plies: Sequence[JudgedPly]) -> tuple[int | None, JudgedPly | None]:
    """The plies that lost a game: the ply of the fault, None if there was none; and the first mistake of the loser in
    the judged `plies`, the worst one if several players lost."""
    at_fault = game.fault is not None and game.verdict != Verdict.RESIGNED
    points = game.points or [0.0] * len(game.seats)
    losers = [seat for seat, share in enumerate(points) if share == min(points)] if game.fault is None else [game.fault]
    found = [mistake for seat in losers if (mistake := first_mistake(plies, seat))]
    found.sort(key=lambda mistake: (mistake.mark is not Mark.BLUNDER, mistake.ply))
    return (len(game.moves) + 1 if at_fault else None), (found[0] if found else None)
