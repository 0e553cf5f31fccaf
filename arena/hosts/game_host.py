"""A game host: a plugin of a Dask worker, which plays the games that it is sent.

One thread lives as long as the worker. It runs a director, which owns referee, walls, cores and clocks as at home, and
starts every process (PR_SET_PDEATHSIG belongs to the thread that starts one). The tasks that home sends run in Dask's
own thread: they only pass a message on, and wait for the answer. A host plays for one run of a tournament at a time.
"""

from __future__ import annotations

import asyncio
import os
import queue
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import Any, Final

from distributed import Worker, WorkerPlugin, get_worker

from adsearch import form
from agents.errors import one_line
from arena import installation
from arena.errors import ArenaError
from arena.hosts.messages import RESOURCE, Batch, Host, HostResult, Joining, Played, received, sent
from arena.hosts.travelling import Receiver
from arena.match.schedule import Finished, Planned, Schedule
from arena.play import cores
from arena.play.director import Director
from arena.players.submissions import Store
from arena.tournament.host import host as how_played
from arena.tournament.host import machine, measure_speed, measured_speed
from arena.walls import library, probe
from arena.walls.run_folder import RunFolder

PLUGIN: Final = "arena-game-host"
TASKS: Final = 10_000
"""Tasks that a host takes at the same time: a task only waits for its games."""
_ENDS_WITHIN: Final = 20.0
"""Seconds that all players have to end."""
_MEASURES_EVERY: Final = 60.0
"""Seconds without anything to do after which the speed is measured again."""
_LONGEST: Final = 500
"""Characters of a failure's words."""


class _Ended(Exception):
    """The games in progress are not wanted any more."""


@dataclass(slots=True)
class _Pending:
    """A batch that is not over."""

    batch: Batch
    answer: Callable[[Played], None]
    waiting: set[int] = field(default_factory=set)
    """Games without a result."""
    finished: list[Finished] = field(default_factory=list)

    def reply(self, failed: str = "", missing: tuple[str, ...] = ()) -> None:
        now = datetime.now(UTC)
        results = [
            HostResult(
                number=over.game.number,
                attempt=over.game.attempt,
                record=over.record,
                host=how_played(over.game),
                began=max(0.0, (now - over.started).total_seconds()),
                ended=max(0.0, (now - over.finished).total_seconds()),
            )
            for over in self.finished
        ]
        self.answer(Played(tuple(results), missing, failed[:_LONGEST]))


class GameHost(WorkerPlugin):  # type: ignore[misc]
    """Plays games on a Dask worker."""

    name = PLUGIN

    def __init__(self, games: int | None = None, folder: RunFolder | None = None) -> None:
        """Plays `games` at the same time (None: one on each core but one), in the run folder `folder` or in its own."""
        self.games = games or max(1, cores.count() - 1)
        self._given = folder
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._bell, self._rope = socket.socketpair()
        self._fed = FedGames(self._note)
        # By the key of its task.
        self._pending: dict[str, _Pending] = {}
        self._receiver: Receiver | None = None
        self._director: Director | None = None
        self._leaving = self._over = False
        self._has_left: Callable[[], None] = lambda: None
        self._thread = threading.Thread(target=self._run, name="arena-director", daemon=True)

    # In Dask's thread.

    def setup(self, worker: Worker) -> None:
        """The worker begins."""
        self._loop = asyncio.get_running_loop()
        worker.state.total_resources[RESOURCE] = worker.state.available_resources[RESOURCE] = self.games
        self._thread.start()

    async def teardown(self, worker: Worker) -> None:  # noqa: ARG002
        """The worker ends, and with it all games and processes."""
        self._ask(self._end)
        await asyncio.to_thread(self._thread.join, _ENDS_WITHIN)

    def transition(self, key: Any, start: Any, finish: Any, **_: Any) -> None:  # noqa: ARG002
        """Nobody waits for this task any more: its home has ended."""
        if finish in ("cancelled", "released", "forgotten") and key in self._pending:
            self._ask(lambda: self._give_up(key))

    def leave(self, then: Callable[[], None]) -> None:
        """Takes no new game; calls `then`, in Dask's thread, when the games in progress are over."""
        self._has_left = lambda: self._tell(then)
        self._ask(self._leave)

    async def asked(self, method: Callable[[bytes, Callable[[Any], None]], None], data: bytes) -> bytes:
        """Has the director's thread answer a message."""
        answered: asyncio.Future[bytes] = self._loop.create_future()

        def settle(message: Any) -> None:
            if answered.done():
                return
            if isinstance(message, Exception):
                answered.set_exception(message)
            else:
                answered.set_result(sent(message))

        def answer(message: Any) -> None:
            self._tell(lambda: settle(message))

        def do() -> None:
            try:
                method(data, answer)
            except _Ended:
                raise
            except Exception as error:  # a message of another version, or a mistake of ours: only this task fails
                answer(error)

        self._ask(do)
        return await answered

    # From any thread.

    def _ask(self, what: Callable[[], None]) -> None:
        self._asked.put(what)
        with suppress(OSError):
            self._rope.send(b"!")

    def _tell(self, what: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(what)

    # In the director's thread.

    def _run(self) -> None:
        with self._folder() as self._run_folder:
            self._store = Store(self._run_folder.path / "store")
            measure_speed()
            while not self._over:
                with suppress(_Ended):
                    self._next()()
                if self._fed.games and not self._over:
                    self._play()
        self._bell.close()
        self._rope.close()

    def _next(self) -> Callable[[], None]:
        """What is asked for next. While nothing is, the speed is measured again and again."""
        while True:
            with suppress(queue.Empty):
                return self._asked.get(timeout=_MEASURES_EVERY)
            measure_speed()

    @contextmanager
    def _folder(self) -> Iterator[RunFolder]:
        if self._given is not None:
            yield self._given
        else:
            with RunFolder() as folder:
                yield folder

    def _play(self) -> None:
        """Plays until no game has come for a while."""
        failed = ""
        joining = self._receiver and self._receiver.joining
        cores_a_game = joining.cores_a_game if joining else 1
        try:
            at_once = max(1, self.games // cores_a_game)
            with Director(self._run_folder, at_once=at_once, cores_a_game=cores_a_game) as director:
                self._director = director
                director.watch(self._bell.fileno(), self._hear)
                with _off_the_cores():
                    for _ in director.play(self._fed):
                        pass
        except _Ended:
            pass
        except (ArenaError, OSError) as error:  # its referee was lost, or a game cannot be played
            failed = str(error)
        except Exception as error:
            failed = f"{type(error).__name__}: {error}"
        finally:
            self._director = None
        self._drop_all(one_line(failed, most=_LONGEST) if failed else "")

    def _hear(self) -> None:
        """Does what was asked for while games are played."""
        self._bell.recv(4096)
        while not self._asked.empty():
            self._asked.get()()

    def _end(self) -> None:
        self._over = True
        raise _Ended

    def _give_up(self, key: str) -> None:
        if key in self._pending:
            raise _Ended

    def _leave(self) -> None:
        self._leaving = True
        self._drop_waiting()
        self._note_left()

    def _note_left(self) -> None:
        if self._leaving and not self._pending:
            self._has_left()

    def join(self, data: bytes, answer: Callable[[Host], None]) -> None:
        """Answers home, which asks whether this host plays its tournament."""
        joining = received(data, Joining)
        is_new = self._receiver is None or self._receiver.joining.run != joining.run
        is_busy = is_new and bool(self._pending)
        refuses = self._why_not(joining)
        if not refuses and is_new and not is_busy:
            self._receiver = Receiver(joining, self._store, self._run_folder.scratch)
            if self._director is not None:
                answer(self._host(refuses, is_busy=is_busy))
                raise _Ended  # its idle players are those of another run
        answer(self._host(refuses, is_busy=is_busy))

    def _host(self, refuses: str, *, is_busy: bool) -> Host:
        return Host(machine()["name"], self.games, measured_speed(), refuses, is_busy)

    def _why_not(self, joining: Joining) -> str:
        """Why this host does not work for that run; empty if it does."""
        if self._leaving:
            return "it is ending"
        here = installation.software(joining.rules)
        if joining.software != here:
            return f"it has {here}, and the tournament {joining.software}: install the same version"
        for kind in joining.needed:
            if not (offer := probe.offer(kind)).holds:
                advice = f"; {offer.advice}" if offer.advice else ""
                return f"it offers no {kind} ({offer.why}){advice}"
        if self.games < joining.cores_a_game:
            return f"ponder = true needs {joining.cores_a_game} cores for each game, and it offers {self.games}"
        if joining.conditions.adsearch == "compiled" and form.form() != "compiled":
            return str(library.not_compiled("it", form.why_interpreted()))
        return ""

    def play(self, data: bytes, answer: Callable[[Played], None]) -> None:
        """Plays the games of a batch, and answers when all are over."""
        batch = received(data, Batch)
        pending = _Pending(batch, answer)
        receiver = self._receiver
        if receiver is None or receiver.joining.run != batch.run or self._leaving:
            why = "it is ending" if self._leaving else "it plays for another run"
            answer(Played(failed=why, joined=False))
            return
        try:
            if missing := receiver.missing(batch):
                pending.reply(missing=missing)
                return
            games = receiver.planned(batch)
        except (ArenaError, ValueError, OSError) as error:
            pending.reply(failed=str(error))
            return
        pending.waiting = {game.number for game in games}
        self._pending[batch.key] = pending
        self._fed.games += games

    def recall(self, data: bytes, answer: Callable[[Played], None]) -> None:
        """Gives back the games that have not begun."""
        if self._receiver is not None and self._receiver.joining.run == data.decode():
            self._drop_waiting()
        answer(Played())

    def _note(self, finished: Finished) -> None:
        for key, pending in list(self._pending.items()):
            if finished.game.number in pending.waiting:
                pending.waiting.discard(finished.game.number)
                pending.finished.append(finished)
                self._settle(key)

    def _settle(self, key: str) -> None:
        if not self._pending[key].waiting:
            self._pending.pop(key).reply()
            self._note_left()

    def _drop_waiting(self) -> None:
        if self._director is not None:
            self._director.take_back()
        dropped = {game.number for game in self._fed.games}
        self._fed.games.clear()
        for key, pending in list(self._pending.items()):
            pending.waiting -= dropped
            self._settle(key)

    def _drop_all(self, failed: str) -> None:
        """The director has ended: no batch gets more results."""
        self._fed.games.clear()
        pending = list(self._pending.values())
        self._pending.clear()
        for each in pending:
            each.reply(failed)
        self._note_left()


@contextmanager
def _off_the_cores() -> Iterator[None]:
    """Inside, Dask's thread does not run on the cores that this thread's director has reserved for games."""
    thread = threading.main_thread().native_id
    if sys.platform != "linux" or thread is None:
        yield
        return
    before = os.sched_getaffinity(thread)
    os.sched_setaffinity(thread, os.sched_getaffinity(0))
    try:
        yield
    finally:
        os.sched_setaffinity(thread, before)


# The functions that home sends: Dask runs them in the worker's own thread.


async def join(data: bytes) -> bytes:
    """Answers a `Joining` with a `Host`."""
    host = _here()
    return await host.asked(host.join, data)


async def play(data: bytes) -> bytes:
    """Answers a `Batch` with a `Played`."""
    host = _here()
    return await host.asked(host.play, data)


async def recall(data: bytes) -> bytes:
    """Gives back the games of a run that have not begun."""
    host = _here()
    return await host.asked(host.recall, data)


def _here() -> GameHost:
    host = get_worker().plugins[PLUGIN]
    assert isinstance(host, GameHost)
    return host


_IDLE: Final = 30.0
"""Seconds without a game after which a director and its idle players end."""


class FedGames(Schedule):
    """The schedule that a host's director plays: the games that home has sent, until none has come for a while."""

    def __init__(self, note: Callable[[Finished], None]) -> None:
        self.games: deque[Planned] = deque()
        self._note = note
        # When it stops waiting; 0: a game was taken since.
        self._until = 0.0

    def next(self) -> Planned | None:
        if not self.games:
            return None
        self._until = 0.0
        return self.games.popleft()

    def ahead(self) -> Planned | None:
        """The next game: it was given out already, so that no result decides whether it is played."""
        return self.next()

    def rest(self) -> float | None:
        """Waits for games; None after `_IDLE`."""
        self._until = self._until or monotonic() + _IDLE
        left = self._until - monotonic()
        return left if left > 0 else None

    def note(self, finished: Finished) -> None:
        self._note(finished)

    def give_back(self, game: Planned) -> None:
        """The game is the next one again."""
        self.games.appendleft(game)
