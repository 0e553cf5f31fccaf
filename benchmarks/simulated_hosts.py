"""Simulated game hosts: a heap of events in simulated time, in place of machines, network and games.

What home decides is real: `Leases` choose which host plays which game, and a real schedule gives out the games and
notes their results. Hosts join late, crash, lose their connection or their referee, and come back; some answers arrive
late or twice. All of this follows from one seed.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from heapq import heappop, heappush
from itertools import count
from math import inf
from random import Random
from typing import Final

from arena.hosts.leases import Leases
from arena.match.schedule import Finished, Planned, Schedule, WrappingSchedule

_LATENCY: Final = 0.05
"""Seconds until a message arrives."""


class _Failure(Enum):
    """What happens to a host."""

    CRASH = "crash"
    """Its games are lost; home is told at once."""
    CUT_OFF = "cut off"
    """It plays on without a connection, so that its answers arrive after it was given up."""
    REFEREE_LOST = "referee lost"
    """It stays, but sends all its batches back at once, with the results that it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """How many hosts there are, and what happens to them. Times are in seconds of simulated time."""

    hosts: int
    cores: int = 10
    """Games that a host plays at the same time."""
    speeds: tuple[float, float] = (0.93, 1.07)
    """The slowest and the fastest host: by default within the tolerance of a tournament with a clock."""
    fails_after: float = inf
    """Mean time until something happens to a host."""
    away: float = 600
    """Mean time until a lost host comes back."""
    joins_within: float = 60
    """All hosts join within this time."""
    given_up: float = 60
    """Time until home is told that a host without a connection is lost."""
    late: float = 600
    """Time until the answers of such a host arrive all the same; an answer that arrives twice is as late at most."""
    doubled: float = 0
    """The share of answers that arrive twice."""


@dataclass(slots=True)
class _Batch:
    """A batch on a host."""

    waiting: set[int]
    """Numbers of the games without a result."""
    over: list[Finished] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class SimulatedHost:
    """A host from the time it joins until home loses it."""

    name: str
    cores: int
    speed: float
    joined: float
    queue: deque[tuple[str, Planned]] = field(default_factory=deque)
    """Games that have not begun, each with the key of its task."""
    playing: dict[int, float] = field(default_factory=dict)
    """By the game's number: when it began."""
    batches: dict[str, _Batch] = field(default_factory=dict)
    """By the key of the task."""
    under_way: int = 0
    """Messages to or from it that have not arrived."""
    is_reachable: bool = True
    is_lost: bool = False
    """Whether home has lost it."""

    @property
    def has_free_place(self) -> bool:
        """Whether it could play one more game."""
        return len(self.playing) < self.cores


class Simulation:
    """One run of a schedule on simulated hosts."""

    def __init__(
        self,
        schedule: Schedule,
        conditions: Conditions,
        *,
        left: Callable[[], int],
        seconds: Callable[[Planned], float],
        finished: Callable[[Planned, float, float, str], Finished],
        seed: int = 1,
    ) -> None:
        """`left` gives the number of games without a result, and `seconds` the duration of a game at speed 1.
        `finished` makes the result of a game, of when it began, when it ended, and the host's name."""
        self.leases = Leases()
        # The hosts that home has not lost, by name.
        self.hosts: dict[str, SimulatedHost] = {}
        self.now = 0.0
        # Results that were noted; results that were dropped; results where that was wrong.
        self.results = self.dropped = self.misjudged = 0
        # Games that hosts began, before home had lost them.
        self.begun = 0
        # Seconds of all places: with a game, and in all.
        self._busy = self._there = 0.0
        # Processor time of home, the schedule included.
        self._home = 0.0
        self._schedule = _Timed(schedule)
        self._conditions = conditions
        self._left = left
        self._seconds = seconds
        self._finished = finished
        self._random = random = Random(seed)
        self._numbers = count(1)
        # When, a number that no other event has, what happens: it returns whether home notices.
        self._events: list[tuple[float, int, Callable[[], bool]]] = []
        for number in range(1, conditions.hosts + 1):
            join = partial(self._join, f"host{number}", random.uniform(*conditions.speeds))
            self._after(random.uniform(0, conditions.joins_within), join)

    def play(self) -> Iterator[None]:
        """Plays until nothing is left; yields after each time that home has handed out games."""
        self.leases.follow(self._schedule)
        while not self._hand_out():
            yield
            is_noticed = False
            while not is_noticed:
                self.now, _, event = heappop(self._events)
                is_noticed = event()
        yield

    @property
    def busy(self) -> float:
        """The share of the time in which a place of a host had a game."""
        now = sum(host.cores * (self.now - host.joined) for host in self.hosts.values())
        return self._busy / max(1.0, self._there + now)

    @property
    def processor(self) -> tuple[float, float]:
        """Seconds of processor time: of the leases and home's loop; of the schedule with its database."""
        return self._home - self._schedule.seconds, self._schedule.seconds

    # Home.

    def _hand_out(self) -> bool:
        """As `Home.play` and `Home._hand_out`; returns whether the schedule is over."""
        began = time.process_time()
        for name in self.leases.hungry(self._left()):
            while games := self.leases.next_batch(name, self._left()):
                size = self.leases.task_size(len(games))
                for first in range(0, len(games), size):
                    self._send(self.hosts[name], games[first : first + size])
        is_over = self.leases.is_idle and self.leases.is_empty() and self._schedule.rest() is None
        self._home += time.process_time() - began
        return is_over

    def _send(self, host: SimulatedHost, games: Sequence[Planned]) -> None:
        key = f"task-{next(self._numbers)}"
        self.leases.lend(host.name, key, games)
        self._message(host, partial(self._receive, host, key, games))

    def _take(self, host: SimulatedHost, key: str, results: Sequence[Finished], is_second: bool = False) -> bool:
        """A task has ended, as `Home._take`. The leases alone decide which results count; this compares with what
        happened."""
        began = time.process_time()
        accepted = []
        for over in results:
            counts = self.leases.leased(host.name, key, over.game.number, over.game.attempt) is not None
            self.misjudged += counts == (host.is_lost or is_second)
            if counts:
                self.leases.take_in(host.name, over.game.number, (over.finished - over.started).total_seconds())
                accepted.append(over)
        for over in accepted:
            self._schedule.note(over)
        self.leases.end(host.name, key)
        self._home += time.process_time() - began
        self.results += len(accepted)
        self.dropped += len(results) - len(accepted)
        return True

    def _lose(self, host: SimulatedHost) -> bool:
        began = time.process_time()
        self.leases.lose(host.name)
        self._home += time.process_time() - began
        self._there += host.cores * (self.now - host.joined)
        self._busy += sum(self.now - began for began in host.playing.values())
        host.is_lost = True
        del self.hosts[host.name]
        away = self._random.expovariate(1 / self._conditions.away)
        self._after(away, partial(self._join, host.name, host.speed))
        return True

    # Hosts.

    def _join(self, name: str, speed: float) -> bool:
        host = self.hosts[name] = SimulatedHost(name, self._conditions.cores, speed, self.now)
        self.leases.join(name, host.cores)
        self._fail_later(host)
        return True

    def _receive(self, host: SimulatedHost, key: str, games: Sequence[Planned]) -> bool:
        if host.is_reachable:
            host.batches[key] = _Batch({game.number for game in games})
            host.queue += [(key, game) for game in games]
            self._begin_games(host)
        return False

    def _begin_games(self, host: SimulatedHost) -> None:
        while host.queue and host.has_free_place:
            key, game = host.queue.popleft()
            host.playing[game.number] = self.now
            self.begun += not host.is_lost
            self._after(self._seconds(game) / host.speed, partial(self._end_game, host, key, game, self.now))

    def _end_game(self, host: SimulatedHost, key: str, game: Planned, began: float) -> bool:
        if host.playing.get(game.number) != began:
            return False  # the host has crashed, or lost its referee
        del host.playing[game.number]
        self._busy += 0 if host.is_lost else self.now - began
        batch = host.batches[key]
        batch.waiting.remove(game.number)
        batch.over.append(self._finished(game, began, self.now, host.name))
        if not batch.waiting:
            del host.batches[key]
            self._answer(host, key, batch)
        self._begin_games(host)
        return False

    def _answer(self, host: SimulatedHost, key: str, batch: _Batch) -> None:
        late = 0 if host.is_reachable else self._conditions.late
        self._message(host, partial(self._take, host, key, batch.over), late=late)
        if self._random.random() < self._conditions.doubled:
            late += self._random.uniform(0, self._conditions.late)
            self._after(_LATENCY + late, partial(self._take, host, key, batch.over, is_second=True))

    def _fail_later(self, host: SimulatedHost) -> None:
        if self._conditions.fails_after < inf:
            self._after(self._random.expovariate(1 / self._conditions.fails_after), partial(self._fail, host))

    def _fail(self, host: SimulatedHost) -> bool:
        match self._random.choice([*_Failure]):
            case _Failure.CRASH:
                self._lose(host)
                host.is_reachable = False
                self._drop_games(host)
                return True
            case _Failure.CUT_OFF:
                host.is_reachable = False
                self._after(self._conditions.given_up, partial(self._lose, host))
            case _Failure.REFEREE_LOST:
                self._busy += sum(self.now - began for began in host.playing.values())
                for key, batch in host.batches.items():
                    self._answer(host, key, batch)
                self._drop_games(host)
                self._fail_later(host)
        return False

    def _drop_games(self, host: SimulatedHost) -> None:
        host.queue.clear()
        host.playing.clear()
        host.batches.clear()

    # Events.

    def _message(self, host: SimulatedHost, arrives: Callable[[], bool], *, late: float = 0) -> None:
        def event() -> bool:
            host.under_way -= 1
            return arrives()

        host.under_way += 1
        self._after(_LATENCY + late, event)

    def _after(self, seconds: float, event: Callable[[], bool]) -> None:
        heappush(self._events, (self.now + seconds, next(self._numbers), event))


class _Timed(WrappingSchedule):
    """A schedule whose processor time is measured."""

    def __init__(self, schedule: Schedule) -> None:
        super().__init__(schedule)
        self.seconds = 0.0

    def next(self) -> Planned | None:
        """The next game."""
        began = time.process_time()
        game = super().next()
        self.seconds += time.process_time() - began
        return game

    def note(self, finished: Finished) -> None:
        """Records the game."""
        began = time.process_time()
        super().note(finished)
        self.seconds += time.process_time() - began
