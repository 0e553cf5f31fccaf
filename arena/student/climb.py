"""The climb: an agent plays a ladder of ever stronger ones, each until it is clear whether it is better.

Its own last version comes at the end, however far the agent has climbed.

It is a schedule that the director plays. What counts is a round in which the agent sits on every seat once, with the
same opening: a sequential test of such rounds decides, so that stopping as soon as it is clear makes nobody look better
than they are.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import count
from typing import Any, Final

from adsearch import State
from agents import builtin
from agents.errors import CannotPlay
from agents.protocol import Verdict
from arena.match.schedule import MOST_ATTEMPTS, Entrant, Finished, Planned, refuse_broken_rules
from arena.ratings.match_statistics import Hypothesis, sprt, superiority

BETTER_BY: Final = 200.0
"""Elo: an agent that is so much better is found to be better in 19 of 20 climbs; one that is no better in at most 1."""
GIVES_UP: Final = 2
"""After so many opponents in a row that were not beaten it climbs no further."""
MOST_FAULTS: Final = 3
"""After so many faults in a row there is nothing to be learned from playing on."""
_MOST_REPEATED: Final = 4
"""After so many rounds in a row that were played before, move by move, there is nothing new to come."""

_TWO: Final = (
    *("random", "minimax:depth=1", "minimax:depth=2", "minimax:depth=3"),
    *("alphabeta:depth=4", "alphabeta:depth=6", "pvs"),
)
_CHANCE: Final = ("random", "expectiminimax:depth=1", "expectiminimax:depth=2", "expectiminimax:depth=3")
_SEVERAL: Final = ("random", "maxn:depth=1", "maxn:depth=3", "paranoid:depth=3")
_HIDDEN: Final = ("random", "mcts:simulations=200")


def fewest_rounds() -> int:
    """After how many rounds an agent that wins every game is found to be better: with fewer nothing can be decided."""
    return next(rounds for rounds in count(1) if sprt([0, 0, 0, 0, rounds], 0.0, BETTER_BY).verdict is not None)


def ladder(start: State[Any]) -> tuple[str, ...]:
    """The opponents for the game that begins at `start`, the weakest first; only those that can play it."""
    steps: tuple[str, ...] = _TWO
    if start.hidden:
        steps = _HIDDEN
    elif start.players > 2 or not start.zero_sum:
        steps = _SEVERAL
    elif start.chance:
        steps = _CHANCE
    return tuple(step for step in steps if _can_play(step, start))


def _can_play(player: str, start: State[Any]) -> bool:
    try:
        builtin.check_can_play(player, start)
    except CannotPlay:
        return False
    return True


def opening_plies(start: State[Any]) -> int:
    """How many random plies games begin with, so that deterministic players do not repeat one game."""
    if start.chance or start.hidden:
        return 0
    return max(1, min(4, (start.max_plies or 40) // 4))


class StepVerdict(StrEnum):
    """What the games against one opponent have shown."""

    BETTER = "better"
    NOT_BETTER = "not better"
    OPEN = "open"
    """Not clear within the games that there were."""


@dataclass(slots=True)
class LadderStep:
    """The games against one opponent."""

    opponent: str
    """As people know it."""
    others: tuple[Entrant, ...]
    """It, once for each other seat."""
    own: bool = False
    """Whether it is an earlier version of the agent: played last, even if the agent climbs no higher."""
    rounds: dict[int, dict[int, Finished]] = field(default_factory=dict)
    """By number and leg."""
    counts: list[int] = field(default_factory=lambda: [0] * 5)
    """The rounds that count, by what they scored: nothing, a quarter, half, three quarters or all of the points."""
    games: int = 0
    """In those rounds; won, drawn and lost."""
    results: Counter[str] = field(default_factory=Counter)
    verdict: StepVerdict = StepVerdict.OPEN
    over: bool = False
    begun: int = 0
    counted: int = 0
    repeated: int = 0
    """Rounds in a row that had been played before, move by move."""
    played_before: set[tuple[tuple[str, ...], ...]] = field(default_factory=set)

    @property
    def likelihood(self) -> float:
        """How likely it is that the agent is the better one, by the rounds that one of the two has won."""
        lost, drawn_low, _, drawn_high, won = self.counts
        return superiority(won + drawn_high, lost + drawn_low)

    @property
    def exhausted(self) -> bool:
        """Whether there were no more games that had not been played before."""
        return self.repeated >= _MOST_REPEATED


class Climb:
    """The schedule."""

    def __init__(
        self,
        agent: Entrant,
        steps: Sequence[LadderStep],
        first: Planned,
        openings: Sequence[tuple[str, ...]],
        *,
        repeats: bool,
        gives_up: bool = True,
    ) -> None:
        """`first`: what all games have in common. As many rounds a step as there are `openings`. `repeats`: whether the
        same moves again are the same game again, for nothing is left to chance; `gives_up`: whether it stops at
        opponents that it does not beat."""
        self._agent = agent
        self.steps = list(steps)
        self._common = first
        self._openings = openings
        self._repeats = repeats
        self._gives_up = gives_up
        self._at = 0
        self._waiting: deque[Planned] = deque()
        self._running = 0
        self._number = 0
        # Every game that is over, in that order, void ones too.
        self.played: list[tuple[LadderStep, Finished]] = []
        # How many games in a row the agent has now lost by a fault of its own.
        self.faults = 0

    @property
    def done(self) -> list[LadderStep]:
        """The steps that are over."""
        return [step for step in self.steps if step.over]

    @property
    def current(self) -> LadderStep | None:
        """The step that is being played; None at the end."""
        return self.steps[self._at] if self._at < len(self.steps) else None

    @property
    def gave_up(self) -> bool:
        """Whether so many in a row were not beaten that those above them are not tried."""
        ladder = [step for step in self.steps if not step.own]
        beaten = [step.verdict is StepVerdict.BETTER for step in ladder if step.over]
        return self._gives_up and beaten[-GIVES_UP:] == [False] * GIVES_UP and len(beaten) < len(ladder)

    @property
    def broken(self) -> bool:
        """Whether the agent does nothing but fail."""
        return self.faults >= MOST_FAULTS

    def seat(self, finished: Finished) -> int:
        """Where the agent sat."""
        return next(seat for seat, one in enumerate(finished.game.entrants) if one is self._agent)

    def points(self, finished: Finished) -> float:
        """What it scored."""
        return finished.record.seats[self.seat(finished)].points or 0.0

    def next(self) -> Planned | None:
        """The next game; None while the last ones of a step are still played, and at the end."""
        while not self.broken and self._at < len(self.steps):
            step = self.steps[self._at]
            if not self._waiting and not step.over and step.begun < len(self._openings):
                self._waiting.extend(self._round(step))
            if self._waiting and not step.over:
                self._running += 1
                return self._waiting.popleft()
            self._waiting.clear()
            if self._running:
                return None
            step.over = True
            self._at += 1
            while self.gave_up and self._at < len(self.steps) and not self.steps[self._at].own:
                self._at += 1
        return None

    def note(self, finished: Finished) -> None:
        """The game is over: it is counted when its round is whole, and those before it are."""
        refuse_broken_rules(finished.record)
        step, game = self.steps[self._at], finished.game
        self._running -= 1
        self.played.append((step, finished))
        if finished.record.verdict == Verdict.VOID and game.attempt < MOST_ATTEMPTS:
            self._waiting.appendleft(replace(game, attempt=game.attempt + 1))
            return
        failed = finished.record.fault == self.seat(finished) and finished.record.verdict != Verdict.RESIGNED
        self.faults = self.faults + 1 if failed else 0
        number = int(json.loads(str(game.identity[0]))[-1])
        step.rounds.setdefault(number, {})[game.leg] = finished
        while not step.over and len(step.rounds.get(step.counted, ())) == len(game.entrants):
            self._count(step, [played for _, played in sorted(step.rounds[step.counted].items())])
            step.counted += 1

    def _round(self, step: LadderStep) -> Iterator[Planned]:
        """The games of the next round."""
        number = step.begun
        seats = (self._agent, *step.others)
        step.begun += 1
        names = sorted(entrant.name for entrant in seats)
        for leg in range(len(seats)):
            self._number += 1
            yield replace(
                self._common,
                number=self._number,
                entrants=(*seats[leg:], *seats[:leg]),
                identity=(json.dumps([*names, number]),),
                leg=leg,
                opening=self._openings[number],
            )

    def _count(self, step: LadderStep, games: Sequence[Finished]) -> None:
        """A round is whole."""
        if any(game.record.verdict == Verdict.VOID for game in games):
            return
        moves = tuple(tuple(move.move for move in game.record.moves) for game in games)
        if self._repeats and moves in step.played_before:
            step.repeated += 1
            step.over = step.exhausted
            return
        step.played_before.add(moves)
        step.repeated = 0
        points = [self.points(game) for game in games]
        step.games += len(games)
        step.results.update("won" if score > 0.5 else "drawn" if score == 0.5 else "lost" for score in points)
        step.counts[round(4.0 * sum(points) / len(points))] += 1
        found = sprt(step.counts, 0.0, BETTER_BY).verdict
        if found is not None:
            step.verdict = StepVerdict.BETTER if found is Hypothesis.H1 else StepVerdict.NOT_BETTER
            step.over = True
