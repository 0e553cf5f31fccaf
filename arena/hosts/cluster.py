"""Dask as home uses it: which game hosts there are, tasks for one of them, and their answers.

Dask's own thread does all that waits for the network. It puts what happened into a queue and rings a bell, a socket
that home's loop polls. Answers are bytes, which nobody here reads.
"""

from __future__ import annotations

import asyncio
import socket
import warnings
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, Final, Self

from distributed import Client, Future
from distributed.security import Security

from arena.errors import ArenaError
from arena.hosts.messages import RESOURCE

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
