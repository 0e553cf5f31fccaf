"""A judge for the tests: a ROUTER socket, a warden in seat 0, a good opponent in seat 1, and a real Match.

It does what the referee process does, for one game at a time and in the test's own thread, so that the messages of a
warden and their effects can be checked.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic_ns
from types import TracebackType
from typing import Any, Final

import zmq

from agents.protocol import (
    FromPlayer,
    Hello,
    Move,
    Over,
    Ready,
    Report,
    Start,
    Turn,
    pack,
    unpack_from_player,
)
from arena.match.clock import SECOND
from arena.match.conditions import Conditions, Limits
from arena.match.fixture import Fixture, SeatPlan
from arena.match.match import Match, Phase, Sent
from tests.kit.effort import PATIENCE
from tests.kit.places import ROOT

TOKEN: Final = "a" * 64


class Judge:
    """A warden that holds `command`, and games for it."""

    def __init__(self, command: Sequence[str], **orders: Any) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="warden-")
        self.scratch = Path(self._folder.name) / "scratch"
        self.scratch.mkdir()
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.socket = self.context.socket(zmq.ROUTER)
        self.socket.set(zmq.LINGER, 0)
        address = f"ipc://{self._folder.name}/players"
        self.socket.bind(address)
        self.warden = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena.walls.warden"],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        told = {"address": address, "token": TOKEN, "name": "bad", "command": command, "scratch": str(self.scratch)}
        assert self.warden.stdin is not None
        self.warden.stdin.write(json.dumps(told | orders).encode() + b"\n")
        self.hello: Hello | None = None
        # All messages of the warden, in order.
        self.heard: list[FromPlayer] = []
        self._address = b""
        self._games = 0

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.warden.poll() is None:
            self.warden.kill()
        self.warden.wait()
        for pipe in (self.warden.stdin, self.warden.stderr):
            assert pipe is not None
            pipe.close()
        self.socket.close()
        self.context.term()
        self._folder.cleanup()

    def hang_up(self) -> str:
        """The director is gone: waits for the warden to end by itself; what it wrote to stderr."""
        assert self.warden.stdin is not None
        self.warden.stdin.close()
        return self.wait()

    def play_with(self, manner: str, **settings: Any) -> tuple[Match, Report]:
        """One game against an agent of that manner, whose command must be ANY_MANNER's; and the warden's report."""
        (self.scratch.parent / "manner").write_text(manner)
        match = self.play(**settings)
        report = self.heard[-1]
        assert isinstance(report, Report)
        return match, report

    def wait(self) -> str:
        """The warden ends by itself; what it wrote to stderr."""
        self.warden.wait(PATIENCE)
        assert self.warden.stderr is not None
        return self.warden.stderr.read().decode()

    def play(
        self,
        *,
        clock: str = "10",
        patience: float = 10.0,
        rules: str = "tictactoe",
        opening: tuple[str, ...] = (),
        max_plies: int | None = None,
    ) -> Match:
        """One game to its end."""
        self._games += 1
        limits = Limits(ready=int(patience * SECOND))
        seats = (SeatPlan("bad", "bad", "0", 1, guarded=True), SeatPlan("good", "good", "1", 2))
        fixture = Fixture(
            self._games,
            rules,
            seats,
            b"dice",
            conditions=Conditions(clock=clock, max_plies=max_plies, limits=limits),
            opening=opening,
        )
        match = Match(fixture, monotonic_ns(), secret=b"s")
        if self.hello is None:
            hello = self.hear()
            assert isinstance(hello, Hello)
            self.hello = hello
        self._do(match, match.arrive(0, self.hello.wants, monotonic_ns()))
        self._do(match, match.arrive(1, ("legal",), monotonic_ns()))
        give_up = monotonic_ns() + PATIENCE * SECOND
        while match.phase is not Phase.DONE:
            assert monotonic_ns() < give_up, f"the game does not end; the warden said {self.heard}"
            assert self.warden.poll() is None, f"the warden has ended: {self.wait()}"
            wake = match.wake or give_up
            if self.socket.poll(max(0, min(1000, (wake - monotonic_ns()) // 1_000_000 + 1))):
                message = self.hear()
                self._do(match, match.receive(0, message, monotonic_ns()))
            else:
                self._do(match, match.tick(monotonic_ns()))
        return match

    def hear(self) -> FromPlayer:
        """The next message of the warden."""
        give_up = monotonic_ns() + PATIENCE * SECOND
        while not self.socket.poll(100):
            assert self.warden.poll() is None, f"the warden has ended: {self.wait()}"
            assert monotonic_ns() < give_up, "the warden is silent"
        self._address, data = self.socket.recv_multipart()
        message = unpack_from_player(data)
        self.heard.append(message)
        return message

    def hear_a(self, kind: type[Any]) -> Any:
        """The next message of the warden, which is of that kind."""
        message = self.hear()
        assert isinstance(message, kind), message
        return message

    def tell(self, message: Any) -> None:
        """To the warden."""
        self.socket.send_multipart([self._address, pack(message)])

    def _do(self, match: Match, sent: list[Sent]) -> None:
        now = monotonic_ns()
        for seat, message in sent:
            if seat == 0:
                self.tell(message)
            elif isinstance(message, Start):
                self._do(match, match.receive(1, Ready(message.game), now))
            elif isinstance(message, Turn):
                assert isinstance(message.legal, tuple)
                self._do(match, match.receive(1, Move(message.game, message.id, message.legal[-1]), now))
            elif isinstance(message, Over):
                self._do(match, match.receive(1, Report(message.game), now))
