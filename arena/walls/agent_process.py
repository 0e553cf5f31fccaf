"""An agent's process as its warden handles it: lines in, lines out, the end of what it wrote to stderr.

It stands between the guard, who knows the protocol, and the jail, which knows the walls. Nothing here ever blocks,
whatever the agent reads or leaves unread, and nothing that the agent writes is kept without a limit.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from select import select
from time import monotonic
from typing import IO, Final

from agents.protocol import MESSAGE_BYTES, Verdict
from arena.walls import jail
from arena.walls.jail import Confined, Excess
from arena.walls.kinds import MEBIBYTE, WallKind, Walls
from arena.walls.meter import Meter

STDERR_KEPT: Final = 64 * 1024
_CHUNK: Final = 64 * 1024
_NEARLY: Final = 0.9
_MOST_WORDS: Final = 200

_SAYS_WITHIN: Final = 0.5
"""Seconds that an agent has to say where it is busy, whatever else it writes; on an idle machine it takes milliseconds.
Far less than a referee waits for a warden that says nothing."""
_PAUSES_FOR: Final = 0.05
"""Seconds between two writes of that, at most."""

_OUT_OF_MEMORY: Final = (
    b"std::bad_alloc",
    b"heap out of memory",
    b"runtime: out of memory",
    b"java.lang.OutOfMemoryError",
    b"memory allocation of ",
    b"Cannot allocate memory",
)
"""What programs say at their end when there is no memory left; Python's own words stand on the last line."""


_HINTS: Final[dict[int, str]] = {
    signal.SIGSEGV: " (a recursion without end overflows the stack, or a pointer is wrong)",
    signal.SIGSYS: " (a system call that nobody may make here)",
}
_REFUSALS: Final = {
    "[Errno 2] ": " (an agent starts in an empty folder: what lies beside its file is Path(__file__).with_name(...))",
    "[Errno 1] ": " (behind these walls an agent starts no process, has no network and signals nobody)",
    "[Errno 13] ": " (behind these walls an agent reads its own files and Python's, writes none and starts no process)",
    "can't start new thread": " (there is a limit on threads)",
    "Cannot fork": ' (behind these walls an agent starts no process; walls = "container" lets it)',
}
"""What Python says last where walls, or where it runs, are the reason, and what its author should know then."""


class AgentProcess:
    """One agent at work, and its three pipes."""

    def __init__(self, confined: Confined) -> None:
        self.confined = confined
        self.meter = Meter(confined)
        # Its stdout is at its end: it has been closed, and everything in it has been read.
        self.silent = False
        # How much it has written to stderr since `begin_log`.
        self.log_bytes = 0
        self._unwritten = bytearray()
        self._closing = False
        self._unread = bytearray()
        self._log = bytearray()
        self._log_open = True

    @classmethod
    def start(cls, command: Sequence[str], walls: Walls, scratch: Path, *, core: int | None = None) -> AgentProcess:
        """A fresh process; OSError where it cannot be started."""
        return cls(jail.start(command, walls, scratch, core=core))

    # Towards the agent.

    def write(self, line: bytes) -> None:
        """Writes what the agent takes now; the rest waits for `flush`."""
        self._unwritten += line
        self.flush()

    def flush(self) -> None:
        """Goes on writing what waits."""
        stdin = self.confined.stdin
        if stdin.closed:
            return
        try:
            while self._unwritten:
                del self._unwritten[: os.write(stdin.fileno(), self._unwritten)]
        except BlockingIOError:
            return
        except OSError:
            self._unwritten.clear()  # it has closed its stdin: what it does not want to know, it need not
            self._closing = True
        if self._closing:
            stdin.close()

    def hang_up(self) -> None:
        """Closes the agent's stdin, once all is written."""
        self._closing = True
        self.flush()

    # From the agent.

    def read(self) -> bool:
        """Reads once from its stdout; whether there was anything."""
        if self.silent:
            return False
        try:
            data = os.read(self.confined.stdout.fileno(), _CHUNK)
        except BlockingIOError:
            return False
        self.silent = not data
        self._unread += data
        return bool(data)

    def next_line(self) -> bytes | None:
        """The next whole line, without its end; or what there is of one that is too long already."""
        if self._unread[:2] == b"\n\n":
            # A flood of blank lines is one.
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

    def read_log(self) -> bool:
        """Reads once from its stderr; whether there was anything."""
        if not self._log_open:
            return False
        try:
            data = os.read(self.confined.stderr.fileno(), _CHUNK)
        except BlockingIOError:
            return False
        self._log_open = bool(data)
        self.log_bytes += len(data)
        self._log += data
        if len(self._log) > 2 * STDERR_KEPT:
            del self._log[:-STDERR_KEPT]
        return bool(data)

    def ask_where_busy(self) -> None:
        """It has taken too long: a Python agent of our kit writes to its log where it is busy. Others are ended by
        this, or take no notice."""
        log = self.confined.stderr.fileno()
        self.read_log()
        before = self.log_bytes
        self.confined.send_signal(signal.SIGUSR1)
        give_up = monotonic() + _SAYS_WITHIN
        while self._log_open and (left := give_up - monotonic()) > 0:
            within = min(left, _PAUSES_FOR) if self.log_bytes > before else left
            if not select([log], [], [], within)[0] or not self.read_log():
                return

    def begin_log(self) -> None:
        """What it writes to stderr is counted and kept from here on."""
        self.log_bytes = 0
        self._log.clear()

    def log(self, most: int) -> str:
        """The end of what it wrote to stderr, in at most so many bytes of UTF-8; what is not UTF-8 is replaced."""
        text = self._log[-STDERR_KEPT:].decode("utf-8", "replace").encode()
        return text[-most:].decode("utf-8", "ignore")

    # Of the process.

    def pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        """Its stdout, stderr and stdin."""
        return self.confined.stdout, self.confined.stderr, self.confined.stdin

    def readers(self) -> list[int]:
        """The descriptors on which there may be something to read."""
        pipes = ((self.confined.stdout, not self.silent), (self.confined.stderr, self._log_open))
        return [pipe.fileno() for pipe, is_open in pipes if is_open and not pipe.closed]

    def ended(self) -> int | None:
        """The descriptor that is readable when it has ended; None: only SIGCHLD tells."""
        return self.confined.ended

    def writer(self) -> int | None:
        """The descriptor on which something waits to be written; None: nothing does."""
        stdin = self.confined.stdin
        return stdin.fileno() if self._unwritten and not stdin.closed else None

    def how_it_ended(self) -> tuple[Verdict, str]:
        """`crashed`, or `memory` where it said so itself; and the words for it."""
        code = self.confined.exit()
        if code is None:
            how = "closed its stdout, and lives on"
        elif code < 0:
            how = f"was killed by {_signal_name(-code)}{_HINTS.get(-code, '')}"
        else:
            how = "exited quietly (code 0)" if code == 0 else f"exited with code {code}"
        self._drain_log()
        last = self._last_words()
        starved = last.startswith("MemoryError") or any(words in self._log[-STDERR_KEPT:] for words in _OUT_OF_MEMORY)
        # The system ends whoever has the most when there is none left.
        starved = starved or (code == -signal.SIGKILL and self._is_nearly_full())
        verdict = Verdict.MEMORY if starved and code != 0 else Verdict.CRASHED
        walled = self.confined.walls.kind is not WallKind.LIMITS and code != 0
        hint = next((hint for sign, hint in _REFUSALS.items() if walled and sign in last), "")
        return verdict, f"{how}: {last}{hint}" if last else how

    def excess(self, *, at_rest: bool = False) -> tuple[Verdict, str] | None:
        """The verdict, where it has more of something than it may, and the words for it. `at_rest`: it stands still."""
        allowance = self.confined.walls.allowance
        match self.confined.excess(at_rest=at_rest):
            case Excess.MEMORY:
                return Verdict.MEMORY, f"held more than the {(allowance.memory or 0) / MEBIBYTE:,.0f} MiB that it may"
            case Excess.THREADS:
                return Verdict.CRASHED, f"had more than the {allowance.threads} threads and processes that it may"
            case Excess.OPEN_FILES:
                return Verdict.CRASHED, f"had more than {allowance.open_in_all:.0f} sockets, pipes and watchers open"
            case Excess.DISK:
                return Verdict.FLOODED, f"wrote more than {allowance.files / MEBIBYTE:,.0f} MiB into its folder"
        return None

    def _is_nearly_full(self) -> bool:
        most, group = self.confined.walls.allowance.memory, self.confined.usage.group
        if group is not None and group.ran_out():
            return True
        return most is not None and self.confined.usage.most_held > _NEARLY * most

    def kill(self) -> None:
        """Ends it and all that it started, and removes its working directory."""
        self.confined.kill_all()
        self.meter.close()
        self._drain_log()
        try:
            self.confined.remove()
        except OSError as error:
            print(f"warden: cannot remove an agent's working directory: {error}", file=sys.stderr)

    def _drain_log(self) -> None:
        """What a process said last is in the pipe when it has ended: a pipe holds at most 1 MiB."""
        for _ in range(1024 * 1024 // _CHUNK):
            if not self.read_log():
                return

    def _last_words(self) -> str:
        """The last line of its stderr that says anything, made fit to be shown."""
        lines = self._log[-4096:].decode("utf-8", "replace").split("\n")
        said = next((line.strip() for line in reversed(lines) if line.strip()), "")
        plain = "".join(letter if letter.isprintable() else "?" for letter in said[:_MOST_WORDS])
        return plain if len(said) <= _MOST_WORDS else f"{plain}..."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
