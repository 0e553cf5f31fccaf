"""Runs the program as a user does; returns its output and exit code."""

import contextlib
import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from arena.__main__ import main


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def environment(columns: int, encoding: str = "utf-8") -> dict[str, str]:
    """Of a terminal of that width."""
    return os.environ | {"COLUMNS": str(columns), "NO_COLOR": "1", "PYTHONIOENCODING": encoding}


def arena(*arguments: str, columns: int = 80, cwd: Path | None = None) -> Ended:
    """Runs `arena ARGUMENTS` in a terminal of that width, inside this process: it starts a hundred times sooner."""
    out, err = io.StringIO(), io.StringIO()
    with (
        _signals_restored(),
        mock.patch.dict(os.environ, environment(columns)),
        mock.patch.object(sys, "argv", ["arena", *arguments]),
        _inside(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return Ended(code, out.getvalue(), err.getvalue())


def arena_process(*arguments: str, columns: int = 80, encoding: str = "utf-8") -> Ended:
    """The same in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "arena", *arguments],
        capture_output=True,
        text=True,
        encoding=encoding,
        env=environment(columns, encoding),
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@contextlib.contextmanager
def _signals_restored() -> Iterator[None]:
    """A command may ignore signals at its end, because its process ends too."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _inside(folder: Path | None) -> Iterator[None]:
    before = Path.cwd()
    if folder is not None:
        os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
