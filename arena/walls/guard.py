"""The guard of one agent: what it may say when, how long it may take, and what happens when it breaks the rules.

It is the part of a warden that knows the protocol: the referee's messages come in, those of the agent are checked,
measured and passed on. Whatever the agent does, each turn that it is given ends in one answer or one `failed`, and
after each game there is one `report`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from adsearch import games
from adsearch.errors import AdsearchError, quote
from agents.errors import BadMessage
from agents.protocol import (
    LIMITS,
    MESSAGE_BYTES,
    MOST_DROPPED,
    PROTOCOL,
    UNREAD_BYTES,
    Bye,
    Failed,
    FromPlayer,
    Hello,
    Move,
    Over,
    Ready,
    Report,
    Resign,
    Start,
    Turn,
    Verdict,
    Want,
    Welcome,
    from_player,
    read_line,
    to_line,
)
from arena.match.clock import MILLISECOND, SECOND, TOO_BUSY
from arena.walls.agent_process import AgentProcess
from arena.walls.deadline import Deadline
from arena.walls.jail import NoProgram
from arena.walls.meter import Used
from arena.walls.orders import Orders

_ENDS_WITHIN: Final = 200 * MILLISECOND
"""How long an agent has to end by itself after `bye`."""
_RESTS_AFTER: Final = 20 * MILLISECOND
"""How long one that is kept for its next game may go on after this one."""
_EXITS_WITHIN: Final = 100 * MILLISECOND
"""How long after its stdout ended an agent's exit is waited for, to say how it ended."""
_STDERR_TOLD: Final = 60 * 1024
_LOOKS_EVERY: Final = 25 * MILLISECOND
"""So often that is seen while it runs, and whether it has more than it may. What lives shorter, and is reaped by
nobody, uses time unseen, where walls let an agent start processes."""


class _Phase(Enum):
    IDLE = 1
    """No game."""
    STARTING = 2
    """The agent has not said ready."""
    PLAYING = 3
    FAILED = 4
    """The agent is at fault and gone; the game is not over yet."""
    LEAVING = 5
    """The game is over; the agent may end by itself."""


class Guard:
    """One agent, game after game."""

    def __init__(self, orders: Orders, tell: Callable[[FromPlayer], None], clock: Callable[[], int]) -> None:
        """`tell` sends to the referee; `clock` tells the time in nanoseconds."""
        self.agent: AgentProcess | None = None
        self._orders = orders
        self._tell = tell
        self._clock = clock
        self._phase = _Phase.IDLE
        self._game = 0
        self._rules = ""
        # Of the process: when it was started, told of the game, said hello; what it said that it wants.
        self._spawned = self._started = 0
        self._hello: int | None = None
        self._spoke = False
        self._wants: tuple[Want, ...] = ("position", "legal")
        # When its stdout came to an end.
        self._closed: int | None = None
        # The question that is open.
        self._turn: Turn | None = None
        # Of the turn, or of the start.
        self._deadline = Deadline()
        self._asked = self._left_by = self._look_at = 0
        # The processor of the game.
        self._core: int | None = None
        # When an agent that is kept for the next game, and may still do what it does after one, stands still.
        self._rests_at: int | None = None
        # The game of which a process that has played before was told, and has not said that it is ready for it.
        self._kept: Start | None = None
        self._dropped = self._unasked = 0
        self._hidden_games: dict[str, bool] = {}
        # Of an agent that is gone before its game is over.
        self._report: Report | None = None

    # From the referee.

    def start(self, start: Start) -> None:
        """A game begins: the agent is started if need be, and told."""
        if self._phase is _Phase.LEAVING:
            self._leave()
        elif self.agent is not None and (self._orders.fresh or self._phase is not _Phase.IDLE):
            self._kill()
        elif self.agent is not None and start.core is not UNSET:
            self.agent.confined.move(start.core)
        self._game = start.game
        self._rules = start.rules
        self._turn = None
        self._report = None
        self._core = None if start.core is UNSET else start.core
        self._dropped = self._unasked = 0
        self._phase = _Phase.STARTING
        self._kept = start if self.agent is not None else None
        self._begin(start)

    def _begin(self, start: Start) -> None:
        agent = self.agent or self._spawn()
        if agent is not None:
            agent.begin_log()
            agent.meter.begin_game()
            self._started = self._clock()
            self._begin_span(agent, at_birth=self._kept is None)
            agent.write(to_line(replace(start, core=UNSET)))
            self._go_on(agent)

    def ask(self, turn: Turn) -> None:
        """The agent is asked for a move."""
        agent = self.agent
        if agent is None or self._phase is not _Phase.PLAYING:
            return
        question = replace(turn, limit=UNSET, legal=turn.legal if "legal" in self._wants else UNSET)
        if "position" not in self._wants and not self._hidden():
            question = replace(question, position=UNSET)
        line = to_line(question)
        self._turn = turn
        self._unasked = 0
        self._deadline = Deadline()
        if self._orders.ponder:
            agent.meter.begin()
        # It goes on only when there is something to read: so it wakes up once.
        agent.write(line)
        self._asked = self._clock()
        self._go_on(agent)

    def end_game(self, over: Over) -> None:
        """The game is over: the agent is told, and the referee gets its report, at once or when the agent has ended."""
        if self._phase in (_Phase.IDLE, _Phase.LEAVING) or over.game != self._game:
            return
        agent = self.agent
        interrupted = self._turn is not None or self._phase is _Phase.STARTING
        self._turn = None
        self._phase = _Phase.IDLE
        if agent is None:
            self._tell(self._report or Report(self._game))
        elif self._orders.fresh or interrupted:
            # Whoever still thinks about a game that is over would not be ready for the next one in time.
            self._phase = _Phase.LEAVING
            agent.confined.usage.memory()  # while it can be read: not any more once the process has ended
            self._left_by = self._clock() + _ENDS_WITHIN
            agent.write(to_line(over) + to_line(Bye()))
            agent.hang_up()
            self._go_on(agent)
        else:
            agent.write(to_line(over))
            self._go_on(agent)
            self._rests_at = self._clock() + _RESTS_AFTER
            agent.read_log()
            self._tell(
                Report(self._game, agent.meter.of_game(), agent.confined.usage.memory(), agent.log(_STDERR_TOLD))
            )

    def end(self) -> None:
        """Nothing is left of the agent."""
        self._kill()

    # From the agent.

    def hear(self) -> None:
        """There is something on the agent's stdout, or it is at its end."""
        if self.agent is None:
            return
        self.agent.read()
        self._take_lines(self._clock())
        if self.agent is not None and self.agent.silent and self._phase is not _Phase.LEAVING:
            self._closed = self._clock()
            self.look_for_exit()

    def hear_log(self) -> None:
        """There is something on the agent's stderr."""
        if self.agent is not None:
            self.agent.read_log()

    def look_for_exit(self) -> None:
        """Perhaps the agent has ended. What it wrote before counts."""
        agent = self.agent
        if agent is None or agent.confined.exit() is None:
            return
        while self.agent is agent and self._phase is not _Phase.LEAVING and agent.read():
            self._take_lines(self._clock())
        if self.agent is agent:
            self._part(agent)

    # Time.

    @property
    def wake(self) -> int | None:
        """When `tick` must be called at the latest; None: nothing is due."""
        watched = self._look_at if self._runs else None
        return min((due for due in (self._due, watched, self._rests_at) if due is not None), default=None)

    @property
    def _runs(self) -> bool:
        """Whether the agent may run now, and is to be looked after."""
        return self.agent is not None and (
            self._turn is not None
            or self._phase in (_Phase.STARTING, _Phase.LEAVING)
            or self._rests_at is not None
            or (self._orders.ponder and self._phase is _Phase.PLAYING)
        )

    @property
    def _due(self) -> int | None:
        """When the agent is late."""
        if self.agent is None:
            return None
        if self._phase is _Phase.LEAVING:
            return self._left_by
        if self._closed is not None:
            return self._closed + _EXITS_WITHIN
        return None if (span := self._span) is None else self._deadline.at(*span)

    @property
    def _span(self) -> tuple[int, int] | None:
        """Since when the agent is timed, and what it may be charged; None where it is not."""
        if self._phase is _Phase.STARTING:
            if self._hello is not None:
                return max(self._hello, self._started), self._orders.ready
            # A program may take its time to start, unless it has shown that it runs.
            fresh = self._spawned + self._orders.start >= self._started + self._orders.ready
            return (self._spawned, self._orders.start) if fresh else (self._started, self._orders.ready)
        if self._turn is None or self._turn.limit is UNSET:
            return None
        return self._asked, self._turn.limit

    def tick(self) -> None:
        """What is due is done. Then this process has nothing to do before it is woken."""
        if (agent := self.agent) is not None and self._runs and self._clock() >= self._look_at:
            self._look_after(agent)
        if (agent := self.agent) is not None and self._rests_at is not None and self._clock() >= self._rests_at:
            self._rest(agent)
        if (agent := self.agent) is not None and self._is_due():
            self._call_time(agent)
        if self.agent is not None and self._turn is not None:
            self.agent.meter.note_rest()

    def _look_after(self, agent: AgentProcess) -> None:
        """Sees what it uses, and whether that is more than it may."""
        self._look_at = self._clock() + _LOOKS_EVERY
        agent.meter.look()
        if (excess := agent.excess()) is None:
            return
        if self._phase is _Phase.LEAVING:
            self._leave()
        else:
            self._fail(*excess)

    def _call_time(self, agent: AgentProcess) -> None:
        """The agent is late, it seems."""
        if self._phase is _Phase.LEAVING or self._closed is not None:
            self._part(agent)
            return
        # An answer may lie in the pipe already. It goes to the referee, who judges it by when it had been read.
        self.hear()
        if self.agent is agent and self._closed is None and self._is_due() and (span := self._span) is not None:
            self._judge(agent, *span)

    def _judge(self, agent: AgentProcess, since: int, limit: int) -> None:
        """Nothing has come in time. One that only waited may still answer, and one that would never have answered is
        late all the same."""
        now = self._clock()
        used = self._deadline.move(agent.meter, now - since, now)
        if now <= self._deadline.at(since, limit):
            return
        agent.ask_where_busy()
        if self._turn is not None:
            self._fail(Verdict.TIME, f"no answer {used.wall / SECOND:.3f} s after its turn came", used)
        elif used.charged > limit:
            self._fail(Verdict.UNREADY, f"did not say ready within {limit / SECOND:.1f} s")
        else:
            self._fail(Verdict.VOID, f"was not ready after {used.wall / SECOND:.0f} s: {TOO_BUSY}")

    def _is_due(self) -> bool:
        return (due := self._due) is not None and self._clock() > due

    def _begin_span(self, agent: AgentProcess, *, at_birth: bool = False) -> None:
        """From now on the agent is timed."""
        self._deadline = Deadline()
        agent.meter.begin(at_birth=at_birth)

    # Messages of the agent.

    def _take_lines(self, now: int) -> None:
        while (agent := self.agent) is not None and (line := agent.next_line()) is not None:
            if self._phase is not _Phase.LEAVING:
                self._take(line, now)

    def _take(self, line: bytes, now: int) -> None:
        self._unasked += len(line) + 1
        if len(line) > MESSAGE_BYTES:
            self._fail(Verdict.FLOODED, f"wrote a line of more than {MESSAGE_BYTES} bytes")
        elif self._unasked > UNREAD_BYTES:
            self._fail(Verdict.FLOODED, f"wrote more than {UNREAD_BYTES} bytes that nobody asked for")
        elif line.strip():
            try:
                message = from_player(read_line(line))
            except BadMessage as error:
                self._fail(Verdict.GARBAGE, str(error))
            else:
                self._receive(message, now)
                self._spoke = True

    def _receive(self, message: FromPlayer, now: int) -> None:
        if isinstance(message, Move | Resign):
            self._receive_answer(message, now)
        elif isinstance(message, Ready):
            if self._phase is _Phase.STARTING and message.game == self._game:
                self._phase = _Phase.PLAYING
                self._unasked = 0
                self._kept = None
                self._tell(message)
                if self.agent is not None:
                    self.agent.confined.usage.look()
                    self._rest(self.agent)
            else:
                self._drop()
        elif isinstance(message, Hello):
            self._receive_hello(message, now)
        elif isinstance(message, Bye):
            if not self._begins_again():
                self._fail(Verdict.CRASHED, "said bye in the middle of the game")
        else:
            kind = type(message).__name__.lower()
            self._fail(
                Verdict.GARBAGE,
                f"expected hello, ready, move, resign or bye, got {quote(kind)}: only a host of ours says that",
            )

    def _receive_hello(self, hello: Hello, now: int) -> None:
        if self._hello is not None:
            self._fail(Verdict.GARBAGE, "said hello twice")
        elif self._spoke:
            self._fail(Verdict.GARBAGE, "said hello after other messages: it comes first, or not at all")
        elif hello.protocol != PROTOCOL:
            self._fail(Verdict.GARBAGE, f"expected protocol {PROTOCOL}, got a hello for protocol {hello.protocol}")
        elif self.agent is not None:
            self._hello = now
            self._begin_span(self.agent)
            self._wants = hello.wants
            self.agent.write(to_line(Welcome(PROTOCOL, LIMITS)))

    def _receive_answer(self, answer: Move | Resign, now: int) -> None:
        turn = self._turn
        agent = self.agent
        if turn is None or agent is None or answer.id != turn.id or answer.game != self._game:
            self._drop()
            return
        self._turn = None
        self._unasked = 0
        used = agent.meter.of_answer(now - self._asked)
        if isinstance(answer, Resign):
            self._tell(replace(answer, spent=used.wall, cpu=used.cpu, delay=used.delay))
        else:
            agent.read_log()
            self._tell(replace(answer, spent=used.wall, cpu=used.cpu, delay=used.delay, log=agent.log_bytes))
        self._rest(agent)

    def _drop(self) -> None:
        """An answer to nothing is forgotten, up to a point."""
        self._dropped += 1
        if self._dropped > MOST_DROPPED:
            self._fail(Verdict.FLOODED, f"sent more than {MOST_DROPPED} messages that nobody asked for")

    # The process.

    def _spawn(self) -> AgentProcess | None:
        orders = self._orders
        self._spawned = self._clock()
        self._hello = self._closed = None
        self._spoke = False
        self._wants = ("position", "legal")
        try:
            self.agent = AgentProcess.start(orders.command, orders.walls, Path(orders.scratch), core=self._core)
        except OSError as error:
            verdict = Verdict.CRASHED if isinstance(error, NoProgram) else Verdict.VOID
            self._fail(verdict, f"cannot be started: {orders.command[0]}: {error.strerror or error}")
        return self.agent

    def _part(self, agent: AgentProcess) -> None:
        """The agent has ended, or will not go on."""
        if self._phase is _Phase.LEAVING:
            self._leave()
        elif self._phase is _Phase.IDLE:
            self._kill()
        elif not self._begins_again():
            self._fail(*agent.how_it_ended())

    def _begins_again(self) -> bool:
        """Whether a fresh process takes over: for one that has played before, and has left."""
        start = self._kept
        self._kept = None
        if start is None:
            return False
        self._kill()
        self._report = None
        self._begin(start)
        return True

    def _fail(self, verdict: Verdict, detail: str, used: Used | None = None) -> None:
        """The agent is at fault: the referee is told, and the agent is gone. Between games it is merely gone.

        `used`: what its turn took, where that was measured already."""
        if self._phase is not _Phase.IDLE:
            if used is None and self._turn is not None and self.agent is not None:
                used = self.agent.meter.so_far(self._clock() - self._asked)
            self._turn = None
            self._phase = _Phase.FAILED
            self._tell(Failed(self._game, verdict, detail, *(used or (None, None, None))))
        self._kill()

    def _leave(self) -> None:
        """The agent had time to end by itself; now the report is due."""
        self._kill()
        self._phase = _Phase.IDLE
        self._tell(self._report or Report(self._game))

    def _kill(self) -> None:
        agent = self.agent
        self.agent = None
        self._turn = None
        self._closed = None
        self._rests_at = None
        if agent is not None:
            agent.kill()
            self._report = Report(self._game, agent.meter.of_game(), agent.confined.memory, agent.log(_STDERR_TOLD))

    def _go_on(self, agent: AgentProcess) -> None:
        """The agent may run."""
        agent.confined.go_on()
        self._rests_at = None
        self._look_at = self._clock() + _LOOKS_EVERY

    def _rest(self, agent: AgentProcess) -> None:
        """The agent stands still until it is needed: it does not think in the time of others."""
        self._rests_at = None
        if self._orders.ponder:
            return
        if not agent.confined.stop():
            self._fail(Verdict.CRASHED, "starts processes faster than they can be stopped")
            return
        # Now, for nobody waits: until the next turn nothing will be used.
        agent.meter.begin()
        if (excess := agent.excess(at_rest=True)) is not None:
            self._fail(*excess)

    def _hidden(self) -> bool:
        """Whether the game has hidden information: then the position goes with every turn."""
        if self._rules not in self._hidden_games:
            try:
                self._hidden_games[self._rules] = games.start(self._rules).hidden
            except AdsearchError:
                self._hidden_games[self._rules] = True
        return self._hidden_games[self._rules]
