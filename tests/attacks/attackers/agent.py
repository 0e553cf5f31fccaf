"""The attacking agent: it is named after its attack, does it in its first turn, and plays on.

An attack with `yield` continues in the next turn. What it got is written to the log as
"SUCCEEDED: ...", what was refused as "refused: ...". All that it knows of its surroundings stands in `targets.json`,
as a student might have learnt it in earlier games; the words of its secrets do not.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from adsearch import State
from agents import Agent
from agents.agent import Clock

ROOMS: Final = ("resources", "kernel_memory", "processes", "others", "files", "channels", "kernel", "imports", "words")
HERE: Final = Path(__file__).parent
REFUSALS: Final = (OSError, ImportError, ValueError, EOFError)

_CALLS: Final = {
    "x86_64": (56, 101, 129, 135, 248, 250, 251, 298, 304, 308, 310, 321, 323),
    "aarch64": (220, 117, 138, 92, 217, 219, 30, 241, 265, 268, 270, 280, 282),
}
_NAMES: Final = (
    *("clone", "ptrace", "rt_sigqueueinfo", "personality", "add_key", "keyctl", "ioprio_set", "perf_event_open"),
    *("open_by_handle_at", "setns", "process_vm_readv", "bpf", "userfaultfd"),
)
_NEW_CALLS: Final = {"io_uring_setup": 425, "open_tree": 428, "fsopen": 430, "clone3": 435, "memfd_secret": 447}
"""System call numbers that are the same on every architecture."""


class Situation:
    """What an attack can use: its walls, its targets, and ways to try them."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.targets: dict[str, Any] = json.loads((HERE / "targets.json").read_text("utf-8"))
        self.kind: str = self.targets["kind"]
        self.libc = ctypes.CDLL(None, use_errno=True)

    def attempt(self, what: str, does: Callable[[], Any]) -> Any:
        """Calls it, and writes to the log whether that was refused; None if it was."""
        try:
            got = does()
        except REFUSALS as error:
            print(f"refused: {what}: {error}")
            return None
        print(f"SUCCEEDED: {what}", "" if got is None else repr(got)[:300])
        return got

    def call(self, name: str, *arguments: Any) -> int:
        """Makes a system call by its number; OSError if it is refused."""
        known = dict(zip(_NAMES, _CALLS.get(platform.machine(), ()), strict=False))
        number = (known | _NEW_CALLS).get(name)
        if number is None:
            raise OSError(f"{name}: no number known on {platform.machine()}")
        return self.checked(self.libc.syscall(number, *arguments))

    @staticmethod
    def checked(result: int) -> int:
        """Raises OSError if a function of the C library has failed."""
        if result == -1:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result

    def at_the_end(self, got: Callable[[], str]) -> None:
        """Writes what it got, if anything, after the game has ended normally."""

        def end(utilities: object, verdict: str) -> None:
            if words := got():
                print(f"SUCCEEDED: {words}")

        self.agent.end = end  # type: ignore[method-assign]

    def others(self) -> dict[str, int]:
        """Processes that are not the agent's own, as far as it can know."""
        known = {name: int(self.targets[name]) for name in ("decoy", "director", "referee")}
        if self.kind != "container":  # whose first process is the parent of all
            known["warden"] = os.getppid()
        try:
            children = Path(f"/proc/{known['director']}/task/{known['director']}/children").read_text().split()
            for child in map(int, children):
                if "alphabeta" in Path(f"/proc/{child}/cmdline").read_text():
                    known["opponent"] = child
        except OSError as error:
            print(f"refused: find the opponent: {error}")
        return known


class Attacker(Agent):
    """Plays the first legal move, after its attack."""

    def __init__(self) -> None:
        self._attack: Iterator[None] | None = None
        self._began = False

    def choose(self, state: State[Any], clock: Clock) -> Any:
        if not self._began:
            self._began = True
            self._attack = _find(self.name)(Situation(self))
        if self._attack is not None:
            next(self._attack, None)
        return state.moves()[0]


def _find(name: str) -> Callable[[Situation], Iterator[None] | None]:
    for room in ROOMS:
        attack = getattr(importlib.import_module(room), name, None)
        if attack is not None:
            return attack  # type: ignore[no-any-return]
    print(f"no attack is called {name}", file=sys.stderr)
    os._exit(97)
