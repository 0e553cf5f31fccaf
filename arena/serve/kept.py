"""A process beside the director, such as the rater: another one takes its place when it ends.

The director's loop hears it. A process that ends soon after its start is replaced only after a pause.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from arena.play.helper import Helper
from arena.serve.happenings import Happening, Notice

if TYPE_CHECKING:
    from arena.play.director import Director

SOON: Final = 10.0
"""Seconds. A process that is lost sooner after its start is likely to be lost again."""


P = TypeVar("P", bound=Helper)


class Kept(Generic[P]):
    """One process, and the next one when it has ended."""

    def __init__(
        self,
        name: str,
        start: Callable[[], P],
        *,
        read: Callable[[P], None],
        tell: Callable[[Happening], None],
        clock: Callable[[], float] = monotonic,
        at_once: bool = True,
    ) -> None:
        """`name`: for the message about its end. `read` reads what the process has sent. Without `at_once` the first
        process is started by `replace_if_due`."""
        self._name, self._start, self._read, self._tell, self._clock = name, start, read, tell, clock
        self._since = clock() if at_once else -inf
        self._director: Director | None = None
        # None: it has ended, or there was none, and the next one has not been started yet.
        self.process: P | None = start() if at_once else None

    @contextmanager
    def connected(self, director: Director) -> Iterator[None]:
        """Inside, the director's loop hears the process."""
        self._director = director
        self._watch()
        try:
            yield
        finally:
            self._director = None

    def _watch(self) -> None:
        if self._director is not None and self.process is not None:
            _keep_on_our_cores(self.process.pid)
            self._director.watch(self.process.fileno(), self.heard)

    def heard(self) -> None:
        """Reads what the process sent, and replaces it if it has ended."""
        process = self.process
        if process is None:
            return
        self._read(process)
        if process.is_gone():
            self._tell(Notice(f"the {self._name} {process.how_it_ended()}; a new one continues"))
            if self._director is not None:
                self._director.unwatch(process.fileno())
            process.end()
            self.process = None
            self.replace_if_due()

    def replace_if_due(self) -> None:
        """Starts a new process if there is none; after one that was lost soon, there is a pause."""
        if self.process is None and self._clock() - self._since >= SOON:
            self._since = self._clock()
            self.process = self._start()
            self._watch()

    def close(self) -> None:
        """Ends the process."""
        if self.process is not None:
            self.process.end()
            self.process = None

    def kill(self) -> None:
        """Kills the process, so that `close` need not wait for it."""
        if self.process is not None:
            self.process.kill()


def _keep_on_our_cores(pid: int) -> None:
    """Keeps every thread of that process off the cores that games have for themselves."""
    if sys.platform != "linux":
        return
    ours = os.sched_getaffinity(0)
    with suppress(OSError):  # it has ended
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(ProcessLookupError):
                os.sched_setaffinity(int(thread.name), ours)
