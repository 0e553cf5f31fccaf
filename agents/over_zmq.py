"""The host of an agent that connects to the referee over ZeroMQ: built-in agents, and agents started by hand.

One DEALER socket connects to the referee's ROUTER socket, for all games. When the connection breaks, the process ends:
a new connection would not have its seat.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Final

import zmq
from msgspec import UNSET, Struct

from adsearch.errors import quote
from agents.errors import AgentsError
from agents.player import Player
from agents.protocol import PROTOCOL, Hello, Start, Welcome, pack, unpack_from_referee

PATIENCE: Final = 10.0
"""Timeout for the referee's answer to `hello`, in seconds."""
CHECK_INTERVAL: Final = 250
"""Time without a message after which the player checks its connection, in milliseconds."""


class Seat(Struct, frozen=True):
    """The referee's address and the token of a seat, from the file or the first line of stdin."""

    address: str
    token: str


def run(make: Callable[[], Player], seat: Seat) -> None:
    """Play one game after another until the connection breaks; raises Dismissed after `bye` or `refuse`.

    ZeroMQ connects in the background while `make` loads the agent."""
    context = zmq.Context(io_threads=1)
    socket: zmq.Socket[bytes] = context.socket(zmq.DEALER)
    socket.linger = 200
    socket.reconnect_ivl = 10
    socket.rcvtimeo = CHECK_INTERVAL
    monitor = socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
    try:
        try:
            socket.connect(seat.address)
        except zmq.ZMQError as error:
            raise AgentsError(f"expected the referee's address, got {quote(seat.address)} ({error.strerror})") from None
        player = make()
        socket.send(pack(Hello(PROTOCOL, seat.token, player.name, ())))
        _play(player, socket, monitor)
    finally:
        socket.disable_monitor()
        monitor.close(0)
        socket.close()
        context.term()


def _play(player: Player, socket: zmq.Socket[bytes], monitor: zmq.Socket[bytes]) -> None:
    welcomed = False
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            data = socket.recv()
        except zmq.Again:
            if monitor.poll(0):
                print("agents: the connection to the referee is closed", file=sys.stderr)
                return
            if not welcomed and time.monotonic() > give_up:
                raise AgentsError(f"expected an answer from the referee within {PATIENCE:g} s, got none") from None
            continue
        arrived = time.monotonic_ns()
        message = unpack_from_referee(data)
        welcomed = welcomed or isinstance(message, Welcome)
        if isinstance(message, Start) and message.core is not UNSET and sys.platform == "linux":
            os.sched_setaffinity(0, {message.core})
        answer = player.answer(message, arrived)
        if answer is not None:
            socket.send(pack(answer))
