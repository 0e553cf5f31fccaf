"""The climb: an agent plays opponents of increasing strength, each until it is clear whether the agent is stronger.

The agent's own last version is the last opponent, wherever the climb ended.

`Climb` is a schedule that the director plays. It counts rounds: in a round the agent sits in every seat once, with the
same opening. A sequential test (SPRT) of these rounds decides, so that stopping early does not favour either player.
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
from arena.match.schedule import MOST_ATTEMPTS, Entrant, Finished, Planned, Schedule, refuse_broken_rules
from arena.ratings.match_statistics import Hypothesis, sprt, superiority

BETTER_BY: Final = 200.0
"""Elo of H1: an agent stronger by this much is found to be better in 19 of 20 tests, an equal one in at most 1."""
GIVES_UP: Final = 2
"""Number of opponents in a row that the agent does not beat, after which the climb stops."""
MOST_FAULTS: Final = 3
"""Number of faults in a row after which the climb stops."""
MOST: Final = 40
"""Default number of games for each step."""
_MOST_REPEATED: Final = 4
"""Number of rounds in a row with the same moves as earlier rounds, after which a step ends."""

_TWO: Final = (
    *("random", "minimax:depth=1", "minimax:depth=2", "minimax:depth=3"),
    *("alphabeta:depth=4", "alphabeta:depth=6", "pvs"),
)
_CHANCE: Final = ("random", "expectiminimax:depth=1", "expectiminimax:depth=2", "expectiminimax:depth=3")
_SEVERAL: Final = ("random", "maxn:depth=1", "maxn:depth=3", "paranoid:depth=3")
_HIDDEN: Final = ("random", "mcts:simulations=200")
_HIDDEN_EVALUATED: Final = ("random", "mcts:simulations=20", "greedy")
"""For hidden information and an evaluation made of features: one look with it is quicker than many simulations, and
stronger (in `words`)."""


def fewest_rounds() -> int:
    """The number of rounds after which an agent that wins every game is found to be better: fewer cannot decide."""
    return next(rounds for rounds in count(1) if sprt([0, 0, 0, 0, rounds], 0.0, BETTER_BY).verdict is not None)


def ladder(start: State[Any]) -> tuple[str, ...]:
    """The opponents for the game that starts at `start`, the weakest first; only those that can play the game."""
    steps: tuple[str, ...] = _TWO
    if start.hidden:
        steps = _HIDDEN_EVALUATED if start.evaluation else _HIDDEN
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
    """The number of random plies at the start of a game, so that deterministic players do not repeat one game."""
    if start.chance or start.hidden:
        return 0
    return max(1, min(4, (start.max_plies or 40) // 4))


class StepVerdict(StrEnum):
    """The result against one opponent."""

    BETTER = "better"
    NOT_BETTER = "not better"
    OPEN = "open"
    """Still unclear after all games."""


@dataclass(slots=True)
class LadderStep:
    """The games against one opponent."""

    opponent: str
    """Its name for people."""
    others: tuple[Entrant, ...]
    """The opponent, once for each other seat."""
    own: bool = False
    """Whether the opponent is an earlier version of the agent: it is played last, even if the climb stopped."""
    rounds: dict[int, dict[int, Finished]] = field(default_factory=dict)
    """The finished games, by number of the round and leg."""
    counts: list[int] = field(default_factory=lambda: [0] * 5)
    """The number of counted rounds in which the agent scored 0, 1/4, 1/2, 3/4 or all of the points."""
    games: int = 0
    """Number of games in the counted rounds."""
    results: Counter[str] = field(default_factory=Counter)
    """Number of these games won, drawn and lost."""
    verdict: StepVerdict = StepVerdict.OPEN
    over: bool = False
    started: int = 0
    """Number of rounds started."""
    counted: int = 0
    """Number of complete rounds, void ones and repeated ones included."""
    repeated: int = 0
    """Number of latest rounds in a row with the same moves as earlier rounds."""
    played_before: set[tuple[tuple[str, ...], ...]] = field(default_factory=set)

    @property
    def likelihood(self) -> float:
        """The likelihood that the agent is stronger, computed from the rounds that were not level."""
        ahead, _, behind = self.decided
        return superiority(ahead, behind)

    @property
    def decided(self) -> tuple[int, int, int]:
        """The number of counted rounds in which the agent scored more than half of the points, half, and less."""
        lost, low, level, high, won = self.counts
        return high + won, level, lost + low

    @property
    def exhausted(self) -> bool:
        """Whether the step ended because its games repeated."""
        return self.repeated >= _MOST_REPEATED


class Climb(Schedule):
    """The schedule of a climb."""

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
        """`first`: a game with everything that all games have in common. A step has at most one round per opening in
        `openings`. `repeats`: whether a round with the moves of an earlier round counts as a repetition; `gives_up`:
        whether the climb stops at opponents that the agent does not beat."""
        self._agent = agent
        self.steps = list(steps)
        self._common = first
        self._openings = openings
        self.repeats = repeats
        self._gives_up = gives_up
        self._at = 0
        self._waiting: deque[Planned] = deque()
        self._running = 0
        self._number = 0
        # Every finished game in the order of its end, void ones too.
        self.played: list[tuple[LadderStep, Finished]] = []
        # The number of latest games in a row that the agent lost by its own fault.
        self.faults = 0

    @property
    def done(self) -> list[LadderStep]:
        """The steps that have ended."""
        return [step for step in self.steps if step.over]

    @property
    def current(self) -> LadderStep | None:
        """The current step; None at the end."""
        return self.steps[self._at] if self._at < len(self.steps) else None

    @property
    def gave_up(self) -> bool:
        """Whether the climb stopped because the agent did not beat `GIVES_UP` opponents in a row."""
        ladder = [step for step in self.steps if not step.own]
        beaten = [step.verdict is StepVerdict.BETTER for step in ladder if step.over]
        return self._gives_up and beaten[-GIVES_UP:] == [False] * GIVES_UP and len(beaten) < len(ladder)

    @property
    def broken(self) -> bool:
        """Whether the climb stopped because the agent failed in `MOST_FAULTS` games in a row."""
        return self.faults >= MOST_FAULTS

    def seat(self, finished: Finished) -> int:
        """The agent's seat."""
        return next(seat for seat, one in enumerate(finished.game.entrants) if one is self._agent)

    def points(self, finished: Finished) -> float:
        """The agent's points."""
        return finished.record.seats[self.seat(finished)].points or 0.0

    def next(self) -> Planned | None:
        """The next game; None while the last games of a step are still played, and at the end."""
        while not self.broken and self._at < len(self.steps):
            step = self.steps[self._at]
            if not self._waiting and not step.over and step.started < len(self._openings):
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
        """Take a finished game. It is counted when its round and all rounds before it are complete."""
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
        number = step.started
        seats = (self._agent, *step.others)
        step.started += 1
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
        """Count a complete round."""
        if any(game.record.verdict == Verdict.VOID for game in games):
            return
        moves = tuple(tuple(move.move for move in game.record.moves) for game in games)
        if self.repeats and moves in step.played_before:
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
