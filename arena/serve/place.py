"""Nudges: how a command reaches the process that runs a tournament.

What happens next is always decided by rows of the database, so a nudge has no content: it only makes the process look
sooner. A lost one costs two seconds.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from pathlib import Path
from typing import Final

from arena.tournament.lock import running_in

_SOCKET: Final = "nudge"


def nudge(store: Path, tournament: str) -> bool:
    """Makes the process that runs this tournament look at the database now; returns whether a process does.

    `store`: the store's folder."""
    if (folder := running_in(store, tournament)) is None:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender, suppress(OSError):
        sender.setblocking(False)
        sender.sendto(b"!", str(folder / _SOCKET))
    return True


class Nudges:
    """The socket in a run folder that receives nudges."""

    def __init__(self, folder: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.bind(str(folder / _SOCKET))

    def fileno(self) -> int:
        """The descriptor, readable when nudges have come."""
        return self._socket.fileno()

    def read(self) -> bool:
        """Reads all nudges that have come; returns whether there was one."""
        came = False
        with suppress(BlockingIOError):
            while self._socket.recv(1):
                came = True
        return came

    def close(self) -> None:
        """Closes the socket; its file is removed with the run folder."""
        self._socket.close()
