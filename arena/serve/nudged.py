"""A process beside the director that works on rows of the database, such as the rater: both ends of its link.

The director sends the settings as one line of JSON, and then a nudge when there are rows to work on; the process sends
a nudge when it has written some. What happens next is in the database, so a nudge has no content. The process ends
with its director, whose end of the link closes.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from arena.play.crew import Process
from arena.walls.run_folder import RunFolder
from db.database import Database

AT_ONCE: Final = 65536
"""Bytes that are read at once."""
_NUDGE: Final = b"."


class NudgedProcess:
    """The director's end of such a process."""

    def __init__(
        self, module: str, folder: RunFolder, database: Database, settings: Mapping[str, Any], *, ends_within: float
    ) -> None:
        """`settings`: what the process needs to know besides the address of the database."""
        self._process = Process(["-m", module], folder=folder, ends_within=ends_within)
        # Not as arguments: the address of a database can have a password in it.
        address = database.address.render_as_string(hide_password=False)
        self._process.send_settings({"database": address, **settings})
        self._process.link.setblocking(False)

    def fileno(self) -> int:
        """A descriptor that is readable when rows were written or the process has ended."""
        return self._process.fileno()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def nudge(self) -> None:
        """There are rows to work on."""
        with suppress(OSError):  # it has ended, or has not read thousands of nudges: it reads the database anyway
            self._process.link.send(_NUDGE)

    def read(self) -> bool:
        """Whether rows were written since the last call."""
        try:
            return bool(self._process.link.recv(AT_ONCE))
        except OSError:
            return False

    def is_gone(self) -> bool:
        """Whether the process has ended and all was read; another one can take its place."""
        return self._process.is_gone()

    def how_it_ended(self) -> str:
        """How the process ended."""
        return self._process.how_it_ended()

    def end(self) -> None:
        """Ends the process, which can finish its work within `ends_within` seconds."""
        self._process.end()


# The process's end of the link.


def read_settings(director: socket.socket) -> tuple[dict[str, Any], int]:
    """The settings that the director sends first, and the number of nudges that came with them."""
    received = b""
    while b"\n" not in received:
        more = director.recv(AT_ONCE)
        if not more:
            sys.exit()  # the director has ended
        received += more
    line, _, nudges = received.partition(b"\n")
    return json.loads(line), len(nudges)


def read_nudges(director: socket.socket) -> int:
    """The number of nudges that have come; 0: the director has ended."""
    with suppress(OSError):  # it has ended, and had not read everything
        return len(director.recv(AT_ONCE))
    return 0


def nudge_back(director: socket.socket) -> None:
    """Rows were written."""
    with suppress(OSError):  # the director has ended, or has not read thousands of nudges
        director.send(_NUDGE, socket.MSG_DONTWAIT)
