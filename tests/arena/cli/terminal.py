"""The program as its user runs it: a process of its own, with what it printed and how it ended."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def arena(*arguments: str, columns: int = 80, cwd: Path | None = None, encoding: str = "utf-8") -> Ended:
    """Runs `arena ARGUMENTS` in a terminal of that width."""
    environment = os.environ | {"COLUMNS": str(columns), "NO_COLOR": "1", "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [sys.executable, "-m", "arena", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)
