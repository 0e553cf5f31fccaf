"""State: one position of a game, and the one interface between rules and search.

Every game of the catalogue, and every game a student writes, is one subclass of State; searches, the referee and agents
know games through it alone. Any number of players, chance and hidden information are in it from the start.
A State never changes: `play` makes a new one.

What a game must define: `turn`, `moves`, `play`, `utilities` and `position`, and to be loaded again `load`.
All else has a default that is right for a game of two players without chance or secrets.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from random import Random
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

from adsearch.errors import BadGame, BadMove, one_of, quote
from adsearch.option import Option

CHANCE: Final = -1
"""The turn at a node where no player moves, but a die, a coin or a shuffled deck."""

Move = TypeVar("Move", bound=Hashable)


class State(Generic[Move]):
    """One position of a game. Where a game differs from a default it overrides it, if only by a class attribute."""

    __slots__ = ()

    # Of the game, for the catalogue.
    options: ClassVar[tuple[Option, ...]] = ()
    """The settings that `start` takes; the first may be given without its name."""
    notation: ClassVar[str] = ""
    """How a move is written, in a sentence."""
    seats: ClassVar[tuple[int, ...]] = (2,)
    """How many players there may be, depending on the options."""

    draw_svg: ClassVar[Callable[[State[Any], Any], str]]
    """Draws a position of any game that does not define `svg` itself. Set in `adsearch/__init__.py`, so that rules and
    searches know nothing of pictures."""

    # Of the position.
    turn: int | None
    """The seat to move, CHANCE, or None when the game is over."""

    @property
    def players(self) -> int:
        """How many seats."""
        return 2

    @property
    def chance(self) -> bool:
        """Whether the game, with these options, has chance nodes."""
        return False

    @property
    def hidden(self) -> bool:
        """Whether the game, with these options, keeps something from a seat."""
        return False

    @property
    def zero_sum(self) -> bool:
        """Two players, and their utilities sum to 0."""
        return self.players == 2

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest utility of a seat (in a zero-sum game: of seat 0); may be infinite."""
        return (-1.0, 1.0)

    @property
    def max_plies(self) -> int | None:
        """No game is longer, chance events counted; None where no such number can be given."""
        return None

    @classmethod
    def start(cls, *args: Any, **options: Any) -> Self:
        """The first position. The catalogue passes every option by name, each within its limits."""
        return cls(**options)

    @classmethod
    def load(cls, text: str, *args: Any, **options: Any) -> Self:
        """The position that `position` or `view` wrote as `text`; BadPosition for any other text."""
        raise BadGame(f"{cls.__name__} must define load(text) to be loaded from a text")

    def moves(self) -> tuple[Move, ...]:
        """The legal moves in a fixed order; at a chance node its outcomes; empty exactly when the game is over."""
        raise BadGame(f"{type(self).__name__} must define moves()")

    def chances(self) -> tuple[tuple[Move, float], ...]:
        """At a chance node, every outcome with its probability, in the order of `moves`; elsewhere nothing."""
        return ()

    def play(self, move: Move) -> Self:
        """The position after `move`, which must be one of `moves()` (that is not checked: searches live here)."""
        raise BadGame(f"{type(self).__name__} must define play(move)")

    def utilities(self) -> tuple[float, ...]:
        """What the finished game is worth to each seat."""
        raise BadGame(f"{type(self).__name__} must define utilities()")

    def ending(self) -> str:
        """How the finished game was decided, in a few words for people; empty where there is nothing to add."""
        return ""

    def evaluate(self, seat: int) -> float:
        """What the position is worth to `seat`: its utility when over, else an estimate strictly inside the bounds."""
        if self.turn is None:
            return self.utilities()[seat]
        low, high = self.bounds
        if low < 0.0 < high:
            return 0.0
        return low + 1.0 if high == float("inf") else high - 1.0 if low == -float("inf") else (low + high) / 2.0

    def noisy_moves(self) -> tuple[Move, ...]:
        """The moves that a quiescence search should still follow at its horizon."""
        return ()

    @property
    def label(self) -> str:
        """What the position is called where a search is traced or a tree is drawn: only explicit trees know better."""
        return "root"

    @property
    def key(self) -> Hashable:
        """Hashable; equal keys (within one game and its options) imply equal futures, turn included."""
        return self.position()

    def to_text(self, move: Move) -> str:
        """`move`, a legal one, as people write it: at most 64 characters."""
        return str(move)

    def from_text(self, text: str) -> Move:
        """The legal move that `text` stands for, capitals and outer blanks aside; BadMove where there is none."""
        moves = self.moves()
        if isinstance(text, str):
            wanted = text.strip().lower()
            for move in moves:
                if self.to_text(move).lower() == wanted:
                    return move
        if not moves:
            raise BadMove(f"the game is over, got {quote(text)}")
        raise BadMove(f"expected a legal move ({one_of([self.to_text(move) for move in moves])}), got {quote(text)}")

    def position(self) -> str:
        """The whole position as one line of text, from which `load` brings it back."""
        raise BadGame(f"{type(self).__name__} must define position()")

    def view(self, seat: int) -> str:
        """What `seat` may see of the position, as text that `load` takes too."""
        return self.position()

    def view_move(self, seat: int, move: Move) -> str:
        """What `seat` sees when `move` is played here: its text, or "?" where it is hidden."""
        return self.to_text(move)

    def sample(self, seat: int, random: Random) -> Self:
        """A full position drawn from those that agree with what `seat` sees."""
        return self

    def __str__(self) -> str:
        """The board, for people."""
        return self.position()

    def svg(self, last: Move | None = None) -> str:
        """The board as a picture: an SVG document. `last`, the move that led here, is marked where that helps."""
        return State.draw_svg(self, last)

    def __repr__(self) -> str:
        known = type(self).position is not State.position
        return f"<{type(self).__name__} {self.position() if known else hex(id(self))}>"
