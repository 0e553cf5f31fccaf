"""Lets an agent choose a move for an engine, in the main thread, where a signal can interrupt it.

An agent that fails, resigns or returns an illegal move gives no move: the engine then resigns, as far as its protocol
can. The traceback or the complaint is on stderr, and `Thought.problem` is one line for the other program.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from random import SystemRandom
from types import TracebackType
from typing import Any, Final

from adsearch import State
from adsearch.errors import BadMove
from adsearch.mcts import SIMULATIONS
from agents import hosting
from agents.agent import WITHOUT_CLOCK, Agent, Clock, Resign
from agents.builtin.mcts import Mcts
from agents.builtin.thinker import NODES, Thinker
from agents.player import complain
from agents.protocol import Verdict
from arena.as_engine.program import ProgramAgent
from arena.match import clock as match_clock
from arena.match.clock import SECOND, TimeControl

# One request for a move: the game as other programs send it, and its clock, which the reading thread can stop. The
# main thread answers a turn; the reading thread only sets its flags. So a turn that is stopped before the main thread
# begins it is answered too, as quickly as possible.


FOREVER: Final = 1e9
"""The time for a move that has no limit, in seconds. Not infinite: then the built-in agents set a limit themselves."""
INTERRUPT: Final = signal.SIGUSR2
"""The signal that interrupts an agent that does not stop."""
_GRACE: Final = 0.5
"""How long an agent that is stopped can take to return its move, in seconds, before it is interrupted."""
_END_AFTER: Final = 1.0
"""How long an agent can delay the end of this process, in seconds."""


class TurnClock(Clock):
    """A clock whose time is over as soon as it is stopped."""

    __slots__ = ()

    def elapsed(self) -> float:
        return self.left if self.stopped else super().elapsed()

    def remaining(self) -> float:
        return 0.0 if self.stopped else super().remaining()


class Turn:
    """A request for a move, from its arrival to its answer."""

    def __init__(self, words: tuple[str, ...] = (), *, held: bool = False) -> None:
        """`held`: the answer is sent only when the turn is released."""
        self.words = words
        self.clock = TurnClock()
        self.released = threading.Event()
        if not held:
            self.released.set()
        # Limits for the built-in agents that search.
        self.depth: int | None = None
        self.nodes: int | None = None
        # Whether the answer was sent.
        self.answered = False
        self._begun = time.monotonic()
        self._thought = threading.Event()

    def allow(self, left: float, budget: float) -> None:
        """Set the time for this turn, in seconds since it arrived."""
        self.clock.left, self.clock.budget = left, budget

    def seconds(self) -> float:
        """The time since the turn arrived, also if its clock is stopped."""
        return time.monotonic() - self._begun

    def stop(self) -> None:
        """The move is wanted at once; an agent that goes on thinking is interrupted soon."""
        self._stop(_GRACE, inf)

    def leave(self) -> None:
        """This process must end: interrupt the agent soon; if that does not help, end the process."""
        self._stop(_GRACE / 5, _END_AFTER)

    def over(self) -> None:
        """The agent has returned: interrupt it no more."""
        self._thought.set()

    def _stop(self, grace: float, patience: float) -> None:
        self.clock.stopped = True
        self.released.set()
        threading.Thread(target=self._insist, args=(grace, patience), daemon=True).start()

    def _insist(self, grace: float, patience: float) -> None:
        """Interrupt the main thread again and again, because an agent can catch the exception."""
        since = time.monotonic()
        if self._thought.wait(grace):
            return
        while time.monotonic() - since < patience:
            signal.pthread_kill(threading.main_thread().ident or 0, INTERRUPT)
            if self._thought.wait(grace):
                return
        os._exit(0)


def end_process_soon() -> None:
    """This process ends in a moment, even if its agent hangs or has left threads that run on."""
    end = threading.Timer(_END_AFTER, os._exit, (0,))
    end.daemon = True
    end.start()


def suggested(control: TimeControl) -> tuple[float, float]:
    """The time left and the budget for the next move, in seconds, at the start of this time control."""
    clock = match_clock.Clock([control])
    left, budget = clock.left(0), clock.budget(0)
    return (inf, WITHOUT_CLOCK) if left is None or budget is None else (left / SECOND, budget / SECOND)


def nanoseconds(seconds: float) -> int:
    """A time of a time control: at least a millisecond, so that there is a clock."""
    return max(int(min(seconds, FOREVER) * SECOND), SECOND // 1000)


# A game as other programs send it to an engine: every message has the start position and all moves since.


class LineOfPlay:
    """A start position and the moves played from it."""

    def __init__(
        self, start: State[Any], *, rules: str, opened: Callable[[State[Any]], State[Any]] = lambda state: state
    ) -> None:
        """`rules`: the game and its options; `opened`: the state to use instead of a finished one."""
        self.rules = rules
        self._opened = opened
        self.texts: list[str] = []
        self.states = [start]

    @property
    def start(self) -> State[Any]:
        """The first position."""
        return self.states[0]

    @property
    def state(self) -> State[Any]:
        """The position after all moves."""
        return self.states[-1]

    def follow(self, texts: Sequence[str]) -> None:
        """Play `texts` from the start; BadMove, with the legal moves before it, if one is illegal."""
        same = next(
            (at for at, (old, new) in enumerate(zip(self.texts, texts, strict=False)) if old != new),
            min(len(self.texts), len(texts)),
        )
        self.undo(len(self.texts) - same)
        for text in texts[same:]:
            self.play(text)

    def play(self, text: str) -> None:
        """Play one more move; BadMove if it is illegal."""
        state = self.state
        after = state.play(state.from_text(text))
        self.states.append(self._opened(after) if after.turn is None else after)
        self.texts.append(text)

    def undo(self, count: int) -> None:
        """Take back the last `count` moves."""
        if count:
            del self.texts[-count:]
            del self.states[-count:]


# The agent.


_PAUSE: Final = 0.1
"""The shortest time between two reports of a thinking agent, in seconds."""


class Interrupted(BaseException):
    """Raised inside an agent that goes on thinking when its turn is stopped."""


@dataclass(frozen=True, slots=True)
class Thought:
    """What an agent has answered: a legal move of `state`, or None and the problem."""

    state: State[Any]
    move: Any
    info: dict[str, Any] = field(default_factory=dict)
    """What the agent has reported with `tell`."""
    problem: str = ""
    seconds: float = 0.0

    @property
    def line(self) -> tuple[str, ...]:
        """The expected continuation, as far as it is legal; it begins with the move."""
        texts: list[str] = []
        state = self.state
        try:
            for text in _reported_line(self.info):
                move = state.from_text(text)
                texts.append(state.to_text(move))
                state = state.play(move)
        except BadMove:
            pass  # the rest of the line is not legal
        own = self.state.to_text(self.move)
        return tuple(texts) if texts[:1] == [own] else (own,)


class EngineHost:
    """One agent for each game. It chooses the moves of one seat."""

    def __init__(self, make: Callable[[], Agent], name: str) -> None:
        self._make = make
        self.name = name
        self._agent: Agent | None = make()
        # What the agent has reported in this turn.
        self._info: dict[str, Any] = {}
        # The rules and start of the game, and the seat that the agent plays; None before its first turn.
        self._game: tuple[str, str, int] | None = None
        self._asked: list[str] = []
        self._in_agent = False
        signal.signal(INTERRUPT, self._interrupt)

    def new_game(self) -> None:
        """The game of the agent is over: the next one has a new agent."""
        if self._agent is None or self._game is None:
            return
        try:
            # An engine is not sent the result.
            self._agent.end(None, Verdict.VOID)
        except Exception as error:
            hosting.show(error)
        self._agent = self._game = None

    def change(self, make: Callable[[], Agent]) -> None:
        """From now on `make` creates the agents."""
        self.new_game()
        self._make = make
        self._agent = None

    def choose(self, line: LineOfPlay, turn: Turn, report: Callable[[Thought], None] | None = None) -> Thought:
        """The agent's move in the last position of `line`; a new agent if that is not the next turn of its game.

        `report` is called while the agent thinks, when it reports a line of play with `tell`."""
        state = line.state
        failure = ""
        choice = None
        interrupted = False
        self._info = {}
        try:
            choice = self._answer(line, turn, report)
        except Interrupted:
            interrupted = True
        except Resign:
            failure = f"{self.name} resigns"
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            hosting.show(error.with_traceback(_from_the_agent(error.__traceback__)))
            failure = f"{self.name} failed: {type(error).__name__}: {error}".replace("\n", " ")
        finally:
            turn.over()
        info = self._reported(state)
        if failure:
            self.new_game()
            self._agent = None
            return Thought(state, None, info, failure, turn.seconds())
        if interrupted:
            print("the agent did not stop, and was interrupted", file=sys.stderr)
            best = _first_move(state, info)
            return Thought(state, state.moves()[0] if best is None else best, info, seconds=turn.seconds())
        move = hosting.legal(choice, state)
        if move is None:
            complain(choice, state)
            failure = f"{self.name}: {hosting.described(choice)}, which is not one of state.moves()"
        return Thought(state, move, info, failure, turn.seconds())

    def _answer(self, line: LineOfPlay, turn: Turn, report: Callable[[Thought], None] | None) -> Any:
        """What `choose` returns; raises what the agent raises, or Interrupted."""
        try:
            try:
                self._in_agent = True
                agent = self._agent_for(line)
                if report:
                    self._watch(agent, line.state, turn, report)
                with _limited(agent, turn):
                    return agent.choose(line.state, turn.clock)
            finally:
                self._in_agent = False
        except Interrupted:  # also if it was raised before `finally` was done
            self._in_agent = False
            raise

    def _agent_for(self, line: LineOfPlay) -> Agent:
        seat = line.state.turn or 0
        game = (line.rules, line.start.position(), seat)
        if self._game and (game != self._game or self._asked != line.texts[: len(self._asked)]):
            self.new_game()
        self._asked = list(line.texts)
        agent = self._agent = self._agent or self._make()
        if self._game is None:
            hosting.seat(agent, self.name, seat, SystemRandom().getrandbits(32))
            if isinstance(agent, ProgramAgent):
                agent.rules = line.rules
            agent.begin(line.start, seat)
            self._game = game
        return agent

    def _watch(self, agent: Agent, state: State[Any], turn: Turn, report: Callable[[Thought], None]) -> None:
        """From now on `report` what the agent tells in this turn; at most once in _PAUSE."""
        shown = -_PAUSE

        def tell(**values: Any) -> None:
            nonlocal shown
            type(agent).tell(agent, **values)
            seconds = turn.seconds()
            if not self._in_agent or seconds - shown < _PAUSE:
                return
            self._in_agent = False  # a line that is half written must not be interrupted
            move = _first_move(state, self._reported(state))
            if move is not None:
                shown = seconds
                report(Thought(state, move, self._info, seconds=seconds))
            self._in_agent = True

        agent.tell = tell  # type: ignore[method-assign]

    def _reported(self, state: State[Any]) -> dict[str, Any]:
        """All that the agent has reported in this turn."""
        if self._agent:
            self._info = {**self._info, **hosting.reported(self._agent, state)}
        return self._info

    def _interrupt(self, *_: object) -> None:
        if self._in_agent:
            raise Interrupted


@contextmanager
def _limited(agent: Agent, turn: Turn) -> Iterator[None]:
    """Inside, a built-in agent that searches has the turn's limits of depth and nodes, and can be stopped."""
    if not isinstance(agent, Thinker):
        yield
        return
    before = {name: getattr(agent, name) for name in ("depth", "nodes", "simulations") if hasattr(agent, name)}
    # A depth does not limit Monte Carlo tree search.
    agent.depth = (None if isinstance(agent, Mcts) else turn.depth) or agent.depth
    agent.nodes = turn.nodes or agent.nodes
    if turn.clock.left > FOREVER:
        # With a time limit a search looks at the clock, and so can be stopped. It keeps its limits of a turn without.
        turn.allow(FOREVER, FOREVER)
        if agent.nodes is None and agent.seconds is None:
            if isinstance(agent, Mcts):
                agent.simulations = agent.simulations or SIMULATIONS
            elif agent.depth is None:
                agent.nodes = NODES
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(agent, name, value)


def _first_move(state: State[Any], info: dict[str, Any]) -> Any:
    """The first move of the line that the agent reported; None if there is no legal one."""
    try:
        return state.from_text(_reported_line(info)[0])
    except (IndexError, BadMove):
        return None


def _reported_line(info: dict[str, Any]) -> Sequence[str]:
    """The expected continuation as the agent reported it."""
    line: str | tuple[str, ...] = info.get("line", ())
    return line.split() if isinstance(line, str) else line


def _from_the_agent(trace: TracebackType | None) -> TracebackType | None:
    """The traceback without the frames of this file at its start."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace
