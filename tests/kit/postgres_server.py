"""A PostgreSQL server for the tests: in a temporary folder, reached over a Unix socket, removed afterwards.

If the server program or the driver is not installed, its tests are skipped. PostgreSQL refuses to run as root; root
starts it as another user.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from tests.kit import needs

OWNER: Final = "owner"
"""The server's superuser."""
_ROLE: Final = "arena"
"""Who owns the databases of the tests: an ordinary role."""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    folder: Path
    _numbers: Iterator[int] = field(default_factory=count)

    @classmethod
    def of(cls, url: str) -> Server:
        """The server of a database."""
        return cls(Path(url.partition("?host=")[2]))

    def new_database(self, name: str = "") -> str:
        """The URL of a database that is empty."""
        name = name or f"test{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} OWNER {_ROLE}")
        return self.url(name)

    def copy(self, original: str, url: str) -> None:
        """Make the database with that URL, which is empty, a copy of the one with the URL `original`."""
        name = self.name_of(url)
        self.run(f"DROP DATABASE {name}")
        self.run(f"CREATE DATABASE {name} OWNER {_ROLE} TEMPLATE {self.name_of(original)}")

    def url(self, database: str, *, role: str = _ROLE) -> str:
        """The URL of a database on it."""
        return f"postgresql+psycopg://{role}@/{database}?host={self.folder}"

    def name_of(self, url: str) -> str:
        """The name of the database with that URL."""
        return url.partition("@/")[2].partition("?")[0]

    def run(self, statement: str, *, database: str = "postgres") -> list[Any]:
        """What the superuser's statement answers."""
        import psycopg

        with psycopg.connect(host=str(self.folder), dbname=database, user=OWNER, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []


@contextmanager
def server(*, safe: bool = False) -> Iterator[Server]:
    """A server that runs inside. `safe`: what was committed is on the disk, as on a server that people use."""
    programs = _programs()
    if programs is None:
        pytest.skip(needs.package("the server of PostgreSQL", "postgresql"))
    pytest.importorskip("psycopg", reason=needs.extra("postgres"))
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as name:
        folder, user = Path(name), _user()
        if user is not None:
            shutil.chown(folder, user)
        data = str(folder / "data")
        made = ["--auth=trust", f"--username={OWNER}", "--no-sync", "--encoding=UTF8", "--locale=C"]
        subprocess.run(
            [programs / "initdb", "-D", data, *made], user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL
        )
        settings = ["listen_addresses=", f"unix_socket_directories={folder}"]
        settings += ["shared_buffers=128MB"] if safe else ["fsync=off", "shared_buffers=16MB"]
        settings.append("autovacuum=off")  # its processes come and go: tests look for processes that are left
        log = (folder / "log").open("wb")
        running = subprocess.Popen(
            [programs / "postgres", "-D", data, *(f"-c{setting}" for setting in settings)],
            user=user, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            ready = [str(programs / "pg_isready"), "--quiet", "-h", name]
            while subprocess.run(ready, check=False).returncode != 0:
                assert running.poll() is None, (folder / "log").read_text()
            made_server = Server(folder)
            made_server.run(f"CREATE ROLE {_ROLE} LOGIN")
            yield made_server
        finally:
            running.send_signal(signal.SIGQUIT)  # at once: nothing of it is kept
            running.wait()
            log.close()


def _programs() -> Path | None:
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


def _user() -> str | None:
    """Whom root starts it as; None where we are somebody else."""
    if os.getuid() != 0:
        return None
    names = {user.pw_name for user in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), None)
