"""What a game promises, held against a game of somebody's own by playing it at random.

A search that meets a game which breaks a promise fails far from the mistake, or is merely wrong. Here the first broken
promise is one BadGame that says which method, in which position, what was expected and what came.
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
"""Plies of a game that does not say how long it may be."""
_POSITIONS: Final = 1_000
"""So many are looked at; long games are not all played."""
_LONGEST_TEXT: Final = 64
_LONGEST_REASON: Final = 200

Value = TypeVar("Value")


def check(spec: str, *, seed: int = 0) -> int:
    """Plays the game that `spec` names at random and looks at every position; BadGame where a promise is broken.

    Answers how many positions it has looked at. Not all can be visited: what it finds is wrong, what it does not find
    may still be."""
    game, options = find(spec)
    examination = _Examination(game, options)
    for number in range(_GAMES):
        if examination.looked_at >= _POSITIONS:
            break
        examination.play(Random(f"{seed} {number}"))
    return examination.looked_at


class _Examination:
    """One game that is played, and where it stands."""

    def __init__(self, game: Game, options: dict[str, int | str]) -> None:
        self.game = game
        self.options = options
        self.played: list[str] = []
        self.looked_at = 0
        # For each key, what follows from it.
        self.known: dict[Hashable, tuple[Any, ...]] = {}

    def play(self, random: Random) -> None:
        """One game, to its end."""
        self.played.clear()
        state = self.asked("the first position", lambda: self.game.start(**self.options))
        self.facts(state)
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
                    f"expected the game to be over after max_plies = {most} plies, it goes on"
                    if most is not None
                    else f"the game has not ended after {_LONGEST:,} plies: can it end at all?"
                )
            state = self.after(state, moves, random)

    def facts(self, state: State[Any]) -> None:
        """What it says of itself as a whole."""
        kinds: dict[str, tuple[str, Callable[[Any], bool]]] = {
            "players": ("a whole number above 0", lambda value: type(value) is int and value > 0),
            "chance": ("True or False", lambda value: isinstance(value, bool)),
            "hidden": ("True or False", lambda value: isinstance(value, bool)),
            "zero_sum": ("True or False", lambda value: isinstance(value, bool)),
            "max_plies": ("a whole number or None", lambda value: value is None or type(value) is int),
            "bounds": ("two numbers, the least and the greatest", lambda value: _are_bounds(value)),
        }
        for name, (expected, fits) in kinds.items():
            value = self.asked(name, partial(getattr, state, name))
            if callable(value):
                self.fail(f"{name} is a method: write @property above it, or give the class an attribute {name} = ...")
            if not fits(value):
                self.fail(f"expected {name} to be {expected}, got {_shown(value)}")
        if state.zero_sum and state.players != 2:
            self.fail(f"zero_sum is for two players, there are {state.players}")
        if not isinstance(getattr_static(state, "load"), classmethod):
            self.fail("load must be a method of the class: write @classmethod above it")

    def after(self, state: State[Any], moves: tuple[Any, ...], random: Random) -> State[Any]:
        """The position after one of the moves; the one before must be as it was."""
        move = random.choice(moves)
        before = state.position(), state.turn
        child = self.asked(f"play({move!r})", lambda: state.play(move))
        if not isinstance(child, State):
            self.fail(f"expected play({move!r}) to return the next position, got {_shown(child)}")
        if (state.position(), state.turn) != before or child is state:
            self.fail(f"play({move!r}) has changed the position itself; it must make a new one and leave this as it is")
        self.played.append(state.to_text(move))
        return child

    def moves(self, state: State[Any]) -> tuple[Any, ...]:
        """Its moves, which fit its turn."""
        turn = self.asked("turn", lambda: state.turn)
        if turn not in (None, CHANCE, *range(state.players)):
            self.fail(f"expected turn to be a seat from 0 to {state.players - 1}, CHANCE or None, got {_shown(turn)}")
        moves = self.asked("moves()", lambda: tuple(state.moves()))
        if turn is None and moves:
            self.fail(f"the game is over (turn is None), and so moves() must be empty, got {_shown(moves)}")
        if turn is not None and not moves:
            whose = "chance's" if turn == CHANCE else f"seat {turn}'s"
            self.fail(f"it is {whose} turn, but moves() is empty; where the game is over turn must be None")
        if self.asked("a move's hash", lambda: len(set(moves))) < len(moves):
            self.fail(f"expected moves() without repeats, got {_shown(moves)}")
        if self.asked("moves()", lambda: tuple(state.moves())) != moves:
            self.fail("expected moves() to be the same whenever it is asked for, got another order or other moves")
        self.chances(state, moves)
        return moves

    def chances(self, state: State[Any], moves: tuple[Any, ...]) -> None:
        """Chance has outcomes with probabilities, and nobody else has."""
        chances = self.asked("chances()", lambda: tuple(state.chances()))
        if state.turn != CHANCE:
            if chances:
                self.fail(f"expected chances() to be empty where turn is not CHANCE, got {_shown(chances)}")
            return
        if not state.chance:
            self.fail("it is chance's turn, and so the class needs: chance = True")
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in chances):
            self.fail(f"expected chances() to be pairs (outcome, probability), got {_shown(chances)}")
        if tuple(outcome for outcome, _ in chances) != moves:
            self.fail(f"expected chances() to have the outcomes of moves() in their order, got {_shown(chances)}")
        if not all(_is_number(part) and part > 0 for _, part in chances) or not isclose(
            sum(part for _, part in chances), 1.0, abs_tol=1e-9
        ):
            self.fail(f"expected probabilities above 0 that sum to 1, got {_shown([part for _, part in chances])}")

    def texts(self, state: State[Any], moves: tuple[Any, ...]) -> None:
        """Each move has a text of its own, from which it is found again."""
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
        """It has a text that says all, and a board."""
        text = self.asked("position()", state.position)
        if not isinstance(text, str) or not text.isprintable():
            self.fail(f"expected position() to be one line of text, got {_shown(text)}")
        self.asked("the board, str(state),", lambda: str(state))
        follows = state.turn, tuple(state.moves())
        key = self.asked("key", lambda: state.key)
        if self.asked("the hash of key", lambda: self.known.setdefault(key, follows)) != follows:
            self.fail(
                f"two positions have the key {_shown(key)}, but not the same turn and moves: position(), or key, must "
                "tell everything that decides how the game goes on"
            )
        if getattr_static(state, "load") is not getattr_static(State, "load"):
            loaded = self.loaded("position()", text)
            if (loaded.position(), loaded.turn, tuple(loaded.moves())) != (text, *follows):
                self.fail(f"expected load(position()) to be the same position, got {_shown(loaded.position())}")

    def view(self, state: State[Any], moves: tuple[Any, ...], random: Random) -> None:
        """What a seat may see is enough for it to move."""
        for seat in range(state.players):
            seen = self.asked(f"view({seat})", partial(state.view, seat))
            if not state.hidden:
                if seen != state.position():
                    self.fail(
                        f"view({seat}) is not position(): something is hidden, and the class needs: hidden = True"
                    )
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
        """What it seems to be worth to each seat before it is over."""
        low, high = state.bounds
        for seat in range(state.players):
            value = self.asked(f"evaluate({seat})", partial(state.evaluate, seat))
            if not _is_number(value):
                self.fail(f"expected evaluate({seat}) to be a number, got {_shown(value)}")
            if not (state.zero_sum and seat) and not low < value < high:
                self.fail(f"expected evaluate({seat}) between the bounds {low:g} and {high:g}, got {value:g}")

    def end(self, state: State[Any]) -> None:
        """What it was worth to each seat."""
        utilities = self.asked("utilities()", state.utilities)
        if not isinstance(utilities, tuple | list) or len(utilities) != state.players:
            self.fail(f"expected utilities() to be {state.players} numbers, one a seat, got {_shown(utilities)}")
        if not all(_is_number(utility) and isfinite(utility) for utility in utilities):
            self.fail(f"expected utilities() to be numbers, got {_shown(utilities)}")
        low, high = state.bounds
        if state.zero_sum and not isclose(sum(utilities), 0.0, abs_tol=1e-9):
            self.fail(
                f"expected utilities of two players to sum to 0, got {_shown(utilities)}; "
                "if one may win without the other losing as much, the class needs: zero_sum = False"
            )
        for utility in utilities[: 1 if state.zero_sum else None]:
            if not low <= utility <= high:
                self.fail(
                    f"expected utilities from {low:g} to {high:g}, got {_shown(utilities)}; "
                    f"the class needs its own: bounds = (least, greatest)"
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
        """What `ask` answers; what goes wrong in it is reported."""
        try:
            return ask()
        except BadGame as error:
            return self.fail(self.reason(error))
        except (Exception, SystemExit) as error:
            at = next(_own_lines(error), None)
            where = f" ({Path(at.filename).name}, line {at.lineno})" if at else ""
            return self.fail(f"{what} fails: {type(error).__name__}: {self.reason(error)}{where}")

    def reason(self, error: BaseException) -> str:
        """What an error says, in a line, without the game's name."""
        return " ".join(str(error).removeprefix(f"{self.game.name}: ")[:_LONGEST_REASON].split())

    def fail(self, what: str) -> NoReturn:
        """BadGame, which says where."""
        after = f"after {' '.join(self.played[-12:])}" if self.played else "at the start"
        raise BadGame(f"{self.game.name}, {after}: {what}") from None


def _own_lines(error: BaseException) -> Iterator[traceback.FrameSummary]:
    """Where it went wrong, innermost first, but for lines of ours."""
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
