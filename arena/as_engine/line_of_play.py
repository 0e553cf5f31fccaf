"""A game as other programs send it to an engine: every message has the start position and all moves since.

Each state is computed once: a longer list of the same moves is followed from where the last one ended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from adsearch import State


class LineOfPlay:
    """A start position and the moves played from it."""

    def __init__(
        self, start: State[Any], *, rules: str, opened: Callable[[State[Any]], State[Any]] = lambda state: state
    ) -> None:
        """`rules`: the game and its options; `opened`: the state to use instead of a finished one."""
        self.rules = rules
        self._opened = opened
        self.texts: list[str] = []
        self.states = [start]

    @property
    def start(self) -> State[Any]:
        """The first position."""
        return self.states[0]

    @property
    def state(self) -> State[Any]:
        """The position after all moves."""
        return self.states[-1]

    def follow(self, texts: Sequence[str]) -> None:
        """Play `texts` from the start; BadMove, with the legal moves before it, if one is illegal."""
        same = next(
            (at for at, (old, new) in enumerate(zip(self.texts, texts, strict=False)) if old != new),
            min(len(self.texts), len(texts)),
        )
        self.undo(len(self.texts) - same)
        for text in texts[same:]:
            self.play(text)

    def play(self, text: str) -> None:
        """Play one more move; BadMove if it is illegal."""
        state = self.state
        after = state.play(state.from_text(text))
        self.states.append(self._opened(after) if after.turn is None else after)
        self.texts.append(text)

    def undo(self, count: int) -> None:
        """Take back the last `count` moves."""
        if count:
            del self.texts[-count:]
            del self.states[-count:]
