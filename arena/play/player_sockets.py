"""The sockets of the referee to which players connect: ZeroMQ's ROUTER, and the monitor of its connections.

No call waits here. Both sockets are registered with the referee's poller. A message of a player is two frames: the
address that the ROUTER gave it, and the message.
"""

from __future__ import annotations

import struct
from typing import Final

import zmq

from agents import protocol

CONNECTION_ENDED: Final = "its connection ended"
_MORE: Final = zmq.SNDMORE | zmq.NOBLOCK
_MONITOR_EVENT: Final = struct.Struct("=hi")
"""The first frame of a monitor's message: the event, and here the descriptor of the connection. `zmq.utils.monitor`
reads it too, but loads asyncio, which is a fifth of the time that a referee needs to start."""


class PlayerSockets:
    """`router` sends and receives messages; `monitor` is readable when a connection has ended."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], address: str) -> None:
        self.router = context.socket(zmq.ROUTER)
        self.router.set(zmq.LINGER, 0)
        self.router.set(zmq.ROUTER_MANDATORY, 1)
        self.router.set(zmq.MAXMSGSIZE, protocol.MESSAGE_BYTES)
        self.router.set(zmq.SNDHWM, 100)
        self.router.set(zmq.RCVHWM, 1000)
        self.router.set(zmq.BACKLOG, 1024)
        self.monitor = self.router.get_monitor_socket(zmq.Event.DISCONNECTED)
        self.router.bind(address)

    def send(self, address: bytes, data: bytes) -> str:
        """Sends. Returns what is wrong if it cannot: the player is gone, or has 100 unread messages."""
        try:
            self.router.send(address, _MORE)
            self.router.send(data, zmq.NOBLOCK)
        except zmq.Again:
            return "does not read its messages"
        except zmq.ZMQError:
            return CONNECTION_ENDED
        return ""

    def drop_frames(self) -> int:
        """Reads the other frames of a message; returns their number."""
        frames = 0
        while self.router.get(zmq.RCVMORE):
            self.router.recv(zmq.NOBLOCK)
            frames += 1
        return frames

    def ended(self) -> list[int]:
        """The descriptors of the connections that have ended since the last call."""
        descriptors = []
        while self.monitor.poll(0):
            descriptors.append(_MONITOR_EVENT.unpack(self.monitor.recv_multipart()[0])[1])
        return descriptors

    def close(self) -> None:
        """Stops the monitor. ZeroMQ then has 0.1 s to send what was not sent yet, when its context is destroyed."""
        self.router.set(zmq.LINGER, 100)
        self.router.disable_monitor()
