"""Players as real processes; the test sends messages as a warden or a referee would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import zmq

from adsearch import games
from agents.protocol import (
    ClockInfo,
    FromPlayer,
    Over,
    Start,
    Turn,
    Verdict,
    from_player,
    pack,
    read_line,
    to_line,
    unpack_from_player,
)
from tests.kit.effort import PATIENCE
from tests.kit.places import ROOT

TOKEN = "5e" * 32


def start(rules: str = "tictactoe", *, game: int = 1, seat: int = 0, seed: int = 7) -> Start:
    """The start of a game without a clock."""
    state = games.start(rules)
    return Start(game, rules, seat, ("one", "two"), ClockInfo("none", None), seed, state.view(seat))


def turn(*events: tuple[Any, str], game: int = 1, **told: Any) -> Turn:
    """A turn after these events."""
    return Turn(game, "abcd1234", len(events) + 1, events, told.pop("left", None), told.pop("budget", None), **told)


def over(*, game: int = 1, verdict: Verdict = Verdict.NORMAL) -> Over:
    """The end of a game."""
    return Over(game, (0.0, 0.0), verdict, None, ())


def _started(*arguments: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "agents", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )


class OverStdio:
    """A player that speaks JSON lines, and the test as its warden."""

    def __init__(self, *arguments: str) -> None:
        self.process = _started(*arguments)

    def say(self, *messages: Any) -> None:
        """Sends messages."""
        assert self.process.stdin
        for message in messages:
            self.process.stdin.write(message if isinstance(message, bytes) else to_line(message))
        self.process.stdin.flush()

    def hear(self) -> FromPlayer:
        """The next message from the player."""
        assert self.process.stdout
        return from_player(read_line(self.process.stdout.readline()))

    def ended(self) -> tuple[int, str, str]:
        """Exit code, the rest of stdout and the log of a player, at whom nothing more is said."""
        out, log = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out.decode(), log.decode()


class OverZmq:
    """A player that speaks ZeroMQ, and the test as its referee."""

    def __init__(self, socket: zmq.Socket[bytes], address: str, arguments: Sequence[str], file: Path | None) -> None:
        self.socket, self.route = socket, b""
        seat = json.dumps({"address": address, "token": TOKEN}).encode()
        if file:
            file.write_bytes(seat)
        self.process = _started(*arguments, "--connect", str(file or "-"))
        if not file:
            assert self.process.stdin
            self.process.stdin.write(seat + b"\n")
            self.process.stdin.flush()

    def say(self, *messages: Any) -> None:
        """Sends messages."""
        for message in messages:
            self.socket.send_multipart([self.route, pack(message)])

    def hear(self) -> FromPlayer:
        """The next message from the player."""
        self.route, data = self.socket.recv_multipart()
        return unpack_from_player(data)

    def ended(self) -> tuple[int, str, str]:
        """Exit code, stdout and the log of a player that ends by itself: its stdin stays open."""
        code = self.process.wait(PATIENCE)
        assert self.process.stdout
        assert self.process.stderr
        return code, self.process.stdout.read().decode(), self.process.stderr.read().decode()


@contextmanager
def over_stdio(*arguments: str) -> Iterator[OverStdio]:
    """A player over stdin and stdout, which is gone afterwards."""
    player = OverStdio(*arguments)
    try:
        yield player
    finally:
        _end(player.process)


@contextmanager
def over_zmq(*arguments: str, file: Path | None = None) -> Iterator[OverZmq]:
    """A player over ZeroMQ, which finds its seat on stdin or in `file`, and is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="arena-", dir="/tmp") as folder, zmq.Context() as context:
        socket: zmq.Socket[bytes] = context.socket(zmq.ROUTER)
        socket.linger, socket.rcvtimeo, socket.router_mandatory = 0, 1000 * PATIENCE, 1
        address = f"ipc://{folder}/players"
        socket.bind(address)
        player = OverZmq(socket, address, arguments, file)
        try:
            yield player
        finally:
            _end(player.process)
            socket.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream and not stream.closed:
            with suppress(BrokenPipeError):
                stream.close()
    process.wait()
