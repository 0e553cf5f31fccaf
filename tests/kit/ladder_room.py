"""A ladder with real processes: its server, and commands that hand in."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from arena.walls.usage import descendants
from tests.kit.arena_program import arena, environment
from tests.kit.effort import PATIENCE
from tests.kit.hand_in_room import AGENT
from tests.kit.places import ROOT

DESCRIPTION: Final = """\
name = "cs101"
game = "nap"
clock = "10+0.1"
games_at_once = {games_at_once}
[ladder]
closes = "2099-12-20 23:59"
anchors = {{ "random" = 0, "alphabeta:depth=2" = 300 }}
[ladder.limits]
pause = 0
per_day = 0
"""
VICTIMS: Final = ("director", "referee", "rater", "submit")
_MODULES: Final = {"referee": "play.referee", "rater": "serve.rater"}


@dataclass
class LadderRoom:
    """A folder with the description of a ladder, its database, and the processes of this test."""

    folder: Path
    handed_in: int = 0
    """How many agents were handed in, by commands that were not killed."""
    server: subprocess.Popen[str] | None = None
    printed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.describe(games_at_once=1)
        (self.folder / "tmp").mkdir()

    def describe(self, *, games_at_once: int) -> None:
        """Write the description."""
        (self.folder / "cs101.toml").write_text(DESCRIPTION.format(games_at_once=games_at_once), "utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """A server that a failed test has left is killed."""
        if self.server is not None and self.server.poll() is None:
            self.kill()

    def serve(self) -> None:
        """Start the server, and wait until it has printed what it does."""
        self.server = self.started("serve", "cs101.toml")
        self.wait_for(lambda line: "hand in" in line)

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Send the server a signal; its exit code."""
        assert self.server is not None
        self.server.send_signal(number)
        return self.end()

    def kill(self) -> None:
        """Kill the server."""
        assert self.server is not None
        self.server.kill()
        self.end()

    def end(self) -> int:
        """Wait for the end of the server; its exit code."""
        assert self.server is not None
        with self.server as server:
            out, _ = server.communicate(timeout=PATIENCE)
        self.printed += out.splitlines()
        return server.returncode

    def wait_for(self, wanted: Callable[[str], bool]) -> str:
        """The next line of the server that is `wanted`."""
        assert self.server is not None
        assert self.server.stdout is not None
        for line in self.server.stdout:
            self.printed.append(line.rstrip("\n"))
            if wanted(line):
                return line
        raise AssertionError("the server has ended:\n" + "\n".join(self.printed[-20:]))

    def submit(self, author: str, code: str = AGENT) -> subprocess.Popen[str]:
        """Start the command that hands in a new agent."""
        self.handed_in += 1
        file = self.folder / f"agent_{self.handed_in}.py"
        file.write_text(code.replace("{number}", str(self.handed_in)))
        return self.started("submit", str(file), "--as", author)

    def process(self, name: str) -> int | None:
        """The referee or the rater of the server; None if there is none now."""
        assert self.server is not None
        for child in descendants(self.server.pid):
            with suppress(OSError):
                if f"arena.{name}" in Path(f"/proc/{child}/cmdline").read_text().replace("\0", " "):
                    return child
        return None

    def memory(self) -> dict[str, int]:
        """The resident memory of the server, its referee and its rater, in pages."""
        assert self.server is not None
        processes = {"director": self.server.pid} | {name: self.process(name) for name in _MODULES.values()}
        return {
            name: int(Path(f"/proc/{process}/statm").read_text().split()[1])
            for name, process in processes.items()
            if process is not None
        }

    def rows(self, query: str) -> list[tuple[int | str, ...]]:
        """The rows of a query."""
        connection = sqlite3.connect(self.folder / "arena.db", timeout=PATIENCE)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def wait_until_checked(self) -> None:
        """Until no submission waits for its check or is in it."""
        open_ones = "SELECT COUNT(*) FROM submission WHERE state IN ('received', 'checking')"
        while self.rows(open_ones) != [(0,)]:
            self.wait_for(lambda line: "submission" in line)

    def assert_whole(self) -> None:
        """Every submission has reached its end, every pair has its two games at most once, the database verifies."""
        states = Counter(state for (state,) in self.rows("SELECT state FROM submission"))
        assert states.keys() <= {"entered", "failed", "refused", "withdrawn"}, states
        twice = (
            "SELECT tournament, pair, leg FROM game WHERE status = 'finished' AND verdict <> 'void' "
            "GROUP BY 1, 2, 3 HAVING COUNT(*) > 1"
        )
        assert self.rows(twice) == []
        assert self.rows("SELECT id FROM game WHERE status = 'playing'") == []
        ended = arena("db", "verify", cwd=self.folder)
        assert ended.code == 0, ended.out + ended.err

    def started(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "arena", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment(200) | {"TMPDIR": str(self.folder / "tmp"), "PYTHONPATH": str(ROOT)},
            cwd=self.folder,
        )


def hurt(room: LadderRoom, victim: str, drawn: random.Random) -> None:
    """Hand in an agent, and kill one of the ladder's processes meanwhile; a server that was killed is started again."""
    submit = room.submit(drawn.choice(("alice", "bob", "carol")))
    if victim == "submit":
        with suppress(subprocess.TimeoutExpired):
            submit.wait(drawn.uniform(0, 1))
        submit.kill()
    submit.communicate(timeout=PATIENCE)
    if victim != "submit" and drawn.randrange(2):  # a server without agents prints nothing
        room.wait_for(lambda _: True)
    if victim == "director":
        room.kill()
        room.serve()
    elif victim in _MODULES and (process := room.process(_MODULES[victim])) is not None:
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(process, signal.SIGKILL)
