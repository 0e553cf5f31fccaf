"""Played games of a check, and what they show about the agent: times, results, output, memory.

Pure: takes records, returns words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from agents.protocol import Verdict
from agents.strict import MISTAKE
from arena.match.allowance import MEBIBYTE, Allowance
from arena.match.clock import MILLISECOND, SECOND, Clock, TimeControl
from arena.match.schedule import Planned
from arena.student.checking import Light, tracebacks
from db.records import GameRecord, MoveRecord, SeatRecord

COSTLY: Final = (Verdict.TIME, Verdict.UNREADY)
"""Verdicts of games that used up a whole time limit."""
_MUCH_PRINTED: Final = 16 * 1024
"""Bytes printed in one game from which there is a warning."""
_NEARLY: Final = 0.8
"""The share of a limit from which there is a warning."""
_SHORTEST_CLOCK: Final = 100 * MILLISECOND
"""An agent is not tested with less time than this on its clock: a busy machine may take as much."""


@dataclass(frozen=True, slots=True)
class CheckGame:
    """A played game of a check."""

    planned: Planned
    record: GameRecord
    ready_after: float | None
    """Seconds from the request of a watched game until all players were ready; None if the game ended before."""

    @property
    def seat(self) -> int:
        """The agent's seat."""
        return next(seat for seat, entrant in enumerate(self.planned.entrants) if entrant.guarded)

    @property
    def own(self) -> SeatRecord:
        """The record of the agent's seat."""
        return self.record.seats[self.seat]

    @property
    def own_moves(self) -> list[MoveRecord]:
        """The agent's moves."""
        return [move for move in self.record.moves if move.who == self.seat]

    @property
    def decisions(self) -> tuple[str, ...]:
        """The moves of all players after the opening, without chance events."""
        return tuple(move.move for move in self.record.moves if isinstance(move.who, int))

    @property
    def before_own_last_move(self) -> tuple[str, ...]:
        """The part of `decisions` before the agent's last move."""
        players = [move.who for move in self.record.moves if isinstance(move.who, int)]
        return self.decisions[: max(place for place, who in enumerate(players) if who == self.seat)]

    @property
    def was_asked(self) -> bool:
        """Whether the agent was ready, and was asked for a move."""
        return bool(self.own.spent)

    @property
    def failed(self) -> bool:
        """Whether the agent lost by its own fault."""
        return self.record.fault == self.seat and self.record.verdict != Verdict.RESIGNED

    @property
    def lost(self) -> bool:
        """Whether the agent lost by the rules of the game."""
        return self.record.verdict == Verdict.NORMAL and self.own.points == 0.0

    @property
    def late(self) -> bool:
        """Whether the agent lost on time."""
        return self.record.verdict == Verdict.TIME and self.record.fault == self.seat

    @property
    def verdict(self) -> Verdict:
        """The verdict of the game."""
        return Verdict(self.record.verdict)

    @property
    def undecided(self) -> bool:
        """Whether the game has no result because the server failed."""
        return self.record.verdict == Verdict.VOID

    @property
    def opponent_resigned(self) -> bool:
        """Whether an opponent resigned to cut the game short."""
        return self.record.verdict == Verdict.RESIGNED and self.record.fault != self.seat

    @property
    def detail(self) -> str:
        """The verdict's detail without the agent's name in front."""
        return without_name(self.record.detail, self.own.player)


class Measured(NamedTuple):
    """A step's report on measurements."""

    light: Light
    message: str
    advice: str = ""
    stderr: str = ""


def without_name(detail: str, name: str) -> str:
    """The verdict's detail without the name of the player at fault in front."""
    if detail.startswith(f"{name}, ply "):
        return detail.removeprefix(f"{name}, ply ").partition(": ")[2]
    return detail.removeprefix(f"{name}: ").removeprefix(f"{name} ")


def mean_time(games: Sequence[CheckGame]) -> float:
    """Mean time of the agent's moves, in seconds."""
    spent = [move.spent or 0 for game in games for move in game.own_moves]
    return sum(spent) / len(spent) / SECOND if spent else 0.0


def results(games: Sequence[CheckGame]) -> str:
    """The results of whole games against random moves, in words; empty if there are none."""
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
        parts.append(f"{len(cut)} cut short after {moves} of its moves to save time")
    return "; ".join(parts)


def time_used(all_games: Sequence[CheckGame], whole_games: Sequence[CheckGame], clock: str, *, budget: str) -> Measured:
    """The longest move and the least time left, with a warning if a limit was near. `budget`: where the agent reads how
    long it should think."""
    control = TimeControl.parse(clock)
    longest = max((move.spent or 0 for game in all_games for move in game.own_moves), default=0)
    message = f"longest move {_seconds(longest)}"
    rules = clock
    nearly = False
    if control.move:
        message += f" of {_seconds(control.move)}"
        nearly = longest > _NEARLY * control.move
    elif control:
        full = control.base + control.periods * control.period
        if left := [move.left for game in whole_games for move in game.own_moves if move.left is not None]:
            message += f"; at least {_seconds(min(left))} left at any time"
            increment = f", +{control.increment / SECOND:g} s a move" if control.increment else ""
            rules = f"starts with {full / SECOND:g} s{increment}"
            nearly = min(left) < (1 - _NEARLY) * full
    message = f"{message} ({rules})"
    if nearly:
        return Measured(Light.WARNING, message, f"another machine can be slower: use less than {budget}")
    return Measured(Light.GOOD, message)


def output(games: Sequence[CheckGame]) -> Measured:
    """How much the agent printed, and the end of its output."""
    counts = [_bytes_printed(game) for game in games]
    if not sum(counts):
        return Measured(Light.GOOD, "nothing")
    last = next((written for game in reversed(games) if (written := _written(game))), "")
    end = tracebacks.excerpt(last, 3, head=0)
    message = f"{_bytes(sum(counts))} in {len(games)} games, at most {_bytes(max(counts))} in one"
    if max(counts) > _MUCH_PRINTED:
        advice = "printing uses the agent's time, and only the end of the output is kept"
        return Measured(Light.WARNING, message, advice, end)
    return Measured(Light.GOOD, message, stderr=end)


def _bytes_printed(game: CheckGame) -> int:
    counted = max((move.log or 0 for move in game.own_moves), default=0)
    ours = sum(len(line.encode()) + 1 for line in (game.own.stderr or "").split("\n") if line.startswith(MISTAKE))
    return max(counted - ours, len(_written(game).encode()))


def _written(game: CheckGame) -> str:
    """The agent's own output, without the dump of its threads that is written when its time runs out, and without the
    mistakes that our host noticed."""
    stderr = tracebacks.without_mistakes(game.own.stderr or "")
    return tracebacks.before_dump(stderr) if game.verdict in COSTLY else stderr


def resources_used(games: Sequence[CheckGame], allowance: Allowance) -> Measured:
    """Memory and processor time used, with a warning if it is too much."""
    memory = max((game.own.memory or 0 for game in games), default=0)
    cpu = sum(game.own.cpu or 0 for game in games)
    spent = sum(game.own.spent or 0 for game in games)
    of = f" of {allowance.memory / MEBIBYTE:,.0f}" if allowance.memory else ""
    message = f"{memory / MEBIBYTE:,.0f}{of} MiB of memory, {_seconds(cpu)} of processor time in {len(games)} games"
    if allowance.memory and memory > _NEARLY * allowance.memory:
        return Measured(Light.WARNING, message, "an agent that uses more than the limit loses: keep less in memory")
    if cpu > 2 * spent + SECOND * (1 + len(games) // 4):
        advice = "the agent computes outside its turns or in several threads: here this does not make it faster"
        return Measured(Light.WARNING, message, advice)
    return Measured(Light.GOOD, message)


def first_difference(one: CheckGame, other: CheckGame) -> tuple[int, str, str] | None:
    """The agent's first move that differs between two games: its number from 1, and both moves; None: no difference."""
    for place, (before, after) in enumerate(zip(one.own_moves, other.own_moves, strict=False), 1):
        if before.move != after.move:
            return place, before.move, after.move
    return None


def _seconds(time: int) -> str:
    return f"{time / SECOND:.2f} s" if time < 100 * SECOND else f"{time / SECOND:.0f} s"


def _bytes(count: int) -> str:
    return f"{count:,} bytes" if count < 10_000 else f"{count / 1000:,.0f} kB"


# Whether an agent whose games were cut short would have run out of time in a whole game.


@dataclass(frozen=True, slots=True)
class MovePace:
    """The pace of an agent that would run out of time in a whole game.

    Only a suspicion: another game then tests whether the agent moves faster when little time is left."""

    taken: int
    """Time per move, in nanoseconds."""
    ends: int
    """The number of the agent's move at which its time runs out."""
    moves: int
    """The greatest number of moves that the agent can make in a game."""
    clock: TimeControl
    margin: int
    """How late a move may be, in nanoseconds."""

    @property
    def short_clock(self) -> TimeControl:
        """A clock for the test: with the margin it leaves half of the time that the agent takes for a move."""
        return TimeControl(base=self.taken // 2 - self.margin, increment=self.clock.increment)

    def __str__(self) -> str:
        return (
            f"at this pace the agent loses on time at its move {self.ends}, and a game can have {self.moves}; "
            f"in a test with {self.short_clock.base / SECOND:.2f} s left, the agent used more"
        )


def too_slow(taken: int, clock: str, *, margin: int, moves: int) -> MovePace | None:
    """The pace of an agent that takes `taken` nanoseconds for each of `moves` moves; None if the clock is long enough,
    or if the test's clock would be too short."""
    control = TimeControl.parse(clock)
    running = Clock([control], margins=[margin])
    for move in range(1, moves + 1):
        if taken > running.limit(0):
            pace = MovePace(taken, move, moves, control, margin)
            return pace if pace.short_clock.base >= _SHORTEST_CLOCK else None
        running.charge(0, taken)
    return None
