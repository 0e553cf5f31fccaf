"""Worker processes for `parallel` in `arena compare`, and what they gain and waste beside alpha-beta.

Only here a search of ours uses more than one process: the searches start none, and agents have one processor core.
"""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from adsearch.errors import BadSearch

if TYPE_CHECKING:
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
def worker_processes(processes: int) -> "Iterator[Workers]":
    """Workers for parallel search: these processes, or for one the search's own. They end with the block."""
    if processes == 1:
        yield map
        return
    from multiprocessing import get_context

    with get_context("fork").Pool(processes, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        pool.map(abs, range(processes))  # now, so that the first search is not charged for the start of the processes
        yield pool.imap


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
