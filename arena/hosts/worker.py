"""The process `arena worker`: a Dask worker that is a game host, from its first connection to its end.

If the scheduler goes away, the games in progress end, and the host joins again when a scheduler answers at the same
address. After a signal it takes no new games and finishes those in progress; a second signal ends it immediately.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, Final

import dask
from distributed import LocalCluster, Worker
from distributed.comm import get_address_host
from distributed.security import Security
from distributed.utils import get_ip

from arena.errors import ArenaError
from arena.hosts.game_host import TASKS, GameHost
from arena.hosts.messages import check_dask
from arena.play.helper import Asker, AskerEnded, Helper, HelperLimits
from arena.walls.run_folder import RunFolder

JOINS_WITHIN: Final = 300.0
"""Seconds that a host waits for a scheduler."""
_TRIES_EVERY: Final = 2.0
_ANSWERS_WITHIN: Final = 30.0
"""Seconds that a scheduler has to answer."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class NoScheduler(ArenaError):
    """No Dask scheduler answers."""

    exit_code = 1


class HostProcess:
    """One run of a game host."""

    def __init__(
        self,
        address: str,
        say: Callable[[str], None],
        *,
        games: int | None = None,
        security: Security | None = None,
        joins_within: float = JOINS_WITHIN,
    ) -> None:
        """`say` prints a message; `games`: how many games it plays at the same time, None for one a core but one;
        `joins_within`: seconds that it waits for a scheduler, also when it has lost one."""
        self._address = address
        self._say = say
        self._games = games
        self._security = security
        self._joins_within = joins_within
        self._signals: list[int] = []
        self._signalled = asyncio.Event()

    async def run(self) -> int:
        """Plays until a signal; returns its number. NoScheduler if no scheduler answers for `joins_within`."""
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.add_signal_handler(number, self._note_signal, number)
        give_up = monotonic() + self._joins_within
        why = ""
        self._say(f"connecting to {self._address}")
        while not self._signals:
            with RunFolder() as folder:
                host = GameHost(self._games, folder)
                try:
                    worker = await self._joined(host, folder)
                except (OSError, TimeoutError) as error:
                    if not why and not self._signals:
                        why = str(error).partition("\n")[0] or type(error).__name__
                        self._say(f"no scheduler answers at {self._address}; trying again for {self._joins_within:g} s")
                else:
                    why = ""
                    self._say(f"joined {self._address}: plays {host.games} at the same time")
                    await self._serve(worker, host)
                    give_up = monotonic() + self._joins_within
                    if not self._signals:
                        self._say("the scheduler is gone; the games in progress have ended without a result")
                        why = "the connection was lost"
            if monotonic() >= give_up:
                raise NoScheduler(f"no Dask scheduler answers at {self._address}: {why}")
            if not self._signals:
                await self._wait(_TRIES_EVERY)
        return self._signals[0]

    async def _joined(self, host: GameHost, folder: RunFolder) -> Worker:
        worker = Worker(
            self._address,
            # Unique: a host that joins again is another one.
            name=f"arena-{os.uname().nodename}-{os.getpid()}-{secrets.token_hex(4)}",
            host=get_ip(get_address_host(self._address)),
            nthreads=TASKS,
            memory_limit=None,
            local_directory=str(folder.path / "dask"),
            dashboard=False,
            security=self._security,
            plugins=[host],
        )
        starting = asyncio.ensure_future(asyncio.wait_for(worker.start(), _ANSWERS_WITHIN))
        await self._first(starting, self._signalled.wait())
        if not starting.done():
            starting.cancel()
        try:
            return await starting
        except (Exception, asyncio.CancelledError):
            await worker.close(nanny=False)
            if self._signals:
                raise TimeoutError("stopped by a signal") from None
            raise

    async def _serve(self, worker: Worker, host: GameHost) -> None:
        """Waits until the worker has lost its scheduler, or was ended by signals."""
        ended = asyncio.ensure_future(worker.finished())
        left = asyncio.Event()
        await self._first(ended, self._signalled.wait())
        if self._signals and not ended.done():
            self._signalled.clear()
            self._say("finishing the games in progress; press Ctrl-C again to stop immediately")
            host.leave(left.set)
            await self._first(ended, left.wait(), self._signalled.wait())
        await worker.close(nanny=False, reason="arena-host-ends")
        await ended

    @staticmethod
    async def _first(*awaitables: object) -> None:
        waiting = [asyncio.ensure_future(each) for each in awaitables]  # type: ignore[call-overload]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for each in waiting[1:]:
            each.cancel()

    async def _wait(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._signalled.wait(), seconds)
        except TimeoutError:
            return

    def _note_signal(self, number: int) -> None:
        self._signals.append(number)
        self._signalled.set()


def play_for(
    address: str,
    say: Callable[[str], None],
    *,
    games: int | None = None,
    security: Security | None = None,
    joins_within: float = JOINS_WITHIN,
) -> int:
    """Plays games for the cluster at `address` until a signal; returns its number."""
    if sys.platform == "win32":
        raise ArenaError("a game host needs Linux or macOS; on Windows use WSL")

    async def run() -> int:
        return await HostProcess(address, say, games=games, security=security, joins_within=joins_within).run()

    return asyncio.run(run())


# A Dask cluster on this machine, for one command: a scheduler in its process, and one game host.


_FIELDS: Final = ("tls_ca_file", "tls_worker_cert", "tls_worker_key", "tls_client_cert", "tls_client_key")
_ENDS_WITHIN: Final = 30.0
"""Seconds that the game host has to end all its players."""


@contextmanager
def local_cluster(folder: RunFolder, games: int) -> Iterator[tuple[str, Security]]:
    """The address of a cluster, and what a client needs to connect; everything is ended at the end.

    `games`: how many games the host plays at the same time."""
    security = Security.temporary()
    dask.config.set(temporary_directory=str(folder.path / "dask"))
    with LocalCluster(
        n_workers=0,
        processes=False,
        host="127.0.0.1",
        protocol="tls://",
        dashboard_address="127.0.0.1:0",  # a free port: another Dask on this machine may have the default one
        security=security,
    ) as cluster:
        host = Helper(play, HelperLimits(finishes=True), folder=folder, ends_within=_ENDS_WITHIN)
        host.send((cluster.scheduler_address, games, {name: getattr(security, name) for name in _FIELDS}))
        try:
            yield cluster.scheduler_address, security
        finally:
            host.end()


def play(asker: Asker) -> None:
    """Plays until the command ends; in a helper."""
    os.setsid()  # Ctrl-C in the terminal is for the command, which then ends this process
    address, games, secrets = asker.job(tuple[str, int, dict[str, Any]])
    check_dask("--on")

    def end_with_command() -> None:
        with suppress(AskerEnded):
            while True:
                asker.wait()
        for _ in range(2):
            signal.raise_signal(signal.SIGTERM)

    threading.Thread(target=end_with_command, daemon=True).start()
    security = Security(require_encryption=True, **secrets)
    play_for(address, lambda _: None, games=games, security=security, joins_within=0)
