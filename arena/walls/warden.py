"""The warden: a trusted process that holds one agent that is not ours.

    python -m arena.walls.warden        its orders are the first line of stdin, as one JSON object

To the referee it is a player over ZeroMQ; to the agent it is the other end of stdin and stdout, one JSON object a line.
The agent never holds a socket, and this process holds no secret that is worth more than the game. It ends when its
stdin does, and with it goes everything that the agent ever started.
"""

from __future__ import annotations

import os
import signal
import sys
from time import monotonic_ns
from typing import Final

import msgspec
import zmq
from msgspec import UNSET

from agents import parent
from agents.errors import BadMessage
from agents.protocol import (
    MESSAGE_BYTES,
    PROTOCOL,
    Bye,
    FromPlayer,
    FromReferee,
    Hello,
    Over,
    Refuse,
    Start,
    Turn,
    from_referee,
    pack,
    unpack,
)
from arena.match.clock import LONGEST_POLL, MILLISECOND
from arena.walls import jail
from arena.walls.guard import Guard
from arena.walls.orders import Orders

_LINGER: Final = 200
_RECONNECT: Final = 10
_DIRECTOR: Final = 0
"""The descriptor that is at its end when the director is gone."""


class Warden:
    """The guard of one agent, and the descriptors on which something may happen."""

    def __init__(self, orders: Orders, context: zmq.Context[zmq.Socket[bytes]], signals: int) -> None:
        """`signals` is readable when a signal has come."""
        self._orders = orders
        self._signals = signals
        self._socket = context.socket(zmq.DEALER)
        self._socket.set(zmq.LINGER, _LINGER)
        self._socket.set(zmq.RECONNECT_IVL, _RECONNECT)
        self._socket.set(zmq.MAXMSGSIZE, 2 * MESSAGE_BYTES)
        self._guard = Guard(orders, self._tell, monotonic_ns)
        self._poller = zmq.Poller()
        # Of the agent: descriptor -> what is waited for.
        self._watched: dict[int, zmq.PollEvent] = {}
        # With what this process exits; None: it goes on.
        self._code: int | None = None

    def serve(self) -> int:
        """Holds the agent until the referee, the director or a signal ends it; the exit code."""
        self._socket.connect(self._orders.address)
        self._tell(Hello(PROTOCOL, self._orders.token, self._orders.name))
        for source in (self._socket, self._signals, _DIRECTOR):
            self._poller.register(source, zmq.POLLIN)
        try:
            while self._code is None:
                self._watch_agent()
                happened = dict(self._poller.poll(self._patience()))
                self._serve_agent(happened)
                if self._signals in happened:
                    self._take_signals()
                if self._socket in happened:
                    self._hear_referee()
                if _DIRECTOR in happened and _at_end(_DIRECTOR):
                    self._code = 0
                self._guard.tick()
        finally:
            self._guard.end()
            self._socket.close()
        return self._code

    def _serve_agent(self, happened: dict[object, int]) -> None:
        """What the agent has said comes first: it is being timed."""
        agent = self._guard.agent
        if agent is None:
            return
        stdout, stderr, stdin = (pipe.fileno() if not pipe.closed else -1 for pipe in agent.pipes())
        if stdout in happened:
            self._guard.hear()
        if self._guard.agent is agent and stdin in happened:
            agent.flush()
        if self._guard.agent is agent and stderr in happened:
            self._guard.hear_log()
        if self._guard.agent is agent and agent.ended() in happened:
            self._guard.look_for_exit()

    def _watch_agent(self) -> None:
        """The poller knows the descriptors of the agent as it is now."""
        agent = self._guard.agent
        wanted: dict[int, zmq.PollEvent] = {} if agent is None else dict.fromkeys(agent.readers(), zmq.POLLIN)
        if agent is not None and (writer := agent.writer()) is not None:
            wanted[writer] = zmq.POLLOUT
        if agent is not None and (ended := agent.ended()) is not None:
            wanted[ended] = zmq.POLLIN
        if wanted != self._watched:
            for file in self._watched.keys() - wanted.keys():
                self._poller.unregister(file)
            for file, event in wanted.items():
                self._poller.register(file, event)
            self._watched = wanted

    def _take_signals(self) -> None:
        if signal.SIGTERM in os.read(self._signals, 4096):
            self._code = 0
        else:
            self._guard.look_for_exit()

    def _hear_referee(self) -> None:
        while self._code is None:
            try:
                data = self._socket.recv(zmq.NOBLOCK)
            except zmq.Again:
                return
            self._receive(from_referee(unpack(data)))

    def _receive(self, message: FromReferee) -> None:
        match message:
            case Turn():
                self._guard.ask(message)
            case Start():
                if message.core is not UNSET and sys.platform == "linux":
                    # One of the two runs while the other waits, and a neighbour is woken in half the time.
                    os.sched_setaffinity(0, {message.core})
                self._guard.start(message)
            case Over():
                self._guard.end_game(message)
            case Bye():
                self._code = 0
            case Refuse():
                print(f"refused by the referee: {message.reason}", file=sys.stderr)
                self._code = 1

    def _tell(self, message: FromPlayer) -> None:
        self._socket.send(pack(message), zmq.NOBLOCK)

    def _patience(self) -> int | None:
        """Milliseconds until the guard wants to be woken, rounded up."""
        wake = self._guard.wake
        return None if wake is None else min(max(0, -((monotonic_ns() - wake) // MILLISECOND)), LONGEST_POLL)


def main() -> int:
    """Reads the orders and holds the agent; the exit code."""
    jail.adopt_orphans()
    signals = _signals()
    # Not killed: the agent's helpers would have lost the one process that finds them.
    parent.die_with_it(signal.SIGTERM)
    try:
        with open(_DIRECTOR, "rb", buffering=0, closefd=False) as stdin:
            orders = msgspec.json.decode(stdin.readline(), type=Orders)
    except msgspec.MsgspecError as error:
        print(f"warden: expected orders as a JSON object on the first line of stdin: {error}", file=sys.stderr)
        return 2
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    try:
        return Warden(orders, context, signals).serve()
    except (BadMessage, zmq.ZMQError) as error:
        print(f"warden: trouble with the referee: {error}", file=sys.stderr)
        return 1
    finally:
        context.term()


def _at_end(file: int) -> bool:
    try:
        return not os.read(file, 4096)
    except OSError:
        return True


def _signals() -> int:
    """A descriptor that is readable when this process is to end, and where nothing else tells when a child has ended.

    Ctrl-C is the director's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in (signal.SIGTERM,) if hasattr(os, "pidfd_open") else (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    return reader


if __name__ == "__main__":
    sys.exit(main())
