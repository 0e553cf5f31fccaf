"""The findings about the operating system, the versions of programs, and the parts of arena that are installed."""

from __future__ import annotations

import platform
import sqlite3
from contextlib import suppress
from typing import Final

from adsearch.plugins import broken
from arena import installation
from arena.installation import Extra
from arena.play.machine.finding import Finding, Health, found, unknown

# What arena runs on: the operating system, Python, libraries, and the limit on open files.


_PLAYERS_LEAST: Final = 128
"""Below this number of players there is a warning."""
_MORE_FILES: Final = "raise the hard limit on open files (ulimit -Hn; on Linux in /etc/security/limits.conf)"


def of_system() -> list[Finding]:
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
        from arena.play import control

        try:
            players = control.most_players()
        except ArenaError as error:
            return Finding("system", "open files", str(error), Health.PROBLEM, _MORE_FILES)
        advice = "" if players >= _PLAYERS_LEAST else _MORE_FILES
        return found("system", "open files", f"enough for {players:,} players at the same time", advice)
    return unknown("system", "open files")


# Which optional parts of arena are installed, what each is for, and the command that installs it; and which packages
# that add to arena cannot be loaded.


PURPOSES: Final = {
    "spreadsheet": "rosters in the format .xlsx",
    "postgres": "a database on a PostgreSQL server",
    "web": "web pages of a ladder",
    "scale": "games on several machines, over Dask",
    "openspiel": "games of OpenSpiel",
    "pettingzoo": "games as environments of PettingZoo",
    "browser": "tests of the pages in Chromium",
    "bench": "benchmarks beside easyAI",
    "test": "`make test`",
    "mutants": "`make mutants`",
    "release": "`make release`",
}
"""What each extra is for."""
_FOR_PLAYERS: Final = ("spreadsheet", "postgres", "web", "scale", "openspiel", "pettingzoo")
"""The extras that add to the commands; the others are for those who change the code, in a clone."""

_UPDATE: Final = "update that package, or uninstall it"


def of_extras() -> list[Finding]:
    """The extras that can be of use here, and what packages offer that cannot be loaded."""
    found = {extra.name: extra for extra in installation.extras()}
    wanted = PURPOSES if installation.is_clone() else _FOR_PLAYERS
    extras = [found[name] for name in wanted if name in found]
    told = [of_extra(extra, installation.command(extra.name) if extra.missing else "") for extra in extras]
    wrong = [Finding("extras", "plugin", str(error), Health.WARNING, _UPDATE) for error in broken("arena.")]
    return told + wrong


def of_extra(extra: Extra, command: str) -> Finding:
    """Whether an extra is installed; if it is not, the command that installs it."""
    value = f"installed: {PURPOSES[extra.name]}"
    if extra.missing:
        value = f"not {value}; to install: {command}"
    return Finding("extras", extra.name, value, Health.OK)
