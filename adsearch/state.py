"""State: one position of a game, and the only interface between games and searches.

Every game, built-in or user-supplied, is a subclass of State. Searches, the referee and agents use games through this
class only. It supports any number of players, chance, and hidden information. A State never changes: `play` returns a
new one.

A game must define `turn`, `moves`, `play`, `utilities` and `position`, and `load` to read a position back from text.
The defaults of all other methods are right for a two-player game without chance or hidden information.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from random import Random
from typing import Any, ClassVar, Final, Generic, NamedTuple, Self, TypeVar

from adsearch.errors import BadCell, BadGame, BadMove, one_of, quote
from adsearch.option import Option

CHANCE: Final = -1
"""The `turn` of a chance node (a die, a coin, a shuffled deck): no player moves there."""

Move = TypeVar("Move", bound=Hashable)


class Spot(NamedTuple):
    """A place to mark in the text of a board: the characters of a line from `start` to before `end`. Brackets can
    replace the first and the last of them."""

    line: int
    start: int
    end: int
    won: bool = False
    """Whether it is part of a winning line; otherwise it belongs to the last move."""


class Feature(NamedTuple):
    """One term of an evaluation: a number that the position has, and its weight."""

    name: str
    weight: float
    about: str


class Looks(NamedTuple):
    """How a game's players and moves are shown to people."""

    sides: tuple[str, ...] = ()
    """What the player of each seat is called by its pieces, such as White."""
    pieces: tuple[str, ...] = ()
    """The letters of each seat's pieces in the text of a board."""
    colours: tuple[str, ...] = ()
    """The classes of the style sheet with the colours of each seat; by default `sides` in lower case."""
    named_by_side: bool = False
    """Whether a player is called by its side where boards have letters, too."""
    two_plies_a_number: bool = False
    """Whether the moves of both players share a number, as in chess."""


class State(Generic[Move]):
    """One position of a game. A game overrides the defaults that are wrong for it; a class attribute can be enough."""

    __slots__ = ()

    # About the game, for the catalogue.
    options: ClassVar[tuple[Option, ...]] = ()
    """The options of `start`. The first can be given without its name."""
    notation: ClassVar[str] = ""
    """How a move is written, in one sentence."""
    position_notation: ClassVar[tuple[tuple[str, str], ...]] = ()
    """How a position is written: pairs (a part of the text, what it means)."""
    attributes: ClassVar[tuple[tuple[str, str], ...]] = ()
    """What a position of this game has besides the attributes of State, for agents: pairs (code after "state.", what it
    is)."""
    evaluation: ClassVar[tuple[Feature, ...]] = ()
    """The features of which `evaluate` is made; empty if it is not a weighted sum."""
    seats: ClassVar[tuple[int, ...]] = (2,)
    """The possible numbers of players; the options choose one."""
    impartial: ClassVar[bool] = False
    """Whether both players have the same moves in every position, and a player who cannot move loses (as in Nim)."""

    looks: ClassVar[Looks] = Looks()
    """How its players and moves are shown."""

    draw_svg: ClassVar[Callable[[State[Any], Any], str]]
    """Draws a position of a game that does not define `svg`. Set in `adsearch/__init__.py`, so that games and searches
    do not import `pictures`."""

    # About the position.
    turn: int | None
    """The seat to move, CHANCE, or None when the game is over."""

    @property
    def players(self) -> int:
        """The number of seats."""
        return 2

    @property
    def chance(self) -> bool:
        """Whether the game, with these options, has chance nodes."""
        return False

    @property
    def hidden(self) -> bool:
        """Whether the game, with these options, has hidden information."""
        return False

    @property
    def zero_sum(self) -> bool:
        """Whether the game has two players and their utilities sum to 0."""
        return self.players == 2

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest possible utility of a seat (if zero-sum: of seat 0); can be infinite."""
        return (-1.0, 1.0)

    @property
    def max_plies(self) -> int | None:
        """The length of the longest game in plies, chance events included; None if there is no limit."""
        return None

    @property
    def plies_a_round(self) -> int:
        """The number of plies in which each player has moved once, chance events included."""
        return self.players

    @classmethod
    def start(cls, *args: Any, **options: Any) -> Self:
        """The start position. The catalogue passes every option by name, with a valid value."""
        return cls(**options)

    @classmethod
    def load(cls, text: str, *args: Any, **options: Any) -> Self:
        """The position that `position` or `view` wrote as `text`; BadPosition for any other text."""
        raise BadGame(f"{cls.__name__} must define load(text), so that a position can be read from a text")

    def moves(self) -> tuple[Move, ...]:
        """The legal moves in a fixed order; at a chance node the outcomes; empty if and only if the game is over."""
        raise BadGame(f"{type(self).__name__} must define moves()")

    def chances(self) -> tuple[tuple[Move, float], ...]:
        """At a chance node, every outcome with its probability, in the order of `moves`; elsewhere empty."""
        return ()

    def all_moves(self) -> tuple[Move, ...]:
        """The moves that a player can have from here on, each once, in a fixed order, which numbers them for learning;
        there can be others among them. Empty if the game does not say."""
        return ()

    def play(self, move: Move) -> Self:
        """The position after `move`, which must be one of `moves()`. For speed this is not checked."""
        raise BadGame(f"{type(self).__name__} must define play(move)")

    def utilities(self) -> tuple[float, ...]:
        """The utility of the finished game for each seat."""
        raise BadGame(f"{type(self).__name__} must define utilities()")

    def ending(self) -> str:
        """How the finished game was decided, in a few words; can be empty."""
        return ""

    def evaluate(self, seat: int) -> float:
        """The evaluation for `seat`: its utility if the game is over, else an estimate strictly inside the bounds."""
        if self.turn is None:
            return self.utilities()[seat]
        low, high = self.bounds
        if low < 0.0 < high:
            return 0.0
        return low + 1.0 if high == float("inf") else high - 1.0 if low == -float("inf") else (low + high) / 2.0

    @classmethod
    def reported(cls, score: float) -> float:
        """What a player that reports this score, in the scale in which people write scores of the game, is recorded
        with. Usually both are the scale of `evaluate`."""
        return score

    def features(self, seat: int) -> dict[str, float]:
        """The value of each feature of `evaluation`, by name, for `seat`; the game is not over. `evaluate` is the sum
        of weight times value, `scaled`."""
        return {}

    def scaled(self, score: float) -> float:
        """An evaluation, strictly inside the bounds, for a weighted sum of features of any size."""
        return score

    def noisy_moves(self) -> tuple[Move, ...]:
        """The moves that a quiescence search follows beyond the horizon (captures, threats)."""
        return ()

    def playout_move(self, random: Random) -> Move:
        """A move for a random playout of `mcts`, not at a chance node; by default any of `moves()`, equally likely."""
        moves = self.moves()
        return moves[int(random.random() * len(moves))]

    @property
    def label(self) -> str:
        """The name of this position as the root of a trace or a drawn tree; explicit trees have their own names."""
        return "root"

    @property
    def short_name(self) -> str:
        """A short name of this position for a node of a drawn tree; the default is the whole position as text."""
        return self.position()

    @property
    def key(self) -> Hashable:
        """A hashable value: positions of one game (and its options) with equal keys have the same turn and subtree."""
        return self.position()

    @property
    def canonical(self) -> Hashable:
        """The key up to symmetry, such as a mirrored board: positions with equal values have the same turn, the same
        utilities, and children whose values are equal too, in any order. The default knows no symmetry."""
        return self.key

    def to_text(self, move: Move) -> str:
        """The legal `move` as text, at most 64 characters."""
        return str(move)

    def shown(self, move: Move) -> str:
        """The legal `move` as people write it, if they do not write it as `to_text` does; `from_text` reads it too."""
        return self.to_text(move)

    def from_text(self, text: str) -> Move:
        """The legal move with this text, ignoring case and surrounding spaces; BadMove if there is none."""
        moves = self.moves()
        if isinstance(text, str):
            wanted = text.strip().lower()
            for move in moves:
                if self.to_text(move).lower() == wanted:
                    return move
        if not moves:
            raise BadMove(f"the game is over, got {quote(text)}")
        if isinstance(text, str) and (why := self.why_illegal(text)):
            raise BadMove(f"expected a legal move, got {quote(text)}: {why}")
        texts = one_of([self.to_text(move) for move in moves])
        note = f"; {written}" if (written := how_written(self)) else ""
        raise BadMove(f"expected a legal move ({texts}{note}), got {quote(text)}")

    def why_illegal(self, text: str) -> str:
        """Why `text` is not a legal move, in a few words; empty if the game does not say."""
        return ""

    def position(self) -> str:
        """The whole position as one line of text, which `load` reads."""
        raise BadGame(f"{type(self).__name__} must define position()")

    def view(self, seat: int) -> str:
        """The position as `seat` sees it, as text that `load` reads."""
        return self.position()

    def view_move(self, seat: int, move: Move) -> str:
        """The `move` as `seat` sees it: its text, or "?" if it is hidden."""
        return self.to_text(move)

    def sample(self, seat: int, random: Random) -> Self:
        """A random complete position that is consistent with what `seat` sees (a determinization)."""
        return self

    @property
    def world_states(self) -> str:
        """How many states the game can be in, with the factors of this number, on one line; empty if the game does not
        say."""
        return ""

    @property
    def options_note(self) -> str:
        """What the options of the game led to, on one line, such as the number of words in a list; can be empty."""
        return ""

    def __str__(self) -> str:
        """The board as text."""
        return self.position()

    def array(self, seat: int) -> list[list[int]]:
        """The board as numbers for that seat, the top row first: its own pieces above 0, those of others below, empty
        cells 0. BadCell in a game without a board of pieces."""
        raise BadCell(f"{type(self).__name__} has no board of pieces in cells, so there is no array of it")

    def cells(self, move: Move) -> tuple[tuple[int, int], ...]:
        """The (row, column) in `array` where the move starts, and where it ends; one cell if it fills that. Empty for a
        pass, and in a game without such a board."""
        return ()

    def move_to(
        self, row: int | None = None, column: int | None = None, *, start: tuple[int, int] | None = None
    ) -> Move:
        """The first legal move that ends in that row and column of `array`, and that starts in the cell `start`; None:
        anywhere. If only one move is legal, such as a pass, that one. BadMove if there is none."""
        if len(moves := self.moves()) == 1:
            return moves[0]
        for move in moves:
            ways = self.cells(move)
            if ways and row in (None, ways[-1][0]) and column in (None, ways[-1][1]) and start in (None, ways[0]):
                return move
        place = f"row={row}, column={column}" + (f", start={start}" if start else "")
        legal = one_of([self.to_text(move) for move in self.moves()])
        raise BadMove(f"move_to({place}): {f'no such legal move; legal are {legal}' if legal else 'the game is over'}")

    def spots(self, last: Move | None) -> tuple[Spot, ...]:
        """The places in `str(self)` to mark: a winning line, and `last`, the move that led here; empty if the game does
        not say."""
        return ()

    def svg(self, last: Move | None = None) -> str:
        """The board as an SVG document. `last`, the move that led here, can be marked."""
        return State.draw_svg(self, last)

    def _repr_svg_(self) -> str:
        """The board as a notebook shows it."""
        return self.svg()

    def __repr__(self) -> str:
        known = type(self).position is not State.position
        return f"<{type(self).__name__} {self.position() if known else hex(id(self))}>"


def how_written(state: State[Any]) -> str:
    """How a move's Python value differs from its text here: "move 0 in Python is written 1"; "" if it does not."""
    for move in state.moves():
        if str(move) != state.to_text(move):
            return f"move {move!r} in Python is written {state.to_text(move)}"
    return ""


def texts(state: State[Any], line: Iterable[Any]) -> list[str]:
    """The texts of the moves of `line`, played one after the other from `state`."""
    found = []
    for move in line:
        found.append(state.to_text(move))
        state = state.play(move)
    return found


def in_both(state: State[Any], move: Any) -> str:
    """A legal move as people write it, and its text and its Python value if they are different: "1 (0 in Python)",
    "e4 (e2e4, 1804 in Python)"."""
    shown, text = state.shown(move), state.to_text(move)
    others = [text] * (text != shown) + [f"{move!r} in Python"] * (text != str(move))
    return f"{shown} ({', '.join(others)})" if others else shown
