"""What processes use, from /proc (Linux): processor time and context switches.

`Meter` watches a real `arena run` inside this process, and says what each of its processes used from one game to a
later one. Nothing here depends on how the director, the referee or the players are written.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import astuple, dataclass
from operator import add, sub
from pathlib import Path
from typing import Any, Final

from arena.cli import app
from arena.match.schedule import Event, Finished
from arena.play.director import Director
from arena.walls.usage import descendants

TICK: Final = 1 / os.sysconf("SC_CLK_TCK")
ROLES: Final = ("director", "referee", "players")


@dataclass(frozen=True, slots=True)
class Use:
    """What one or several processes have used."""

    user: float = 0.0
    """Seconds of processor time outside the kernel."""
    kernel: float = 0.0
    others: float = 0.0
    """Seconds of it that threads other than the main one used: those of ZeroMQ, mostly."""
    switches: float = 0
    """Context switches of all threads: how often one waited or was interrupted."""

    @property
    def seconds(self) -> float:
        """Processor time."""
        return self.user + self.kernel

    def __add__(self, other: Use) -> Use:
        return Use(*map(add, astuple(self), astuple(other)))

    def each(self, parts: int) -> Use:
        """An equal part of it."""
        return Use(*(used / parts for used in astuple(self)))

    def since(self, earlier: Use) -> Use:
        """What was used after `earlier`."""
        return Use(*map(sub, astuple(self), astuple(earlier)))


def use_of(pid: int) -> Use:
    """What the process has used since it started; nothing if it has ended."""
    process = Path("/proc", str(pid))
    try:
        fields = (process / "stat").read_text().rpartition(")")[2].split()
        switches, others = 0, 0.0
        for thread in (process / "task").iterdir():
            switches += number_in(thread / "status", "voluntary_ctxt_switches:")
            switches += number_in(thread / "status", "nonvoluntary_ctxt_switches:")
            if thread.name != process.name:
                others += int((thread / "schedstat").read_text().split()[0]) / 1e9
    except OSError:
        return Use()
    return Use(int(fields[11]) * TICK, int(fields[12]) * TICK, others, switches)


def number_in(file: Path, key: str) -> int:
    """The number after `key` in a file such as /proc/PID/status; 0 if it is not there."""
    for line in file.read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1])
    return 0


def role(pid: int) -> str:
    """What a process of a running tournament is for."""
    if pid == os.getpid():
        return "director"
    try:
        return "referee" if b"arena.play.referee" in Path(f"/proc/{pid}/cmdline").read_bytes() else "players"
    except OSError:
        return "players"


@dataclass(frozen=True, slots=True)
class Measured:
    """Some games of a tournament, from the end of one game to the end of a later one."""

    games: int
    began: float
    """As time.monotonic() counts."""
    ended: float
    plies: int
    uses: dict[str, Use]
    """By role."""
    roles: dict[int, str]
    """By process id."""

    @property
    def seconds(self) -> float:
        """How long the games took."""
        return self.ended - self.began


class Meter:
    """Counts the games that end, and measures from the end of game `first` to the end of game `last`."""

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last = first, last
        self.measured: Measured | None = None
        self._over = self._plies = 0
        self._began = 0.0
        self._before = dict[int, Use]()

    def watch(self, play: Callable[..., Iterator[Event]]) -> Callable[..., Iterator[Event]]:
        """`Director.play`, measured. A game counts when its event was shown."""

        def measured(*arguments: Any) -> Iterator[Event]:
            for event in play(*arguments):
                yield event
                if isinstance(event, Finished):
                    self._count(event)

        return measured

    def _count(self, event: Finished) -> None:
        self._over += 1
        if self._over > self.first:
            self._plies += len(event.record.moves)
        if self._over == self.first:
            self._before, self._began = self._now(), time.monotonic()
        elif self._over == self.last:
            ended, uses, roles = time.monotonic(), dict.fromkeys(ROLES, Use()), {}
            for pid, use in self._now().items():
                roles[pid] = role(pid)
                uses[roles[pid]] += use.since(self._before.get(pid, Use()))
            self.measured = Measured(self.last - self.first, self._began, ended, self._plies, uses, roles)

    def _now(self) -> dict[int, Use]:
        return {pid: use_of(pid) for pid in (os.getpid(), *descendants(os.getpid()))}


def run_tournament(options: str, games: int, *, at_once: int = 1) -> Measured:
    """Run `arena run OPTIONS` between random players in this process, with a new database and its output in a file, and
    measure it, without the first tenth of the games."""
    arguments = f"{options} random random:seed=1 --seed 1 --rounds {games // 2} --games-at-once {at_once}".split()
    meter = Meter(first=games // 10, last=games // 2 * 2)
    play = Director.play
    sys.stdout.flush()
    with (
        tempfile.TemporaryDirectory() as folder,
        Path(folder, "output").open("w") as output,
        redirect_stdout(output),
    ):
        Director.play = meter.watch(play)  # type: ignore[method-assign]
        try:
            app(["run", *arguments, "--db", str(Path(folder, "arena.db"))], prog_name="arena", standalone_mode=False)
        finally:
            Director.play = play  # type: ignore[method-assign]
    if meter.measured is None:
        raise SystemExit(f"arena run {' '.join(arguments)} ended before game {meter.last}")
    return meter.measured
