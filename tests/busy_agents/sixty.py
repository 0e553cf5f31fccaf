"""Starts 60 threads that never sleep, when it is imported."""

import threading
import time
from typing import Any

from adsearch import State
from agents import Agent, Clock


def spin() -> None:
    while True:
        sum(range(10_000))


for _ in range(60):
    threading.Thread(target=spin, daemon=True).start()
time.sleep(0.3)


class Crowd(Agent):
    def choose(self, state: State[Any], clock: Clock) -> Any:
        return state.moves()[0]
