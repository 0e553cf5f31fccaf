"""Runs small programs behind real walls and returns their output.

Tests that need a kind of walls that this machine does not support are skipped here, with the reason.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from arena.match.allowance import Allowance, WallKind
from arena.walls import file_access, jail, probe, seccomp
from arena.walls.jail import Confined, Walls
from arena.walls.usage import LINUX

PYTHON: Final = (os.path.realpath(sys.executable), "-I", "-S", "-c")
"""A bare interpreter, which needs nothing but itself."""
USUAL: Final = Allowance()

needs_linux = pytest.mark.skipif(not LINUX, reason="these walls are Linux's")


def need(kind: WallKind) -> None:
    """The rest of the test is for walls of that kind."""
    offer = probe.offer(kind)
    if not offer.holds:
        pytest.skip(f"this machine offers no {kind}: {offer.why}; {offer.advice}")


def start(
    command: Sequence[str], kind: WallKind, scratch: Path, *, allowance: Allowance = USUAL, **others: Any
) -> Confined:
    """`command` behind walls of that kind; its pipes block."""
    need(kind)
    readable = (*file_access.interpreter(), *others.pop("readable", ()))
    walls = Walls(kind, allowance, readable=readable, filter=seccomp.compiled(kind), **others)
    confined = jail.start(command, walls, scratch)
    for pipe in (confined.stdout, confined.stderr):
        os.set_blocking(pipe.fileno(), True)
    return confined


def said(confined: Confined) -> str:
    """All that the process says until its stdout ends; what it complains of, where it says nothing. Then it is gone."""
    with confined.stdout, confined.stderr:
        words = confined.stdout.read()
        complaint = b"" if words else confined.stderr.read()
    confined.kill_all()
    confined.remove()
    return (words or complaint).decode().strip()


def run(source: str, kind: WallKind, scratch: Path, *arguments: str, **others: Any) -> str:
    """What this Python says behind walls of that kind."""
    return said(start((*PYTHON, source, *arguments), kind, scratch, **others))
