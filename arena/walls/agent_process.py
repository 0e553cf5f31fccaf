"""An agent's process and its three pipes, as the warden uses them: lines in, lines out, the end of its stderr.

The guard above it implements the protocol; the jail below it builds the walls. The pipes never block, whatever the
agent reads or leaves unread, and nothing that the agent writes is kept without a limit.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from select import select
from time import monotonic, monotonic_ns
from typing import IO, Final

from agents.protocol import MESSAGE_BYTES, Report, Verdict
from arena.match.allowance import MEBIBYTE, WallKind
from arena.match.clock import MILLISECOND, SECOND
from arena.walls import jail
from arena.walls.jail import Confined, Excess, Walls, watch_children
from arena.walls.meter import Meter
from arena.walls.usage import MOST_WATCHES, PER_TIMER

STDERR_KEPT: Final = 64 * 1024
"""Bytes at the end of an agent's stderr that are kept."""
_STDERR_SENT: Final = 60 * 1024
"""Bytes at the end of stderr that go into the report."""
_CHUNK: Final = 64 * 1024
FULL: Final = 32 * 1024
"""Bytes in a pipe of 64 KiB above which its writer may be blocked: small writes leave up to half of each page empty."""
_MOST_TOLD: Final = 10
"""How often its log says that somebody else has resumed it."""
_NEARLY: Final = 0.9
"""Share of its memory limit above which an agent that got SIGKILL counts as out of memory."""
_LONGEST_LAST_LINE: Final = 200
"""Characters."""

_TRACEBACK_WITHIN: Final = 0.5
"""Seconds that an agent has to write its traceback to stderr, whatever else it writes; on an idle machine it takes
milliseconds. A referee waits much longer for a silent warden."""
_LONGEST_PAUSE: Final = 0.05
"""Longest pause between two writes of that traceback, in seconds."""

_NO_MEMORY: Final = "Cannot allocate memory"
"""The error ENOMEM, as programs in any language print it."""

_HINTS: Final[dict[int, str]] = {
    signal.SIGSEGV: " (endless recursion overflowed the stack, or a pointer is wrong)",
    signal.SIGSYS: " (a forbidden system call)",
}
_REFUSALS: Final = {
    "[Errno 2] ": " (the working directory of an agent has its own files only)",
    "[Errno 1] ": " (the walls allow no network and no signals to other programs; a sandbox allows no new process)",
    "[Errno 13] ": " (the walls let an agent read only its own files and Python's, and write none)",
    "can't start new thread": " (the number of threads is limited)",
    "Cannot fork": ' (a sandbox allows no new process; walls = "container" does)',
}
"""Parts of Python's last line that the walls or the empty working directory cause, each with a hint for the author."""


class AgentProcess:
    """One running agent, and its three pipes."""

    def __init__(self, confined: Confined, command: Sequence[str] = ()) -> None:
        self.confined = confined
        self._command = command
        self.meter = Meter(confined)
        self.pause = Pause(confined, monotonic_ns)
        # Whether its stdout is closed, and everything in it has been read.
        self.stdout_ended = False
        # Bytes that it has written to stderr since `start_log`.
        self.log_bytes = 0
        self._unwritten = bytearray()
        self._closing = False
        self._unread = bytearray()
        self._log = bytearray()
        self._log_open = True

    @classmethod
    def start(cls, command: Sequence[str], walls: Walls, scratch: Path, *, core: int | None = None) -> AgentProcess:
        """Starts a new process; OSError if it cannot be started."""
        return cls(jail.start(command, walls, scratch, core=core), command)

    # To the agent.

    def write(self, line: bytes) -> None:
        """Writes as much of `line` as the pipe takes now; `flush` writes the rest."""
        self._unwritten += line
        self.flush()

    def flush(self) -> None:
        """Writes more of what is left."""
        stdin = self.confined.stdin
        if stdin.closed:
            return
        try:
            while self._unwritten:
                del self._unwritten[: os.write(stdin.fileno(), self._unwritten)]
        except BlockingIOError:
            return
        except OSError:
            self._unwritten.clear()  # the agent has closed its stdin
            self._closing = True
        if self._closing:
            stdin.close()

    def hang_up(self) -> None:
        """Closes the agent's stdin once everything is written."""
        self._closing = True
        self.flush()

    # From the agent.

    def read(self) -> int:
        """Reads once from its stdout. How many bytes there were to read."""
        if self.stdout_ended:
            return 0
        try:
            data = os.read(self.confined.stdout.fileno(), _CHUNK)
        except BlockingIOError:
            return 0
        self.stdout_ended = not data
        self._unread += data
        return len(data)

    def next_line(self) -> bytes | None:
        """The next complete line, without its newline; or the start of a line that is already too long; else None."""
        if self._unread[:2] == b"\n\n":
            # Many blank lines in a row are returned as one line.
            blank = min(len(self._unread) - len(self._unread.lstrip(b"\n")), MESSAGE_BYTES)
            line = bytes(self._unread[: blank - 1])
            del self._unread[:blank]
            return line
        end = self._unread.find(b"\n")
        if end < 0:
            if len(self._unread) <= MESSAGE_BYTES:
                return None
            end = len(self._unread)
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return line

    def read_log(self) -> int:
        """Reads once from its stderr. How many bytes there were to read."""
        if not self._log_open:
            return 0
        try:
            data = os.read(self.confined.stderr.fileno(), _CHUNK)
        except BlockingIOError:
            return 0
        self._log_open = bool(data)
        self.log_bytes += len(data)
        self._log += data
        if len(self._log) > 2 * STDERR_KEPT:
            del self._log[:-STDERR_KEPT]
        return len(data)

    def note(self, source: str, text: str) -> None:
        """Adds a line to what is kept of its stderr, marked with its source: its stdout, or the warden."""
        self.read_log()  # what it wrote to stderr before that line
        line = f"{source}: {text}\n".encode()
        self.log_bytes += len(line)
        self._log += line

    def ask_where_busy(self) -> None:
        """Sends SIGUSR1 and waits for the traceback that a Python agent of our kit then writes to stderr. Not for other
        programs: Node.js opens its debugger then, and most others end."""
        log = self.confined.stderr.fileno()
        self.read_log()
        before = self.log_bytes
        self.confined.send_signal(signal.SIGUSR1)
        give_up = monotonic() + _TRACEBACK_WITHIN
        while self._log_open and (left := give_up - monotonic()) > 0:
            within = min(left, _LONGEST_PAUSE) if self.log_bytes > before else left
            if not select([log], [], [], within)[0] or not self.read_log():
                return

    def start_log(self) -> None:
        """Starts to count and keep its stderr afresh."""
        self.log_bytes = 0
        self._log.clear()

    def log(self, most: int) -> str:
        """The end of its stderr, in at most `most` bytes of UTF-8; invalid bytes are replaced."""
        text = self._log[-STDERR_KEPT:].decode("utf-8", "replace").encode()
        return text[-most:].decode("utf-8", "ignore")

    def report(self, game: int) -> Report:
        """What the referee gets after the game: what the agent has used, and the end of its log."""
        has_ended = self.confined.cpu is not None
        memory = self.confined.memory if has_ended else self.confined.usage.memory()
        return Report(game, self.meter.of_game(), memory, self.log(_STDERR_SENT))

    # Of the process.

    def pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        """Its stdout, stderr and stdin."""
        return self.confined.stdout, self.confined.stderr, self.confined.stdin

    def readers(self) -> list[int]:
        """The descriptors of the open pipes to read from."""
        pipes = ((self.confined.stdout, not self.stdout_ended), (self.confined.stderr, self._log_open))
        return [pipe.fileno() for pipe, is_open in pipes if is_open and not pipe.closed]

    def ended(self) -> int | None:
        """A descriptor (pidfd) that is readable when the agent has ended; None if the system has none: then SIGCHLD."""
        return self.confined.ended

    def writer(self) -> int | None:
        """The descriptor of its stdin if something is still to be written, else None."""
        stdin = self.confined.stdin
        return stdin.fileno() if self._unwritten and not stdin.closed else None

    def how_it_ended(self) -> tuple[Verdict, str]:
        """The verdict (`crashed`, or `memory` if it ran out of memory) and the detail."""
        code = self.confined.exit()
        if code is None:
            how = "closed its stdout but is still running"
        elif code < 0:
            how = f"was killed by {_signal_name(-code)}{_HINTS.get(-code, '')}"
        else:
            how = f"exited with code {code}"
        self._drain_log()
        # Not at the top: only a crash needs the languages.
        from arena import languages

        log = self.log(STDERR_KEPT)
        spoken = languages.of_command(self._command)
        last = _printable(languages.reason(log, spoken))
        out_of_memory = _NO_MEMORY in log or any(language.ran_out_of_memory(last, log) for language in spoken)
        # When memory runs out, the kernel's OOM killer sends SIGKILL.
        out_of_memory = out_of_memory or (code == -signal.SIGKILL and self._is_nearly_full())
        verdict = Verdict.MEMORY if out_of_memory and code != 0 else Verdict.CRASHED
        walled = self.confined.walls.kind is not WallKind.LIMITS and code != 0
        hint = next((hint for sign, hint in _REFUSALS.items() if walled and sign in last), "")
        return verdict, f"{how}: {last}{hint}" if last else how

    def excess(self, *, at_rest: bool = False) -> tuple[Verdict, str] | None:
        """The verdict and the detail if it uses more than a limit allows, else None. `at_rest`: the agent is paused."""
        allowance = self.confined.walls.allowance
        match self.confined.excess(at_rest=at_rest):
            case Excess.MEMORY:
                return (
                    Verdict.MEMORY,
                    f"used more than the {(allowance.memory or 0) / MEBIBYTE:,.0f} MiB of memory allowed",
                )
            case Excess.THREADS:
                return Verdict.CRASHED, f"had more than the {allowance.threads} threads and processes allowed"
            case Excess.OPEN_FILES:
                return (
                    Verdict.CRASHED,
                    f"had more than {allowance.open_in_all:.0f} sockets, pipes and epoll instances open",
                )
            case Excess.HIDDEN:
                return Verdict.CRASHED, "runs a program that cannot be read, so that its open files cannot be counted"
            case Excess.WATCHES:
                return (
                    Verdict.CRASHED,
                    f"had more than {MOST_WATCHES:,} watches of epoll; a timer (timerfd) counts as {PER_TIMER}",
                )
            case Excess.DISK:
                return Verdict.FLOODED, f"wrote more than {allowance.files / MEBIBYTE:,.0f} MiB into its folder"
        return None

    def stop(self) -> tuple[Verdict, str] | None:
        """Begins a pause; the verdict and the detail if that is not possible, else None."""
        return None if self.pause.begin() else (Verdict.CRASHED, "starts processes faster than they can be stopped")

    def look(self, *, may_resume: bool) -> tuple[Verdict, str] | None:
        """Looks whether it is still, in a pause; the verdict and the detail if it is at fault, else None."""
        woken = self.pause.woken
        fault = self.pause.look(may_resume=may_resume)
        if woken < self.pause.woken <= _MOST_TOLD:
            self.note("warden", "somebody else resumed the agent while it was paused: it was stopped again")
        return (Verdict.CRASHED, fault) if fault else None

    def prepare(self) -> tuple[Verdict, str] | None:
        """Prepares the next span while no game waits: a paused agent uses nothing before it. The verdict and the detail
        if it has too much of something, else None."""
        self.meter.start_span()
        return self.excess(at_rest=True)

    def _is_nearly_full(self) -> bool:
        most, group = self.confined.walls.allowance.memory, self.confined.usage.group
        if group is not None and group.ran_out_of_memory():
            return True
        return most is not None and self.confined.usage.peak_memory > _NEARLY * most

    def kill(self) -> None:
        """Kills it and everything that it started, and removes its working directory."""
        self.confined.kill_all()
        self.meter.close()
        self._drain_log()
        try:
            self.confined.remove()
        except OSError as error:
            print(f"warden: cannot remove an agent's working directory: {error}", file=sys.stderr)

    def _drain_log(self) -> None:
        """Reads what is left in the pipe of stderr after the process has ended: a pipe holds at most 1 MiB."""
        for _ in range(1024 * 1024 // _CHUNK):
            if not self.read_log():
                return


def _printable(reason: str) -> str:
    """The line of its stderr that says why it ended, printable and shortened."""
    plain = "".join(letter if letter.isprintable() else "?" for letter in reason[:_LONGEST_LAST_LINE])
    return plain if len(reason) <= _LONGEST_LAST_LINE else f"{plain}..."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


# The pauses of an agent: while it is not its turn, it gets no processor time.


_FIRST_LOOK: Final = MILLISECOND
_LONGEST_TO_LOOK: Final = 16 * MILLISECOND
"""When an agent that is not still is looked at again: each time twice as late, up to this."""
_RESUMED_AT: Final = 4
"""In its own time, every fourth look lets an agent that is not still go on until the next one: a process that waits for
a child that has not begun its program is never still, because that child is stopped."""
_MOST_PAUSED: Final = 5 * MILLISECOND
"""Processor time that it can use in a pause."""
_MOST_RESUMED: Final = 50 * MILLISECOND
"""As above, if somebody else has resumed it."""


class Pause:
    """The pauses of one agent. Times are in nanoseconds."""

    def __init__(self, confined: Confined, clock: Callable[[], int]) -> None:
        self._confined = confined
        self._usage = confined.usage
        self._clock = clock
        # Whether it was told to stop and not resumed yet; and whether it is still: all its threads have stopped.
        self.is_on = self.is_still = False
        # When the next look is due; None: none is.
        self.look_at: int | None = None
        # How often somebody else has resumed it: in its life, and in this pause.
        self.woken = 0
        self._woken_now = 0
        self._interval = 0
        self._looks = 0
        # Processor time when it was still.
        self._used: int | None = None

    def begin(self) -> bool:
        """Tells the agent to stop, and waits a moment for it; False if it starts processes faster than they can be
        stopped."""
        self.is_on, self.is_still, self._woken_now, self._looks = True, False, 0, 0
        if not self._confined.stop():
            return False
        for _ in range(self._confined.quick_looks):
            os.sched_yield()  # on one processor, it stops meanwhile
            self.is_still = self._confined.is_still()
            if self.is_still:
                self._used = self._cpu()
                break
        else:
            self._interval = _FIRST_LOOK
            self.look_at = self._clock() + self._interval
        watch_children(True)
        return True

    def look(self, *, may_resume: bool) -> str:
        """Looks whether it is still; what it has done wrong since it was, in words. `may_resume`: what it does until it
        is still is its own time."""
        was_still, self.is_still = self.is_still, self._confined.is_still()
        if self.is_still:
            if not was_still and not self._woken_now:
                self._used = self._cpu()
            self.look_at = None
        else:
            if was_still:
                self.woken += 1
                self._woken_now += 1
                self._interval = _FIRST_LOOK
            self._looks += 1
            if self._looks % _RESUMED_AT or self._woken_now or not may_resume:
                self._confined.stop_firmly()
            else:
                self._confined.resume()
            self.look_at = self._clock() + self._interval
            self._interval = min(2 * self._interval, _LONGEST_TO_LOOK)
        return self.fault()

    def fault(self) -> str:
        """What it has done wrong in this pause until now, in words."""
        now = self._cpu()
        if now is None or self._used is None or not self.is_on:
            return ""
        used = now - self._used
        if used <= (_MOST_RESUMED if self._woken_now else _MOST_PAUSED):
            return ""
        return f"computed for {used / SECOND:.3f} s while it was paused, because it was not its turn"

    def end(self) -> None:
        """Lets the agent run."""
        self.is_on = self.is_still = False
        self.look_at = self._used = None
        watch_children(False)
        self._confined.resume()

    def _cpu(self) -> int | None:
        """Processor time of all its processes, those that were just started too."""
        if self._usage.group is None:
            self._usage.look()
        return self._usage.cpu()
