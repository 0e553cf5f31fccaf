"""The crew: starts the referee and the players, knows at once when one ends, and ends them all.

Each process gets one end of a socket pair as its stdin. Over it a player is handed its token, never by argument or
environment, which any process of the same user can read. When the process ends the director's end closes, and when the
director ends the process's: so each knows of the other's end within moments, and nothing outlives its parent.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import agents
from agents.errors import one_line
from arena.errors import ArenaError
from arena.walls import jail
from arena.walls.run_folder import RunFolder

_ENDS_WITHIN: Final = 2.0
"""Seconds that a process has to end by itself once its director has hung up."""

_LONGEST_LINE: Final = 500


class Process:
    """One process of the crew. It is alive until `ended` was called or its link is at its end."""

    def __init__(self, arguments: Sequence[str], *, folder: RunFolder) -> None:
        if sys.platform == "win32":
            raise ArenaError("a referee and its players need Linux or macOS; on Windows use WSL")
        ours, theirs = socket.socketpair()
        self.link: socket.socket = ours
        self._log = folder.path / f"log-{secrets.token_hex(4)}"
        with theirs, self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-P", *arguments],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=log,
                env=os.environ | {"PYTHONPATH": _packages_first()},
            )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def tell(self, orders: Mapping[str, Any]) -> None:
        """Hands over what the process needs to begin, as one line."""
        with suppress(OSError):  # it may have ended already, which its link tells
            self.link.sendall(json.dumps(dict(orders)).encode() + b"\n")

    def fileno(self) -> int:
        """Readable when the process has ended."""
        return self.link.fileno()

    def how_it_ended(self) -> str:
        """In words, with the last line that it wrote to stderr. To be asked when the link is at its end."""
        try:
            code = self._process.wait(_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            return "hung up"
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        lines = self._log.read_text("utf-8", "replace").strip().splitlines() if self._log.exists() else []
        return f"{how}: {one_line(lines[-1], most=_LONGEST_LINE)}" if lines else how

    def is_gone(self) -> bool:
        """Whether it has ended."""
        try:
            return not self.link.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()

    def hang_up(self) -> None:
        """Lets the process know that it is not needed any more."""
        self.link.close()

    def end(self, *, asked: bool = False) -> None:
        """Sees to it that the process is gone: it may end by itself, and is killed if it takes too long.

        A process that was `asked` to end keeps its link until then: without it, it would take its director for dead."""
        if not asked:
            self.hang_up()
        try:
            self._process.wait(_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.hang_up()
        self._log.unlink(missing_ok=True)


class Member:
    """A player process, or a seat that is kept for a player which is not ours to start."""

    def __init__(self, key: str, *, guarded: bool, hosted: bool = True) -> None:
        # What it plays: players with the same key may stand in for each other.
        self.key = key
        self.token = secrets.token_hex(32)
        self.guarded = guarded
        self.hosted = hosted
        self.process: Process | None = None
        # How its process ended, once it is lost.
        self.ended = ""
        # To be called when the referee knows of the token.
        self.hand_token: Callable[[], None] = lambda: None


class Crew:
    """The referee, and all players, working and idle."""

    def __init__(self, folder: RunFolder, *, most_idle: int = 8) -> None:
        self.folder = folder
        self.referee = Process(["-m", "arena.play.referee", str(folder.path)], folder=folder)
        self._most_idle = most_idle
        # By token.
        self._players: dict[str, Member] = {}
        # Those at hand, the one that has waited longest first.
        self._idle: list[Member] = []

    def take_idle(self, key: str) -> Member | None:
        """An idle player that plays `key`; it is idle no longer. It may have ended meanwhile."""
        for player in self._idle:
            if player.key == key:
                self._idle.remove(player)
                return player
        return None

    def start(self, key: str, arguments: Sequence[str], orders: Mapping[str, Any], *, guarded: bool) -> Member:
        """A new process that plays `key`."""
        player = Member(key, guarded=guarded)
        process = player.process = Process(arguments, folder=self.folder)
        player.hand_token = lambda: process.tell({"address": self.folder.players, "token": player.token, **orders})
        self._players[player.token] = player
        return player

    def invite(self, key: str, call: Callable[[str, str], None]) -> Member:
        """A player that somebody else starts: `call` is given the address and the token."""
        player = Member(key, guarded=False, hosted=False)
        player.hand_token = lambda: call(self.folder.players, player.token)
        self._players[player.token] = player
        return player

    def release(self, player: Member) -> list[Member]:
        """The player's game is over. Returns those at hand that are now one too many."""
        if player.token not in self._players:
            return []
        self._idle.append(player)
        ours = [idle for idle in self._idle if idle.process is not None]
        return ours[: max(0, len(ours) - self._most_idle)]

    def lose(self, player: Member) -> None:
        """The player is gone, or must go."""
        self._players.pop(player.token, None)
        if player in self._idle:
            self._idle.remove(player)
        self._end(player)

    def _end(self, player: Member) -> None:
        if player.process is not None:
            player.process.end()
            if player.guarded:
                jail.end_left(self.folder.scratch, player.process.pid)

    def player(self, token: str) -> Member | None:
        """The player with that token, if it is still there."""
        return self._players.get(token)

    def end(self) -> None:
        """Ends all processes; the referee must have been asked to stop."""
        players = list(self._players.values())
        self._players.clear()
        self._idle.clear()
        for player in players:
            if player.process is not None:
                player.process.hang_up()
        for player in players:
            self._end(player)
        self.referee.end(asked=True)


def _packages_first() -> str:
    """A PYTHONPATH on which our packages come first, whatever else is installed under their names."""
    ours = str(Path(agents.__file__).parents[1])
    return os.pathsep.join(filter(None, (ours, os.environ.get("PYTHONPATH"))))
