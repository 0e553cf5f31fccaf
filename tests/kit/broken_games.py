"""User-supplied games with one mistake each, written into a file for the tests.

All are variants of one small game: two players take turns and take 1 to 3 sticks; the player that takes the last one
wins.
"""

from pathlib import Path

SOURCE = """
from adsearch import State

class Sticks(State):
    max_plies = 10
    def __init__(self, left=4, mover=0):
        self.left, self.mover = left, mover
        self.turn = mover if left else None
    @classmethod
    def load(cls, text):
        left, mover = text.split()[:2]
        return cls(int(left), int(mover))
    def moves(self):
        return tuple(range(1, min(3, self.left) + 1))
    def play(self, move):
        return type(self)(self.left - move, 1 - self.mover)
    def utilities(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)
    def position(self):
        return f"{self.left} {self.mover}"

class ReadsWithInt(Sticks):
    def from_text(self, text): return int(text)
class LeavesWhenReading(Sticks):
    def from_text(self, text): raise SystemExit(3)
class ReadsWhatIsIllegal(Sticks):
    def from_text(self, text): return 99

class OneUtility(Sticks):
    def utilities(self): return (1.0,)
class ThreeUtilities(Sticks):
    def utilities(self): return (1.0, 0.0, -1.0)
class WordsForUtilities(Sticks):
    def utilities(self): return ("a", "b")
class NoUtilities(Sticks):
    def utilities(self): return (None, None)
class NotANumber(Sticks):
    def utilities(self): return (float("nan"), 0.0)
class Endless(Sticks):
    bounds = (-float("inf"), float("inf"))
    def utilities(self): return (float("inf"), -float("inf"))
class WholeNumbers(Sticks):
    def utilities(self): return (True, 0)

class LongTexts(Sticks):
    def to_text(self, move): return "x" * 70 + str(move)
class NoTexts(Sticks):
    def to_text(self, move): return move
class EmptyTexts(Sticks):
    def to_text(self, move): return " " * move
class BrokenTexts(Sticks):
    def to_text(self, move): return "\\ud800" + str(move)
class LongTextsLater(Sticks):
    def to_text(self, move): return "x" * (70 if self.left < 4 else 0) + str(move)
class LongPosition(Sticks):
    def position(self): return super().position() + "z" * 70_000
class LongPositionLater(Sticks):
    def position(self): return super().position() + " " + "z" * (70_000 if self.left < 4 else 0)
class LongInJson(Sticks):
    def position(self): return super().position() + " " + "\\x01" * (20_000 if self.left < 4 else 0)
class NoPosition(Sticks):
    def position(self): return 5

class NobodysTurn(Sticks):
    def __init__(self, left=4, mover=0):
        super().__init__(left, mover)
        self.turn = -2 if 0 < left < 4 else self.turn
class Leaves(Sticks):
    def play(self, move): raise SystemExit(3)
class Interrupts(Sticks):
    def play(self, move): raise KeyboardInterrupt
class WithoutBoard(Sticks):
    def __str__(self): raise ValueError("no board")
"""


def written(folder: Path, name: str) -> str:
    """The game of that name, as players and referees are told of it."""
    path = folder / "odd.py"
    if not path.exists():
        path.write_text(SOURCE, "utf-8")
    return f"{path}:{name}"
