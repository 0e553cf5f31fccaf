"""The commands that the author of an agent types next, with their reasons. They use the bundle beside the page, if any.

Pure. `arena replay --debug` runs the author's own file, so that it needs no trust in the sources of the bundle.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from agents.protocol import Verdict

if TYPE_CHECKING:
    from arena.course.feedback.findings import Findings, GameToSee, OwnAgent

_STOPS: Final = (Verdict.CRASHED, Verdict.ILLEGAL)
"""Faults that `arena replay --debug` can show, because they need no clock."""


class Command(Struct, frozen=True):
    """A command, and what it is good for."""

    line: str
    why: str


class Conditions(Struct, frozen=True, kw_only=True):
    """How the tournament is played, and where its games are."""

    rules: str
    """The game, as its author would type it."""
    clock: str
    bundle: str
    """The file name of the bundle; empty: there is none, so no command is about a recorded game."""
    trust: bool
    """Whether the rules are a file, which commands run only with --trust-rules."""

    def replay(self, game: GameToSee, *options: str) -> str:
        """A command about a game in the bundle."""
        trusting = ["--trust-rules"] if self.trust else []
        return shlex.join(["arena", "replay", game.name, *options, "--db", self.bundle, *trusting])


def command_as_typed(text: str) -> str:
    """A player such as "cmd:../built/engine --net ../nets/net.bin", in the folder with its files: "cmd:./engine --net
    net.bin". A program on the PATH has no folder."""
    try:
        program, *words = shlex.split(text.removeprefix("cmd:"))
    except ValueError:
        return text
    folder, _, name = program.rpartition("/")
    here = "./" if folder and not folder.startswith("/") else ""
    return "cmd:" + shlex.join([here + name, *(word.rpartition("/")[2] or word for word in words)])


def to_see(game: GameToSee, where: Conditions) -> str:
    """The command that shows a game from the ply to look at."""
    ply = last_ply_to_see(game)
    return where.replay(game, *(["--ply", str(ply)] if ply else []))


def last_ply_to_see(game: GameToSee) -> int:
    """The ply to look at, which after a fault is the last one that was played; 0: the end of the game."""
    return game.ply - 1 if game.fault is not None else game.ply


def next_commands(found: Findings, agent: OwnAgent, where: Conditions) -> Sequence[Command]:
    """What to type next, the most useful first."""
    check = Command(
        shlex.join(["arena", "check", agent.file, "--game", where.rules, "--clock", where.clock]),
        "plays test games with the clock of the tournament, and explains every fault. Use it before you hand in.",
    )
    climb = Command(
        shlex.join(["arena", "climb", agent.file, "--game", where.rules, "--clock", where.clock]),
        "measures your agent against stronger and stronger opponents. Use it to see whether a change helped.",
    )
    if not found.games:
        return [check]
    if found.faults:
        first = next(game for game in found.to_see if game.fault is not None)
        return [*_debug(first, agent, where), check]
    mistaken = next((game for game in found.to_see if game.mistake is not None), None)
    if mistaken is not None:
        return [*_debug(mistaken, agent, where), climb]
    unclear = next((game for game in found.to_see if game.lost and not game.hidden), None)
    if unclear is not None and where.bundle:
        deeper = where.replay(unclear, "--mistakes", "--seconds", "1")
        return [climb, Command(deeper, "searches that lost game for mistakes, longer than this page did.")]
    return [climb]


def _debug(game: GameToSee, agent: OwnAgent, where: Conditions) -> list[Command]:
    """Asks the agent for the move again; nothing if `arena replay --debug` cannot show it."""
    if not where.bundle or not agent.python:
        return []
    if game.fault is not None and not (game.fault.asked and game.fault.verdict in _STOPS):
        return []
    line = where.replay(game, "--debug", "--turn", str(game.ply), "--file", agent.file)
    return [
        Command(line, "asks your agent for this move again, so that you can print values and use breakpoint() there.")
    ]
