"""Runs an agent again at one turn of a recorded game, in this process, so that a debugger and print work.

The agent is not confined: it has the user's permissions. It gets the same messages as in the game, so it plays the same
moves if its only source of randomness is its seed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from time import monotonic, monotonic_ns
from types import TracebackType
from typing import TYPE_CHECKING

from agents import builtin
from agents.protocol import Move
from agents.strict import StrictPlayer
from arena.errors import BadPlayer, UntrustedCode
from arena.players import own_sources, versions
from arena.players.own_sources import OwnSource
from arena.players.player import Player, PlayerKind, loaded, read_player
from arena.players.submissions import Store, in_store

if TYPE_CHECKING:
    from agents.agent import Agent
    from agents.player import Answer
    from agents.strict import Mistake
    from arena.student.recorded_turn import RecordedTurn
    from db.database import Connection
    from db.records import PastGame


class Rerun:
    """An agent that is run again, and what it does."""

    def __init__(self, make: Callable[[], Agent], game: PastGame, recorded: RecordedTurn) -> None:
        """`make`: as `maker` finds it."""
        self.mistakes: list[Mistake] = []
        self.differed: list[int] = []
        """The earlier plies at which its answer differs from the game."""
        self._game, self._recorded = game, recorded
        self._host = StrictPlayer(make, name=game.players[recorded.seat], report=self.mistakes.append)

    def answer(self) -> tuple[Answer | None, float]:
        """Plays its earlier turns again, and then this one; returns the answer and the seconds it took. Raises what the
        agent raises."""
        self._host.answer(self._recorded.start, monotonic_ns())
        for turn in self._recorded.turns[:-1]:
            with _silently():
                answer = self._host.answer(turn, monotonic_ns())
            if not isinstance(answer, Move) or answer.move != self._game.moves[turn.ply - 1].move:
                self.differed.append(turn.ply)
        begun = monotonic()
        answer = self._host.answer(self._recorded.turns[-1], monotonic_ns())
        return answer, monotonic() - begun


def agents_lines(error: BaseException) -> TracebackType | None:
    """The traceback below the frames of this file: its reader needs the agent's lines."""
    found = frame = error.__traceback__
    while frame is not None:
        found = frame.tb_next if frame.tb_frame.f_code.co_filename == __file__ else found
        frame = frame.tb_next
    return found


@contextmanager
def _silently() -> Iterator[None]:
    """Inside, nothing is printed and breakpoints are ignored."""
    import pdb

    def pass_by(*_: object, **__: object) -> None:
        pass

    places = ((sys, "breakpointhook"), (pdb, "set_trace"))
    before = [getattr(owner, name) for owner, name in places]
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        for owner, name in places:
            setattr(owner, name, pass_by)
        try:
            yield
        finally:
            for (owner, name), hook in zip(places, before, strict=True):
                setattr(owner, name, hook)


# Which agent.


def chosen_player(
    connection: Connection, store: Store, game: PastGame, seat: int, *, file: str | None, trust: bool
) -> tuple[Player, str]:
    """The agent to run, and its name: the file, or the version that played. UntrustedCode if another account recorded
    that, unless the user trusts it."""
    if file is not None:
        return read_player(file), file
    player, called = _recorded_player(connection, store, game, seat)
    if not trust and player.path is not None:
        stored = in_store(player.path)
        if game.from_outside or stored is None or not own_sources.is_noted(OwnSource.AGENT, stored.hash):
            raise UntrustedCode(
                f"{called} was not recorded by this account, and debug runs it without a sandbox; if you trust its "
                "author, add --trust-rules, or run your own file with --file FILE"
            )
    return player, called


def _recorded_player(connection: Connection, store: Store, game: PastGame, seat: int) -> tuple[Player, str]:
    """The version that played in that seat, and its name."""
    version = versions.of_seat(connection, game.seats[seat])
    return versions.player(version, store), f"{version.agent}@{version.number}"


def can_run(connection: Connection, store: Store, game: PastGame, seat: int) -> bool:
    """Whether the agent in that seat can be run again."""
    try:
        player, _ = _recorded_player(connection, store, game, seat)
    except BadPlayer:
        return False
    return player.kind is PlayerKind.BUILTIN or player.is_python


def seats_of_user_agents(connection: Connection, game: PastGame) -> list[int]:
    """The seats of agents that are not built in, nor engines, nor people, nor "wait"."""
    if any(seat.version is None for seat in game.seats):
        return []  # the game has not started
    played = [versions.of_seat(connection, seat) for seat in game.seats]
    return [
        seat
        for seat, version in enumerate(played)
        if not versions.is_ready_made(version.source, version.started_as)
        and version.source not in (PlayerKind.HUMAN, PlayerKind.WAIT)
    ]


def maker(player: Player, called: str, recorded: RecordedTurn) -> Callable[[], Agent]:
    """The function that creates the agent; the agent's file is executed now."""
    if player.kind is PlayerKind.BUILTIN:
        builtin.check_can_play(player.text, recorded.state)
        return builtin.find(player.text).make
    if player.kind in (PlayerKind.HUMAN, PlayerKind.WAIT):
        raise BadPlayer(f"expected an agent's file, a folder or a built-in, got {player.text!r}")
    if player.engine is not None:
        raise BadPlayer(
            f"{called} is an engine ({player.text}), which Python's debugger cannot enter; --turn N chooses a turn of "
            "another player"
        )
    if not player.is_python:
        seat = recorded.state.view(recorded.seat)
        raise BadPlayer(
            f"{called} is an external program ({player.text}), which Python's debugger cannot enter: start it in a "
            f"debugger for its language and send it this position: {seat}"
        )
    return loaded(player)
