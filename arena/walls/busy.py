"""Which programs used this machine's processors: the answer to an instructor who asks why a game was void.

Names of programs are for the instructor alone. A warden writes them to its log; players read that others were busy.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final

from arena.match.clock import SECOND
from arena.walls.usage import START, SYSTEM, TICK, USER, after_name

_PROCESSES: Final = "/proc"
_LEAST: Final = 0.02
"""Share of the time that a program must have used of a processor to be named."""
_MOST_NAMED: Final = 5


class Programs:
    """What all programs use, from now on."""

    def __init__(self) -> None:
        self._since = monotonic()
        self._before = _used()

    def tell(self, game: int) -> None:
        """Writes to the log which programs have used most since then, for that game."""
        passed = monotonic() - self._since
        used = {key: ticks - self._before.get(key, 0) for key, ticks in _used().items()}
        busy = sorted(((ticks * TICK / SECOND, key) for key, ticks in used.items()), reverse=True)
        named = [f"{name} (pid {pid}) {of:.1f} s" for of, (pid, _, name) in busy[:_MOST_NAMED] if of > _LEAST * passed]
        if named:
            words = f"{', '.join(named)}, in {passed:.0f} s on {os.cpu_count()} processors"
            print(f"{_mark(game)}{words}", file=sys.stderr, flush=True)


def told(log: Path, game: int) -> str:
    """What the log of a warden says about that game; empty if nothing."""
    try:
        lines = log.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    mark = _mark(game)
    return next(
        (f"the processors were used by {line.removeprefix(mark)}" for line in lines if line.startswith(mark)), ""
    )


def _mark(game: int) -> str:
    return f"game {game}, used by: "


def _used() -> dict[tuple[int, bytes, str], int]:
    """Clock ticks that each process has used; its PID with its start is its own, its name is for people."""
    found = {}
    for name in os.listdir(_PROCESSES) if os.path.isdir(_PROCESSES) else ():
        with suppress(OSError, ValueError, IndexError):
            pid = int(name)
            stat = Path(_PROCESSES, name, "stat").read_bytes()
            called, fields = stat.partition(b"(")[2].rpartition(b")")[0], after_name(stat)
            plain = re.sub(r"[^ -~]", "?", called.decode("utf-8", "replace"))
            found[pid, fields[START], plain] = int(fields[USER]) + int(fields[SYSTEM])
    return found
