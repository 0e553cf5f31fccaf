"""What arena runs on: the operating system, Python, libraries, and the limit on open files.

These facts come from the installation; the other modules look at what the machine does now.
"""

from __future__ import annotations

import platform
import sqlite3
from contextlib import suppress
from typing import Final

from arena import installation
from arena.play.machine.finding import Finding, Health, found, unknown

_PLAYERS_LEAST: Final = 128
"""Below this number of players there is a warning."""
_MORE_FILES: Final = "raise the hard limit on open files (ulimit -Hn; on Linux in /etc/security/limits.conf)"


def findings() -> list[Finding]:
    """What arena runs on."""
    return [
        found("system", "arena", installation.version()),
        operating_system(platform.system(), platform.release(), platform.machine()),
        *_software(),
        open_files(),
    ]


def operating_system(name: str, release: str, processor: str) -> Finding:
    """Whether arena runs on this operating system."""
    value = " ".join(filter(None, (name, release, processor)))
    if name in ("Linux", "Darwin"):
        return found("system", "platform", value)
    return Finding("system", "platform", value, Health.PROBLEM, "arena runs on Linux and macOS; on Windows use WSL 2")


def _software() -> list[Finding]:
    import zmq

    python = f"{platform.python_version()} ({platform.python_implementation()})"
    others = [found("system", "Python", python), found("system", "SQLite", sqlite3.sqlite_version)]
    if zmq.has("ipc"):
        return [*others, found("system", "ZeroMQ", zmq.zmq_version())]
    advice = "pyzmq needs a libzmq with ipc: pip install --force-reinstall pyzmq"
    return [*others, Finding("system", "ZeroMQ", f"{zmq.zmq_version()} without ipc", Health.PROBLEM, advice)]


def open_files() -> Finding:
    """For how many players the limit on open files is enough."""
    with suppress(ImportError):
        from arena.errors import ArenaError
        from arena.play import descriptors

        try:
            players = descriptors.players()
        except ArenaError as error:
            return Finding("system", "open files", str(error), Health.PROBLEM, _MORE_FILES)
        advice = "" if players >= _PLAYERS_LEAST else _MORE_FILES
        return found("system", "open files", f"enough for {players:,} players at the same time", advice)
    return unknown("system", "open files")
