"""A Dask cluster of real processes: a scheduler, game hosts, commands that hand out games, and a network that is cut.

All of them have the same temporary folder, so that what one of them leaves behind is found.
"""

from __future__ import annotations

import os
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tests.kit.effort import PATIENCE
from tests.kit.places import ROOT

SILENT: Final = "5s"
"""How long a host can be silent before the scheduler gives it up."""


class Program:
    """A process whose lines are read while it runs."""

    def __init__(self, room: Room, *words: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=room.environment,
            cwd=room.folder,
        )
        self.pid = self._process.pid
        self.said: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        room.programs.append(self)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line.rstrip())
        self._lines.put(None)

    def until(self, text: str, times: int = 1) -> str:
        """Reads on until `text` has come that often; returns the line."""
        while True:
            line = self._lines.get(timeout=PATIENCE)
            assert line is not None, f"{text!r} never came: {self.said}"
            self.said.append(line)
            times -= text in line
            if not times:
                return line

    def ended(self) -> int:
        """Its exit code; all that it has said is then in `said`."""
        code = self._process.wait(PATIENCE)
        while (line := self._lines.get(timeout=PATIENCE)) is not None:
            self.said.append(line)
        return code

    def send(self, number: int) -> None:
        """Sends a signal."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kills it (SIGKILL)."""
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """Ends it, whatever it does."""
        if self._process.poll() is None:
            for number in (signal.SIGCONT, signal.SIGTERM, signal.SIGTERM):
                self._process.send_signal(number)
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()


class Room:
    """The cluster, in a folder."""

    def __init__(self, folder: Path, protocol: str = "tcp", **settings: str) -> None:
        """`settings`: environment variables of all its processes."""
        self.folder = folder
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.environment = os.environ | {
            "COLUMNS": "80",
            "NO_COLOR": "1",
            "PYTHONUNBUFFERED": "1",
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(self.temporary),
            "DASK_CONFIG": str(folder / "dask"),
            "DASK_TEMPORARY_DIRECTORY": str(folder),
            "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": SILENT,
            "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s",
            **settings,
        }
        self.strangers: dict[str, str] = {}
        """Variables of those who have another certificate."""
        self.programs: list[Program] = []
        self.schedulers: list[Program] = []
        self.port = free_port()
        self.address = f"{protocol}://127.0.0.1:{self.port}"

    def scheduler(self) -> Program:
        """Starts a scheduler at the room's address."""
        protocol = self.address.partition(":")[0]
        place = ("--host", "127.0.0.1", "--port", str(self.port), "--dashboard-address", "127.0.0.1:0")
        started = Program(self, "-m", "distributed.cli.dask_scheduler", *place, "--protocol", protocol)
        started.until("Scheduler at:")
        self.schedulers.append(started)
        return started

    def host(self, *options: str, address: str = "") -> Program:
        """Starts a game host; it has joined."""
        started = Program(self, "-m", "arena", "worker", address or self.address, *options)
        started.until("joined")
        return started

    def run(self, *words: str, on: str = "") -> Program:
        """Starts `arena run WORDS --on ADDRESS`."""
        return Program(self, "-m", "arena", "run", *words, "--on", on or self.address)

    def close(self) -> None:
        """Ends all programs."""
        for program in reversed(self.programs):
            program.end()

    def left_behind(self) -> list[str]:
        """The folders that are left in the temporary folder, and the processes that were started here and still run."""
        mark = f"TMPDIR={self.temporary}".encode()
        running = []
        for each in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (each / "environ").read_bytes().split(b"\0") and (each / "cmdline").read_bytes():
                    running.append((each / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        return [*map(str, self.temporary.iterdir()), *running]


@contextmanager
def cluster(made_in: Callable[[Path], Room] = Room) -> Iterator[Room]:
    """A room with a scheduler, in a new folder. At the end nothing must be left behind."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as name:
        made = made_in(Path(name))
        try:
            made.scheduler()
            yield made
        finally:
            made.close()
        assert made.left_behind() == []


def free_port() -> int:
    """A TCP port of the loopback interface that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Network:
    """A cable to a port of this machine, which can be cut and mended."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._listening.getsockname()[1]}"
        self._is_cut = False
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Ends all connections, and lets no new one through."""
        with self._lock:
            self._is_cut = True
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Lets new connections through."""
        self._is_cut = False

    def close(self) -> None:
        """The end."""
        self.cut()
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = None
                with suppress(OSError):
                    far = None if self._is_cut else socket.create_connection(("127.0.0.1", self._to))
                if far is None:
                    near.close()
                    continue
                with self._lock:
                    self._open |= {near, far}
                for here, there in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(here, there), daemon=True).start()

    def _carry(self, here: socket.socket, there: socket.socket) -> None:
        with suppress(OSError):
            while data := here.recv(65536):
                there.sendall(data)
        for each in (here, there):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        with self._lock:
            self._open.discard(here)
        here.close()


@contextmanager
def network(port: int) -> Iterator[Network]:
    """A cable to that port."""
    cable = Network(port)
    try:
        yield cable
    finally:
        cable.close()
