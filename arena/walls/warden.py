"""The warden: a trusted process that starts one agent that is not ours, confines it, and speaks to the referee for it.

    python -m arena.walls.warden        reads its settings from the first line of stdin, as one JSON object

To the referee the warden is a player over ZeroMQ. With the agent it exchanges lines over pipes, one JSON object a line.
The agent never gets a socket, and the warden's only secret is the token of its player. When its stdin closes, the
warden kills everything that the agent started, and exits.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from time import monotonic_ns
from typing import Final

import msgspec
from msgspec import UNSET

from agents import own_process
from agents.errors import AgentsError
from agents.protocol import (
    PROTOCOL,
    Bye,
    FromPlayer,
    FromReferee,
    Hello,
    Over,
    Refuse,
    Start,
    Turn,
    pack,
    unpack_from_referee,
)
from agents.zmtp import ZmtpConnection
from arena.match.clock import LONGEST_POLL, MILLISECOND
from arena.walls import jail
from arena.walls.guard import Guard
from arena.walls.warden_settings import WardenSettings

_CONNECTS_WITHIN: Final = 10.0
"""Timeout for the connection to the referee, in seconds."""
_DIRECTOR: Final = 0
"""Stdin: closed when the director has ended."""


class Warden:
    """The guard of one agent, and the poll loop that calls it."""

    def __init__(self, settings: WardenSettings, signals: int) -> None:
        """`signals`: a descriptor that is readable when a signal has arrived."""
        self._settings = settings
        self._signals = signals
        self._connection = ZmtpConnection(settings.address, _CONNECTS_WITHIN)
        self._connection.wait()
        self._guard = Guard(settings, self._send, monotonic_ns)
        self._poller = select.poll()
        # The agent's descriptors -> the events that are polled.
        self._watched: dict[int, int] = {}
        # The exit code of this process; None while it runs.
        self._code: int | None = None

    def serve(self) -> int:
        """Runs until the referee, the director or a signal ends this process; returns the exit code."""
        self._send(Hello(PROTOCOL, self._settings.token, self._settings.name))
        referee = self._connection.fileno()
        for source in (referee, self._signals, _DIRECTOR):
            self._poller.register(source, select.POLLIN)
        try:
            while self._code is None:
                self._watch_agent()
                happened = dict(self._poller.poll(self._poll_timeout()))
                self._serve_agent(happened)
                if self._signals in happened:
                    self._take_signals()
                if referee in happened:
                    self._read_referee()
                if _DIRECTOR in happened and _at_end(_DIRECTOR):
                    self._code = 0
                self._guard.tick()
        finally:
            self._guard.end()
            self._connection.close()
        return self._code

    def _serve_agent(self, happened: dict[int, int]) -> None:
        """Reads the agent's stdout first, because the agent is timed."""
        agent = self._guard.agent
        if agent is None:
            return
        stdout, stderr, stdin = (pipe.fileno() if not pipe.closed else -1 for pipe in agent.pipes())
        if stdout in happened:
            self._guard.read_stdout()
        if self._guard.agent is agent and stdin in happened:
            agent.flush()
        if self._guard.agent is agent and stderr in happened:
            self._guard.read_stderr()
        if self._guard.agent is agent and agent.ended() in happened:
            self._guard.check_exit()

    def _watch_agent(self) -> None:
        """Registers the present descriptors of the agent with the poller."""
        agent = self._guard.agent
        wanted = {} if agent is None else dict.fromkeys(agent.readers(), select.POLLIN)
        if agent is not None and (writer := agent.writer()) is not None:
            wanted[writer] = select.POLLOUT
        if agent is not None and (ended := agent.ended()) is not None:
            wanted[ended] = select.POLLIN
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
            self._guard.check_exit()
            self._guard.look()

    def _read_referee(self) -> None:
        while self._code is None:
            self._receive(unpack_from_referee(self._connection.receive()))
            if not self._connection.has_more:
                return

    def _receive(self, message: FromReferee) -> None:
        match message:
            case Turn():
                self._guard.ask(message)
            case Start():
                if message.core is not UNSET and sys.platform == "linux":
                    # Warden and agent run in turns; on one core, one wakes the other in half the time.
                    os.sched_setaffinity(0, {message.core})
                self._guard.start(message)
            case Over():
                self._guard.end_game(message)
            case Bye():
                self._code = 0
            case Refuse():
                print(f"refused by the referee: {message.reason}", file=sys.stderr)
                self._code = 1

    def _send(self, message: FromPlayer) -> None:
        self._connection.send(pack(message))

    def _poll_timeout(self) -> int | None:
        """Milliseconds until the guard's `tick` is due, rounded up; None if nothing is due."""
        wake = self._guard.wake
        return None if wake is None else min(max(0, -((monotonic_ns() - wake) // MILLISECOND)), LONGEST_POLL)


def main() -> int:
    """Reads the settings and runs the warden; returns the exit code."""
    jail.adopt_orphans()
    signals = _signals()
    # SIGTERM, not SIGKILL: only this process can find and kill the processes that the agent has started.
    own_process.die_with_it(signal.SIGTERM)
    try:
        with open(_DIRECTOR, "rb", buffering=0, closefd=False) as stdin:
            settings = msgspec.json.decode(stdin.readline(), type=WardenSettings)
    except msgspec.MsgspecError as error:
        print(f"warden: expected settings as a JSON object on the first line of stdin: {error}", file=sys.stderr)
        return 2
    try:
        return Warden(settings, signals).serve()
    except (AgentsError, ConnectionError) as error:
        print(f"warden: the connection to the referee failed: {error}", file=sys.stderr)
        return 1


def _at_end(file: int) -> bool:
    try:
        return not os.read(file, 4096)
    except OSError:
        return True


def _signals() -> int:
    """A descriptor that is readable on SIGTERM and SIGCHLD. SIGINT (Ctrl-C) is ignored: the director handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    # Without pidfd_open, SIGCHLD always tells that the agent has ended; else it is switched on in its pauses.
    jail.hears_children = hasattr(os, "pidfd_open")
    for number in (signal.SIGTERM,) if jail.hears_children else (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, jail.note_child)
    return reader


if __name__ == "__main__":
    sys.exit(main())
