"""A player that speaks ZeroMQ: the built-in agents, and those that somebody starts by hand.

One DEALER socket, connected to the referee's ROUTER; one connection for all its games. When the referee is gone, or the
connection breaks, the player ends: a connection made again would not be its seat any more.
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
from agents.protocol import PROTOCOL, Hello, Start, Welcome, from_referee, pack, unpack

PATIENCE: Final = 10.0
"""Seconds within which a referee must have answered the hello."""
LOOK: Final = 250
"""Milliseconds after which a player that hears nothing looks whether its connection still stands."""


class Seat(Struct, frozen=True):
    """Where to sit down, as the file or the first line of stdin says it."""

    address: str
    token: str


def run(make: Callable[[], Player], seat: Seat) -> None:
    """Plays game after game until the connection breaks; Dismissed where the referee says goodbye.

    The connection is being made while `make` loads the agent."""
    context = zmq.Context(io_threads=1)
    socket: zmq.Socket[bytes] = context.socket(zmq.DEALER)
    socket.linger = 200
    socket.reconnect_ivl = 10
    socket.rcvtimeo = LOOK
    monitor = socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
    try:
        try:
            socket.connect(seat.address)
        except zmq.ZMQError as error:
            raise AgentsError(f"expected a referee's address, got {quote(seat.address)} ({error.strerror})") from None
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
                print("agents: the referee is gone", file=sys.stderr)
                return
            if not welcomed and time.monotonic() > give_up:
                raise AgentsError(f"expected an answer from the referee within {PATIENCE:g} s, got none") from None
            continue
        arrived = time.monotonic_ns()
        message = from_referee(unpack(data))
        welcomed = welcomed or isinstance(message, Welcome)
        if isinstance(message, Start) and message.core is not UNSET and sys.platform == "linux":
            os.sched_setaffinity(0, {message.core})
        answer = player.answer(message, arrived)
        if answer is not None:
            socket.send(pack(answer))
