"""How long threads were ready to run: with simulated processors, whose true history is known, and a real process."""

from __future__ import annotations

import os
import subprocess
import sys
from random import Random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.clock import charged, waited
from arena.walls.meter import Runnable
from arena.walls.usage import LINUX
from tests.kit.effort import tries

MS: Final = 1_000_000
FIRST: Final = 100
"""The id of the first thread, which is the PID."""
TICK: Final = 4
"""Milliseconds on a processor after which the kernel updates the time that a thread has run."""


class Thread:
    """A thread as the kernel sees it; all times in milliseconds."""

    def __init__(self, state: str) -> None:
        self.state = state
        self.ran = self.counted_ran = self.waited = 0
        # How long it has been ready without a processor; counted when the wait ends.
        self.waits = 0
        # Nanoseconds: a thread that goes to sleep has run for at least a moment.
        self.moments = 0


class Machine:
    """Some processors, threads of one agent that run, wait, sleep and end, and other programs that need a processor."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.now = 0
        self.threads = {FIRST: Thread("ready")}
        self.started = 0
        self.processors = random.choice([1, 1, 1, 2])
        self.greed = random.choice([0.0, 0.3, 0.7, 0.9])
        """How often other programs take a processor."""
        self.liveliness = random.choice([0.02, 0.1, 0.5])
        self.busy = self.starved = 0
        """Processor time of the agent, and how long a thread was ready while none ran."""

    def pass_one(self) -> None:
        """A millisecond passes."""
        random = self.random
        for number, thread in list(self.threads.items()):
            if random.random() < self.liveliness:
                self.change(number, thread)
        ready = [thread for thread in self.threads.values() if thread.state == "ready"]
        free = sum(random.random() >= self.greed for _ in range(self.processors))
        # A running thread mostly continues to run.
        ready.sort(key=lambda thread: (thread.waits > 0, random.random()))
        run, wait = ready[:free], ready[free:]
        for thread in run:
            thread.waited += thread.waits
            thread.waits = 0
            thread.ran += 1
            if thread.ran % TICK == 0:
                thread.counted_ran = thread.ran
        for thread in wait:
            thread.counted_ran = thread.ran
            thread.waits += 1
        self.busy += len(run)
        self.starved += bool(wait and not run)
        self.now += 1

    def change(self, number: int, thread: Thread) -> None:
        """It sleeps, is stopped, wakes up, ends, or starts another."""
        what = self.random.choice(["sleep", "stop", "wake", "wake", "end", "start"])
        if what == "start" and len(self.threads) < 6:
            self.started += 1
            self.threads[FIRST + self.started] = Thread("ready")
        elif what == "end" and number != FIRST:
            del self.threads[number]
        elif what in ("sleep", "stop", "wake") and thread.waits == 0:
            # Only a running thread can go to sleep.
            thread.state = "ready" if what == "wake" else what
            thread.counted_ran = thread.ran
            thread.moments += 1


class Seen(Runnable):
    """A machine as its `/proc` shows it."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(2**22 + 1, now=lambda: machine.now * MS)
        self.machine = machine
        self._pid = FIRST

    def _is_alone(self) -> bool:
        return len(self.machine.threads) == 1

    def _listed(self) -> list[int]:
        return list(self.machine.threads)

    def _counted(self, thread: int) -> int:
        there = self.machine.threads.get(thread)
        return 0 if there is None else (there.counted_ran + there.waited) * MS + there.moments

    def _is_ready(self, thread: int) -> bool:
        there = self.machine.threads.get(thread)
        return there is not None and there.state == "ready"


def history(seed: int) -> tuple[int, int, int, int]:
    """A span with looks at random moments: wall time, processor time, the measured and the true time."""
    random = Random(seed)
    machine = Machine(random)
    seen = Seen(machine)
    for _ in range(random.randrange(200)):  # earlier turns
        machine.pass_one()
        if random.random() < 0.05:
            for thread in machine.threads.values():  # it is paused between two turns
                thread.waited, thread.waits, thread.counted_ran = thread.waited + thread.waits, 0, thread.ran
            seen.start_span()
    for thread in machine.threads.values():
        thread.waited, thread.waits, thread.counted_ran = thread.waited + thread.waits, 0, thread.ran
    seen.start_span()
    began, busy, starved = machine.now, machine.busy, machine.starved
    for _ in range(random.choice([3, 30, 300])):
        machine.pass_one()
        if random.random() < 0.1:
            seen.look()
    wall, cpu = (machine.now - began) * MS, (machine.busy - busy) * MS
    return wall, cpu, seen.longest(wall), (machine.starved - starved) * MS


@pytest.mark.parametrize("first", range(0, tries(2_000), 500))
def test_no_history_of_threads_makes_waiting_of_what_is_none(first: int) -> None:
    for seed in range(first, first + 500):
        wall, cpu, runnable, starved = history(seed)
        assert waited(wall, cpu, runnable) < starved + MS // 1000, seed
        cost = charged(wall, cpu, waited(wall, cpu, runnable))
        assert min(cpu, wall) <= cost <= wall, seed


def test_an_agent_with_one_thread_that_never_sleeps_is_charged_what_it_computed() -> None:
    random = Random(1)
    for _ in range(tries(50)):
        machine = Machine(random)
        machine.liveliness = 0.0
        seen = Seen(machine)
        seen.start_span(at_birth=True)
        for _ in range(random.randrange(100, 1000)):
            machine.pass_one()
            if machine.now % 25 == 0:
                seen.look()
        seen.look()
        machine.pass_one()
        seen.look()
        wall, cpu = machine.now * MS, machine.busy * MS
        # Not known is how long a wait that still lasts was there before the last look but one.
        assert charged(wall, cpu, waited(wall, cpu, seen.longest(wall))) - cpu <= (25 + TICK) * MS


@given(st.integers(0, 10**12), st.integers(0, 10**13), st.integers(0, 10**13), st.integers(0, 10**12))
def test_what_is_charged_lies_between_what_was_computed_and_all(wall: int, cpu: int, runnable: int, held: int) -> None:
    cost = charged(wall, cpu, waited(wall, cpu, runnable) + held)
    assert min(cpu, wall) <= cost <= wall
    assert cost == max(min(cpu, wall), wall - waited(wall, cpu, runnable) - held)


def test_a_thread_that_is_seen_late_counts_from_its_start_only_if_it_must_be_new() -> None:
    machine = Machine(Random(1))
    machine.threads[FIRST].state = "sleep"
    seen = Seen(machine)
    seen.start_span(at_birth=True)
    other = machine.threads[FIRST + 1] = Thread("sleep")
    other.counted_ran = machine.now = 10
    assert seen.longest(10 * MS) == 10 * MS
    seen.start_span()
    assert seen.longest(MS) == 0
    seen.start_span()  # after a short span only the first thread is read
    other.counted_ran = machine.now = 20
    assert seen.longest(10 * MS) == 0


def test_execve_from_a_thread_that_has_waited_long_gains_nothing() -> None:
    machine = Machine(Random(1))
    seen = Seen(machine)
    first = machine.threads[FIRST]
    first.state = "sleep"
    seen.start_span()
    for number in range(100):
        machine.now += 25
        if number == 50:  # the thread that calls execve keeps its own counters
            first.waited += 60_000
        seen.look()
    assert seen.longest(2_500 * MS) <= 2 * 25 * MS


@pytest.mark.skipif(not LINUX, reason="only Linux says how long a thread was ready to run")
def test_a_real_process_that_is_paused_between_its_turns() -> None:
    code = "import sys, time\nwhile sys.stdin.readline():\n for _ in range(200_000): pass\n print(flush=True)"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        runnable = Runnable(process.pid)
        for _ in range(3):
            runnable.start_span()
            process.stdin.write(b"\n")
            process.stdin.flush()
            process.stdout.readline()
            assert runnable.longest(10**12) > 0
        runnable.start_span()
        assert runnable.longest(10**12) == 0
        process.kill()
        process.wait()
        assert runnable.longest(10**12) >= 0
        runnable.close()


def test_a_process_that_is_not_there_was_never_ready() -> None:
    runnable = Runnable(2**22 + 1)  # larger than any PID
    runnable.start_span()
    runnable.look()
    assert runnable.longest(10**12) == 0
    runnable.close()
    assert os.path.exists("/proc/self/task") == LINUX
