"""Player: an agent's side of the protocol, game after game, without input or output.

Both hosts, over ZeroMQ and over stdin and stdout, hand it the referee's messages and send its answers. It reads no
message itself and knows no transport. What the agent raises goes through it, except after the end of the game.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from math import inf
from typing import Any, Final

from msgspec import UNSET

from adsearch import State, games
from agents import diagnosis, hosting
from agents.agent import Agent, Clock, Resign
from agents.own_wait import own_wait
from agents.protocol import Bye, FromReferee, Info, Move, Over, Ready, Refuse, Report, Start, Turn
from agents.protocol import Resign as Resignation
from agents.streams import Log

Answer = Ready | Move | Resignation | Report
Make = Callable[[], Agent]
"""Makes an agent for one game."""

LONGEST_NAME: Final = 256
ADVICE: Final = "hint: "
"""How a line of the log begins that says what to do."""
SECOND: Final = 1_000_000_000


class Dismissed(Exception):
    """The referee has said goodbye, or refused the player and said why."""


class Player:
    """One agent after the other, each through its game."""

    def __init__(
        self, make: Make, *, name: str = "", now: Callable[[], int] = time.monotonic_ns, log: Log | None = None
    ) -> None:
        """`name` is by default the class's; `now` counts nanoseconds; `log` counts what the agent prints."""
        self._make = make
        self._now = now
        self._log = log
        self._fresh: Agent | None = make()
        self._agent: Agent = self._fresh
        self._game: int | None = None
        self._seat = 0
        self._load: Callable[[str], State[Any]] | None = None
        self._state: State[Any] | None = None
        # What the player calls itself.
        self.name = (name or self._fresh.name or type(self._fresh).__name__)[:LONGEST_NAME]
        self._cpu = 0

    def answer(self, message: FromReferee, arrived: int) -> Answer | None:
        """What to say to `message`, which arrived at that instant; None where nothing is to be said.

        Dismissed where the referee has no more use for the player."""
        if isinstance(message, Start):
            return self._start(message)
        if isinstance(message, Turn) and message.game == self._game:
            return self._turn(message, arrived)
        if isinstance(message, Over) and message.game == self._game:
            return self._over(message)
        if isinstance(message, Bye):
            raise Dismissed
        if isinstance(message, Refuse):
            raise Dismissed(message.reason)
        return None

    def _start(self, start: Start) -> Ready:
        agent = self._fresh or self._make()
        self._fresh = None
        self._agent = agent
        self._game = start.game
        self._seat = start.seat
        game, options = games.find(start.rules)
        self._load = lambda text: game.load(text, **options)
        state = self._load(start.position)
        self._state = None if state.hidden else state
        self._cpu = time.process_time_ns()
        if self._log:
            self._log.clear()
        hosting.seat(agent, start.seats[start.seat], start.seat, start.seed)
        agent.begin(state, start.seat)
        if gc.isenabled():
            # What there is by now stays: collections during the game need not look at it again.
            gc.unfreeze()
            gc.collect()
            gc.freeze()
        return Ready(start.game)

    def _turn(self, turn: Turn, arrived: int) -> Move | Resignation:
        cpu, delay = time.process_time_ns(), own_wait()
        state = self._followed(turn)
        agent = self._agent
        clock = Clock(
            inf if turn.left is None else turn.left[self._seat] / 1000,
            inf if turn.budget is None else turn.budget / 1000,
            now=lambda: self._now() / SECOND,
            since=arrived / SECOND,
        )
        try:
            choice = agent.choose(state, clock)
        except Resign:
            used = time.process_time_ns() - cpu
            return Resignation(turn.game, turn.id, spent=self._now() - arrived, cpu=used, delay=_waited_since(delay))
        move = hosting.legal(choice, state)
        if move is None:
            print(hosting.complaint(choice, state), file=sys.stderr)
            print(_advice(choice, state), file=sys.stderr)
        text = hosting.described(choice) if move is None else state.to_text(move)
        info = hosting.reported(agent, state)
        return Move(
            game=turn.game,
            id=turn.id,
            move=text,
            info=Info(**info) if info else None,
            cpu=time.process_time_ns() - cpu,
            delay=_waited_since(delay),
            log=self._log.written if self._log else None,
            spent=self._now() - arrived,
        )

    def _followed(self, turn: Turn) -> State[Any]:
        """The state of this turn: by its events, or where something is hidden by the view that came with it."""
        if self._state is None:
            if self._load is None or turn.position is UNSET:
                raise ValueError(f"expected a position in the turn of a game with secrets, got none (ply {turn.ply})")
            return self._load(turn.position)
        for _, text in turn.events:
            self._state = self._state.play(self._state.from_text(text))
        return self._state

    def _over(self, over: Over) -> Report:
        known = tuple(worth for worth in over.utilities or () if worth is not None)
        utilities = known if over.utilities is not None and len(known) == len(over.utilities) else None
        try:
            self._agent.end(utilities, str(over.verdict))
        except Exception as error:
            hosting.show(error)
        self._game = None
        self._state = None
        return Report(
            over.game,
            cpu=time.process_time_ns() - self._cpu,
            memory=most_memory(),
            stderr=self._log.tail() if self._log else "",
        )


def _waited_since(before: int | None) -> int | None:
    """Nanoseconds that this process has waited for a processor since its `own_wait` was that."""
    return None if before is None else (own_wait() or before) - before


def _advice(choice: Any, state: State[Any]) -> str:
    """What its author is to do about an illegal choice, as a line of the log."""
    try:
        moves = state.moves()
        words = diagnosis.no_move(choice, moves, [state.to_text(move) for move in moves])
    except Exception:  # whatever the choice is made of
        words = "return one of state.moves()"
    return f"{ADVICE}{words}"


def most_memory() -> int | None:
    """Bytes that this process has held at most; None where nobody says."""
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
