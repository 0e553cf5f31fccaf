"""Which host plays which games: every game that is out is leased to one task of one host, and has at most one result.

Pure: it decides, and neither sends nor waits. A result counts only from the task that holds the game's lease, so one
that comes late or twice is dropped. The games of a lost host are given out again, as the same attempt.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from arena.match.schedule import Planned, Schedule

_BATCH_SECONDS: Final = 0.5
"""About how long a host plays a batch, in seconds: long enough that messages cost little, short enough that a lost host
has few games."""
_LATENCY: Final = 0.5
"""Seconds of play that a host has in stock beyond the games in progress, so that it never waits for a message. Of long
games this is a single one: what one host has in stock, another one that is idle cannot play."""
_LARGEST_BATCH: Final = 32
_NEW_SHARE: Final = 0.1
"""Weight of the last game in the average time of a game."""


@dataclass(slots=True)
class Leased:
    """A host that plays, and the games that it was given."""

    games: int
    """How many games it plays at the same time."""
    out: dict[int, tuple[Planned, str]] = field(default_factory=dict)
    """By number: the game, and the key of the task that holds its lease."""


class Leases:
    """All hosts that play, all games that are out, and those that came back without a result."""

    def __init__(self) -> None:
        self.hosts: dict[str, Leased] = {}
        # How many games all hosts play at the same time.
        self._places = 0
        # Hosts that had not enough games when they were last given some, or that had a result since; in this order.
        self._hungry: dict[str, None] = {}
        # The number of games without a result when `hungry` was last called.
        self._left = 0
        # The average time of a game in seconds; None before the first one is over.
        self._seconds: float | None = None
        # Pairs that came back, to be given out before all others.
        self._back: deque[list[Planned]] = deque()
        self._pairs: _Pairs | None = None
        self._stopped = False
        # Batches that came back with games without a result.
        self.lost_batches = 0

    @property
    def out(self) -> list[Planned]:
        """The games that are out."""
        return [game for host in list(self.hosts.values()) for game, _ in list(host.out.values())]

    @property
    def is_idle(self) -> bool:
        """Whether no game is out."""
        return not any(host.out for host in self.hosts.values())

    def follow(self, schedule: Schedule) -> None:
        """Takes games from `schedule` from now on."""
        self._pairs = _Pairs(schedule)

    def join(self, host: str, games: int) -> None:
        """A host plays from now on."""
        self.hosts[host] = Leased(games)
        self._hungry[host] = None
        self._count_places()

    def lose(self, host: str) -> int:
        """A host is gone; returns how many games come back."""
        lost = self.hosts.pop(host, None)
        self._hungry.pop(host, None)
        self._count_places()
        return 0 if lost is None else self._give_back([game for game, _ in lost.out.values()])

    def stop(self) -> None:
        """No game is given out any more; those that came back stay without a result."""
        self._back.clear()
        self._pairs = None
        self._stopped = True

    def hungry(self, left: int) -> list[str]:
        """The hosts that `next_batch` may have games for: after a result few of all hosts, and none if there is no pair
        to give out. All other hosts have at least as many games out as they play at the same time."""
        if left > self._left:  # more games were scheduled, so that the share of every host is larger
            self._hungry |= dict.fromkeys(self.hosts)
        self._left = left
        return list(self._hungry) if self._hungry and self._has_pair() else []

    def next_batch(self, host: str, left: int) -> list[Planned]:
        """The games of the next batch for `host`: whole pairs; empty if it has enough, or if there are none now. A host
        with fewer games out than it plays at the same time has never enough.

        `left`: all games without a result, those that are out included."""
        leased = self.hosts[host]
        if (wanted := self._stock(leased.games, left) - len(leased.out)) <= 0:
            self._hungry.pop(host, None)
        batch: list[Planned] = []
        while len(batch) < min(wanted, self._batch) and (pair := self._next_pair()):
            batch += pair
        return batch

    def lend(self, host: str, key: str, games: Iterable[Planned]) -> None:
        """The task `key` of `host` holds the leases of these games from now on."""
        self.hosts[host].out |= {game.number: (game, key) for game in games}

    def leased(self, host: str, key: str, number: int, attempt: int) -> Planned | None:
        """The game that this result is of; None if the task does not hold its lease: the result does not count."""
        leased = self.hosts.get(host)
        game, holder = (leased and leased.out.get(number)) or (None, "")
        return game if game is not None and holder == key and game.attempt == attempt else None

    def take_in(self, host: str, number: int, seconds: float) -> None:
        """The game has a result, and took so long; it is no longer out."""
        del self.hosts[host].out[number]
        self._hungry[host] = None
        if self._pairs is not None:
            self._pairs.is_dry = False
        self._seconds = seconds if self._seconds is None else self._seconds + _NEW_SHARE * (seconds - self._seconds)

    def end(self, host: str, key: str) -> int:
        """The task has ended: its games without a result come back; returns their number."""
        if (leased := self.hosts.get(host)) is None:
            return 0
        lost = [game for game, holder in leased.out.values() if holder == key]
        for game in lost:
            del leased.out[game.number]
            self._hungry[host] = None
        return self._give_back(lost)

    def task_size(self, games: int) -> int:
        """The number of games in a task of a batch: long games come back one by one."""
        return 1 if self._batch == 1 else games

    def is_empty(self) -> bool:
        """Whether there is no game to give out now. The schedule is asked, also if it had none before."""
        if self._pairs is not None:
            self._pairs.is_dry = False
        return not self._has_pair()

    @property
    def _batch(self) -> int:
        """Number of games in a batch."""
        return 1 if self._seconds is None else max(1, min(_LARGEST_BATCH, int(_BATCH_SECONDS / (self._seconds + 1e-9))))

    def _stock(self, games: int, left: int) -> int:
        """How many games a host has that plays this number at the same time. Near the end it gets only its share of
        those that are left, so that no host waits for another."""
        ahead = 0 if self._seconds is None else ceil(games * _LATENCY / (self._seconds + 1e-9))
        stock = games + min(ahead, _LARGEST_BATCH * games)
        share = ceil(left * games / self._places)
        return min(stock, max(games, share))

    def _count_places(self) -> None:
        self._places = sum(host.games for host in self.hosts.values())

    def _has_pair(self) -> bool:
        if not self._back and (pair := self._next_pair()):
            self._back.append(pair)
        return bool(self._back)

    def _next_pair(self) -> list[Planned]:
        if self._back:
            return self._back.popleft()
        return [] if self._pairs is None else self._pairs.next()

    def _give_back(self, games: Iterable[Planned]) -> int:
        pairs: dict[tuple[object, ...], list[Planned]] = {}
        for game in () if self._stopped else games:
            pairs.setdefault(game.identity, []).append(game)
        self._back.extendleft(reversed(pairs.values()))
        self.lost_batches += bool(pairs)
        return sum(map(len, pairs.values()))


class _Pairs:
    """The games of a schedule in pairs: all games of a pairing that follow each other."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._next: Planned | None = None
        # Whether the schedule had no game. Then it is not asked again until a game is over: to ask is a transaction,
        # and home looks for games for every host after every result.
        self.is_dry = False

    def next(self) -> list[Planned]:
        """The games of the next pairing; empty if there are none now."""
        if (first := self._next or self._scheduled()) is None:
            return []
        self._next = None
        pair = [first]
        while (game := self._scheduled()) is not None:
            if game.identity != first.identity or game.leg == pair[-1].leg:
                self._next = game
                break
            pair.append(game)
        return pair

    def _scheduled(self) -> Planned | None:
        game = None if self.is_dry else self._schedule.next()
        self.is_dry = game is None
        return game
