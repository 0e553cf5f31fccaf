"""How one run confines agents that are not built in: which walls, which limits, and which files they can read.

This is the director's side of the walls. It tests which walls hold on this machine, prepares the library that Python
agents import, and makes the settings of each warden from both. Both are done only when the first agent needs them.
"""

from __future__ import annotations

import os
import re
import tempfile
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from msgspec import to_builtins

from agents.loading import ALLOWED
from arena.match.allowance import MEBIBYTE, Allowance, WallKind
from arena.match.conditions import HELLO_WITHIN, Conditions
from arena.players.player import PlayerKind
from arena.players.submissions import Store, Submission
from arena.walls import file_access, library, probe, seccomp
from arena.walls.jail import Walls

_DEFAULT: Final = Conditions()


class Confinement:
    """The limits and walls of all agents of a run, and from them the settings of each agent's warden."""

    def __init__(
        self, scratch: Path, rules: str, conditions: Conditions = _DEFAULT, *, traffic: Path | None = None
    ) -> None:
        """`scratch`: a new folder of this run, in which each agent gets its own; `rules`: the game, with files in the
        store; `traffic`: a folder for the whole traffic with engines, if it is to be kept."""
        self._traffic = traffic
        self.conditions = conditions
        self._scratch = scratch
        self.rules = rules
        # The walls of each agent, by name.
        self.kinds: dict[str, WallKind] = {}
        self._allowances: dict[str, Allowance] = {}
        # Warnings about this machine, for instructors.
        self.warnings: list[str] = []

    def wall_kind(self, wanted: WallKind | None = None) -> WallKind:
        """The walls of an agent that `wanted` this kind (None: the run's kind); ArenaError if they do not hold here."""
        offer = probe.chosen(wanted or self.conditions.walls)
        if offer.kind is WallKind.LIMITS and not self.warnings:
            reason = f" ({offer.why}{f'; {offer.advice}' if offer.advice else ''})" if offer.why else ""
            self.warnings.append(f"agents are behind limits only{reason}: {probe.LIMITS_MEAN}. See: arena doctor")
        return offer.kind

    def warden_settings(
        self,
        name: str,
        submission: Submission,
        store: Store,
        *,
        wanted: WallKind | None = None,
        allowance: Allowance | None = None,
    ) -> dict[str, Any]:
        """The settings of this agent's warden; `wanted` and `allowance` replace those of the run."""
        kind = self.wall_kind(wanted)
        allowance = allowance or self.conditions.allowance
        is_kept = self.conditions.reuse or (submission.engine is not None and self.conditions.keep_engines)
        command, walls = self._walls(submission, store, kind, allowance, is_kept=is_kept)
        self.kinds[name] = kind
        self._allowances[name] = allowance
        return {
            "name": name,
            "command": command,
            "scratch": str(self._scratch),
            "fresh": not is_kept,
            "start": self.start_limit(allowance),
            "ready": self.conditions.limits.ready,
            "ponder": self.conditions.ponder,
            "walls": to_builtins(walls),
            "engine": to_builtins(submission.engine),
            "traffic": "" if self._traffic is None else str(self._traffic),
        }

    def _walls(
        self, submission: Submission, store: Store, kind: WallKind, allowance: Allowance, *, is_kept: bool
    ) -> tuple[tuple[str, ...], Walls]:
        """The command that starts the agent, and its walls: readable and hidden files, environment, filter."""
        command = submission.command
        readable = [str(submission.source)]
        environment: dict[str, str] = {}
        hidden = [str(store.folder), str(self._scratch.parent)]
        # A user-supplied game is in the store, too.
        readable += re.findall(re.escape(f"{store.folder}/") + "[0-9a-f]{64}", self.rules)
        if submission.kind is PlayerKind.COMMAND:
            readable += file_access.of_program(command)
        else:
            command = (*self._library.command, *command)
            readable += self._library.readable
            environment["PYTHONPATH"] = os.pathsep.join(self._library.path)
        if self.conditions.modules is not None:
            hidden += self._library.hidden
            environment[ALLOWED] = ", ".join(self.conditions.modules)
        walls = Walls(
            kind,
            allowance,
            cpu=None if is_kept else Walls().cpu,
            environment=environment,
            readable=tuple(dict.fromkeys(readable)),
            beside=_folder_of(submission),
            hidden=tuple(hidden),
            filter=seccomp.compiled(kind),
        )
        return command, walls

    def start_limit(self, allowance: Allowance | None = None) -> int:
        """Nanoseconds that an agent's program can take to start."""
        start = (allowance or self.conditions.allowance).start
        return HELLO_WITHIN if start is None else start

    def described(self, name: str) -> str:
        """A sentence that says how that agent is confined."""
        kind = self.kinds[name]
        allowance = self._allowances[name]
        means = _MEANS[kind]
        if allowance.disk:
            means = means.replace("writes nothing", f"writes at most {allowance.disk / MEBIBYTE:.0f} MiB")
        memory = "" if allowance.memory is None else f", uses at most {allowance.memory / MEBIBYTE:,.0f} MiB of memory"
        paused = "" if self.conditions.ponder else ", and is paused when it is not its turn"
        return f"{name} is confined ({kind}): {means}{memory}{paused}"

    @cached_property
    def _library(self) -> library.Library:
        folder = Path(tempfile.mkdtemp(prefix="library-", dir=self._scratch.parent))
        return library.lay_out(folder, python=self.conditions.python, modules=self.conditions.modules, rules=self.rules)


def _folder_of(submission: Submission) -> str:
    """The folder of an agent's program in the store; empty for an agent that has no file there."""
    own = next((word for word in submission.command if word.startswith(f"{submission.source}/")), "")
    return own if os.path.isdir(own) else os.path.dirname(own)


_MEANS: Final = {
    WallKind.LIMITS: "it runs as this user, within limits",
    WallKind.SANDBOX: "it reads its own source and Python, writes nothing, has no network and no other process",
    WallKind.CONTAINER: "it reads its own source and programs, writes nothing that stays, has no network",
}
