"""The guard of one agent: which messages the agent can send when, its time limits, and what happens if it breaks them.

The guard is the part of a warden that implements the protocol. It passes the referee's messages to the agent, and
checks, measures and passes on the agent's answers; a translator (`JsonLines`, `arena/engines`) turns messages into
lines, and lines into messages. Whatever the agent does, each turn ends in one answer or one `failed`, and after each
game there is one `report`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

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
    FromReferee,
    Hello,
    Move,
    Over,
    Ready,
    Report,
    Resign,
    Start,
    Turn,
    Verdict,
    Welcome,
    line_from_player,
    to_line,
)
from arena.match.clock import MILLISECOND, SECOND, TOO_BUSY, longest_wait
from arena.walls.agent_process import FULL, AgentProcess
from arena.walls.jail import NoProgram
from arena.walls.meter import Meter, Used
from arena.walls.usage import Programs
from arena.walls.warden_settings import WardenSettings

if TYPE_CHECKING:
    from arena.engines import EngineTranslator
    from arena.walls.traffic import Traffic


_ENDS_WITHIN: Final = 200 * MILLISECOND
"""How long an agent has to exit after `bye`, in nanoseconds."""
_PAUSES_AFTER: Final = 20 * MILLISECOND
"""How long after a game an agent that is kept for the next game can run before it is paused, in nanoseconds."""
_STILL_WITHIN: Final = 100 * MILLISECOND
"""How long such an agent can then take until all its threads have stopped: nobody's clock runs. Else it is ended."""
_EXITS_WITHIN: Final = 100 * MILLISECOND
"""How long the guard waits for the exit code of an agent that has closed its stdout, in nanoseconds."""
_MOST_NOTED: Final = 100
"""How many lines of an engine that mean nothing to the referee go into its log in one game; each only once."""
_POLL_EVERY: Final = 25 * MILLISECOND
"""Polling interval for processor time, memory and the other limits while the agent runs, in nanoseconds. Where walls
let an agent start processes, one that lives shorter and is not reaped uses processor time that is not seen."""
_OF_KIT: Final = ("-m", "agents")
"""Part of the command of each agent of our kit."""


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

    def __init__(self, settings: WardenSettings, tell: Callable[[FromPlayer], None], clock: Callable[[], int]) -> None:
        """`tell` sends to the referee; `clock` returns the time in nanoseconds."""
        self.agent: AgentProcess | None = None
        self._settings = settings
        self._tell = tell
        self._clock = clock
        self._phase = _Phase.IDLE
        self._game = 0
        # Of the process: when it was started, sent `start`, said hello; and its language.
        self._spawned = self._started = 0
        self._hello: int | None = None
        self._spoke = False
        self._translator = self._translate()
        # When it closed its stdout.
        self._closed: int | None = None
        self._turn: Turn | None = None
        # Its answer, or `ready`, until it is still: then its time ends.
        self._answer: Move | Resign | Ready | None = None
        self._used: Used | None = None
        # Of the turn, or for `ready`.
        self._deadline = Deadline()
        self._asked = self._left_by = self._poll_at = 0
        # The processor of the game.
        self._core: int | None = None
        # When an agent that is kept for the next game is paused: until then it can finish what it does after a game.
        self._pause_at: int | None = None
        # When it must be still after a game.
        self._still_by = 0
        # The `start` that a process from an earlier game has not answered with `ready` yet.
        self._kept_start: Start | None = None
        self._dropped = self._unasked = 0
        # The lines in the agent's log that it wrote to its stdout in this game.
        self._noted: set[str] = set()
        # The report of an agent that ended before its game.
        self._report: Report | None = None

    # From the referee.

    def start(self, start: Start) -> None:
        """A game starts: the agent is started if necessary, and sent `start`."""
        if self._phase is _Phase.LEAVING:
            self._leave()
        elif self.agent is not None and (self._settings.fresh or self._phase is not _Phase.IDLE):
            self._kill()
        elif self.agent is not None and start.core is not UNSET:
            self.agent.confined.move(start.core)
        self._game = start.game
        self._turn = self._answer = None
        self._report = None
        self._core = None if start.core is UNSET else start.core
        self._dropped = self._unasked = 0
        self._noted.clear()
        self._phase = _Phase.STARTING
        self._kept_start = start if self.agent is not None else None
        self._begin(start)

    def _begin(self, start: Start) -> None:
        agent = self.agent or self._spawn()
        if agent is not None:
            agent.start_log()
            agent.meter.start_game()
            self._started = self._clock()
            self._start_span(agent, at_birth=self._kept_start is None)
            agent.write(self._translator.say(start))
            self._resume(agent)

    def ask(self, turn: Turn) -> None:
        """The agent is asked for a move."""
        agent = self.agent
        if agent is None or self._phase is not _Phase.PLAYING:
            return
        if fault := agent.pause.fault():
            self._fail(Verdict.CRASHED, fault)
            return
        line = self._translator.say(turn)
        self._turn = turn
        self._unasked = 0
        self._deadline = Deadline()
        if self._settings.ponder:
            agent.meter.start_span()
        # The agent is resumed after the line is written, so it wakes up only once.
        agent.write(line)
        self._asked = self._clock()
        self._resume(agent)

    def end_game(self, over: Over) -> None:
        """The game is over: the agent is sent `over`; the referee gets the report now, or when the agent has ended."""
        if self._phase in (_Phase.IDLE, _Phase.LEAVING) or over.game != self._game:
            return
        agent = self.agent
        interrupted = self._turn is not None or self._phase is _Phase.STARTING
        self._turn = self._answer = None
        self._phase = _Phase.IDLE
        if agent is None:
            self._tell(self._report or Report(self._game))
        elif self._settings.fresh or interrupted:
            # An agent that still thinks about this game would not be ready for the next one in time.
            self._phase = _Phase.LEAVING
            agent.confined.usage.memory()  # while the process exists: afterwards its memory cannot be read
            self._left_by = self._clock() + _ENDS_WITHIN
            agent.write(self._translator.say(over) + self._translator.say(Bye()))
            agent.hang_up()
            self._resume(agent)
        else:
            agent.write(self._translator.say(over))
            self._resume(agent)
            self._pause_at = self._clock() + _PAUSES_AFTER
            agent.read_log()
            self._tell(agent.report(self._game))

    def end(self) -> None:
        """Kills the agent; nothing is left of it."""
        self._kill()

    # From the agent.

    def read_stdout(self) -> None:
        """The agent's stdout is readable, or closed."""
        if self.agent is None:
            return
        size = self.agent.read()
        now = self._clock()
        self._note_size(self.agent, size, now)
        self._take_lines(now)
        if self.agent is not None and self.agent.stdout_ended and self._phase is not _Phase.LEAVING:
            self._closed = self._clock()
            self.check_exit()

    def read_stderr(self) -> None:
        """The agent's stderr is readable."""
        if self.agent is not None:
            self._note_size(self.agent, self.agent.read_log(), self._clock())

    def _note_size(self, agent: AgentProcess, size: int, now: int) -> None:
        """`size` bytes were unread in a pipe. An agent that is blocked in a full pipe waits for this process."""
        if size > FULL and self._turn is not None:
            agent.meter.note_full_pipe(now - self._asked)

    def check_exit(self) -> None:
        """Checks whether the agent has ended. What it wrote before counts."""
        agent = self.agent
        if agent is None or agent.confined.exit() is None:
            return
        while self.agent is agent and self._phase is not _Phase.LEAVING and agent.read():
            self._take_lines(self._clock())
        if self.agent is agent:
            self._handle_exit(agent)

    def look(self) -> None:
        """Looks at a paused agent: it may not be still, or somebody may have resumed it."""
        agent = self.agent
        if agent is None or not agent.pause.is_on:
            return
        was_still, no_game = agent.pause.is_still, self._phase is _Phase.IDLE
        if self._is_at_fault(agent.look(may_resume=not no_game)) or was_still:
            return
        if not agent.pause.is_still:
            if no_game and self._clock() > self._still_by:
                self._kill()  # it has reported; the next game starts another process
            return
        if self._answer is None:
            self._is_at_fault(agent.prepare())
        else:
            self._end_time(agent)

    # Time.

    @property
    def wake(self) -> int | None:
        """When `tick` must be called at the latest; None: nothing is due."""
        watched = self._poll_at if self._runs else None
        looked_at = None if self.agent is None else self.agent.pause.look_at
        return min((due for due in (self._due, watched, self._pause_at, looked_at) if due is not None), default=None)

    @property
    def _runs(self) -> bool:
        """Whether the agent is allowed to run now, and must be polled."""
        return self.agent is not None and (
            self._turn is not None
            or self._phase in (_Phase.STARTING, _Phase.LEAVING)
            or self._pause_at is not None
            or (self._settings.ponder and self._phase is _Phase.PLAYING)
        )

    @property
    def _due(self) -> int | None:
        """The agent's present deadline; None if it has none."""
        if self.agent is None:
            return None
        if self._phase is _Phase.LEAVING:
            return self._left_by
        if self._closed is not None:
            return self._closed + _EXITS_WITHIN
        return None if (span := self._span) is None else self._deadline.at(*span)

    @property
    def _span(self) -> tuple[int, int] | None:
        """Since when the agent is timed, and its limit, in nanoseconds; None if it is not timed."""
        if self._phase is _Phase.STARTING:
            if self._hello is not None:
                return max(self._hello, self._started), self._settings.ready
            # Until its hello, a new process also gets the time that programs take to start.
            fresh = self._spawned + self._settings.start >= self._started + self._settings.ready
            return (self._spawned, self._settings.start) if fresh else (self._started, self._settings.ready)
        if self._turn is None or self._turn.limit is UNSET:
            return None
        return self._asked, self._turn.limit

    def tick(self) -> None:
        """Does what is due. Afterwards this process waits for the next event."""
        if (agent := self.agent) is not None and self._runs and self._clock() >= self._poll_at:
            self._poll(agent)
        if (agent := self.agent) is not None and self._pause_at is not None and self._clock() >= self._pause_at:
            self._pause(agent)
        if self.agent is not None and (due := self.agent.pause.look_at) is not None and self._clock() >= due:
            self.look()
        if (agent := self.agent) is not None and self._is_due():
            self._call_time(agent)
        if self.agent is not None and self._turn is not None:
            self.agent.meter.note_idle()

    def _poll(self, agent: AgentProcess) -> None:
        """Measures what the agent uses; fails it if that is more than a limit allows."""
        self._poll_at = self._clock() + _POLL_EVERY
        agent.meter.look()
        if self._phase is not _Phase.LEAVING:
            self._is_at_fault(agent.excess())
        elif agent.excess() is not None:
            self._leave()

    def _call_time(self, agent: AgentProcess) -> None:
        """The agent is late, unless its answer is already in the pipe."""
        if self._phase is _Phase.LEAVING or self._closed is not None:
            self._handle_exit(agent)
            return
        # An answer may already be in the pipe. It goes to the referee, who judges it by the time at which it was read.
        self.read_stdout()
        if self.agent is agent and self._closed is None and self._is_due() and (span := self._span) is not None:
            self._judge(agent, *span)

    def _judge(self, agent: AgentProcess, since: int, limit: int) -> None:
        """No answer came in time. If the agent only waited for a processor its deadline moves; else it is late."""
        now = self._clock()
        used = self._deadline.move(agent.meter, now - since, now)
        if now <= self._deadline.at(since, limit):
            return
        if used.charged <= limit:
            self._deadline.tell_why(self._game)
        what = "say ready" if self._answer is None else "stop after ready"
        if self._answer is None and _OF_KIT in pairwise(self._settings.command):
            agent.ask_where_busy()
        self._answer = None  # it does not count: the agent was not still in time
        if self._turn is not None:
            self._fail(Verdict.TIME, f"no answer {used.wall / SECOND:.3f} s after its turn came", used)
        elif used.charged > limit:
            self._fail(Verdict.UNREADY, f"did not {what} within {limit / SECOND:.1f} s")
        else:
            self._fail(Verdict.VOID, f"was not ready after {used.wall / SECOND:.0f} s: {TOO_BUSY}")

    def _is_due(self) -> bool:
        return (due := self._due) is not None and self._clock() > due

    def _start_span(self, agent: AgentProcess, *, at_birth: bool = False) -> None:
        """Starts to time the agent."""
        self._deadline = Deadline()
        agent.meter.start_span(at_birth=at_birth)

    # Messages of the agent.

    def _take_lines(self, now: int) -> None:
        while (agent := self.agent) is not None and (line := agent.next_line()) is not None:
            if self._phase is not _Phase.LEAVING:
                self._take(line, now)
        if agent is not None:
            self._end_time(agent)

    def _take(self, line: bytes, now: int) -> None:
        self._unasked += len(line) + 1
        if len(line) > MESSAGE_BYTES:
            self._fail(Verdict.FLOODED, f"wrote a line of more than {MESSAGE_BYTES} bytes")
        elif self._unasked > UNREAD_BYTES:
            self._fail(Verdict.FLOODED, f"wrote more than {UNREAD_BYTES} bytes that nobody asked for")
        elif line.strip():
            try:
                message = self._translator.hear(line)
            except BadMessage as error:
                self._fail(Verdict.GARBAGE, str(error))
            else:
                if message is None or isinstance(message, str):
                    self._note(line, message)
                else:
                    self._receive(message, now)
                    self._spoke = True

    def _note(self, line: bytes, text: str | None) -> None:
        """A line that means nothing to the referee. An engine can write as many as it likes in its own turn."""
        if self._turn is not None:
            self._unasked -= len(line) + 1
        if text is not None and self.agent is not None and text not in self._noted and len(self._noted) < _MOST_NOTED:
            self._noted.add(text)
            self.agent.note("stdout", text)

    def _receive(self, message: FromPlayer, now: int) -> None:
        if isinstance(message, Move | Resign):
            self._receive_answer(message, now)
        elif isinstance(message, Ready):
            if self._phase is _Phase.STARTING and message.game == self._game:
                self._kept_start = None
                if self.agent is not None and self._answer is None:
                    self._unasked = 0
                    self.agent.confined.usage.look()
                    self._take_answer(self.agent, message, None)
            else:
                self._drop()
        elif isinstance(message, Hello):
            self._receive_hello(message, now)
        elif isinstance(message, Bye):
            if not self._restarted():
                self._fail(Verdict.CRASHED, "said bye in the middle of the game")
        elif isinstance(message, Failed):
            self._fail(message.verdict, message.detail)

    def _receive_hello(self, hello: Hello, now: int) -> None:
        if self._hello is not None:
            self._fail(Verdict.GARBAGE, "said hello twice")
        elif self._spoke:
            self._fail(Verdict.GARBAGE, "said hello after other messages: send it first, or not at all")
        elif hello.protocol != PROTOCOL:
            self._fail(Verdict.GARBAGE, f"expected protocol {PROTOCOL}, got a hello for protocol {hello.protocol}")
        elif self.agent is not None:
            self._hello = now
            self._start_span(self.agent)
            self.agent.write(self._translator.say(Welcome(PROTOCOL, LIMITS)))

    def _receive_answer(self, answer: Move | Resign, now: int) -> None:
        turn = self._turn
        agent = self.agent
        if (
            turn is None
            or agent is None
            or answer.id != turn.id
            or answer.game != self._game
            or self._answer is not None
        ):
            self._drop()
            return
        self._unasked = 0
        self._take_answer(agent, answer, agent.meter.of_answer(now - self._asked))

    def _take_answer(self, agent: AgentProcess, answer: Move | Resign | Ready, used: Used | None) -> None:
        """The agent has answered, or is ready: its time ends when it is still. `used`: if that is now."""
        if self._settings.ponder or not self._is_at_fault(agent.stop()):
            is_still = self._settings.ponder or agent.pause.is_still
            self._answer, self._used = answer, used if is_still else None

    def _end_time(self, agent: AgentProcess) -> None:
        """Passes the answer on if the agent is still."""
        if self._answer is not None and (self._settings.ponder or agent.pause.is_still):
            self._tell_answer(agent, self._answer)
            if not self._settings.ponder:
                self._is_at_fault(agent.prepare())

    def _tell_answer(self, agent: AgentProcess, answer: Move | Resign | Ready) -> None:
        """Tells the referee the answer, and what the turn took."""
        self._answer = None
        if isinstance(answer, Ready):
            self._phase = _Phase.PLAYING
            self._tell(answer)
            return
        used = self._used or agent.meter.of_answer(self._clock() - self._asked)
        self._turn = None
        if isinstance(answer, Resign):
            self._tell(replace(answer, spent=used.wall, cpu=used.cpu, delay=used.delay))
        else:
            agent.read_log()
            self._tell(replace(answer, spent=used.wall, cpu=used.cpu, delay=used.delay, log=agent.log_bytes))

    def _drop(self) -> None:
        """Ignores an answer to nothing; more than MOST_DROPPED of them are `flooded`."""
        self._dropped += 1
        if self._dropped > MOST_DROPPED:
            self._fail(Verdict.FLOODED, f"sent more than {MOST_DROPPED} messages that nobody asked for")

    # The process.

    def _spawn(self) -> AgentProcess | None:
        settings = self._settings
        self._spawned = self._clock()
        self._hello = self._closed = None
        self._spoke = False
        self._translator = self._translate()
        try:
            self.agent = AgentProcess.start(settings.command, settings.walls, Path(settings.scratch), core=self._core)
        except OSError as error:
            verdict = Verdict.CRASHED if isinstance(error, NoProgram) else Verdict.VOID
            self._fail(verdict, f"cannot be started: {settings.command[0]}: {error.strerror or error}")
        return self.agent

    def _handle_exit(self, agent: AgentProcess) -> None:
        """The agent has ended, or its time to end is up. Its last answer counts."""
        if self._answer is not None:
            self._tell_answer(agent, self._answer)
        if self._phase is _Phase.LEAVING:
            self._leave()
        elif self._phase is _Phase.IDLE:
            self._kill()
        elif not self._restarted():
            self._fail(*agent.how_it_ended())

    def _restarted(self) -> bool:
        """Starts a new process in place of one from an earlier game that ended before `ready`; whether it did."""
        start = self._kept_start
        self._kept_start = None
        if start is None:
            return False
        self._kill()
        self._report = None
        self._begin(start)
        return True

    def _fail(self, verdict: Verdict, detail: str, used: Used | None = None) -> None:
        """Sends `failed` to the referee and kills the agent. Between games it is only killed.

        `used`: what its turn took, if already measured."""
        if self._answer is not None and self.agent is not None:
            self._tell_answer(self.agent, self._answer)  # it came before the fault
        if self._phase is not _Phase.IDLE:
            if used is None and self._turn is not None and self.agent is not None:
                used = self.agent.meter.so_far(self._clock() - self._asked)
            self._turn = None
            self._phase = _Phase.FAILED
            self._tell(Failed(self._game, verdict, detail, *(used or (None, None, None))))
        self._kill()

    def _is_at_fault(self, fault: tuple[Verdict, str] | None) -> bool:
        """Fails the agent if it is at fault; whether it is."""
        if fault is not None:
            self._fail(*fault)
        return fault is not None

    def _leave(self) -> None:
        """The time for the agent to exit is over: kills it and sends the report."""
        self._kill()
        self._phase = _Phase.IDLE
        self._tell(self._report or Report(self._game))

    def _kill(self) -> None:
        agent = self.agent
        self.agent = None
        self._turn = self._answer = None
        self._closed = None
        self._pause_at = None
        if agent is not None:
            agent.kill()
            self._report = agent.report(self._game)

    def _resume(self, agent: AgentProcess) -> None:
        """Lets the agent run."""
        agent.pause.end()
        self._pause_at = None
        self._poll_at = self._clock() + _POLL_EVERY

    def _pause(self, agent: AgentProcess) -> None:
        """Pauses an agent that is kept for the next game."""
        self._pause_at = None
        self._still_by = self._clock() + _STILL_WITHIN
        if not self._settings.ponder:
            self._is_at_fault(agent.stop() or (agent.prepare() if agent.pause.is_still else None))

    def _translate(self) -> JsonLines | EngineTranslator | Traffic:
        """A translator for a new process of the agent."""
        engine = self._settings.engine
        if engine is None:
            return JsonLines()
        # Imported here, because a warden should start fast and few have an engine.
        from arena import engines

        translator = engines.find(engine.protocol).translator(engine)
        if not self._settings.traffic:
            return translator
        from arena.walls.traffic import Traffic

        settings = " ".join(f"{name}={value}" for name, value in engine.options.items())
        return Traffic(translator, self._settings.traffic, f"{self._settings.name} {settings}".rstrip())


class Deadline:
    """The deadline of one turn, or of one start: later by the time that the agent has waited for a processor.

    The guard asks when it is, and moves it by the waits that were measured. No message of an agent moves it."""

    def __init__(self) -> None:
        self._waited = 0
        # When the next look will show whether an agent that is late now was waiting; None: no look is needed.
        self._sure_at: int | None = None
        # What all programs have used since it was first moved.
        self._programs: Programs | None = None

    def at(self, since: int, limit: int) -> int:
        """When time is up for something that started at `since` with this limit, by the waits measured so far."""
        due = since + min(limit + self._waited, longest_wait(limit))
        return due if self._sure_at is None else max(due, self._sure_at)

    def move(self, meter: Meter, wall: int, now: int) -> Used:
        """Measures what was used until now, and moves the deadline by the time that the agent has waited."""
        unsure = meter.look()
        used = meter.so_far(wall)
        if used.delay > self._waited:
            self._waited = used.delay
            self._sure_at = None
            self._programs = self._programs or Programs()
        elif unsure and self._sure_at is None:
            self._sure_at = now + MILLISECOND
        return used

    def tell_why(self, game: int) -> None:
        """Writes to the log which programs the agent has waited for in that game."""
        if self._programs is not None:
            self._programs.tell(game)


# The translator for agents that speak our own protocol; those for engines are in `arena/engines`.


_GAMES_KEPT: Final = 16
"""For how many games a process remembers whether they have hidden information."""


class JsonLines:
    """Our own protocol: each message is one JSON object on one line."""

    def __init__(self) -> None:
        self._wants: tuple[str, ...] = ("position", "legal")
        self._rules = ""

    def say(self, message: FromReferee) -> bytes:
        """The message on a line, without what is only for hosts and what the agent does not want."""
        if isinstance(message, Start):
            self._rules = message.rules
            return to_line(replace(message, core=UNSET))
        if isinstance(message, Turn):
            return to_line(self._question(message))
        return to_line(message)

    def _question(self, turn: Turn) -> Turn:
        question = replace(turn, limit=UNSET, legal=turn.legal if "legal" in self._wants else UNSET)
        if "position" not in self._wants and not _is_hidden(self._rules):
            return replace(question, position=UNSET)
        return question

    def hear(self, line: bytes) -> FromPlayer:
        """The message on that line."""
        message = line_from_player(line)
        if isinstance(message, Failed | Report):
            kind = quote(type(message).__name__.lower())
            raise BadMessage(f"expected hello, ready, move, resign or bye, got {kind}: only the server sends that")
        if isinstance(message, Hello):
            self._wants = message.wants
        return message


@lru_cache(_GAMES_KEPT)
def _is_hidden(rules: str) -> bool:
    """Whether the game has hidden information: then every turn includes the position."""
    try:
        return games.start(rules).hidden
    except AdsearchError:
        return True
