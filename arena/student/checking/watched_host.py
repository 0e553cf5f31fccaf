"""A program that hosts an agent as usual, and also logs whether the agent changed its state.

Its source text is passed to `python -c` in the sandbox, where of our packages only `agents` and `adsearch` can be
imported.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adsearch import State
    from agents.protocol import Turn

CHANGED = "changed its state: "


def watch() -> None:
    """Patch the host so that it compares each state before and after `choose`."""
    from agents import hosting, player

    followed, legal = player.Player._followed, hosting.legal
    before: dict[int, str] = {}

    def described(state: State[Any]) -> str:
        return f"{state.position()!r} with {state.turn} to move"

    def remembered(self: player.Player, turn: Turn) -> State[Any]:
        state = followed(self, turn)
        before.clear()
        before[id(state)] = described(state)
        return state

    def compared(choice: Any, state: State[Any]) -> Any:
        was = before.pop(id(state), None)
        if was is not None and was != described(state):
            print(f"{CHANGED}it was {was}, and is {described(state)} after choose", file=sys.stderr)
        return legal(choice, state)

    player.Player._followed = remembered  # type: ignore[method-assign]
    hosting.legal = compared


if __name__ == "__main__":
    import runpy

    watch()
    runpy.run_module("agents", run_name="__main__", alter_sys=True)
