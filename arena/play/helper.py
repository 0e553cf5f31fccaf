"""Processes of this program that another one of its processes starts; and helpers, which get jobs and answer them.

    python -m arena.play.helper MODULE:FUNCTION

Each process gets one end of a socket pair (its `link`) as its stdin. When one side ends, the other end of the pair
closes, so both notice each other's end immediately, and no process outlives the one that started it (its asker). Over
the link of a helper go its limits, jobs and answers, each as one line of JSON; its function reads jobs and answers.
Whatever happens to a helper, the asker gets an answer, or learns why there is none.
"""

from __future__ import annotations

import importlib
import os
import resource
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from time import monotonic
from traceback import format_exception_only
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import msgspec
from msgspec import Raw, Struct

import agents
from agents import own_process
from agents.errors import one_line
from arena.errors import ArenaError, HelperEnded, HelperFailed, HelperLate

if TYPE_CHECKING:
    from arena.walls.run_folder import RunFolder

Kind = TypeVar("Kind")
_AT_ONCE: Final = 65536
"""Bytes that are read at once."""
_ENDS_WITHIN: Final = 2.0
"""Seconds that a process has to exit after its asker has closed the link."""
_LONGEST_LINE: Final = 500
"""Characters of the last line of a log that are shown."""
_NOTHING: Final = "without an answer"


class HelperLimits(Struct, frozen=True, kw_only=True):
    """What a helper may use."""

    nice: int = 0
    """What is added to its niceness."""
    resources: Mapping[int, int] = {}
    """Soft limits: RLIMIT_... -> value."""
    finishes: bool = False
    """Whether its function hears that the asker has ended, and finishes its work; otherwise the kernel kills it. The
    asker finds in its log how it failed, and gets no line about it."""


class _Line(Struct, frozen=True):
    """A line of a helper."""

    answer: Raw = Raw(b"null")
    failure: str = ""
    """Why there is no answer: its function has raised an exception, or says it."""


class TooLong(ValueError):
    """The other end has sent more than a message without the end of a line."""


class Lines:
    """One end of a link over which JSON goes, one value a line."""

    def __init__(self, link: socket.socket, *, longest: float = inf) -> None:
        """`longest`: bytes of a line, from an end that is not trusted."""
        self._link = link
        self._longest = longest
        self._received = b""
        self.has_ended = False
        """Whether the other end is gone."""

    def send(self, message: object) -> bool:
        """Sends `message`; False if the other end is gone, or has not read what came before. Any thread may call it."""
        line = msgspec.json.encode(message) + b"\n"
        with suppress(OSError):
            return self._link.send(line, socket.MSG_DONTWAIT) == len(line)
        return False

    def received(self) -> Sequence[bytes]:
        """Lines that have come, of many a part; it never waits. TooLong."""
        try:
            more = self._link.recv(_AT_ONCE, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return ()
        except OSError:
            more = b""
        self.has_ended = not more
        *lines, self._received = (self._received + more).split(b"\n")
        if len(self._received) > self._longest:
            raise TooLong
        return lines


class Process:
    """One process. It runs until `end` is called or its link closes."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        folder: RunFolder | None,
        descriptors: Sequence[int] = (),
        ends_within: float = _ENDS_WITHIN,
    ) -> None:
        """`folder`: for its log, which is what it writes to stderr; without one that is not kept. `descriptors`: those
        that the process gets, under the same numbers. `ends_within`: the seconds that `end` gives it to exit."""
        if sys.platform == "win32":
            raise ArenaError("a referee and its players need Linux or macOS; on Windows use WSL")
        ours, theirs = socket.socketpair()
        self.link: socket.socket = ours
        self.log = Path(os.devnull) if folder is None else folder.path / f"log-{os.urandom(4).hex()}"
        self._ends_within = ends_within
        with theirs, self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-P", *arguments],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=log,
                pass_fds=descriptors,
                env=os.environ | {"PYTHONPATH": _packages_first()},
            )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def send(self, value: object) -> None:
        """Sends a value, such as a job, or what the process needs to start, as one line of JSON."""
        with suppress(OSError):  # it may have ended already: then its link is readable
            self.link.sendall(msgspec.json.encode(value) + b"\n")

    def fileno(self) -> int:
        """The descriptor of the link, readable when the process has sent something or has ended."""
        return self.link.fileno()

    def how_it_ended(self) -> str:
        """How the process ended, with the last line of its log. Only after the link has closed."""
        try:
            code = self._process.wait(_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            return f"did not exit within {_ENDS_WITHIN:g} s"
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"
        lines = self.log.read_text("utf-8", "replace").strip().splitlines() if self.log.exists() else []
        return f"{how}: {one_line(lines[-1], most=_LONGEST_LINE)}" if lines else how

    def is_gone(self) -> bool:
        """Whether the process has ended and all was read."""
        try:
            return not self.link.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def kill(self) -> None:
        """Kills the process (SIGKILL)."""
        self._process.kill()

    def hang_up(self) -> None:
        """Closes the link, which makes the process exit."""
        self.link.close()

    def end(self, *, asked: bool = False) -> None:
        """Waits for the process to exit, and kills it after `ends_within`.

        A process that was `asked` to end keeps its link until then: a closed link would mean that its asker died."""
        if not asked:
            self.hang_up()
        try:
            self._process.wait(self._ends_within)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.hang_up()
        if self.log.is_file():
            self.log.unlink()


def _packages_first() -> str:
    """A PYTHONPATH with our packages first, in case others are installed under the same names."""
    ours = str(Path(agents.__file__).parents[1])
    return os.pathsep.join(filter(None, (ours, os.environ.get("PYTHONPATH"))))


class Helper(Process):
    """A helper, as its asker sees it. As a context manager it is killed at the end of the block."""

    def __init__(
        self,
        work: Callable[[Asker], None] | str,
        limits: HelperLimits,
        *,
        folder: RunFolder | None = None,
        descriptors: Sequence[int] = (),
        ends_within: float = _ENDS_WITHIN,
        longest: float = inf,
    ) -> None:
        """`work`: a function of a module, or MODULE:FUNCTION, which the helper calls. `longest`: bytes of an answer,
        if the helper is not trusted. The others are as for any process."""
        name = work if isinstance(work, str) else f"{work.__module__}:{work.__name__}"
        command = ["-m", "arena.play.helper", name]
        super().__init__(command, folder=folder, descriptors=descriptors, ends_within=ends_within)
        self.lines = Lines(self.link, longest=longest)
        self.send(limits)

    def nudge(self) -> None:
        """Sends an empty job: there is more to do, and the helper knows where. It never waits."""
        self.lines.send(None)  # it may have ended, or has thousands of nudges to read

    def read(self) -> bool:
        """Whether answers have come since the last call, whatever they are."""
        return bool(self.lines.received())

    def received(self, kind: type[Kind]) -> list[Kind]:
        """The answers that have come; it never waits. HelperEnded if there will be none, HelperFailed with the error of
        its function."""
        try:
            lines = [msgspec.json.decode(line, type=_Line) for line in self.lines.received()]
            answers = [msgspec.json.decode(line.answer, type=kind) for line in lines if not line.failure]
        except (ValueError, RecursionError):
            self.kill()
            raise HelperEnded(_NOTHING) from None
        if len(answers) < len(lines):
            raise HelperFailed(lines[-1].failure)
        if self.lines.has_ended:
            raise self._reason()
        return answers

    def answer(self, kind: type[Kind], *, within: float, wait: Callable[[float], object] | None = None) -> Kind:
        """The next answer; waits for it, at most `within` seconds. HelperEnded as in `received`; HelperLate.

        `wait`: waits at most `within` seconds until the helper's descriptor is readable."""
        give_up = monotonic() + within
        while (left := give_up - monotonic()) > 0:
            for answer in self.received(kind):
                return answer
            (wait or self._wait)(left)
        raise HelperLate(f"it took longer than {within:g} s")

    def _wait(self, within: float) -> None:
        poll = select.poll()  # select knows only small descriptors
        poll.register(self, select.POLLIN)
        poll.poll(within * 1000)

    def _reason(self) -> HelperEnded:
        """Why a helper whose link has closed gives no answer."""
        self.end()
        code = self._process.returncode or 0
        if code == -signal.SIGXCPU:
            return HelperLate("it used too much processor time")
        return HelperEnded(signal.Signals(-code).name if code < 0 else _NOTHING)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.end()


# In the helper.


class AskerEnded(Exception):
    """The asker has ended."""


class Asker:
    """The asker, as its helper sees it."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self.lines = Lines(link)
        self._jobs: list[bytes] = []

    def fileno(self) -> int:
        """The descriptor of the link, readable when a job has come or the asker has ended."""
        return self._link.fileno()

    def job(self, kind: type[Kind]) -> Kind:
        """The next job; waits for it. AskerEnded."""
        while not self._jobs:
            self.wait()
        return msgspec.json.decode(self._jobs.pop(0), type=kind)

    def nudges(self) -> int:
        """The number of jobs that have come since the last call and have nothing in them."""
        count = len(self._jobs)
        self._jobs.clear()
        return count

    def wait(self, within: float | None = None, *others: int) -> list[int]:
        """Waits until a job comes, or until one of the descriptors `others` is readable, and returns those that are.
        AskerEnded."""
        ready = select.select([self.fileno(), *others], [], [], within)[0]
        if self.fileno() in ready:
            self._jobs += self.lines.received()
            if self.lines.has_ended:
                raise AskerEnded
        return [other for other in others if other in ready]

    def answer(self, value: Any) -> None:
        """Sends an answer. AskerEnded."""
        self._send(_Line(Raw(msgspec.json.encode(value))))

    def fail(self, words: str) -> None:
        """Says why there is no answer. AskerEnded."""
        self._send(_Line(failure=words or _NOTHING))

    def _send(self, line: _Line) -> None:
        try:
            self._link.sendall(msgspec.json.encode(line) + b"\n")
        except OSError:
            raise AskerEnded from None


def main() -> None:
    """Runs the helper."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the asker
    link = socket.socket(fileno=os.dup(sys.stdin.fileno()))
    os.dup2(os.open(os.devnull, os.O_RDONLY), sys.stdin.fileno())  # programs that it starts do not get the link
    asker = Asker(link)
    with suppress(AskerEnded):
        limits = asker.job(HelperLimits)
        try:
            _keep(limits, asker)
            module, _, name = sys.argv[1].partition(":")
            getattr(importlib.import_module(module), name)(asker)
        except AskerEnded:
            raise
        except Exception as error:
            if not limits.finishes:
                asker.fail("".join(format_exception_only(error)).strip().rpartition("\n")[2])  # as Python prints it
            raise


def _keep(limits: HelperLimits, asker: Asker) -> None:
    """Sets the limits of this process. AskerEnded if the asker ended before that, whatever it has sent."""
    if not limits.finishes:
        own_process.die_with_it()
        poll = select.poll()
        poll.register(asker, select.POLLHUP)
        if poll.poll(0):
            raise AskerEnded
    os.nice(limits.nice)
    for kind, most in limits.resources.items():
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    from arena.play import helper

    helper.main()  # of the module that functions import, not of this copy of it
