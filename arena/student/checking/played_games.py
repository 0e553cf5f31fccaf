"""Games of a check that are over, and what they say about the agent: times, results, output, memory.

Pure: records in, words out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from agents.protocol import Verdict
from arena.match.clock import MILLISECOND, SECOND, Clock, TimeControl
from arena.match.schedule import Planned
from arena.student.checking import Light, tracebacks
from arena.walls.kinds import MEBIBYTE, Allowance
from db.records import GameRecord, MoveRecord, SeatRecord

COSTLY: Final = (Verdict.TIME, Verdict.UNREADY)
"""A game that ends so has taken all the time that there was."""
_MUCH_PRINTED: Final = 16 * 1024
"""Bytes in one game."""
_NEARLY: Final = 0.8
"""The share of a limit from which there is a warning."""
_SHORTEST_CLOCK: Final = 100 * MILLISECOND
"""Less time than this on a clock is no fair question: a busy machine may take as much."""


@dataclass(frozen=True, slots=True)
class CheckGame:
    """A game of a check that is over."""

    planned: Planned
    record: GameRecord
    ready_after: float | None
    """Of a watched game, seconds from when it was asked for until all were ready, or it was over before."""

    @property
    def seat(self) -> int:
        """Where the agent sat."""
        return next(seat for seat, entrant in enumerate(self.planned.entrants) if entrant.guarded)

    @property
    def own(self) -> SeatRecord:
        """What is recorded of the agent."""
        return self.record.seats[self.seat]

    @property
    def own_moves(self) -> list[MoveRecord]:
        """The moves of the agent."""
        return [move for move in self.record.moves if move.who == self.seat]

    @property
    def decisions(self) -> tuple[str, ...]:
        """The moves of all players after the opening, without those of chance."""
        return tuple(move.move for move in self.record.moves if isinstance(move.who, int))

    @property
    def before_own_last_move(self) -> tuple[str, ...]:
        """Those of `decisions` that led to the agent's last move."""
        players = [move.who for move in self.record.moves if isinstance(move.who, int)]
        return self.decisions[: max(place for place, who in enumerate(players) if who == self.seat)]

    @property
    def was_asked(self) -> bool:
        """Whether the agent was ready, and was asked for a move."""
        return self.own.spent > 0

    @property
    def failed(self) -> bool:
        """Whether the agent lost it by a fault of its own."""
        return self.record.fault == self.seat and self.record.verdict != Verdict.RESIGNED

    @property
    def late(self) -> bool:
        """Whether the agent lost on time."""
        return self.record.verdict == Verdict.TIME and self.record.fault == self.seat

    @property
    def verdict(self) -> Verdict:
        """How it ended."""
        return Verdict(self.record.verdict)

    @property
    def undecided(self) -> bool:
        """Whether the machine was at fault."""
        return self.record.verdict == Verdict.VOID

    @property
    def opponent_resigned(self) -> bool:
        """Whether the game was cut short by an opponent."""
        return self.record.verdict == Verdict.RESIGNED and self.record.fault != self.seat

    @property
    def detail(self) -> str:
        """The verdict in words, without the agent's name in front."""
        words, name = self.record.detail, self.own.player
        if words.startswith(f"{name}, ply "):
            return words.partition(": ")[2]
        return words.removeprefix(f"{name}: ").removeprefix(f"{name} ")


class Measured(NamedTuple):
    """What a step says about measurements."""

    light: Light
    message: str
    advice: str = ""
    stderr: str = ""


def mean_time(games: Sequence[CheckGame]) -> float:
    """Seconds that a move took on average."""
    spent = [move.spent or 0 for game in games for move in game.own_moves]
    return sum(spent) / len(spent) / SECOND if spent else 0.0


def results(games: Sequence[CheckGame]) -> str:
    """What came of whole games against random moves; empty where none came to its end."""
    cut = [game for game in games if game.record.verdict == Verdict.ADJUDICATED or game.opponent_resigned]
    own_end = (Verdict.NORMAL, Verdict.RESIGNED)
    finished = [game for game in games if game.record.verdict in own_end and game not in cut]
    parts = []
    if finished:
        points = [game.own.points for game in finished if game.own.points is not None]
        players = len(finished[0].record.seats)
        if players > 2:
            parts.append(
                f"{len(finished)} against random, one from each seat: {sum(points):.4g} of {len(points)} points"
            )
        elif players == 2:
            won, lost = points.count(1.0), points.count(0.0)
            drawn = len(points) - won - lost
            parts.append(f"{len(finished)} against random: won {won}, drawn {drawn}, lost {lost}")
        else:
            parts.append(f"{len(finished)} played to the end")
    if cut:
        moves = max(len(game.own_moves) for game in cut)
        parts.append(f"{len(cut)} cut short after {moves} moves of its own, to save time")
    return "; ".join(parts)


def time_used(all_games: Sequence[CheckGame], whole_games: Sequence[CheckGame], clock: str) -> Measured:
    """How near it came to its limit."""
    control = TimeControl.parse(clock)
    longest = max((move.spent or 0 for game in all_games for move in game.own_moves), default=0)
    message = f"longest move {_seconds(longest)}"
    nearly = False
    if control.move:
        message += f" of {_seconds(control.move)}"
        nearly = longest > _NEARLY * control.move
    elif control:
        full = control.base + control.periods * control.period
        if left := [move.left for game in whole_games for move in game.own_moves if move.left is not None]:
            message += f"; never less than {_seconds(min(left))} left of {_seconds(full)}"
            nearly = min(left) < (1 - _NEARLY) * full
    message = f"{message} ({clock})"
    if nearly:
        return Measured(Light.WARNING, message, "another machine may be slower: use less than clock.budget")
    return Measured(Light.GOOD, message)


def output(games: Sequence[CheckGame]) -> Measured:
    """How much it printed, and the end of it."""
    counts = [_bytes_printed(game) for game in games]
    if not sum(counts):
        return Measured(Light.GOOD, "nothing")
    last = next((written for game in reversed(games) if (written := _written(game))), "")
    end = tracebacks.excerpt(last, 3, head=0)
    message = f"{_bytes(sum(counts))} in {len(games)} games, at most {_bytes(max(counts))} in one"
    if max(counts) > _MUCH_PRINTED:
        advice = "printing costs the agent's time, and only the end is kept"
        return Measured(Light.WARNING, message, advice, end)
    return Measured(Light.GOOD, message, stderr=end)


def _bytes_printed(game: CheckGame) -> int:
    counted = max((move.log or 0 for move in game.own_moves), default=0)
    return max(counted, len(_written(game).encode()))


def _written(game: CheckGame) -> str:
    """What the agent itself wrote into its log: not where it was busy when its time was up."""
    stderr = game.own.stderr or ""
    return tracebacks.before_dump(stderr) if game.verdict in COSTLY else stderr


def resources_used(games: Sequence[CheckGame], allowance: Allowance) -> Measured:
    """What it used of memory and processor time."""
    memory = max((game.own.memory or 0 for game in games), default=0)
    cpu = sum(game.own.cpu or 0 for game in games)
    spent = sum(game.own.spent for game in games)
    of = f" of {allowance.memory / MEBIBYTE:,.0f}" if allowance.memory else ""
    message = f"{memory / MEBIBYTE:,.0f}{of} MiB of memory, {_seconds(cpu)} of processor time in {len(games)} games"
    if allowance.memory and memory > _NEARLY * allowance.memory:
        return Measured(Light.WARNING, message, "with more it loses: remember less")
    if cpu > 2 * spent + SECOND * (1 + len(games) // 4):
        advice = "it works on more than its turns, or in several threads: that is not faster here"
        return Measured(Light.WARNING, message, advice)
    return Measured(Light.GOOD, message)


def first_difference(one: CheckGame, other: CheckGame) -> tuple[int, str, str] | None:
    """Which of its moves, counted from 1, differs first between two games that should be the same; None: none does."""
    for place, (before, after) in enumerate(zip(one.own_moves, other.own_moves, strict=False), 1):
        if before.move != after.move:
            return place, before.move, after.move
    return None


def _seconds(time: int) -> str:
    return f"{time / SECOND:.2f} s" if time < 100 * SECOND else f"{time / SECOND:.0f} s"


def _bytes(count: int) -> str:
    return f"{count:,} bytes" if count < 10_000 else f"{count / 1000:,.0f} kB"


# Whether an agent could go on as it began, where its games were cut short before its time was up.


@dataclass(frozen=True, slots=True)
class Pace:
    """How long an agent takes for a move, where a game at that pace is too long for its clock.

    It is only a reason to ask: the answer is how the agent moves when there is little time."""

    taken: int
    """Nanoseconds."""
    ends: int
    """At which move of its own its time is up."""
    moves: int
    """How many a game may take."""
    clock: TimeControl
    margin: int
    """How far a clock may be overstepped."""

    @property
    def short_clock(self) -> TimeControl:
        """A clock to ask it with, on which it must be faster: with the margin it has half of what it takes."""
        return TimeControl(base=self.taken // 2 - self.margin, increment=self.clock.increment)

    def __str__(self) -> str:
        return (
            f"if it goes on like this its time is up at its move {self.ends}, and a game can have {self.moves}; "
            f"asked with {self.short_clock.base / SECOND:.2f} s left, it took more"
        )


def too_slow(taken: int, clock: str, *, margin: int, moves: int) -> Pace | None:
    """The pace of an agent that takes so long for each of so many moves; None where the clock is enough for it, or
    where it cannot be asked for less in fairness."""
    control = TimeControl.parse(clock)
    running = Clock(control, 1, margin=margin)
    for move in range(1, moves + 1):
        if taken > running.limit(0):
            pace = Pace(taken, move, moves, control, margin)
            return pace if pace.short_clock.base >= _SHORTEST_CLOCK else None
        running.charge(0, taken)
    return None
