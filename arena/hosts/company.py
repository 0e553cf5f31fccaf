"""The game hosts that play for one run of a tournament: who joins, who does not and why, who is lost, and their tasks.

What they play is said by `Home`, which inherits from this class.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import count
from math import ceil, inf
from time import monotonic
from typing import Any, Final

import zmq
from msgspec import Struct

from arena.errors import ArenaError
from arena.hosts import game_host
from arena.hosts.cluster import Answer, Cluster, Present
from arena.hosts.messages import Host, Played, received, sent
from arena.tournament.host import speed_differs

_ASKS_AGAIN: Final = 3.0
"""Seconds until a host that was busy is asked again."""
_MEASURED_AGAIN: Final = 60.0
"""Seconds until a host that was too fast or too slow is asked again: it measures itself while it has nothing to do."""
_MOST_FAILURES: Final = 3
"""Failures in a row without any result between, after which a host gets no more work."""
_WAKES: Final = 1.0
"""Longest time between two looks at hosts and work, in seconds."""


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


class Company:
    """The hosts of one run."""

    def __init__(
        self,
        cluster: Cluster,
        joining: Struct,
        run: str,
        say: Callable[[str], None],
        *,
        reference: float | None = None,
        tolerance: float = inf,
        alone: bool = False,
    ) -> None:
        """`say` prints a message. Hosts whose speed differs by more than `tolerance` from `reference` do not play;
        None: the first host that plays sets it. `alone`: the cluster has one host, and will have no other."""
        self._cluster = cluster
        self._joining = sent(joining)
        self._run = run
        self._say = say
        self._reference = reference
        self._tolerance = tolerance
        self._alone = alone
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

    # What the hosts do.

    @property
    def _working(self) -> Collection[str]:
        """The names of the hosts that get work."""
        raise NotImplementedError

    def _begin(self, name: str, games: int) -> None:
        """A host that plays this number of games at the same time gets work from now on."""
        raise NotImplementedError

    def _end(self, name: str) -> int:
        """A host gets no more work; returns how much of its work comes back."""
        raise NotImplementedError

    # Hosts.

    def _happened(self) -> Iterator[tuple[str, Answer]]:
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
        if name in self._working:
            back = self._end(name)
            again = f"; {counted(back, 'game')} in progress will be played again" if back else ""
            self._say(f"host {known.shown} is gone{again}")
        if self._alone:
            raise HostLost("the game host of this machine has ended; the same command continues")

    def _note_joined(self, name: str, answer: Answer) -> None:
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
            self._begin(name, says.games)
            self._say(f"host {known.shown} plays {counted(says.games, 'game')} at the same time")

    def _refuse(self, name: str, why: str) -> None:
        self._end(name)
        if self._alone:
            raise HostLost(f"the game host of this machine does not play: {why}")
        self._say(f"host {self._known[name].shown or name} does not play: {why}")

    def _refuse_wrong(self, name: str, error: ArenaError) -> None:
        self._refuse(name, f"it sent a wrong answer: {error}")

    def _note_waiting(self) -> None:
        """Says once that nothing can be played without a host."""
        if self._working:
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
        if name not in self._working:
            return
        if not said.joined:
            self._end(name)
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
