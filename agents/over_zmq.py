"""The host of an agent that connects to the referee over ZeroMQ: built-in agents, and agents started by hand.

One connection (`zmtp.py`) leads to the referee's ROUTER socket, for all games. When it breaks, the process ends: a new
connection would not have its seat.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Final

from msgspec import UNSET, Struct

from agents.errors import AgentsError
from agents.player import Player
from agents.protocol import PROTOCOL, Hello, Start, Welcome, pack, unpack_from_referee
from agents.zmtp import Closed, ZmtpConnection

PATIENCE: Final = 10.0
"""Timeout for the referee's answer to `hello`, in seconds."""


class Seat(Struct, frozen=True):
    """The referee's address and the token of a seat, from the file or the first line of stdin."""

    address: str
    token: str


def run(make: Callable[[], Player], seat: Seat) -> None:
    """Play one game after another until the connection breaks; raises Dismissed after `bye` or `refuse`."""
    connection = ZmtpConnection(seat.address, PATIENCE)
    try:
        player = make()
        connection.send(pack(Hello(PROTOCOL, seat.token, player.name, ())))
        while True:
            _answer_next(player, connection)
    except Closed:
        print("agents: the connection to the referee is closed", file=sys.stderr)
    finally:
        connection.close()


def _answer_next(player: Player, connection: ZmtpConnection) -> None:
    try:
        data = connection.receive()
    except TimeoutError:
        raise AgentsError(f"expected an answer from the referee within {PATIENCE:g} s, got none") from None
    arrived = time.monotonic_ns()
    message = unpack_from_referee(data)
    if isinstance(message, Welcome):
        connection.wait()
    elif isinstance(message, Start) and message.core is not UNSET and sys.platform == "linux":
        os.sched_setaffinity(0, {message.core})
    answer = player.answer(message, arrived)
    if answer is not None:
        connection.send(pack(answer))
