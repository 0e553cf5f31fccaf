"""Stdin and stdout of an engine: a thread that reads lines, a queue for the main thread, and whole lines out.

The reading thread sees a line as soon as it arrives, also while the agent thinks in the main thread.
"""

from __future__ import annotations

import os
import queue
import select
import threading
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

from agents.streams import Streams

Order = TypeVar("Order")
_LONGEST: Final = 1024 * 1024
"""Longest line, in bytes."""


class Wire(Generic[Order]):
    """The connection to the other program."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._lock = threading.Lock()

    def read(self, arrived: Callable[[str], Order | None], ended: Callable[[], None]) -> None:
        """Start the thread. `arrived` gets each line; what it returns is for the main thread. `ended` is called at the
        end of the input."""

        def run() -> None:
            with os.fdopen(self._streams.lines, "rb") as lines:
                while line := lines.readline(_LONGEST):
                    order = arrived(line.decode("utf-8", "replace"))
                    if order is not None:
                        self._orders.put(order)
            self._orders.put(None)
            ended()

        threading.Thread(target=run, daemon=True).start()

    def orders(self) -> Iterator[Order]:
        """What the reading thread leaves for the main thread, until the input ends."""
        while (order := self._orders.get()) is not None:
            yield order

    def wait_until_unread(self) -> None:
        """Wait until nobody can read what is written. A file can always be read."""
        answers = select.poll()
        answers.register(self._streams.answers, 0)
        answers.poll()

    def write(self, *lines: str) -> None:
        """Write whole lines; from any thread. BrokenPipeError if nobody reads them."""
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
        with self._lock:
            while data:
                data = data[os.write(self._streams.answers, data) :]
