"""Hosts an agent as usual, and tells in its log what its author would like to know: where it is busy, what it changed.

Its text is what Python is given with -c, behind the walls, where of our packages only `agents` and `adsearch` can be
imported. The first argument is after how many seconds, again and again, it tells where the agent is busy; 0: never.
"""

from __future__ import annotations

import faulthandler
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adsearch import State
    from agents.protocol import Turn

CHANGED = "changed its state: "


def watch() -> None:
    """From now on each state is looked at again after `choose`."""
    from agents import hosting, player

    followed, legal = player.Player._followed, hosting.legal
    before: dict[int, str] = {}

    def told(state: State[Any]) -> str:
        return f"{state.position()!r} with {state.turn} to move"

    def remembered(self: player.Player, turn: Turn) -> State[Any]:
        state = followed(self, turn)
        before.clear()
        before[id(state)] = told(state)
        return state

    def compared(choice: Any, state: State[Any]) -> Any:
        was = before.pop(id(state), None)
        if was is not None and was != told(state):
            print(f"{CHANGED}it was {was}, and is {told(state)} after choose", file=sys.stderr)
        return legal(choice, state)

    player.Player._followed = remembered  # type: ignore[method-assign]
    hosting.legal = compared


if __name__ == "__main__":
    import runpy

    if busy := float(sys.argv.pop(1)):
        faulthandler.dump_traceback_later(busy, repeat=True)
    watch()
    runpy.run_module("agents", run_name="__main__", alter_sys=True)
