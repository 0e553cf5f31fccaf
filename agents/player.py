"""Player: turns the referee's messages into calls of an agent's methods, and their results into answers.

It does no input or output: the two hosts (`over_zmq.py`, `over_stdio.py`) pass it messages and send its answers. An
exception of the agent is passed on to the host, except one that `Agent.end` raises.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from math import inf
from typing import Any, Final

from msgspec import UNSET

from adsearch import State, form, games
from agents import diagnosis, hosting
from agents.agent import WITHOUT_CLOCK, Agent, Clock, Resign
from agents.own_process import own_wait
from agents.protocol import Bye, FromReferee, Info, Move, Over, Ready, Refuse, Report, Start, Turn
from agents.protocol import Resign as Resignation
from agents.streams import Log

Answer = Ready | Move | Resignation | Report
Make = Callable[[], Agent]
"""Creates the agent for one game."""

LONGEST_NAME: Final = 256
"""The longest name of a player, in characters."""
ADVICE: Final = "hint: "
"""The start of a line in the log that tells a student what to do."""
SECOND: Final = 1_000_000_000


class Dismissed(Exception):
    """The referee has sent `bye`, or `refuse` with a reason."""


class Player:
    """Plays one game after another, each with a new agent."""

    def __init__(
        self, make: Make, *, name: str = "", now: Callable[[], int] = time.monotonic_ns, log: Log | None = None
    ) -> None:
        """`name`: default is the name of the agent or its class; `now`: a clock in nanoseconds; `log`: the agent's
        stderr."""
        self._make = make
        self._now = now
        self._seconds = lambda: now() / SECOND
        self._log = log
        self._fresh: Agent | None = make()
        self._agent: Agent = self._fresh
        self._game: int | None = None
        self._seat = 0
        self._load: Callable[[str], State[Any]] | None = None
        self._state: State[Any] | None = None
        self.name = (name or self._fresh.name or type(self._fresh).__name__)[:LONGEST_NAME]
        self._cpu = 0

    def answer(self, message: FromReferee, arrived: int) -> Answer | None:
        """The answer to `message`, which arrived at `arrived` (on the clock `now`); None if it needs no answer.

        Raises Dismissed after `bye` or `refuse`."""
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
        is_first = self._fresh is not None
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
            # Objects that exist now stay for the whole game: garbage collections need not visit them again.
            if not is_first:
                gc.unfreeze()
                gc.collect()  # what the last game left; a new process has little, and a collection takes 2.5 ms
            gc.freeze()
        return Ready(start.game, adsearch=form.prepared())

    def _turn(self, turn: Turn, arrived: int) -> Move | Resignation:
        cpu, delay = time.process_time_ns(), own_wait()
        state = self._followed(turn)
        agent = self._agent
        clock = Clock(
            inf if turn.left is None else turn.left[self._seat] / 1000,
            WITHOUT_CLOCK if turn.budget is None else turn.budget / 1000,
            now=self._seconds,
            since=arrived / SECOND,
        )
        try:
            choice = agent.choose(state, clock)
        except Resign:
            used = time.process_time_ns() - cpu
            return Resignation(turn.game, turn.id, spent=self._now() - arrived, cpu=used, delay=_waited_since(delay))
        move = hosting.legal(choice, state)
        if move is None:
            complain(choice, state)
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
        """The state of this turn: from its events, or in a game with hidden information from the `position` sent."""
        if self._state is None:
            if self._load is None or turn.position is UNSET:
                raise ValueError(
                    f"expected a position in the turn of a game with hidden information, got none (ply {turn.ply})"
                )
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
    """Nanoseconds for which this process has waited for a processor since `own_wait()` returned `before`."""
    return None if before is None else (own_wait() or before) - before


def complain(choice: Any, state: State[Any]) -> None:
    """Print to the log that `choice` is illegal, and what the student can do."""
    print(hosting.complaint(choice, state), file=sys.stderr)
    print(_advice(choice, state), file=sys.stderr)


def _advice(choice: Any, state: State[Any]) -> str:
    """The line of the log that tells the student what to do about an illegal choice."""
    try:
        moves = state.moves()
        words = diagnosis.no_move(choice, moves, [state.to_text(move) for move in moves])
    except Exception:  # the choice can be any object, and so raise anything
        words = "return one of state.moves()"
    return f"{ADVICE}{words}"


def most_memory() -> int | None:
    """The peak memory of this process in bytes (ru_maxrss); None if the system does not report it."""
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
