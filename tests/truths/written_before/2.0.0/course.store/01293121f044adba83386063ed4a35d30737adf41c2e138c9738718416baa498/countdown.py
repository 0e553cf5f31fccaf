"""A game in one file: `examples/countdown.py:Countdown`, or with options `examples/countdown.py:Countdown:n=30`."""

from adsearch import Option, State
from adsearch.errors import BadPosition


class Countdown(State[int]):
    """A number counts down from n. Two players take turns to subtract 1, 2 or 3. The player that reaches 0 wins."""

    options = (Option("n", 21, "the number at the start", 1, 1000),)
    notation = "the number to subtract"
    max_plies = 1000  # without it the game counts as endless, and a search needs a depth limit

    def __init__(self, n: int, mover: int = 0) -> None:
        self.n = n
        self.mover = mover
        self.turn = mover if n else None

    @classmethod
    def load(cls, text: str, *, n: int) -> "Countdown":
        left, _, mover = text.partition(" turn=")
        if not (left.isascii() and left.isdigit() and len(left) <= 4 and int(left) <= n and mover in ("0", "1")):
            raise BadPosition(f"expected a number up to {n} and the turn, such as '{n} turn=0', got {text!r}")
        return cls(int(left), int(mover))

    def moves(self) -> tuple[int, ...]:
        return tuple(range(1, min(3, self.n) + 1))

    def play(self, move: int) -> "Countdown":
        return Countdown(self.n - move, 1 - self.mover)

    def utilities(self) -> tuple[float, float]:
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)

    def position(self) -> str:
        return f"{self.n} turn={self.mover}"
