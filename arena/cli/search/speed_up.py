"""Worker processes for `parallel` in `arena search compare`, and what they gain and waste beside alpha-beta.

Only here a search of ours uses more than one process: the searches start none, and agents have one processor core.
"""

import importlib
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from adsearch import games
from adsearch.errors import BadSearch

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier

    from adsearch.parallel import Workers

_LEAST: Final = 20
"""Milliseconds below which times are not compared, because most of them is not search."""

ProcessesOption = Annotated[
    int, typer.Option("--processes", metavar="N", min=1, max=64, help="Number of processes for parallel.")
]


def check_processes(processes: int, algorithms: Sequence[str]) -> None:
    """Raise BadSearch if processes are given, but not used."""
    if processes > 1 and "parallel" not in algorithms:
        raise BadSearch("--processes is for parallel; add it to the algorithms, such as alphabeta parallel")


@contextmanager
def worker_processes(processes: int, game: str) -> "Iterator[Workers]":
    """Workers for a parallel search of `game`: that many processes, or for one the search's own.

    They end with the block: after their last job, or at once if the block raises (Ctrl-C). They are started anew
    (spawn), because a forked copy of a process with threads can inherit a lock that nobody opens.
    """
    if processes == 1:
        yield map
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, _begin, (game, context.Barrier(processes))) as pool:
        try:
            with _without_interrupts():
                started = pool.map(abs, range(processes))  # a job starts a process if none is idle
            list(started)  # now, so that the first search is not charged for the start of the processes
            yield pool.map
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()
            raise


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block Ctrl-C in this block. Processes that are started here inherit this, so that only this process handles it.

    Windows cannot block signals."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(game: str, ready: "Barrier") -> None:
    """The start of a worker: import what its jobs need, then wait until all workers have done so."""
    importlib.import_module("adsearch.parallel")
    games.find(game)  # a game in the user's own file cannot be imported by the name of its module
    ready.wait()


def gains(rows: Sequence[dict[str, Any]], processes: int) -> Iterator[str]:
    """For each depth with alphabeta and parallel: how much faster parallel is, and the nodes that it wastes."""
    found = {(row["algorithm"], row["depth"]): row for row in rows}
    for name, depth in found:
        plain, parallel = found.get(("alphabeta", depth)), found[name, depth]
        if name != "parallel" or plain is None:
            continue
        times = plain["time"], parallel["time"]
        speed = f"{times[0] / times[1]:.2f} times as fast as alphabeta" if min(times) >= _LEAST else "too fast to time"
        wasted = parallel["nodes"] - plain["nodes"]
        yield (
            f"depth {depth}, {processes} process{'es' * (processes > 1)}: {speed}; "
            f"{wasted:,} nodes wasted ({wasted / plain['nodes']:.0%})"
        )
