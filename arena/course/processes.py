"""Work on the record by several processes, for the pages of a report or of feedback.

Each process has its own connection to the database. Processes end with their parent, and a process that is killed from
outside is an error, never a missing page.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import Any, TypeVar

from agents.parent import die_with_it
from arena.errors import ArenaError
from db.database import Database

Item = TypeVar("Item")
Result = TypeVar("Result")


def spread(
    work: Callable[[Database, Item], Result], items: Sequence[Item], *, database: str | None, processes: int
) -> Iterator[Result]:
    """What `work` returns for each item, in the order in which they are ready. `work` must be picklable, such as a
    `partial` of a function of a module. With one process it runs in this process."""
    if processes == 1:
        with Database(database, create=False) as own:
            for item in items:
                yield work(own, item)
        return
    # Not forked, because a process with threads or an open database must not be forked.
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _start_process, (work, database))
    try:
        with _ctrl_c_ignored():
            started = [pool.submit(_work_in_process, item) for item in items]
        for finished in as_completed(started):
            yield finished.result()
    except BrokenProcessPool:
        raise ArenaError("a process that wrote pages was killed from outside; perhaps the memory was full") from None
    except BaseException:
        for process in active_children():
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _ctrl_c_ignored() -> Iterator[None]:
    """Processes started inside ignore Ctrl-C, which reaches all processes: their parent ends them."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


_of_process: tuple[Callable[[Database, Any], Any], Database] | None = None
"""In a process that works: its work, and its own connection to the database."""


def _start_process(work: Callable[[Database, Any], Any], database: str | None) -> None:
    """Initialize a process that works."""
    global _of_process
    die_with_it()
    _of_process = work, Database(database, create=False)


def _work_in_process(item: Any) -> Any:
    assert _of_process is not None
    work, database = _of_process
    return work(database, item)
