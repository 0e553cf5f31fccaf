"""Search algorithms side by side: what each finds at each depth, and what that costs.

It measures wall time, which the searches do not use: apart from times, the rows are the same on every run.
"""

import importlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from inspect import signature
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from adsearch import State, games
from adsearch.budget import Budget
from adsearch.errors import BadSearch, quote
from arena.match.allowance import WallKind
from arena.players.player import split_path

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier

    from adsearch.parallel import Workers
    from adsearch.wrapped import Seen

_LONGEST: Final = 600.0
"""Timeout of a student's function without a time limit, in seconds."""
_MOST_WATCHED: Final = 500_000
"""Number of nodes up to which different positions are counted; that takes about twice the time of the search."""
_LEAST: Final = 20
"""Milliseconds below which times are not compared, because most of them is not search."""


class _Failed(Exception):
    """A student's function gave no result; the text says why."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The result of one search."""

    value: float
    bound: str
    move: str | None
    nodes: int
    cut: bool = False
    """Whether a limit ended the search before it was complete."""
    watched: "Callable[[Seen], object] | None" = None
    """Searches once more and records what it looks at; None for a student's function."""


_Search = Callable[[int], _Found]
"""Searches the position to a depth."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What the searches have in common."""

    game: str
    state: State[Any]
    backwards: bool
    """Whether moves are searched in the opposite order."""
    window: tuple[float, float] | None
    nodes: int | None
    seconds: float | None
    """The limits of each search."""
    processes: int
    """For `parallel`. Only here a search of ours uses more than one: the searches start none, and agents have one
    processor core."""
    walls: WallKind | None
    """For a student's function."""
    tell: Callable[[str], None]
    """Is told why an algorithm is left out, and what it ignores."""

    def run(self, algorithms: Sequence[str], depths: range, rows: list[dict[str, Any]]) -> bool:
        """Appends a row for each search; returns whether all students' functions gave results. An algorithm that fails
        or reaches a limit is not run deeper."""
        succeeded = True
        with ExitStack() as stack:
            workers = stack.enter_context(worker_processes(self.processes, self.game))
            searches = {
                text: self._own_search(text, stack) if split_path(text) else self._our_search(text, workers)
                for text in algorithms
            }
            for depth in depths:
                for text, search in list(searches.items()):
                    begun = time.perf_counter()
                    try:
                        found = search(depth)
                    except _Failed as error:
                        succeeded = False
                        del searches[text]
                        self.tell(f"{text}: {error}; left out from depth {depth} on")
                        continue
                    took = time.perf_counter() - begun
                    if limit := self._limit_reached(found, took):
                        del searches[text]
                        self.tell(f"{text}: depth {depth} takes more than {limit}; left out from this depth on")
                        continue
                    rows.append(_row(text, depth, found, took))
                    if split_path(text) and self.state.turn == 1:
                        _turn_to_mover(rows)
        return succeeded

    def _our_search(self, text: str, workers: "Workers") -> _Search:
        from adsearch import searches
        from adsearch.wrapped import backwards, watched

        state = backwards(self.state) if self.backwards else self.state
        run, options = searches.configured(text)
        if self.window is not None and "alpha" in signature(run).parameters:
            options = dict(zip(("alpha", "beta"), self.window, strict=True)) | options
        elif self.window is not None:
            self.tell(f"{text} has no window: it searches without --window")
        shared = {"workers": workers} if "workers" in signature(run).parameters else {}

        def search(depth: int) -> _Found:
            budget = None if self.nodes is None else Budget(nodes=self.nodes)
            if self.seconds is not None:
                budget = Budget.seconds(self.seconds, time.monotonic, nodes=self.nodes)
            result = run(state, depth=depth, budget=budget, **options, **shared)
            move = None if result.move is None else state.to_text(result.move)
            again = lambda seen: run(watched(state, seen), depth=depth, **options)  # noqa: E731
            # parallel never visits more nodes than the limit, so that only the depth says whether it was complete.
            cut = depth > 0 and result.depth == 0
            return _Found(result.value, result.bound.value, move, result.nodes, cut, again)

        return search

    def _own_search(self, text: str, stack: ExitStack) -> _Search:
        """The search with a student's function, in a confined process."""
        from arena.course.lecture.student_process import StudentProcess, file_and_function

        if self.state.players > 2 or self.state.hidden:
            raise BadSearch(
                f"{text}: your own function can search only games of one or two players, without hidden cards"
            )
        file, function = file_and_function(text)
        if not function or "." in function:
            raise BadSearch(f"expected FILE.py:FUNCTION, such as {file.name}:alphabeta, got {quote(text)}")
        path = split_path(self.game)
        rules = self.game if path is None else f"{Path(path[0]).expanduser().absolute()}{path[1]}"
        limit = _LONGEST if self.seconds is None else self.seconds
        process = stack.enter_context(StudentProcess(file, function, walls=self.walls, seconds=limit, rules=rules))
        # Now, so that the first search is not charged for the start of the process.
        if failed := process.loaded().failed:
            raise BadSearch(f"{text}: {failed}")
        if not process.takes_depth:
            self.tell(f"{text} has no parameter depth: it does the same search at every depth")

        def search(depth: int) -> _Found:
            answer = process.search(self.state.position(), depth, backwards=self.backwards)
            if answer.failed or answer.value is None:
                if self.seconds is not None and answer.failed.startswith("no answer within"):
                    return _Found(0.0, "exact", None, 0)  # too late: its time is over the limit
                raise _Failed(answer.failed)
            return _Found(answer.value, "exact", answer.move, answer.nodes)

        return search

    def _limit_reached(self, found: _Found, took: float) -> str:
        """The limit that a search has reached, in words; empty if it has reached none."""
        nodes, seconds = self.nodes, self.seconds
        if nodes is not None and (found.nodes > nodes or (found.cut and (seconds is None or took < seconds))):
            return f"{nodes:,} nodes"
        return f"{seconds:g} s" if seconds is not None and took >= seconds else ""


def _turn_to_mover(rows: list[dict[str, Any]]) -> None:
    """If the last row's value is that of the first row of its depth for the other player, write it for the mover."""
    last = rows[-1]
    first = next(row for row in rows if row["depth"] == last["depth"])["value"]
    if first is not None and last["value"] is not None and abs(first + last["value"]) <= 1e-9:
        last["value"] = first


def _row(text: str, depth: int, found: _Found, took: float) -> dict[str, Any]:
    from adsearch.size import effective_branching
    from adsearch.wrapped import Seen

    seen = None
    if found.watched is not None and found.nodes <= _MOST_WATCHED:
        # A second search, so that the timed one is as fast as always.
        seen = Seen()
        found.watched(seen)
    return {
        "depth": depth,
        "algorithm": text,
        "value": found.value if isfinite(found.value) else None,
        "bound": found.bound,
        "differs": False,
        "move": found.move,
        "nodes": found.nodes,
        "positions": None if seen is None else len(seen.positions),
        "leaves": None if seen is None else len(seen.leaves),
        "speed": round(found.nodes / took) if took else None,
        "branching": effective_branching(found.nodes, depth),
        "time": round(took * 1000),
    }


def mark_differences(rows: list[dict[str, Any]]) -> bool:
    """Marks the rows whose value differs from the first row of the same depth; returns whether there are any."""
    first: dict[int, float | None] = {}
    for row in rows:
        value = first.setdefault(row["depth"], row["value"])
        if value is not None and row["value"] is not None:
            row["differs"] = abs(row["value"] - value) > 1e-9
    return any(row["differs"] for row in rows)


@contextmanager
def worker_processes(processes: int, game: str) -> "Iterator[Workers]":
    """Workers for a parallel search of `game`: that many processes, or for one the search's own. They end with the
    block."""
    if processes == 1:
        yield map
        return
    from multiprocessing import get_context

    from arena.course.output_folder import ctrl_c_blocked, pool

    with pool(processes, "searched", _begin, game, get_context("spawn").Barrier(processes)) as made:
        with ctrl_c_blocked():
            started = made.map(abs, range(processes))  # a job starts a process if none is idle
        list(started)  # now, so that the first search is not charged for the start of the processes
        yield made.map


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
