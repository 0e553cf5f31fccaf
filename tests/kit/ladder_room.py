"""A ladder with real processes: its server, and commands that hand in."""

from __future__ import annotations

import os
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import IO, Final, Self

from arena.players.submissions import Store
from arena.serve.messages import nudge
from arena.serve.open_ladders import opened
from arena.serve.spool import Spool
from arena.serve.submissions import announce
from arena.walls.usage import descendants
from db.bundles import store_beside
from db.database import Database
from db.ladder import StoredSubmission
from tests.kit.arena_program import arena, environment
from tests.kit.effort import PATIENCE
from tests.kit.hand_in_room import AGENT
from tests.kit.places import ROOT

DESCRIPTION: Final = """\
name = "cs101"
game = "{game}"
clock = "10+0.1"
games_at_once = {games_at_once}
public = true
[ladder]
closes = "2099-12-20 23:59"
anchors = {{ "random" = 0, "alphabeta:depth=2" = 300 }}
[ladder.limits]
pause = {pause}
burst = 1
per_day = 0
"""
VICTIMS: Final = ("director", "referee", "rater", "intake", "submit", "player", "group")
"""What is killed: one process of a ladder, or its server with all processes of its process group at once."""
_MODULES: Final = {
    "referee": "play.referee",
    "rater": "serve.rater",
    "intake": "serve.intake",
    "web": "web.server",
}
_LOOK_EVERY: Final = 0.5
"""Seconds between two looks at the database."""


@dataclass
class LadderRoom:
    """A folder with the description of a ladder, its database, and the processes of this test."""

    folder: Path
    handed_in: int = 0
    """The number of agents that were written, each in a file of its own."""
    server: subprocess.Popen[str] | None = None
    printed: list[str] = field(default_factory=list)
    """The lines of all servers that the test has read."""
    temporary: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="ladder-", dir="/tmp")))
    """Temporary files of all commands, run folders too: these are made elsewhere if this path is long."""
    _lines: SimpleQueue[str | None] = field(default_factory=SimpleQueue)
    """Those that it has not read; None: the server has ended."""

    def __post_init__(self) -> None:
        self.describe(games_at_once=1)

    def describe(self, *, games_at_once: int, game: str = "nap", pause: int = 0) -> None:
        """Write the description. `pause`: seconds between two submissions of an author."""
        description = DESCRIPTION.format(games_at_once=games_at_once, game=game, pause=pause)
        (self.folder / "cs101.toml").write_text(description, "utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """A server that a failed test has left is killed."""
        try:
            if self.server is not None and self.server.poll() is None:
                self.kill()
        finally:
            shutil.rmtree(self.temporary)

    def serve(self, *options: str) -> None:
        """Start the server, and wait until it has printed what it does."""
        self.server = self.started("serve", "cs101.toml", *options, own_group=True)
        assert self.server.stdout is not None
        self._lines = SimpleQueue()
        # In a thread: a server whose lines nobody reads stops when the pipe is full.
        Thread(target=_read, args=(self.server.stdout, self._lines), daemon=True).start()
        self.wait_for(lambda line: ", clock " in line)
        assert [*self.temporary.glob("arena-run-*")] != []

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Send the server a signal; its exit code. All its processes end, and no file of the run is left."""
        assert self.server is not None
        family = self.family()
        self.server.send_signal(number)
        code = self.end()
        _assert_ended(family)
        assert [*self.temporary.iterdir()] == []
        return code

    def kill(self, *, group: bool = False) -> None:
        """Kill the server, perhaps with its whole process group; all other processes must end by themselves."""
        assert self.server is not None
        family = self.family()
        if group:
            os.killpg(self.server.pid, signal.SIGKILL)
        else:
            self.server.kill()
        self.end()
        _assert_ended(family)

    def end(self) -> int:
        """Wait for the end of the server; its exit code."""
        assert self.server is not None
        code = self.server.wait(PATIENCE)
        while self.line(PATIENCE) is not None:
            pass
        return code

    def line(self, timeout: float) -> str | None:
        """The next line of the server; None if there is none within `timeout` seconds, or if the server has ended."""
        try:
            line = self._lines.get(timeout=timeout)
        except Empty:
            return None
        if line is None:
            self._lines.put(None)
            return None
        self.printed.append(line)
        return line

    def wait_for(self, wanted: Callable[[str], bool]) -> str:
        """The next line of the server that is `wanted`."""
        while (line := self.line(PATIENCE)) is not None:
            if wanted(line):
                return line
        raise AssertionError("the server has ended, or printed nothing:\n" + "\n".join(self.printed[-20:]))

    def wait_until_none(self, query: str) -> None:
        """Until the query finds no rows."""
        until = monotonic() + PATIENCE
        while found := self.rows(query):
            assert monotonic() < until, (query, found, self.printed[-20:])
            assert self.server is not None
            assert self.server.poll() is None, self.printed[-20:]
            self.line(_LOOK_EVERY)

    def submit(self, author: str, code: str = AGENT, file: Path | None = None) -> subprocess.Popen[str]:
        """Start the command that hands in a new agent, or an agent that was handed in before."""
        return self.started("submit", str(file or self.new_file(code)), "--as", author)

    def upload(self, author: str, code: str = AGENT) -> StoredSubmission:
        """Upload a new agent, as the web does."""
        with Database(str(self.folder / "arena.db")) as database:
            store = Store(store_beside(database.file))
            with database.reading() as connection:
                ladder = opened(connection)
            file = self.new_file(code)
            with Spool(store).begin() as upload:
                upload.write(file.read_bytes())
                upload.finish()
                now = datetime.now(UTC)
                one = announce(database, ladder, author, file.name, now, begun=now, keep=upload.keep_as)
        nudge(store.folder, ladder.name)
        return one

    def new_file(self, code: str) -> Path:
        """A file with a new agent."""
        self.handed_in += 1
        file = self.folder / f"agent_{self.handed_in}.py"
        file.write_text(f"{code.replace('{number}', str(self.handed_in))}\n# {self.handed_in}\n")
        return file

    def process(self, name: str) -> int | None:
        """This process of the server, such as "play.referee", not a child that it has forked; None if there is none."""
        assert self.server is not None
        for child in sorted(descendants(self.server.pid)):
            with suppress(OSError):
                if f"arena.{name}" in Path(f"/proc/{child}/cmdline").read_text().replace("\0", " "):
                    return child
        return None

    def awaited(self, name: str) -> int:
        """The same, as soon as it is there: a process starts after the server's first lines."""
        until = monotonic() + PATIENCE
        while (found := self.process(name)) is None:
            assert monotonic() < until, (name, self.printed[-20:])
            self.line(_LOOK_EVERY)
        return found

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """The director does nothing meanwhile; it is not stopped while it holds the database's lock."""
        assert self.server is not None
        try:
            while True:
                self.server.send_signal(signal.SIGSTOP)
                os.waitid(os.P_PID, self.server.pid, os.WSTOPPED)
                if not self._is_locked():
                    break
                self.server.send_signal(signal.SIGCONT)
            yield
        finally:
            self.server.send_signal(signal.SIGCONT)

    def _is_locked(self) -> bool:
        connection = sqlite3.connect(self.folder / "arena.db", timeout=0, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        else:
            return False
        finally:
            connection.close()

    def players(self) -> list[int]:
        """The processes of the server that are none of ours."""
        assert self.server is not None
        return sorted(descendants(self.server.pid) - {self.process(name) for name in _MODULES.values()})

    def family(self) -> list[int]:
        """The server and all its processes, as descriptors that stay theirs."""
        assert self.server is not None
        found: list[int] = []
        for process in (self.server.pid, *descendants(self.server.pid)):
            with suppress(ProcessLookupError):
                found.append(os.pidfd_open(process))
        return found

    def sizes(self) -> dict[str, int]:
        """What could grow in the server and its processes: `sizes_of` each."""
        assert self.server is not None
        found: dict[str, int] = {}
        processes = {"director": self.server.pid} | {name: self.process(module) for name, module in _MODULES.items()}
        for name, process in processes.items():
            assert process is not None or name in ("intake", "web"), name
            if process is not None:
                found |= sizes_of(process, name)
        return found

    def rows(self, query: str) -> list[tuple[int | str, ...]]:
        """The rows of a query."""
        connection = sqlite3.connect(self.folder / "arena.db", timeout=PATIENCE)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def wait_until_checked(self) -> None:
        """Until no submission waits for its check or is in it. Nothing is killed now, so each is checked at most twice:
        in the run of a lost referee, and again. The line of the run before that can still be on its way."""
        before = len(self.printed)
        self.wait_until_none("SELECT id FROM submission WHERE state IN ('received', 'checking')")
        checks = Counter(line.partition(" ")[2] for line in self.printed[before:] if line.endswith(": checking"))
        assert max(checks.values(), default=0) <= 3, checks

    def wait_until_rated(self) -> None:
        """Until every player has a rating."""
        self.wait_until_none(
            "SELECT name FROM entry WHERE status = 'active' AND tournament IN (SELECT tournament FROM rating) "
            "AND NOT EXISTS (SELECT 1 FROM rating WHERE rating.version = entry.version)"
        )

    def assert_whole(self) -> None:
        """Every submission has reached its end, every pair has its two games at most once, the database verifies."""
        states = Counter(state for (state,) in self.rows("SELECT state FROM submission"))
        assert states.keys() <= {"entered", "failed", "refused", "withdrawn"}, states
        twice = (
            "SELECT tournament, pair, leg FROM game WHERE status = 'finished' AND verdict <> 'void' "
            "GROUP BY 1, 2, 3 HAVING COUNT(*) > 1"
        )
        assert self.rows(twice) == []
        assert self.rows("SELECT pair FROM game WHERE leg > 1") == []
        unrecorded = (
            "SELECT id FROM game WHERE status = 'finished' AND verdict = 'normal' "
            "AND NOT EXISTS (SELECT 1 FROM move WHERE move.game = game.id)"
        )
        assert self.rows(unrecorded) == []
        assert self.rows("SELECT id FROM game WHERE status = 'playing'") == []
        ended = arena("data", "verify", cwd=self.folder)
        assert ended.code == 0, ended.out + ended.err

    def started(self, *arguments: str, own_group: bool = False, output: Path | None = None) -> subprocess.Popen[str]:
        """A command, whose output is in a pipe, or in the file `output`."""
        with ExitStack() as stack:
            return subprocess.Popen(
                [sys.executable, "-m", "arena", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=stack.enter_context(output.open("w")) if output else subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env=environment(200) | {"TMPDIR": str(self.temporary), "PYTHONPATH": str(ROOT)},
                cwd=self.folder,
                start_new_session=own_group,
            )


def sizes_of(process: int, name: str) -> dict[str, int]:
    """Resident memory in KiB, and number of descriptors."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    descriptors = len(os.listdir(f"/proc/{process}/fd"))
    return {f"{name}: KiB": pages * os.sysconf("SC_PAGESIZE") // 1024, f"{name}: descriptors": descriptors}


def hurt(room: LadderRoom, victim: str, drawn: random.Random, agents: Sequence[str] = (AGENT,)) -> None:
    """Hand in an agent, and kill one of the ladder's processes meanwhile; a server that was killed is started again."""
    author, code = drawn.choice(("alice", "bob", "carol")), drawn.choice(agents)
    if victim == "intake":
        room.upload(author, code)
    submit = room.submit(author, code)
    if victim == "submit":
        with suppress(subprocess.TimeoutExpired):
            submit.wait(drawn.uniform(0, 1))
        submit.kill()
    submit.communicate(timeout=PATIENCE)
    if victim != "submit" and drawn.randrange(2):  # a server without agents prints nothing
        room.line(drawn.uniform(0, 3))
    if victim in ("director", "group"):
        room.kill(group=victim == "group")
        room.serve()
        return
    process = drawn.choice([*room.players(), None]) if victim == "player" else None
    if victim in _MODULES:
        process = room.process(_MODULES[victim])
    if process is not None:
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.kill(process, signal.SIGKILL)


def _read(lines: IO[str], queue: SimpleQueue[str | None]) -> None:
    with lines:
        for line in lines:
            queue.put(line.rstrip("\n"))
    queue.put(None)


def _assert_ended(family: Iterable[int]) -> None:
    """All these processes end by themselves."""
    for process in family:
        try:
            assert select.select([process], [], [], PATIENCE)[0], "a process is left"
        finally:
            os.close(process)
