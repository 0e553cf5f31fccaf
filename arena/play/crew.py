"""The crew: starts the referee and the players, sees when one ends, and ends them all.

Each process gets one end of a socket pair (its `link`) as its stdin. A player reads its token there, because any
process of the same user can read arguments and environment. When one side ends, the other end of the pair closes, so
director and process notice each other's end immediately, and no process outlives the director.
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

import msgspec

import agents
from agents.errors import one_line
from agents.protocol import Verdict
from arena.errors import ArenaError
from arena.match.clock import TOO_BUSY
from arena.walls import busy, jail
from arena.walls.run_folder import RunFolder
from db.records import GameRecord

_ENDS_WITHIN: Final = 2.0
"""Seconds that a process has to exit after its director has closed the link."""

_LONGEST_LINE: Final = 500
"""Characters of its last line that are shown."""


class Process:
    """One process of the crew. It runs until `end` is called or its link closes."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        folder: RunFolder | None,
        descriptors: Sequence[int] = (),
        ends_within: float = _ENDS_WITHIN,
    ) -> None:
        """`folder`: for its stderr; None: that is not kept. `descriptors`: those that the process gets, under the same
        numbers. `ends_within`: the seconds that `end` gives it to exit."""
        if sys.platform == "win32":
            raise ArenaError("a referee and its players need Linux or macOS; on Windows use WSL")
        ours, theirs = socket.socketpair()
        self.link: socket.socket = ours
        self._ends_within = ends_within
        self._log = Path(os.devnull) if folder is None else folder.path / f"log-{secrets.token_hex(4)}"
        with theirs, self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-P", *arguments],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=log,
                pass_fds=descriptors,
                env=os.environ | {"PYTHONPATH": _packages_first()},
            )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def code(self) -> int | None:
        """The exit code of a process that has ended; negative: the signal that ended it."""
        return self._process.returncode

    def send_settings(self, settings: Mapping[str, Any]) -> None:
        """Sends what the process needs to start, as one line of JSON."""
        with suppress(OSError):  # it may have ended already: then its link is readable
            self.link.sendall(json.dumps(dict(settings)).encode() + b"\n")

    def fileno(self) -> int:
        """The descriptor of the link, readable when the process has ended."""
        return self.link.fileno()

    def how_it_ended(self) -> str:
        """How the process ended, with the last line of its stderr. Only after the link has closed."""
        try:
            code = self._process.wait(_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            return f"did not exit within {_ENDS_WITHIN:g} s"
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"
        lines = self._log.read_text("utf-8", "replace").strip().splitlines() if self._log.exists() else []
        return f"{how}: {one_line(lines[-1], most=_LONGEST_LINE)}" if lines else how

    def why_busy(self, game: int) -> str:
        """Which programs used the processors when its agent had to wait too long in that game; empty if not known."""
        return busy.told(self._log, game)

    def is_gone(self) -> bool:
        """Whether the process has ended."""
        try:
            return not self.link.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def kill(self) -> None:
        """Kills the process (SIGKILL)."""
        self._process.kill()

    def hang_up(self) -> None:
        """Closes the link, which makes the process exit."""
        self.link.close()

    def end(self, *, asked: bool = False) -> None:
        """Waits for the process to exit, and kills it after `ends_within`.

        A process that was `asked` to end keeps its link until then: a closed link would mean that the director died."""
        if not asked:
            self.hang_up()
        try:
            self._process.wait(self._ends_within)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.hang_up()
        if self._log.is_file():
            self._log.unlink()


class Member:
    """A player process, or a player that somebody else starts."""

    def __init__(self, key: str, *, guarded: bool, hosted: bool = True) -> None:
        # What it plays: players with the same key are interchangeable.
        self.key = key
        self.token = secrets.token_hex(32)
        self.guarded = guarded
        self.hosted = hosted
        self.process: Process | None = None
        # How its process ended; empty while it runs.
        self.ended = ""
        # Called when the referee expects the token.
        self.send_token: Callable[[], None] = lambda: None


class Crew:
    """The referee and all players, playing and idle."""

    def __init__(self, folder: RunFolder, *, most_idle: int = 8) -> None:
        self.folder = folder
        self.referee = Process(["-m", "arena.play.referee", str(folder.path)], folder=folder)
        self._most_idle = most_idle
        # By token.
        self._players: dict[str, Member] = {}
        # The one that has been idle longest first.
        self._idle: list[Member] = []

    def take_idle(self, key: str) -> Member | None:
        """An idle player that plays `key`, removed from the idle ones; None if there is none. It may have ended."""
        for player in self._idle:
            if player.key == key:
                self._idle.remove(player)
                return player
        return None

    def start(self, key: str, arguments: Sequence[str], settings: Mapping[str, Any], *, guarded: bool) -> Member:
        """Starts a process that plays `key`."""
        player = Member(key, guarded=guarded)
        process = player.process = Process(arguments, folder=self.folder)
        player.send_token = lambda: process.send_settings(
            {"address": self.folder.players, "token": player.token, **settings}
        )
        self._players[player.token] = player
        return player

    def invite(self, key: str, call: Callable[[str, str], None]) -> Member:
        """A player that somebody else starts: `call` gets the address and the token."""
        player = Member(key, guarded=False, hosted=False)
        player.send_token = lambda: call(self.folder.players, player.token)
        self._players[player.token] = player
        return player

    def release(self, player: Member) -> list[Member]:
        """The player's game is over: it is idle. Returns the idle players above the limit."""
        if player.token not in self._players:
            return []
        self._idle.append(player)
        ours = [idle for idle in self._idle if idle.process is not None]
        return ours[: max(0, len(ours) - self._most_idle)]

    def lose(self, player: Member) -> None:
        """Ends the player, if it still runs, and forgets it."""
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
        """The player with that token; None if it has ended."""
        return self._players.get(token)

    def end(self) -> None:
        """Ends all processes; send the referee `Stop` first."""
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
    """A PYTHONPATH with our packages first, in case others are installed under the same names."""
    ours = str(Path(agents.__file__).parents[1])
    return os.pathsep.join(filter(None, (ours, os.environ.get("PYTHONPATH"))))


def explained(record: GameRecord, players: Sequence[Member]) -> GameRecord:
    """The record, with how the processes of lost players ended, and what kept the processors busy; the referee may have
    seen only connections end."""
    lost = {player.ended: None for seat, player in enumerate(players) if player.ended and record.fault in (None, seat)}
    reasons = [how for how in lost if record.verdict in (Verdict.CRASHED, Verdict.VOID) and how not in record.detail]
    others = ""
    if record.verdict == Verdict.VOID and TOO_BUSY in record.detail:
        wardens = [player.process for player in players if player.guarded and player.process is not None]
        others = next(filter(None, (warden.why_busy(record.game) for warden in wardens)), "")
    return msgspec.structs.replace(record, detail=": ".join([record.detail, *reasons]), busy=others)
