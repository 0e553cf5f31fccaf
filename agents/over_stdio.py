"""The host of an agent that speaks the protocol over stdin and stdout, one JSON object per line, with its warden.

The warden starts this process, measures it and ends it. This process only answers messages.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import time
from collections.abc import Callable

from agents.player import Player
from agents.protocol import MESSAGE_BYTES, PROTOCOL, Hello, Report, line_from_referee, to_line
from agents.streams import Streams


def run(make: Callable[[], Player], streams: Streams) -> None:
    """Play one game after another until stdin ends; raises Dismissed after `bye` or `refuse`."""
    if hasattr(faulthandler, "register"):
        # The warden sends SIGUSR1 when the agent's time is up, to get a traceback in the log.
        faulthandler.register(signal.SIGUSR1, file=2)
    player = make()
    with os.fdopen(streams.lines, "rb") as lines:
        _send(streams.answers, to_line(Hello(PROTOCOL, name=player.name, wants=())))
        while line := lines.readline(MESSAGE_BYTES + 2):
            arrived = time.monotonic_ns()
            answer = player.answer(line_from_referee(line.rstrip(b"\r\n")), arrived)
            # No Report: the warden reports what the agent used.
            if answer is not None and not isinstance(answer, Report):
                _send(streams.answers, to_line(answer))


def _send(answers: int, data: bytes) -> None:
    while data:
        data = data[os.write(answers, data) :]
