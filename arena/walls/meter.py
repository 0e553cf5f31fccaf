"""What an agent uses in a game and in a turn, as its warden measures it: processor time, and waiting for a processor.

The guard of an agent asks a Meter, which asks `usage.py`. Whatever an agent does to hide what it uses makes its own
waits count for less, never for more: a wait that the machine is blamed for is one that the agent could not have made.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Final

from arena.match.clock import MILLISECOND
from arena.walls.jail import Confined
from arena.walls.usage import Usage

_WORTH_A_LOOK: Final = MILLISECOND
"""After a longer turn it is seen whether the agent has started other processes, which takes 50 microseconds."""


class Meter:
    """Of one process, game after game."""

    def __init__(self, confined: Confined) -> None:
        self._confined = confined
        self._usage = confined.usage
        self._until_game: int | None = None
        self._until_turn: int | None = None
        # Until the turn.
        self._waits = (0, 0, 0)
        # Whether the agent was scheduled as it was started, whenever somebody looked in this turn.
        self._on_terms_given = True

    def begin_game(self) -> None:
        """What was used until now was used before the game."""
        self._until_game = self._usage.cpu()

    def of_game(self) -> int | None:
        """Nanoseconds of processor time in this game."""
        return _since(self._until_game, self._usage.cpu() if self._confined.cpu is None else self._confined.cpu)

    def begin_turn(self) -> None:
        """What was used until now was used before the turn that comes next."""
        self._until_turn = self._usage.cpu()
        self._waits = self._waited()
        self._on_terms_given = True

    def of_turn(self, spent: int) -> tuple[int | None, int]:
        """Processor time in a turn that took so long, and how long somebody waited for a processor: the agent, or we
        who time it."""
        if spent > _WORTH_A_LOOK:
            self.look()
        cpu = _since(self._until_turn, self._usage.cpu())
        waited, ran, own = (max(0, now - before) for now, before in zip(self._waited(), self._waits, strict=True))
        if not self._usage.alone:
            # Helpers that nobody saw may be what it waited for: where an agent can start some, no wait excuses it.
            return cpu, 0
        # What its own threads kept it, or us, from is no excuse: at most what they have used.
        waited -= max(0, (cpu or 0) - ran)
        return cpu, (max(0, waited) if self._on_terms_given else 0) + max(0, own - (cpu or 0))

    def look(self) -> None:
        """Sees what the agent has started, and whether it waits for a processor by its own choice."""
        if not self._usage.alone:
            self._confined.reap_orphans()
        self._usage.look()
        self._usage.cpu()
        self._on_terms_given = self._on_terms_given and self._usage.on_terms_given()

    def _waited(self) -> tuple[int, int, int]:
        """How long the agent's first thread has waited for a processor, how long it has run, and how long we waited."""
        ran, waited = self._usage.scheduled() or (0, 0)
        _, own = _own().scheduled() or (0, 0)
        return waited, ran, own


@cache
def _own() -> Usage:
    return Usage(os.getpid())


def _since(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else max(0, after - before)
