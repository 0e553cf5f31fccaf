"""Processes that share work: on the record, for the pages of a report or of feedback; or on a parallel search.

They end with their parent, and one that is killed from outside is an error, never a missing page. For work on the
record each process has a connection to the database.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING, Any, TypeVar

from agents.parent import die_with_it
from arena.errors import ArenaError

if TYPE_CHECKING:
    from db.database import Database

Item = TypeVar("Item")
Result = TypeVar("Result")


@contextmanager
def pool(processes: int, what: str, begin: Callable[..., object], *given: Any) -> Iterator[ProcessPoolExecutor]:
    """Processes that call `begin(*given)` first. `what`: what they do, for the ArenaError when one is killed.

    They end with the block: after their last job, or at once if the block raises (Ctrl-C). They are started anew
    (spawn), because a forked copy of a process with threads or an open database can inherit a lock that nobody opens.
    """
    with ProcessPoolExecutor(processes, get_context("spawn"), _begin, (begin, *given)) as made:
        try:
            yield made
        except BrokenProcessPool:
            raise ArenaError(f"a process that {what} was killed from outside; perhaps the memory was full") from None
        except BaseException:
            for process in active_children():
                process.kill()
            made.shutdown(cancel_futures=True)
            raise


@contextmanager
def ctrl_c_blocked() -> Iterator[None]:
    """Processes that are started inside, by the first jobs of a pool, do not get Ctrl-C, which reaches all processes:
    their parent ends them. Windows cannot block signals."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(begin: Callable[..., object], *given: Any) -> None:
    die_with_it()
    begin(*given)


def spread(
    work: Callable[[Database, Item], Result], items: Sequence[Item], *, database: str | None, processes: int
) -> Iterator[Result]:
    """What `work` returns for each item, in the order in which they are ready. `work` must be picklable, such as a
    `partial` of a function of a module. With one process it runs in this process."""
    from db.database import Database

    if processes == 1:
        with Database(database, create=False) as own:
            for item in items:
                yield work(own, item)
        return
    with pool(processes, "wrote pages", _connect, work, database) as made:
        with ctrl_c_blocked():
            started = [made.submit(_work_in_process, item) for item in items]
        for finished in as_completed(started):
            yield finished.result()


_of_process: tuple[Callable[[Database, Any], Any], Database] | None = None
"""In a process that works: its work, and its own connection to the database."""


def _connect(work: Callable[[Database, Any], Any], database: str | None) -> None:
    """Begins in a process that works."""
    global _of_process
    from db.database import Database

    _of_process = work, Database(database, create=False)


def _work_in_process(item: Any) -> Any:
    assert _of_process is not None
    work, database = _of_process
    return work(database, item)
