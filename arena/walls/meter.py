"""What an agent uses in a game and in a turn, as its warden measures it: processor time, and waiting for a processor.

The guard of an agent asks a Meter, which asks the kernel. Waiting is known in a sandbox, where an agent is one process
whose threads can all be looked at, and in a container that has a control group of its own. Elsewhere children that
nobody saw may be what it waits for, so there is no credit for it.
"""

from __future__ import annotations

from time import thread_time_ns
from typing import Final, NamedTuple

from agents.own_wait import own_wait
from arena.match.clock import MILLISECOND, charged, waited
from arena.walls import cgroup
from arena.walls.jail import Confined
from arena.walls.kinds import WallKind
from arena.walls.runnable import Runnable
from arena.walls.usage import LINUX

_WORTH_A_LOOK: Final = MILLISECOND
"""After a longer turn it is seen whether the agent has started other processes, which takes 50 microseconds."""


def counts_waits(kind: WallKind | None) -> bool:
    """Whether it is known here how long an agent behind such walls waits for a processor; None: an agent of ours."""
    if kind is WallKind.CONTAINER:
        return cgroup.measures_waits()
    return LINUX and kind is not WallKind.LIMITS


class Used(NamedTuple):
    """What an agent used in a span of time that lasted for `wall`."""

    wall: int
    cpu: int | None
    delay: int
    """What it waited for a processor, and its warden for the answer; 0 where nobody knows."""

    @property
    def charged(self) -> int:
        """What its clock is charged."""
        return charged(self.wall, self.cpu, self.delay)


class Meter:
    """Of one process, game after game. A span is a turn, or the time in which the agent must be ready."""

    def __init__(self, confined: Confined) -> None:
        self._confined = confined
        self._usage = confined.usage
        self._threads = Runnable(confined.pid) if self._usage.alone and LINUX else None
        self._before_game: int | None = None
        # What was used before this span: processor time, and starving of the whole group.
        self._before: int | None = 0
        self._starved_before: int | None = None
        # What this process had waited when it last had nothing to do, and had used when the span began.
        self._own_wait = 0
        self._own_cpu = 0

    def begin_game(self) -> None:
        """What was used until now was used before the game."""
        self._before_game = self._usage.cpu()

    def of_game(self) -> int | None:
        """Nanoseconds of processor time in this game."""
        return _since(self._before_game, self._usage.cpu() if self._confined.cpu is None else self._confined.cpu)

    def begin(self, *, at_birth: bool = False) -> None:
        """A span begins: now, or it began with the process."""
        self._before = 0 if at_birth else self._usage.cpu()
        self._own_cpu = thread_time_ns()
        if self._threads is not None:
            self._threads.begin(at_birth=at_birth)
        else:
            self._starved_before = 0 if at_birth else self._starved()

    def note_rest(self) -> None:
        """This process waits for the answer from now on: its next wait for a processor begins here."""
        self._own_wait = own_wait() or 0

    def so_far(self, wall: int) -> Used:
        """What was used in this span, which has lasted for `wall` by now."""
        return self._used(wall, 0)

    def of_answer(self, wall: int) -> Used:
        """What was used in the turn, whose answer was read after `wall`, in the wake-up that ends now."""
        return self._used(wall, (own_wait() or 0) - self._own_wait)

    def _used(self, wall: int, held: int) -> Used:
        if wall > _WORTH_A_LOOK and self._threads is None:
            self._look_at_family()
        cpu = _since(self._before, self._usage.cpu())
        if cpu is None:
            return Used(wall, None, 0)
        if self._threads is not None:
            runnable = self._threads.longest(wall)
        elif (starved := _since(self._starved_before, self._starved())) is not None:
            runnable = cpu + starved
        else:
            return Used(wall, cpu, 0)
        # What it waited for us is not the machine's fault: it may be that it kept us busy.
        kept_waiting = max(0, waited(wall, cpu, runnable) - (thread_time_ns() - self._own_cpu))
        return Used(wall, cpu, wall - charged(wall, cpu, kept_waiting + held))

    def _starved(self) -> int | None:
        group = self._usage.group
        return None if group is None else group.starved()

    def look(self) -> bool:
        """Sees what the agent has started, and whether it waits; True where that cannot be known before the next look
        because a wait may have just begun."""
        if self._threads is None:
            self._look_at_family()
            self._usage.cpu()
            return False
        self._threads.look()
        return self._threads.unsure

    def _look_at_family(self) -> None:
        self._confined.reap_orphans()
        self._usage.look()

    def close(self) -> None:
        """Nothing more will be asked."""
        if self._threads is not None:
            self._threads.close()


def _since(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else max(0, after - before)
