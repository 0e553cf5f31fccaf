"""The two ends of an engine of ours: an agent in any language (`cmd:./engine`) as an Agent of this process, and the
stdin and stdout over which other programs speak to it.
"""

from __future__ import annotations

import os
import queue
import select
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, Final, Generic, TypeVar

from msgspec import structs

from adsearch import State
from agents.agent import Agent, Clock, Resign
from agents.protocol import (
    MESSAGE_BYTES,
    ClockInfo,
    FromPlayer,
    Hello,
    Move,
    Ready,
    Start,
    Turn,
    Who,
    line_from_player,
    shortened,
    to_line,
    with_board,
)
from agents.protocol import Resign as Resignation
from agents.streams import Streams

_GAME: Final = 1


class ProgramAgent(Agent):
    """Passes every turn on to a program."""

    rules = ""
    """The game and its options, for the program."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        # The last state that the program was asked about, and the move that it answered.
        self._last: tuple[State[Any], Any] | None = None
        self._ids = count(1)
        self._ply = 1
        self._wants_board = False

    def choose(self, state: State[Any], clock: Clock) -> Any:
        try:
            events = self._events(state)
            if events is None:
                self._stop()
                self._start(state)
                events = ()
            return self._asked(state, clock, events)
        except BaseException:
            # Failed or interrupted: the program can still be busy with this turn.
            self._stop()
            raise

    def end(self, utilities: tuple[float, ...] | None, verdict: str) -> None:  # noqa: ARG002
        self._stop()

    def _events(self, state: State[Any]) -> tuple[tuple[Who, str], ...] | None:
        """The moves since the program's last turn: its own and one of the opponent; None if they are not known."""
        if self._process is None or self._last is None:
            return None
        before, move = self._last
        between = before.play(move)
        for reply in between.moves():
            if between.play(reply).key == state.key:
                return ((self.seat, before.to_text(move)), (1 - self.seat, between.to_text(reply)))
        return None

    def _asked(self, state: State[Any], clock: Clock, events: tuple[tuple[Who, str], ...]) -> Any:
        self._ply += len(events)
        left = _milliseconds(clock.left)
        question = Turn(
            game=_GAME,
            id=str(next(self._ids)),
            ply=self._ply,
            events=events,
            left=None if left is None else (left, left),
            budget=None if left is None else _milliseconds(clock.budget),
            position=state.position(),
            legal=shortened([state.to_text(move) for move in state.moves()]),
        )
        self._say(with_board(question, state, self.seat) if self._wants_board else question)
        answer = self._hear()
        if isinstance(answer, Resignation):
            raise Resign
        if not isinstance(answer, Move):
            raise ValueError(f"expected a move from {self._command[0]}, got {type(answer).__name__.lower()}")
        if answer.info:
            info = answer.info
            self.tell(**structs.asdict(info))
        move = state.from_text(answer.move)
        self._last = (state, move)
        return move

    def _start(self, state: State[Any]) -> None:
        self._ply = 1
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        names = tuple(self.name if seat == self.seat else "opponent" for seat in range(state.players))
        clock = ClockInfo("none", None)
        self._say(Start(_GAME, self.rules, self.seat, names, clock, self.random.getrandbits(32), state.position()))
        answer = self._hear()
        if isinstance(answer, Hello):
            answer = self._hear()
        if not isinstance(answer, Ready):
            raise ValueError(f"expected ready from {self._command[0]}, got {type(answer).__name__.lower()}")
        self._wants_board = answer.board

    def _say(self, message: Start | Turn) -> None:
        if self._process is None or self._process.stdin is None:
            raise ValueError(f"{self._command[0]} does not run")
        self._process.stdin.write(to_line(message))
        self._process.stdin.flush()

    def _hear(self) -> FromPlayer:
        if self._process is None or self._process.stdout is None:
            raise ValueError(f"{self._command[0]} does not run")
        line = b"\n"
        while line == b"\n":
            line = self._process.stdout.readline(MESSAGE_BYTES + 2)
        if not line:
            raise ValueError(f"{self._command[0]} ended with exit code {self._process.wait()}")
        return line_from_player(line.rstrip(b"\r\n"))

    def _stop(self) -> None:
        process, self._process = self._process, None
        self._last = None
        if process is not None:
            process.kill()
            process.communicate()


def _milliseconds(seconds: float) -> int | None:
    return None if seconds == float("inf") else int(seconds * 1000)


# Stdin and stdout of an engine: a thread that reads lines, a queue for the main thread, and whole lines out.


Order = TypeVar("Order")
_LONGEST: Final = 1024 * 1024
"""Longest line, in bytes."""


class Wire(Generic[Order]):
    """The connection to the other program."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._lock = threading.Lock()

    def read(self, arrived: Callable[[str], Order | None], ended: Callable[[], None]) -> None:
        """Start the thread. `arrived` gets each line; what it returns is for the main thread. `ended` is called at the
        end of the input."""

        def run() -> None:
            with os.fdopen(self._streams.lines, "rb") as lines:
                while line := lines.readline(_LONGEST):
                    order = arrived(line.decode("utf-8", "replace"))
                    if order is not None:
                        self._orders.put(order)
            self._orders.put(None)
            ended()

        threading.Thread(target=run, daemon=True).start()

    def orders(self) -> Iterator[Order]:
        """What the reading thread leaves for the main thread, until the input ends."""
        while (order := self._orders.get()) is not None:
            yield order

    def wait_until_unread(self) -> None:
        """Wait until nobody can read what is written. A file can always be read."""
        answers = select.poll()
        answers.register(self._streams.answers, 0)
        answers.poll()

    def write(self, *lines: str) -> None:
        """Write whole lines; from any thread. BrokenPipeError if nobody reads them."""
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
        with self._lock:
            while data:
                data = data[os.write(self._streams.answers, data) :]
