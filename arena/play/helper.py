"""A helper: a process of this program that works for another one, its asker: it gets jobs, and answers.

    python -m arena.play.helper MODULE:FUNCTION

Its stdin is a socket, whose other end the asker has. Over it go the limits, jobs and answers, each as one line of JSON;
the function reads jobs and answers them. Whatever happens to a helper, the asker gets an answer, or learns why there is
none; and a helper ends when its asker has ended, even by SIGKILL.
"""

from __future__ import annotations

import importlib
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import inf
from time import monotonic
from traceback import format_exception_only
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import msgspec
from msgspec import Raw, Struct

from agents import parent
from arena.errors import HelperEnded, HelperFailed, HelperLate

if TYPE_CHECKING:
    from arena.walls.run_folder import RunFolder

Kind = TypeVar("Kind")
_AT_ONCE: Final = 65536
"""Bytes that are read at once."""
_ENDS_WITHIN: Final = 2.0
"""Seconds that a helper has to exit when its link has closed."""
_NOTHING: Final = "without an answer"


class Limits(Struct, frozen=True, kw_only=True):
    """What a helper may use."""

    nice: int = 0
    """What is added to its niceness."""
    resources: Mapping[int, int] = {}
    """Soft limits: RLIMIT_... -> value."""
    finishes: bool = False
    """Whether its function hears that the asker has ended, and finishes its work; otherwise the kernel kills it."""


class _Answer(Struct, frozen=True, tag="answer"):
    value: Raw


class _Failure(Struct, frozen=True, tag="failure"):
    """The function has raised an exception, or says why it gives no answer."""

    words: str


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


class Helper:
    """A helper, as its asker sees it. As a context manager it ends with the block."""

    def __init__(
        self,
        work: Callable[[Asker], None],
        *,
        limits: Limits,
        folder: RunFolder | None = None,
        ends_within: float = _ENDS_WITHIN,
        longest: float = inf,
    ) -> None:
        """`work`: a function of a module, which the helper calls. `folder`: for its log; without one its stderr is not
        kept. `longest`: bytes of an answer, if the helper is not trusted."""
        from arena.play.crew import Process  # here, because a helper starts no process of the crew

        self._finishes = limits.finishes
        command = ["-m", "arena.play.helper", f"{work.__module__}:{work.__name__}"]
        self._process = Process(command, folder=folder, ends_within=ends_within)
        self._lines = Lines(self._process.link, longest=longest)
        self.send(limits)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def fileno(self) -> int:
        """A descriptor that is readable when there is an answer or the helper has ended."""
        return self._process.fileno()

    def send(self, job: object) -> None:
        """Sends a job."""
        with suppress(OSError):  # it may have ended already: then its link is readable
            self._process.link.sendall(msgspec.json.encode(job) + b"\n")

    def nudge(self) -> None:
        """Sends an empty job: there is more to do, and the helper knows where. It never waits."""
        self._lines.send(None)  # it may have ended, or has thousands of nudges to read

    def read(self) -> bool:
        """Whether answers have come since the last call, whatever they are."""
        return bool(self._lines.received())

    def received(self) -> list[Raw]:
        """The answers that have come; it never waits. HelperEnded if there will be none, HelperFailed with the error of
        its function."""
        try:
            lines = [msgspec.json.decode(line, type=_Answer | _Failure) for line in self._lines.received()]
        except (ValueError, RecursionError):
            self._process.kill()
            raise HelperEnded(_NOTHING) from None
        if lines and isinstance(last := lines[-1], _Failure):
            raise HelperFailed(last.words)
        if self._lines.has_ended:
            raise self._reason()
        return [line.value for line in lines if isinstance(line, _Answer)]

    def answer(self, kind: type[Kind], *, within: float, wait: Callable[[float], object] | None = None) -> Kind:
        """The next answer; waits for it, at most so many seconds. HelperEnded as in `received`; HelperLate.

        `wait`: waits at most so many seconds until the helper's descriptor is readable."""
        give_up = monotonic() + within
        while (left := give_up - monotonic()) > 0:
            for answer in self.received():
                try:
                    return msgspec.json.decode(answer, type=kind)
                except (ValueError, RecursionError):
                    raise HelperEnded(_NOTHING) from None
            (wait or self._wait)(left)
        raise HelperLate(f"it took longer than {within:g} s")

    def _wait(self, within: float) -> None:
        poll = select.poll()  # select knows only small descriptors
        poll.register(self, select.POLLIN)
        poll.poll(within * 1000)

    def _reason(self) -> HelperEnded:
        """Why a helper whose link has closed gives no answer."""
        self._process.end()
        code = self._process.code or 0
        if code == -signal.SIGXCPU:
            return HelperLate("it used too much processor time")
        return HelperEnded(signal.Signals(-code).name if code < 0 else _NOTHING)

    def is_gone(self) -> bool:
        """Whether the process has ended and all was read."""
        return self._process.is_gone()

    def how_it_ended(self) -> str:
        """How the process ended."""
        return self._process.how_it_ended()

    def end(self) -> None:
        """Ends the helper: it is killed, or can finish its work within `ends_within` seconds."""
        if not self._finishes:
            self._process.kill()
        self._process.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


# In the helper.


class AskerEnded(Exception):
    """The asker has ended."""


class Asker:
    """The asker, as its helper sees it."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._lines = Lines(link)
        self._jobs: list[bytes] = []

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
        link = self._link.fileno()
        ready = select.select([link, *others], [], [], within)[0]
        if link in ready:
            self._jobs += self._lines.received()
            if self._lines.has_ended:
                raise AskerEnded
        return [other for other in others if other in ready]

    def answer(self, value: Any) -> None:
        """Sends an answer. AskerEnded."""
        self._send(_Answer(Raw(msgspec.json.encode(value))))

    def fail(self, words: str) -> None:
        """Says why there is no answer. AskerEnded."""
        self._send(_Failure(words))

    def _send(self, line: _Answer | _Failure) -> None:
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
        try:
            _keep(asker.job(Limits))
            module, _, name = sys.argv[1].partition(":")
            getattr(importlib.import_module(module), name)(asker)
        except AskerEnded:
            raise
        except Exception as error:
            asker.fail("".join(format_exception_only(error)).strip().rpartition("\n")[2])  # as Python prints it
            raise


def _keep(limits: Limits) -> None:
    """Sets the limits of this process."""
    if not limits.finishes:
        parent.die_with_it()
    os.nice(limits.nice)
    for kind, most in limits.resources.items():
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    from arena.play import helper

    helper.main()  # of the module that functions import, not of this copy of it
