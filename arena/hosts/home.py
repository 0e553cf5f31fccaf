"""Home: plays a tournament on game hosts, in place of a director, and knows who joins, who does not and why, and who is
lost; and Dask as home uses it (`Cluster`).

It runs in the process of the command, which alone has the database and the tournament's lock. It takes games from the
schedule, hands them out in pairs, and has the schedule note each result. A result is accepted only for a game that is
out, from the task that has it, and only if the game can be played again as the host says: by its rules, with the chance
events of its seed, its clocks and its end.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
import warnings
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from math import ceil, inf
from time import monotonic
from typing import Any, Final, Self

import zmq
from distributed import Client, Future
from distributed.security import Security
from msgspec.structs import replace

from arena.errors import ArenaError
from arena.history import documents
from arena.history.verify import PositionCheck, wrongs_of
from arena.hosts import game_host
from arena.hosts.leases import Leases
from arena.hosts.messages import RESOURCE, Host, Played, check_result, received, sent
from arena.hosts.travelling import Sender
from arena.match.schedule import Finished, Planned, Schedule, rules_failed
from arena.tournament.host import ended_by, speed_differs

_ASKS_AGAIN: Final = 3.0
"""Seconds until a host that was busy is asked again."""
_MEASURED_AGAIN: Final = 60.0
"""Seconds until a host that was too fast or too slow is asked again: it measures itself while it has nothing to do."""
_MOST_FAILURES: Final = 3
"""Failures in a row without any result between, after which a host gets no more work."""
_WAKES: Final = 1.0
"""Longest time between two looks at hosts and work, in seconds."""
_OURS: Final = "adsearch.games."


class HostLost(ArenaError):
    """The only host of a cluster does not play."""

    exit_code = 1


@dataclass(slots=True)
class Known:
    """A game host that the scheduler knows."""

    address: str
    shown: str = ""
    """Its name for people; empty until it has answered."""
    ask_at: float = 0.0
    """When it is asked whether it plays; infinite once it was."""
    has: set[str] = field(default_factory=set)
    """Hashes of the sources that it has been sent."""
    is_unlike: bool = False
    """Whether its speed differs too much, which was said."""
    failures: int = 0
    """How often in a row it failed, without any result between."""
    failed_at: int = 0
    """The number of the last task when it failed last: the tasks before may have failed together."""


class Home:
    """Hands out the games of one run, and takes in their results."""

    def __init__(
        self,
        cluster: Cluster,
        sender: Sender,
        say: Callable[[str], None],
        *,
        left: Callable[[], int],
        reference: float | None = None,
        tolerance: float = inf,
        alone: bool = False,
    ) -> None:
        """`say` prints a message; `left` gives the number of games without a result. Hosts whose speed differs by more
        than `tolerance` from `reference` do not play; None: the first host that plays sets it. `alone`: the cluster has
        one host, and will have no other."""
        self._cluster = cluster
        self._sender = sender
        self._joining = sent(sender.joining)
        self._run = sender.joining.run
        self._say = say
        self._left = left
        self._reference = reference
        self._tolerance = tolerance
        self._alone = alone
        self._leases = Leases()
        self._boards = PositionCheck(trust=True)  # the rules are those of the description that the user runs
        self._known: dict[str, Known] = {}
        # Keys of tasks that have not ended: the host's name, or "" where the answer does not matter.
        self._tasks: dict[str, str] = {}
        self._number = 0
        # Whether the scheduler has said which hosts there are; whether it was said that there is none.
        self._has_asked = self._says_waiting = False
        self._poller = zmq.Poller()
        self._poller.register(cluster.bell.fileno(), zmq.POLLIN)
        self._watched: dict[Any, Callable[[], None]] = {}

    @classmethod
    def new_run(cls) -> str:
        """A name for a run."""
        return secrets.token_hex(8)

    def watch(self, source: Any, heard: Callable[[], None]) -> None:
        """Calls `heard` whenever `source`, a descriptor, is readable."""
        self._watched[source] = heard
        self._poller.register(source, zmq.POLLIN)

    def unwatch(self, source: Any) -> None:
        """Stops watching `source`."""
        del self._watched[source]
        self._poller.unregister(source)

    # As a director.

    @property
    def in_progress(self) -> list[Planned]:
        """The games that hosts play, or are about to play."""
        return self._leases.out

    def take_back(self) -> None:
        """No more games are given out, and those that have not begun are given back."""
        self._leases.stop()
        for name in self._leases.hosts:
            self._call(name, game_host.recall, self._key("recall"), self._run.encode(), wanted=False)

    def play(self, schedule: Schedule) -> Iterator[Finished]:
        """Plays `schedule` on all hosts that there are, and yields what is finished. SchedulerLost if Dask's scheduler
        is gone."""
        self._leases.follow(schedule)
        while True:
            for name in self._leases.hungry(self._left()):
                self._hand_out(name)
            if self._leases.is_idle and self._leases.is_empty() and schedule.rest() is None:
                return
            for name, answer in self._happened():
                yield from self._take(name, answer, schedule)

    def status(self) -> str:
        """Hosts, games in progress and lost batches, in a line."""
        leases = self._leases
        lost = f", {counted(leases.lost_batches, 'batch')} lost" if leases.lost_batches else ""
        return f"{counted(len(leases.hosts), 'host')}, {counted(len(leases.out), 'game')} in progress{lost}"

    # Hosts.

    def _happened(self) -> Iterator[tuple[str, HostAnswer]]:
        """Waits, and yields what hosts have answered. New hosts are asked first whether they play."""
        for name, known in self._known.items():
            if monotonic() >= known.ask_at:
                known.ask_at = inf
                self._call(name, game_host.join, self._key("join"), self._joining)
        self._note_waiting()
        heard = [source for source, _ in self._poller.poll(ceil(1000 * _WAKES))]
        for source in heard:
            if source in self._watched:
                self._watched[source]()
        for what in self._cluster.happened():
            if isinstance(what, Present):
                self._note_present(what)
                continue
            host = self._tasks.get(what.key)
            self._forget(what.key)
            if not host or host not in self._known:
                continue
            if what.key.startswith("arena-join"):
                self._note_joined(host, what)
            else:
                yield host, what

    def _note_present(self, present: Present) -> None:
        self._has_asked = True
        for name in [name for name in self._known if name not in present.hosts]:
            self._lose(name)
        for name, address in present.hosts.items():
            if name not in self._known:
                self._known[name] = Known(address)

    def _lose(self, name: str) -> None:
        known = self._known.pop(name)
        for key in [key for key, host in self._tasks.items() if host == name]:
            self._forget(key)
        if name in self._leases.hosts:
            back = self._leases.lose(name)
            again = f"; {counted(back, 'game')} in progress will be played again" if back else ""
            self._say(f"host {known.shown} is gone{again}")
        if self._alone:
            raise HostLost("the game host of this machine has ended; the same command continues")

    def _note_joined(self, name: str, answer: HostAnswer) -> None:
        try:
            if answer.failure:
                raise ArenaError(answer.failure)
            self._note_host(name, received(answer.data, Host))
        except HostLost:
            raise
        except ArenaError as error:
            self._refuse_wrong(name, error)

    def _note_host(self, name: str, says: Host) -> None:
        known = self._known[name]
        is_new = not known.shown
        if is_new:  # two hosts can have the same name
            taken = {other.shown for other in self._known.values()}
            names = (f"{says.name}#{number}" if number > 1 else says.name for number in count(1))
            known.shown = next(name for name in names if name not in taken)
        if says.refuses:
            self._refuse(name, says.refuses)
        elif says.busy:
            known.ask_at = monotonic() + _ASKS_AGAIN
            if is_new:
                self._say(f"host {known.shown} plays for another command; it is asked again until it is free")
        elif why := speed_differs(says.speed, self._reference or says.speed, self._tolerance):
            known.ask_at = monotonic() + _MEASURED_AGAIN
            if not known.is_unlike:
                known.is_unlike = True
                self._refuse(name, why)
        else:
            self._reference = self._reference or says.speed
            self._leases.join(name, says.games)
            self._say(f"host {known.shown} plays {counted(says.games, 'game')} at the same time")

    def _refuse(self, name: str, why: str) -> None:
        self._leases.lose(name)
        if self._alone:
            raise HostLost(f"the game host of this machine does not play: {why}")
        self._say(f"host {self._known[name].shown or name} does not play: {why}")

    def _refuse_wrong(self, name: str, error: ArenaError) -> None:
        self._refuse(name, f"it sent a wrong answer: {error}")

    def _note_waiting(self) -> None:
        """Says once that nothing can be played without a host."""
        if self._leases.hosts:
            self._says_waiting = False
        elif self._has_asked and not self._says_waiting and not self._tasks:
            self._says_waiting = True
            self._say(
                "waiting for the game host of this machine"
                if self._alone
                else f"waiting for a game host; start one with: arena worker {self._cluster.address}"
            )

    def _note_outcome(self, name: str, key: str, said: Played, *, has_results: bool) -> None:
        """A task has ended. A host that has no results of several in a row gets no more; one that was started again is
        asked again."""
        known = self._known[name]
        known.has.difference_update(said.missing)
        if name not in self._leases.hosts:
            return
        if not said.joined:
            self._leases.lose(name)
            known.has.clear()
            known.ask_at = 0.0
        elif has_results:
            known.failures = 0
        elif int(key.rpartition("-")[2]) > known.failed_at:
            known.failures, known.failed_at = known.failures + 1, self._number
            if known.failures >= _MOST_FAILURES:
                self._refuse(name, said.failed or "it sends no results")
            elif said.failed:
                self._say(f"host {known.shown}: {said.failed}")

    # Games and their results.

    def _hand_out(self, name: str) -> None:
        while name in self._leases.hosts and (games := self._leases.next_batch(name, self._left())):
            size = self._leases.task_size(len(games))
            for first in range(0, len(games), size):
                self._send(name, games[first : first + size])

    def _send(self, name: str, games: Sequence[Planned]) -> None:
        key = self._key("play")
        known = self._known[name]
        batch = self._sender.batch(key, games, known.has)
        known.has |= batch.sources.keys()
        self._leases.lend(name, key, games)
        self._call(name, game_host.play, key, sent(batch))

    def _take(self, name: str, answer: HostAnswer, schedule: Schedule) -> Iterator[Finished]:
        """A task has ended: its results are noted, and its other games come back."""
        try:
            played = Played(failed=answer.failure) if answer.failure else received(answer.data, Played)
            finished = self._accepted(name, answer.key, played)
        except ArenaError as error:
            self._refuse_wrong(name, error)
            return
        for over in finished:
            schedule.note(over)
            yield over
        self._leases.end(name, answer.key)
        self._note_outcome(name, answer.key, played, has_results=bool(played.results))

    def _accepted(self, name: str, key: str, played: Played) -> list[Finished]:
        """The results that count: those of games that are out, from the task that has them. ArenaError if one of them
        is wrong; then none counts."""
        now = datetime.now(UTC)
        accepted = {}
        for result in played.results:
            if (game := self._leases.leased(name, key, result.number, result.attempt)) is not None:
                check_result(result, game)
                began, ended = (now - timedelta(seconds=ago) for ago in (result.began, result.ended))
                host = {**result.host, "name": self._known[name].shown, **ended_by(game.conditions)}
                over = Finished(game, result.record, began, ended, host)
                self._check(over)
                accepted[game.number] = over
        for number, over in accepted.items():
            self._leases.take_in(name, number, (over.finished - over.started).total_seconds())
        return list(accepted.values())

    def _check(self, over: Finished) -> None:
        """ArenaError if the game cannot have gone as the host says."""
        game = replace(
            documents.past(over),
            tournament=self._sender.joining.tournament,
            game=over.game.rules,
            pair=str(over.game.identity[0]),
            host=dict(over.host or {}),
        )
        start = self._boards.start(game)
        if rules_failed(over.record) and not isinstance(start, str) and type(start).__module__.startswith(_OURS):
            raise ArenaError(f"game {over.game.number}: its rules do not fail")
        if wrongs := wrongs_of(game, self._boards, imported=False, has_seed=True):
            raise ArenaError(f"game {over.game.number}: {wrongs[0]}")

    # Tasks.

    def _key(self, what: str) -> str:
        self._number += 1
        return f"arena-{what}-{self._run}-{self._number}"

    def _call(self, name: str, task: Any, key: str, data: bytes, *, wanted: bool = True) -> None:
        self._tasks[key] = name if wanted else ""
        self._cluster.call(self._known[name].address, task, key, data)

    def _forget(self, key: str) -> None:
        self._tasks.pop(key, None)
        self._cluster.forget(key)


def counted(number: int, what: str) -> str:
    """A number of something, in words."""
    return f"{number:,} {what}" + ("" if number == 1 else "es" if what.endswith("ch") else "s")


# Dask as home uses it: which game hosts there are, tasks for one of them, and their answers.


_CONNECTS_WITHIN: Final = 15
"""Seconds that a scheduler has to answer."""
_ASKS_EVERY: Final = 1.0
"""Seconds between two questions to the scheduler which hosts there are."""
Task = Callable[[bytes], Awaitable[bytes]]


class SchedulerLost(ArenaError):
    """The Dask scheduler is gone, or does not answer."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Present:
    """The game hosts that the scheduler knows: their addresses, by a name that is new whenever a host joins."""

    hosts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HostAnswer:
    """A task has ended."""

    key: str
    data: object
    """What it returned; None if it failed."""
    failure: str = ""


class _Client(Client):  # type: ignore[misc]
    def __del__(self) -> None:
        """Nothing: `Cluster.close` closes it, and one that could not connect would wait for half a minute."""


class Cluster:
    """The connection to a Dask cluster. Use it as a context manager."""

    def __init__(self, address: str, *, security: Security | None = None) -> None:
        """SchedulerLost if there is no scheduler at `address`."""
        self.address = address
        warnings.filterwarnings("ignore", "Sending large graph")  # a batch with the sources of its agents
        try:
            self._client = _Client(
                address, security=security, timeout=_CONNECTS_WITHIN, set_as_default=False, name="arena"
            )
        except (OSError, TimeoutError, TypeError, ValueError, RuntimeError) as error:
            raise SchedulerLost(f"no Dask scheduler answers at {address}: {_first_line(error)}") from None
        self.bell, self._rope = socket.socketpair()
        self.bell.setblocking(False)
        self._rope.setblocking(False)
        self._happened: deque[Present | HostAnswer] = deque()
        self._futures: dict[str, Future] = {}
        self._asking = self._in_loop(self._ask())

    def call(self, host: str, task: Task, key: str, data: bytes) -> None:
        """Has the host at the address `host` run `task`; an `HostAnswer` follows."""
        future = self._client.submit(
            task, data, key=key, workers=[host], allow_other_workers=False, pure=False, retries=0
        )
        self._futures[key] = future
        self._in_loop(self._fetch(key, future))

    def forget(self, key: str) -> None:
        """The answer is not needed any more: a task that still runs is ended by its host."""
        if (future := self._futures.pop(key, None)) is not None:
            future.release()

    def happened(self) -> Iterator[Present | HostAnswer]:
        """All that has happened since the last call. SchedulerLost if the scheduler is gone."""
        try:
            while self.bell.recv(4096):
                pass
        except BlockingIOError:
            pass
        while self._happened:
            yield self._happened.popleft()
        if self._client.status != "running" or self._asking.done():
            raise SchedulerLost(
                f"the Dask scheduler at {self.address} is gone; the games in progress have no result, and the same "
                "command continues"
            )

    def close(self) -> None:
        """Ends the connection; hosts end what they still play for it."""
        self._asking.cancel()
        self._client.close(timeout=2)
        self.bell.close()
        self._rope.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _in_loop(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._client.loop.asyncio_loop)

    async def _ask(self) -> None:
        """Asks the scheduler again and again; ends when it cannot be asked."""
        known: dict[str, str] | None = None
        try:
            while True:
                about = await asyncio.wait_for(self._client.scheduler.identity(n_workers=-1), 2 * _CONNECTS_WITHIN)
                present = {
                    worker["name"]: address
                    for address, worker in about["workers"].items()
                    if RESOURCE in worker["resources"]
                }
                if present != known:
                    known = present
                    self._tell(Present(present))
                await asyncio.sleep(_ASKS_EVERY)
        except (OSError, TimeoutError):
            return
        finally:
            self._ring()

    async def _fetch(self, key: str, future: Future) -> None:
        try:
            self._tell(HostAnswer(key, await future))
        except (Exception, CancelledError, asyncio.CancelledError) as error:
            if self._client.status == "running":  # else the scheduler is gone, and with it every task
                self._tell(HostAnswer(key, None, _first_line(error)))

    def _tell(self, what: Present | HostAnswer) -> None:
        self._happened.append(what)
        self._ring()

    def _ring(self) -> None:
        try:
            self._rope.send(b"!")
        except OSError:
            return  # it rings already, or the connection is being closed


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
