"""The crew: starts the referee and the players, sees when one ends, and ends them all.

A player reads its token from its link, because any process of the same user can read arguments and environment.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from agents.protocol import Verdict
from arena.match.clock import TOO_BUSY
from arena.play.helper import Process
from arena.walls import jail, usage
from arena.walls.run_folder import RunFolder
from db.records import GameRecord


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
        player.send_token = lambda: process.send({"address": self.folder.players, "token": player.token, **settings})
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


def explained(record: GameRecord, players: Sequence[Member]) -> GameRecord:
    """The record, with how the processes of lost players ended, and what kept the processors busy; the referee may have
    seen only connections end."""
    lost = {player.ended: None for seat, player in enumerate(players) if player.ended and record.fault in (None, seat)}
    reasons = [how for how in lost if record.verdict in (Verdict.CRASHED, Verdict.VOID) and how not in record.detail]
    others = ""
    if record.verdict == Verdict.VOID and TOO_BUSY in record.detail:
        wardens = [player.process for player in players if player.guarded and player.process is not None]
        others = next(filter(None, (usage.busy_note(warden.log, record.game) for warden in wardens)), "")
    return msgspec.structs.replace(record, detail=": ".join([record.detail, *reasons]), busy=others)
