"""How agents that are not ours are held in one run: behind which walls, with what, and what they may read.

The director's side of the walls: it tries what the machine offers, lays out what Python agents may import, and makes
of both the orders of each warden. Nothing is tried or laid out before an agent needs it.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from msgspec import to_builtins

from agents.loading import ALLOWED
from arena.match.fixture import HELLO_WITHIN, Limits
from arena.players.player import PlayerKind
from arena.players.submissions import Store, Submission
from arena.walls import file_access, library, probe, seccomp
from arena.walls.kinds import MEBIBYTE, Allowance, WallKind, Walls

_USUAL: Final = Allowance()
_READY_WITHIN: Final = Limits().ready


class Confinement:
    """What holds for all agents of a run, unless one has something of its own."""

    def __init__(
        self,
        scratch: Path,
        rules: str,
        *,
        walls: WallKind | None = None,
        allowance: Allowance = _USUAL,
        python: str | None = None,
        modules: Sequence[str] | None = None,
        fresh: bool = True,
        ponder: bool = False,
        ready: int = _READY_WITHIN,
    ) -> None:
        """`scratch`: a fresh folder of this run, where agents get theirs; `rules`: the game, as the store has it;
        `walls`: the kind that is demanded, None for the best there is; `fresh`: a new process for each game; `ready`:
        nanoseconds from `start` to `ready`."""
        self.allowance = allowance
        self._scratch, self._rules = scratch, rules
        self._wanted = walls
        self._python = python
        self._modules = modules
        self._fresh, self._ponder, self._ready = fresh, ponder, ready
        # Behind which walls each agent is that was given orders.
        self.kinds: dict[str, WallKind] = {}
        self._allowances: dict[str, Allowance] = {}
        # What the instructor should know.
        self.warnings: list[str] = []

    def kind(self, wanted: WallKind | None = None) -> WallKind:
        """The walls of an agent, of the kind that it `wanted` or else everybody's; ArenaError where they do not hold on
        this machine."""
        offer = probe.chosen(wanted or self._wanted)
        if offer.kind is WallKind.LIMITS and not self.warnings:
            reason = f" ({offer.why}{f'; {offer.advice}' if offer.advice else ''})" if offer.why else ""
            self.warnings.append(f"agents are behind limits alone{reason}: {probe.LIMITS_MEAN}. See: arena doctor")
        return offer.kind

    def orders(
        self,
        name: str,
        submission: Submission,
        store: Store,
        *,
        wanted: WallKind | None = None,
        allowance: Allowance | None = None,
    ) -> dict[str, Any]:
        """What the warden of this agent is told."""
        kind, allowance = self.kind(wanted), allowance or self.allowance
        command, readable, environment = submission.command, [str(submission.source)], dict[str, str]()
        hidden = [str(store.folder), str(self._scratch.parent)]
        # The rules of somebody's own game are in the store, too.
        readable += re.findall(re.escape(f"{store.folder}/") + "[0-9a-f]{64}", self._rules)
        if submission.kind is PlayerKind.COMMAND:
            readable += file_access.of_program(command)
        else:
            command = (*self._library.command, *command)
            readable += self._library.readable
            environment["PYTHONPATH"] = os.pathsep.join(self._library.path)
        if self._modules is not None:
            hidden += self._library.hidden
            environment[ALLOWED] = ", ".join(self._modules)
        walls = Walls(
            kind,
            allowance,
            cpu=Walls().cpu if self._fresh else None,
            environment=environment,
            readable=tuple(dict.fromkeys(readable)),
            hidden=tuple(hidden),
            filter=seccomp.compiled(kind),
        )
        self.kinds[name], self._allowances[name] = kind, allowance
        return {
            "name": name,
            "command": command,
            "scratch": str(self._scratch),
            "fresh": self._fresh,
            "start": self.start(allowance),
            "ready": self._ready,
            "ponder": self._ponder,
            "walls": to_builtins(walls),
        }

    def start(self, allowance: Allowance | None = None) -> int:
        """Nanoseconds that an agent's program may take to start."""
        start = (allowance or self.allowance).start
        return HELLO_WITHIN if start is None else start

    def described(self, name: str) -> str:
        """How that agent is held, for people."""
        kind, allowance = self.kinds[name], self._allowances[name]
        means = _MEANS[kind]
        if allowance.disk:
            means = means.replace("nothing to write", f"{allowance.disk / MEBIBYTE:.0f} MiB to write")
        memory = "" if allowance.memory is None else f", {allowance.memory / MEBIBYTE:,.0f} MiB of memory"
        still = "" if self._ponder else "; it stands still while it is not its turn"
        return f"{name} is confined ({kind}): {means}{memory}{still}"

    @cached_property
    def _library(self) -> library.Library:
        folder = Path(tempfile.mkdtemp(prefix="library-", dir=self._scratch.parent))
        return library.lay_out(folder, python=self._python, modules=self._modules, rules=self._rules)


_MEANS: Final = {
    WallKind.LIMITS: "a process of this user with limits on what it uses",
    WallKind.SANDBOX: "its own source and Python to read, nothing to write, no network, no other process",
    WallKind.CONTAINER: "its own source and programs to read, nothing to write that stays, no network",
}
