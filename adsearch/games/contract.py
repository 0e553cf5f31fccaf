"""Checks a user-supplied game: plays it at random and tests that every method does what `State` requires.

A search in a game with a wrong method fails far from the mistake, or returns a wrong value. `check` raises BadGame at
the first wrong method: which method, in which position, what was expected and what came.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from inspect import getattr_static
from math import isclose, isfinite, isnan
from pathlib import Path
from random import Random
from typing import Any, Final, NoReturn, TypeVar

from adsearch.errors import BadGame, BadPosition, quote
from adsearch.games.catalog import Game, find
from adsearch.state import CHANCE, State

_GAMES: Final = 20
_LONGEST: Final = 10_000
"""Largest number of plies of a random game without `max_plies`."""
_POSITIONS: Final = 1_000
"""Largest number of positions to check."""
_LONGEST_TEXT: Final = 64
_LONGEST_REASON: Final = 200

Value = TypeVar("Value")


def check(spec: str, *, seed: int = 0) -> int:
    """Play the game that `spec` names at random and check every position; BadGame at the first error.

    Returns the number of positions checked. Not all positions can be visited, so there can be errors that it does not
    find."""
    game, options = find(spec)
    examination = _Examination(game, options)
    for number in range(_GAMES):
        if examination.looked_at >= _POSITIONS:
            break
        examination.play(Random(f"{seed} {number}"))
    return examination.looked_at


class _Examination:
    """One check: the game, its options and the moves played so far."""

    def __init__(self, game: Game, options: dict[str, float | str]) -> None:
        self.game = game
        self.options = options
        self.played: list[str] = []
        self.looked_at = 0
        self.every: set[Any] = set()
        # For each key: the turn and moves that positions with this key have.
        self.known: dict[Hashable, tuple[Any, ...]] = {}
        # For each key up to symmetry: the turn and number of moves.
        self.mirrored: dict[Hashable, tuple[int | None, int]] = {}

    def play(self, random: Random) -> None:
        """Play one game to its end."""
        self.played.clear()
        state = self.asked("the start position", lambda: self.game.start(**self.options))
        self.facts(state)
        self.every = self.asked("all_moves()", lambda: set(state.all_moves()))
        most = state.max_plies
        while True:
            moves = self.moves(state)
            self.position(state)
            self.looked_at += 1
            if state.turn is None:
                return self.end(state)
            self.estimates(state)
            self.texts(state, moves)
            self.view(state, moves, random)
            if len(self.played) >= (_LONGEST if most is None else most):
                self.fail(
                    f"expected the game to be over after max_plies = {most} plies, but it is not"
                    if most is not None
                    else f"the game has not ended after {_LONGEST:,} plies: check that it can end"
                )
            state = self.after(state, moves, random)

    def facts(self, state: State[Any]) -> None:
        """Check the attributes of the game."""
        kinds: dict[str, tuple[str, Callable[[Any], bool]]] = {
            "players": ("a whole number above 0", lambda value: type(value) is int and value > 0),
            "chance": ("True or False", lambda value: isinstance(value, bool)),
            "hidden": ("True or False", lambda value: isinstance(value, bool)),
            "zero_sum": ("True or False", lambda value: isinstance(value, bool)),
            "max_plies": ("a whole number or None", lambda value: value is None or type(value) is int),
            "bounds": ("two numbers, the smallest and the largest utility", _are_bounds),
        }
        for name, (expected, fits) in kinds.items():
            value = self.asked(name, partial(getattr, state, name))
            if callable(value):
                self.fail(f"{name} is a method: write @property above it, or give the class an attribute {name} = ...")
            if not fits(value):
                self.fail(f"expected {name} to be {expected}, got {_shown(value)}")
        if state.zero_sum and state.players != 2:
            self.fail(f"zero_sum is only for two players, but there are {state.players}")
        if not isinstance(getattr_static(state, "load"), classmethod):
            self.fail("load must be a method of the class: write @classmethod above it")

    def after(self, state: State[Any], moves: tuple[Any, ...], random: Random) -> State[Any]:
        """The position after a random move; `play` must not change the position before it."""
        move = random.choice(moves)
        before = state.position(), state.turn
        child = self.asked(f"play({move!r})", lambda: state.play(move))
        if not isinstance(child, State):
            self.fail(f"expected play({move!r}) to return the next position, got {_shown(child)}")
        if (state.position(), state.turn) != before or child is state:
            self.fail(f"play({move!r}) has changed the position; it must return a new position and not change this one")
        self.played.append(state.to_text(move))
        return child

    def moves(self, state: State[Any]) -> tuple[Any, ...]:
        """The moves, checked against the turn."""
        turn = self.asked("turn", lambda: state.turn)
        if turn not in (None, CHANCE, *range(state.players)):
            self.fail(f"expected turn to be a seat from 0 to {state.players - 1}, CHANCE or None, got {_shown(turn)}")
        moves = self.asked("moves()", lambda: tuple(state.moves()))
        if turn is None and moves:
            self.fail(f"the game is over (turn is None), so that moves() must be empty, got {_shown(moves)}")
        if turn is not None and not moves:
            whose = "chance's" if turn == CHANCE else f"seat {turn}'s"
            self.fail(f"it is {whose} turn, but moves() is empty; if the game is over, turn must be None")
        if self.asked("a move's hash", lambda: len(set(moves))) < len(moves):
            self.fail(f"expected moves() without repeats, got {_shown(moves)}")
        if self.asked("moves()", lambda: tuple(state.moves())) != moves:
            self.fail("expected moves() to return the same each time, got another order or other moves")
        self.chances(state, moves)
        if turn != CHANCE and self.every and (missing := [move for move in moves if move not in self.every]):
            self.fail(
                f"expected all_moves() of the start position to have every move, but {_shown(missing[0])} is missing"
            )
        return moves

    def chances(self, state: State[Any], moves: tuple[Any, ...]) -> None:
        """Check that chance nodes, and only they, have outcomes with probabilities."""
        chances = self.asked("chances()", lambda: tuple(state.chances()))
        if state.turn != CHANCE:
            if chances:
                self.fail(f"expected chances() to be empty if turn is not CHANCE, got {_shown(chances)}")
            return
        if not state.chance:
            self.fail("turn is CHANCE, so that the class needs: chance = True")
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in chances):
            self.fail(f"expected chances() to be pairs (outcome, probability), got {_shown(chances)}")
        if tuple(outcome for outcome, _ in chances) != moves:
            self.fail(f"expected chances() to have the outcomes of moves() in their order, got {_shown(chances)}")
        if not all(_is_number(part) and part > 0 for _, part in chances) or not isclose(
            sum(part for _, part in chances), 1.0, abs_tol=1e-9
        ):
            self.fail(f"expected probabilities above 0 that sum to 1, got {_shown([part for _, part in chances])}")

    def texts(self, state: State[Any], moves: tuple[Any, ...]) -> None:
        """Check that each move has its own text and that `from_text` reads it."""
        texts: dict[str, Any] = {}
        for move in moves:
            text = self.asked(f"to_text({move!r})", partial(state.to_text, move))
            if not isinstance(text, str) or not text.strip() or not text.isprintable() or len(text) > _LONGEST_TEXT:
                self.fail(f"expected to_text({move!r}) to be 1 to {_LONGEST_TEXT} characters, got {_shown(text)}")
            if text.lower() in texts:
                self.fail(f"to_text() gives {quote(text)} for two moves: {texts[text.lower()]!r} and {move!r}")
            texts[text.lower()] = move
            back = self.asked(f"from_text({text!r})", partial(state.from_text, text))
            if back != move:
                self.fail(f"expected from_text({text!r}) to be the move {move!r}, got {_shown(back)}")

    def position(self, state: State[Any]) -> None:
        """Check `position`, `load`, `key`, `canonical` and `str`."""
        text = self.asked("position()", state.position)
        if not isinstance(text, str) or not text.isprintable():
            self.fail(f"expected position() to be one line of text, got {_shown(text)}")
        self.asked("the board, str(state),", lambda: str(state))
        follows = state.turn, tuple(state.moves())
        key = self.asked("key", lambda: state.key)
        if self.asked("the hash of key", lambda: self.known.setdefault(key, follows)) != follows:
            self.fail(
                f"two positions have the key {_shown(key)}, but not the same turn and moves: position(), or key, must "
                "contain everything that the rest of the game depends on"
            )
        canonical = self.asked("canonical", lambda: state.canonical)
        size = follows[0], len(follows[1])
        if self.asked("the hash of canonical", lambda: self.mirrored.setdefault(canonical, size)) != size:
            self.fail(
                f"two positions have the same canonical, {_shown(canonical)}, but not the same turn and number of "
                "moves: they are not equal up to symmetry"
            )
        if getattr_static(state, "load") is not getattr_static(State, "load"):
            loaded = self.loaded("position()", text)
            if (loaded.position(), loaded.turn, tuple(loaded.moves())) != (text, *follows):
                self.fail(f"expected load(position()) to be the same position, got {_shown(loaded.position())}")

    def view(self, state: State[Any], moves: tuple[Any, ...], random: Random) -> None:
        """Check `view` and `sample`: a seat's view must have its turn and moves."""
        for seat in range(state.players):
            seen = self.asked(f"view({seat})", partial(state.view, seat))
            if not state.hidden:
                if seen != state.position():
                    self.fail(f"view({seat}) differs from position(), so that the class needs: hidden = True")
                continue
            known = self.loaded(f"view({seat})", seen)
            if known.turn != state.turn or (seat == state.turn and tuple(known.moves()) != moves):
                self.fail(f"expected load(view({seat})) to have the same turn, and moves where it is that seat's turn")
            whole = self.asked(f"sample({seat}, random)", partial(state.sample, seat, random))
            if whole.view(seat) != seen:
                self.fail(
                    f"expected sample({seat}, random) to look the same to that seat, got {_shown(whole.position())}"
                )

    def estimates(self, state: State[Any]) -> None:
        """Check `evaluate` before the game is over."""
        low, high = state.bounds
        for seat in range(state.players):
            value = self.asked(f"evaluate({seat})", partial(state.evaluate, seat))
            if not _is_number(value):
                self.fail(f"expected evaluate({seat}) to be a number, got {_shown(value)}")
            if not (state.zero_sum and seat) and not low < value < high:
                self.fail(f"expected evaluate({seat}) between the bounds {low:g} and {high:g}, got {value:g}")

    def end(self, state: State[Any]) -> None:
        """Check `utilities`, and `evaluate` after the game is over."""
        utilities = self.asked("utilities()", state.utilities)
        if not isinstance(utilities, tuple | list) or len(utilities) != state.players:
            self.fail(f"expected utilities() to be {state.players} numbers, one per seat, got {_shown(utilities)}")
        if not all(_is_number(utility) and isfinite(utility) for utility in utilities):
            self.fail(f"expected utilities() to be numbers, got {_shown(utilities)}")
        low, high = state.bounds
        if state.zero_sum and not isclose(sum(utilities), 0.0, abs_tol=1e-9):
            self.fail(
                f"expected utilities of two players to sum to 0, got {_shown(utilities)}; "
                "if the game is not zero-sum, the class needs: zero_sum = False"
            )
        for utility in utilities[: 1 if state.zero_sum else None]:
            if not low <= utility <= high:
                self.fail(
                    f"expected utilities from {low:g} to {high:g}, got {_shown(utilities)}; "
                    f"the class needs: bounds = (smallest, largest)"
                )
        for seat, utility in enumerate(utilities):
            value = self.asked(f"evaluate({seat})", partial(state.evaluate, seat))
            if value != utility:
                self.fail(f"expected evaluate({seat}) to be {utility:g}, as the game is over, got {_shown(value)}")

    def loaded(self, what: str, text: str) -> State[Any]:
        """The position that `text` describes."""
        try:
            return self.game.load(text, **self.options)
        except (BadPosition, BadGame) as error:
            return self.fail(f"expected load() to read what {what} has written, {quote(text)}: {self.reason(error)}")

    def asked(self, what: str, ask: Callable[[], Value]) -> Value:
        """The result of `ask`; an exception in it is raised as BadGame."""
        try:
            return ask()
        except BadGame as error:  # it says all that is needed
            raise BadGame(f"{self.game.name}: {self.reason(error)}") from None
        except (Exception, SystemExit) as error:
            at = next(_own_lines(error), None)
            where = f" ({Path(at.filename).name}, line {at.lineno})" if at else ""
            return self.fail(f"{what} fails: {type(error).__name__}: {self.reason(error)}{where}")

    def reason(self, error: BaseException) -> str:
        """An error's text on one line, without the game's name."""
        return " ".join(str(error).removeprefix(f"{self.game.name}: ")[:_LONGEST_REASON].split())

    def fail(self, what: str) -> NoReturn:
        """Raise BadGame with the moves that led to the position."""
        after = f"after {' '.join(self.played[-12:])}" if self.played else "at the start"
        raise BadGame(f"{self.game.name}, {after}: {what}") from None


def _own_lines(error: BaseException) -> Iterator[traceback.FrameSummary]:
    """The traceback's lines in the user's files, innermost first."""
    ours = Path(__file__).parents[1]
    for at in reversed(traceback.extract_tb(error.__traceback__)):
        if ours not in Path(at.filename).parents:
            yield at


def _are_bounds(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(map(_is_number, value)) and value[0] < value[1]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isnan(value)


def _shown(value: object) -> str:
    return quote(value) if isinstance(value, str) else quote(repr(value))[1:-1]
