"""A player that speaks over stdin and stdout: one JSON object a line, with a warden at the other end.

The warden starts it, measures it and ends it; all that it must do is answer. A line is a message, and every message
that is not answered has none to be.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import time
from collections.abc import Callable

from agents.player import Player
from agents.protocol import MESSAGE_BYTES, PROTOCOL, Hello, Report, from_referee, read_line, to_line
from agents.streams import Streams


def run(make: Callable[[], Player], streams: Streams) -> None:
    """Plays game after game until the other end is gone; Dismissed where that says goodbye."""
    if hasattr(faulthandler, "register"):
        # The warden asks when its time is up.
        faulthandler.register(signal.SIGUSR1, file=2)
    player = make()
    with os.fdopen(streams.lines, "rb") as lines:
        _send(streams.answers, to_line(Hello(PROTOCOL, name=player.name, wants=())))
        while line := lines.readline(MESSAGE_BYTES + 2):
            arrived = time.monotonic_ns()
            answer = player.answer(from_referee(read_line(line.rstrip(b"\r\n"))), arrived)
            # Behind a warden, the warden reports what the agent used.
            if answer is not None and not isinstance(answer, Report):
                _send(streams.answers, to_line(answer))


def _send(answers: int, data: bytes) -> None:
    while data:
        data = data[os.write(answers, data) :]
