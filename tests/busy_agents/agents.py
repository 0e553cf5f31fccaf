"""In Python: FILE.py:CLASS."""

import hashlib
import os
import signal
import threading
import time
from typing import Any

from adsearch import State
from agents import Agent, Clock


class Fair(Agent):
    """Works a tenth of a second for each move."""

    def choose(self, state: State[Any], clock: Clock) -> Any:
        began = time.process_time()
        while time.process_time() - began < 0.1:
            pass
        return self.random.choice(state.moves())


class Ponders(Agent):
    """Three threads compute all the time, also when it is not its turn, as far as they can."""

    def begin(self, state: State[Any], seat: int) -> None:
        if threading.active_count() == 1:
            for _ in range(3):
                threading.Thread(target=self.ponder, daemon=True).start()

    def ponder(self) -> None:
        while hashlib.pbkdf2_hmac("sha256", b"x", b"x", 10_000):
            pass

    def choose(self, state: State[Any], clock: Clock) -> Any:
        return self.random.choice(state.moves())


class Hangs(Agent):
    """Never answers."""

    def choose(self, state: State[Any], clock: Clock) -> Any:
        while True:
            pass


class Spins(Agent):
    """Never answers, and has 63 threads, each of which waits most of the time."""

    def choose(self, state: State[Any], clock: Clock) -> Any:
        for _ in range(62):
            threading.Thread(target=self.spin, daemon=True).start()
        self.spin()

    def spin(self) -> None:
        while True:
            sum(range(10_000))


class Sleeps(Agent):
    """Rests while its clock runs."""

    def choose(self, state: State[Any], clock: Clock) -> Any:
        time.sleep(10_000)


class StopsItself(Agent):
    """Seems to wait for a processor."""

    def choose(self, state: State[Any], clock: Clock) -> Any:
        os.kill(os.getpid(), signal.SIGSTOP)


class GivesWay(Agent):
    """Yields the processor whenever it has it."""

    def choose(self, state: State[Any], clock: Clock) -> Any:
        while True:
            os.sched_yield()


class Chatters(Agent):
    """Keeps its warden busy on their common processor, and never answers."""

    def choose(self, state: State[Any], clock: Clock) -> Any:
        while True:
            os.write(2, b".")
            time.sleep(0.0001)


class Floods(Agent):
    """Never answers, and is blocked in a full pipe whenever its warden does not read."""

    def choose(self, state: State[Any], clock: Clock) -> Any:
        while True:
            os.write(2, b"." * 65536)


class WakesTogether(Agent):
    """Has 32 threads that wake up together, work a little, and sleep most of the time."""

    def choose(self, state: State[Any], clock: Clock) -> Any:
        threads = [threading.Thread(target=self.nap) for _ in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return state.moves()[0]

    def nap(self) -> None:
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            time.sleep(0.1 - time.monotonic() % 0.1)
            began = time.thread_time()
            while time.thread_time() - began < 0.0003:
                pass


class StartsSixty(Agent):
    """Starts 60 threads that never sleep, as early as possible."""

    def begin(self, state: State[Any], seat: int) -> None:
        for _ in range(60):
            threading.Thread(target=self.spin, daemon=True).start()
        time.sleep(0.5)

    def spin(self) -> None:
        while True:
            sum(range(10_000))

    def choose(self, state: State[Any], clock: Clock) -> Any:
        return state.moves()[0]
