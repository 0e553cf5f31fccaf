"""Talks to `arena engine uci` and `arena engine gtp` as other programs do: in this process, or with a real one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.kit.effort import PATIENCE


class Script:
    """A wire on which all lines are known before. Each is answered before the next one arrives."""

    def __init__(self, *lines: str) -> None:
        self._lines = lines
        self._arrived: Callable[[str], Any] = lambda line: line
        self._ended: Callable[[], None] = lambda: None
        self.written: list[str] = []

    def read(self, arrived: Callable[[str], Any], ended: Callable[[], None]) -> None:
        self._arrived, self._ended = arrived, ended

    def orders(self) -> Iterator[Any]:
        for line in self._lines:
            order = self._arrived(line)
            if order is not None:
                yield order
        self._ended()

    def wait_until_unread(self) -> None:
        pass

    def write(self, *lines: str) -> None:
        self.written += lines


class EngineProcess:
    """A real process that speaks UCI or GTP."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def say(self, *lines: str) -> None:
        assert self._process.stdin
        self._process.stdin.write("".join(f"{line}\n" for line in lines))
        self._process.stdin.flush()

    def hear(self, *beginnings: str) -> list[str]:
        """The lines up to the first one that begins with one of these."""
        assert self._process.stdout
        lines = []
        for line in self._process.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith(beginnings):
                return lines
        raise AssertionError(f"ended without {beginnings}: {lines}")

    def ask(self, command: str) -> str:
        """The answer to a command of GTP."""
        self.say(command)
        assert self._process.stdout
        lines = list(iter(self._process.stdout.readline, "\n"))
        assert lines[0].startswith("="), f"{command}: {lines}"
        return "".join(lines)[1:].strip()

    def close_input(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()

    def hang_up(self) -> None:
        """Close its input and its output, as at the end of the other program."""
        self.close_input()
        assert self._process.stdout
        self._process.stdout.close()

    def ended(self) -> tuple[int, str]:
        """Its exit code and what it wrote to stderr, when it has ended."""
        assert self._process.stderr
        errors = self._process.stderr.read()
        return self._process.wait(PATIENCE), errors


@contextmanager
def engine(*command: str, cwd: Path | None = None) -> Iterator[EngineProcess]:
    """The process of an engine."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd
    ) as process:
        try:
            yield EngineProcess(process)
        finally:
            process.kill()


@contextmanager
def our_engine(protocol: str, agent: str, *, cwd: Path | None = None) -> Iterator[EngineProcess]:
    """`arena engine uci AGENT` or `arena engine gtp AGENT`."""
    with engine(sys.executable, "-m", "arena", protocol, agent, cwd=cwd) as process:
        yield process
