"""The process of a student's function: it searches the trees that it is asked to, and what it looks at is noted.

The examiner starts this file by its path, behind walls, in a Python that has our games and none of our searches. It
reads a JSON line for each tree and writes one back. The function gets a position like any other, a subclass of State,
which notes whenever the worth of one is asked for; it need not know that.

    python examined.py FILE FUNCTION
    {"tree": {...}, "depth": 2}  ->  {"value": 3.0, "move": "B", "events": [[4, null], [5, null], [1, 3.0], ...]}
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from math import inf, isfinite
from numbers import Real
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final, NoReturn

from adsearch.games.tree import Node, Tree, read
from adsearch.state import State
from agents.streams import claim

MOST_EVENTS: Final = 2000
"""No search of these trees has so many."""
_SHOWN: Final = 6
"""Frames of a traceback."""
_LONGEST: Final = 200

_KNOWN: Final = {
    **dict.fromkeys(("depth", "d", "plies", "limit", "maxdepth", "depthleft", "remaining"), "depth"),
    **dict.fromkeys(("alpha", "a", "α", "low", "lower"), "alpha"),
    **dict.fromkeys(("beta", "b", "β", "high", "upper"), "beta"),
    **dict.fromkeys(("maximizing", "maximizingplayer", "maximize", "ismaximizing", "maximizer"), "maximizing"),
    **dict.fromkeys(("maximising", "maximisingplayer", "maximise", "ismaximising", "maximiser"), "maximizing"),
    **dict.fromkeys(("ismax", "max", "maxplayer", "maxturn", "maxtomove"), "maximizing"),
    **dict.fromkeys(("color", "colour", "sign"), "color"),
    **dict.fromkeys(("seat", "player", "me", "who", "turn", "myseat", "rootseat", "rootplayer"), "seat"),
}
"""What a parameter of that name, small letters alone, is given."""
TAKES: Final = "state, depth, alpha, beta, maximizing, color, seat"


class Refused(Exception):
    """What a student's file or function does not do as it must; its text is for the student."""


class Notes:
    """What one search has looked at."""

    def __init__(self, root: Node) -> None:
        # (node, None) where its worth was asked for, (node, value) where a call came back from it.
        self.events: list[tuple[int, Any]] = []
        # The nodes, each before its children.
        self.numbers = {node.path: number for number, node in enumerate(walk(root))}

    def looked_at(self, path: str) -> None:
        """The worth of that node was asked for."""
        self._add(path, None)

    def came_back(self, path: str, value: Any) -> None:
        """A call for that node returned this."""
        self._add(path, value)

    def _add(self, path: str, value: Any) -> None:
        if len(self.events) == MOST_EVENTS:
            raise Refused(f"it looks at more than {MOST_EVENTS:,} positions of a tree that has {len(self.numbers)}")
        self.events.append((self.numbers[path], value))


class Watched(State[str]):
    """A position of a tree that notes when its worth is asked for."""

    __slots__ = ("_notes", "_tree", "turn")

    _notes: Notes
    _tree: Tree

    def __init__(self, tree: Tree, notes: Notes) -> None:
        for name, value in (("_tree", tree), ("_notes", notes), ("turn", tree.turn)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"a position never changes (state.{name} = ...): state.play(move) makes a new one")

    @property
    def players(self) -> int:
        return self._tree.players

    @property
    def chance(self) -> bool:
        return self._tree.chance

    @property
    def zero_sum(self) -> bool:
        return self._tree.zero_sum

    @property
    def bounds(self) -> tuple[float, float]:
        return self._tree.bounds

    @property
    def max_plies(self) -> int:
        return self._tree.max_plies

    def moves(self) -> tuple[str, ...]:
        return self._tree.moves()

    def chances(self) -> tuple[tuple[str, float], ...]:
        return self._tree.chances()

    def play(self, move: str) -> Watched:
        if move not in self._tree.moves():
            raise ValueError(f"play({move!r}) at {self.label}: expected one of its moves {self._tree.moves()}")
        return Watched(self._tree.play(move), self._notes)

    def utilities(self) -> tuple[float, ...]:
        if self.turn is not None:
            raise ValueError(
                f"utilities() is for the end of the game (state.turn is None); at {self.label} it is not over"
            )
        self._notes.looked_at(self._tree.key)
        return self._tree.utilities()

    def evaluate(self, seat: int) -> float:
        self._notes.looked_at(self._tree.key)
        return self._tree.evaluate(seat)

    @property
    def label(self) -> str:
        return self._tree.label

    @property
    def key(self) -> tuple[int, str]:
        # What is remembered of one tree says nothing about another.
        return id(self._notes), self._tree.key

    def position(self) -> str:
        return self._tree.position()


def walk(node: Node) -> Iterator[Node]:
    """`node` and all below it, each before its children."""
    yield node
    for child in node.children.values():
        yield from walk(child)


def load(file: str, name: str) -> Callable[..., Any]:
    """The function of that name in the file, which is run now."""
    path = Path(file)
    module = ModuleType(path.stem if path.stem not in sys.stdlib_module_names else f"{path.stem}_as_search")
    module.__file__ = file
    sys.modules[module.__name__] = module
    try:
        exec(compile(path.read_bytes(), file, "exec"), module.__dict__)
    except SyntaxError as error:
        where = f"{path.name}, line {error.lineno}" if error.lineno else path.name
        raise Refused(f"{where}: {type(error).__name__}: {error.msg}") from None
    except BaseException as error:
        raise Refused(_words(error, file)) from error
    function = getattr(module, name, None)
    if function is None:
        others = [other for other, value in vars(module).items() if _is_own_function(value, module)]
        there = f"there is {', '.join(others[:8])}" if others else "there is none"
        raise Refused(f"expected a function {name} in {path.name}; {there}")
    if not callable(function):
        raise Refused(f"expected a function {name} in {path.name}, it is of the type {type(function).__name__}")
    return function  # type: ignore[no-any-return]


def _is_own_function(value: object, module: ModuleType) -> bool:
    return inspect.isfunction(value) and value.__module__ == module.__name__


def takes(function: Callable[..., Any]) -> dict[str, str]:
    """What each parameter of `function` after the first is given: name -> what; the others have a default."""
    try:
        first, *rest = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise Refused("expected a function whose first parameter is the position: (state, ...)") from None
    if first.kind not in (first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD):
        raise Refused(f"expected a function whose first parameter is the position, got {first}")
    given = {}
    for parameter in rest:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        what = _KNOWN.get(parameter.name.replace("_", "").lower())
        if what == "depth" and parameter.default == 0:
            continue  # it counts up
        if what is not None:
            given[parameter.name] = what
        elif parameter.default is parameter.empty:
            raise Refused(
                f"it cannot be said what to give for the parameter {parameter.name}: "
                f"known are {TAKES}; or give it a default"
            )
    return given


def examine(function: Callable[..., Any], file: str, question: dict[str, Any]) -> dict[str, Any]:
    """What `function` does with a tree: value, move and events, or how it failed."""
    drawn = read(question["tree"])
    notes = Notes(drawn.root)
    state = Watched(Tree.at(drawn, drawn.root), notes)
    depth = question["depth"]
    worth: dict[str, Any] = {
        "depth": drawn.height if depth is None else depth,
        "alpha": -inf,
        "beta": inf,
        "maximizing": state.turn != 1,
        "color": -1 if state.turn == 1 else 1,
        "seat": max(state.turn or 0, 0),
    }
    given = {name: worth[what] for name, what in takes(function).items()}
    parameters = inspect.signature(function).parameters.values()
    by_place = [given.pop(each.name) for each in parameters if each.kind is each.POSITIONAL_ONLY and each.name in given]
    sys.setprofile(_Follower(notes, file))
    try:
        returned = function(state, *by_place, **given)
    except BaseException as error:
        return {"failed": _words(error, file), "traceback": _frames(error, file), "events": notes.events}
    finally:
        sys.setprofile(None)
    try:
        value, move = told(returned)
    except Refused as refused:
        return {"failed": str(refused), "events": notes.events}
    return {"value": value, "move": move, "events": notes.events}


class _Follower:
    """Notes what comes back from calls of the student's own functions that were given a position."""

    def __init__(self, notes: Notes, file: str) -> None:
        self._notes = notes
        self._file = file
        # Of each that is not over: its node, and how many events there were before it.
        self._calls: list[tuple[str | None, int]] = []

    def __call__(self, frame: FrameType, event: str, returned: Any) -> None:
        code = frame.f_code
        if code.co_filename != self._file:
            return
        if event == "call":
            given = (frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount])
            path = next((state._tree.key for state in given if isinstance(state, Watched)), None)
            self._calls.append((path, len(self._notes.events)))
        elif event == "return" and self._calls:
            path, before = self._calls.pop()
            if path is None or len(self._notes.events) == before:
                return  # it looked at nothing
            try:
                value, _ = told(returned)
            except Refused:
                return
            self._notes.came_back(path, value)


def told(returned: Any) -> tuple[Any, str | None]:
    """Value (a number, or one for each seat) and move of what a function returned, in either order."""
    value, move = returned, None
    if isinstance(returned, tuple | list) and len(returned) == 2 and not all(map(_is_number, returned)):
        value, move = returned
        if isinstance(value, str) or value is None:
            value, move = move, value
    if move is not None and not isinstance(move, str):
        raise Refused(f"expected a value, or (value, move), got {_quoted(returned)}")
    if _is_number(value):
        return _finite(value), move
    if isinstance(value, tuple | list) and value and all(map(_is_number, value)):
        return [_finite(number) for number in value], move
    hint = " (is a return missing?)" if returned is None else ""
    hint = " (the move alone: return the value as well)" if isinstance(returned, str) else hint
    raise Refused(f"expected a value, or (value, move), got {_quoted(returned)}{hint}")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _finite(value: Any) -> float:
    number = float(value)
    if not isfinite(number):
        raise Refused(f"expected a number as value, got {number}")
    return number


def _quoted(value: object) -> str:
    try:
        words = ascii(value)
    except Exception:
        words = f"a {type(value).__name__}"
    if " at 0x" in words:
        words = f"a {type(value).__name__}"
    return words if len(words) <= 60 else f"{words[:57]}..."


def _words(error: BaseException, file: str) -> str:
    """What failed, and at which line of the student's file."""
    name = Path(file).name
    lines = [at.lineno for at in traceback.extract_tb(error.__traceback__) if at.filename == file]
    where = f"{name}, line {lines[-1]}" if lines else name
    if isinstance(error, Refused):
        return str(error)
    if isinstance(error, SystemExit):
        return f"{where}: it ends the program (sys.exit)"
    if isinstance(error, RecursionError):
        return f"{where}: RecursionError: it calls itself without end; does it stop where state.turn is None?"
    if isinstance(error, MemoryError):
        return f"{where}: MemoryError: it needs more memory than it may have"
    if isinstance(error, EOFError):
        return f"{where}: it reads from the keyboard (input); there is none here"
    if isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "adsearch":
        return f"{where}: {error.msg.partition(' (')[0]}: our searches are not here, write your own"
    if isinstance(error, ModuleNotFoundError):
        return f"{where}: there is no module {error.name!r} here: a search is judged alone, with Python's own modules"
    try:
        words = str(error)
    except Exception:
        words = ""
    return f"{where}: {type(error).__name__}{': ' if words else ''}{words}"[:_LONGEST]


def _frames(error: BaseException, file: str) -> list[str]:
    """The student's own lines of the traceback."""
    own = [at for at in traceback.extract_tb(error.__traceback__) if at.filename == file]
    lines = [f"line {at.lineno}, in {at.name}: {at.line}" for at in own]
    return [line[:_LONGEST] for at, line in enumerate(lines) if line != lines[at - 1] or at == 0][-_SHOWN:]


def main() -> None:
    """Answers questions until there are no more."""
    file, name = sys.argv[1:]
    streams = claim()
    with os.fdopen(streams.lines, encoding="utf-8") as lines, os.fdopen(streams.answers, "w", encoding="utf-8") as out:

        def answer(document: dict[str, Any]) -> None:
            out.write(json.dumps(document, allow_nan=False) + "\n")
            out.flush()

        try:
            function = load(file, name)
            answer({"takes": sorted(takes(function).values())})
        except Refused as refused:
            cause = refused.__cause__
            answer({"failed": str(refused), "traceback": _frames(cause, file) if cause else []})
            return
        for line in lines:
            answer(examine(function, file, json.loads(line)))


if __name__ == "__main__":
    main()
