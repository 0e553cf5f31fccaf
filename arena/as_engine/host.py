"""Lets an agent choose a move for an engine, in the main thread, where a signal can interrupt it.

An agent that fails, resigns or returns an illegal move gives no move: the engine then resigns, as far as its protocol
can. The traceback or the complaint is on stderr, and `Thought.problem` is one line for the other program.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import SystemRandom
from types import TracebackType
from typing import Any, Final

from adsearch import State
from adsearch.errors import BadMove
from adsearch.mcts import SIMULATIONS
from agents import hosting
from agents.agent import Agent, Resign
from agents.builtin.mcts import Mcts
from agents.builtin.thinker import NODES, Thinker
from agents.player import complain
from agents.protocol import Verdict
from arena.as_engine.program import ProgramAgent
from arena.as_engine.turn import FOREVER, INTERRUPT, LineOfPlay, Turn

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
