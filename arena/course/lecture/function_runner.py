"""The program that runs a student's function: it lets the function search trees, and logs the nodes it visits.

`student_process.py` starts this file confined, in a Python with our games but without our searches. It reads one JSON
line for each tree and writes one line back. The function gets a normal position: a subclass of State that also logs
each call of evaluate() and utilities(). The method of a class gets a GameState: a position with the methods of
Berkeley's project, too.

    python function_runner.py FILE FUNCTION
    {"tree": {...}, "depth": 2}  ->  {"value": 3.0, "move": "B", "events": [[4, null], [5, null], [1, 3.0], ...]}
    {"tree": {...}, "depth": 2, "agents": 2}  ->  {"value": null, "move": "B", "created": [1, 4, 5, ...], ...}
    {"tree": {...}, "depth": 2, "timed": true}  ->  {"nodes": 7, "seconds": 0.0001}
    {"rules": "connect4", "position": "...", "depth": 2, "backwards": false}
                                  ->  {"value": 0.1, "move": "4", "nodes": 57}
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
from time import perf_counter
from types import FrameType, ModuleType
from typing import Any, Final, NoReturn

from adsearch.errors import nearly
from adsearch.games.tree import Node, Tree, read
from adsearch.state import State
from adsearch.wrapped import backwards
from agents.streams import claim

MOST_EVENTS: Final = 2000
"""Limit on logged events; every correct search of these trees has fewer."""
_SHOWN: Final = 6
"""Number of frames shown of a traceback."""
_LONGEST: Final = 200
"""Length limit of a shown line, in characters."""

_PARAMETERS: Final = {
    **dict.fromkeys(("depth", "d", "plies", "limit", "maxdepth", "depthleft", "remaining"), "depth"),
    **dict.fromkeys(("alpha", "a", "α", "low", "lower"), "alpha"),
    **dict.fromkeys(("beta", "b", "β", "high", "upper"), "beta"),
    **dict.fromkeys(("maximizing", "maximizingplayer", "maximize", "ismaximizing", "maximizer"), "maximizing"),
    **dict.fromkeys(("maximising", "maximisingplayer", "maximise", "ismaximising", "maximiser"), "maximizing"),
    **dict.fromkeys(("ismax", "max", "maxplayer", "maxturn", "maxtomove"), "maximizing"),
    **dict.fromkeys(("color", "colour", "sign"), "color"),
    **dict.fromkeys(("seat", "player", "me", "who", "turn", "myseat", "rootseat", "rootplayer"), "seat"),
}
"""The argument for each name of a parameter (in lower case, without underscores)."""
_KNOWN_PARAMETERS: Final = "state, depth, alpha, beta, maximizing, color, seat"


class BadFunction(Exception):
    """A student's file or function is not as required; the text is for the student."""


class SearchLog:
    """The nodes that one search visited."""

    def __init__(self, root: Node, agents: int = 0) -> None:
        # The number of agents that move in turn, agent 0 first; 0 if the seats are all that is known.
        self.agents = agents
        # (node, None) when the node's value was requested, (node, value) when a call for the node returned.
        self.events: list[tuple[int, Any]] = []
        # The positions that were created, the root included; and the nodes, each once.
        self.nodes = 1
        self.created: set[int] = set()
        # The number of each node; a node comes before its children.
        self.numbers = {node.path: number for number, node in enumerate(walk(root))}

    def creates(self, path: str) -> None:
        """Log that the position of the node was created."""
        self.nodes += 1
        self.created.add(self.numbers[path])

    def evaluated(self, path: str) -> None:
        """Log that the node's value was requested."""
        self._add(path, None)

    def returned(self, path: str, value: Any) -> None:
        """Log that a call for the node returned `value`."""
        self._add(path, value)

    def _add(self, path: str, value: Any) -> None:
        if len(self.events) == MOST_EVENTS:
            raise BadFunction(f"it visits more than {MOST_EVENTS:,} positions in a tree that has {len(self.numbers)}")
        self.events.append((self.numbers[path], value))


class WatchedTree(State[str]):
    """A position of a tree that logs requests for its value. Students see the name of this class in errors."""

    __slots__ = ("_log", "_tree", "turn")

    _log: SearchLog
    _tree: Tree

    def __init__(self, tree: Tree, log: SearchLog) -> None:
        for name, value in (("_tree", tree), ("_log", log), ("turn", tree.turn)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"a position cannot be changed (state.{name} = ...): state.play(move) returns a new one")

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

    def play(self, move: str) -> WatchedTree:
        if move not in self._tree.moves():
            raise ValueError(f"play({move!r}) at {self.label}: expected one of its moves {self._tree.moves()}")
        child = self._tree.play(move)
        self._log.creates(child.key)
        return type(self)(child, self._log)

    def utilities(self) -> tuple[float, ...]:
        if self.turn is not None:
            raise ValueError(
                f"utilities() is only for the end of the game (state.turn is None); at {self.label} it is not over"
            )
        self._log.evaluated(self._tree.key)
        return self._tree.utilities()

    def evaluate(self, seat: int) -> float:
        self._log.evaluated(self._tree.key)
        return self._tree.evaluate(seat)

    @property
    def label(self) -> str:
        return self._tree.label

    @property
    def key(self) -> tuple[int, str]:
        # Values cached for one tree must not be used for another.
        return id(self._log), self._tree.key

    def position(self) -> str:
        return self._tree.position()


class GameState(WatchedTree):
    """The same position with the methods of the game states of Berkeley's project."""

    __slots__ = ()

    def getNumAgents(self) -> int:  # noqa: N802
        return self._log.agents

    def getLegalActions(self, agentIndex: int = 0) -> list[str]:  # noqa: ARG002, N802, N803
        return list(self.moves())

    def generateSuccessor(self, agentIndex: int, action: str) -> WatchedTree:  # noqa: N802, N803
        mover = self._tree.key.count(" ") % self._log.agents
        if agentIndex != mover:
            raise ValueError(f"generateSuccessor({agentIndex!r}, {action!r}) at {self.label}: agent {mover} moves here")
        return self.play(action)

    def isWin(self) -> bool:  # noqa: N802
        return self.turn is None and self._tree.utilities()[0] >= 0

    def isLose(self) -> bool:  # noqa: N802
        return self.turn is None and not self.isWin()

    def getScore(self) -> float:  # noqa: N802
        return self.evaluate(0)

    # As some courses write them.
    get_num_agents, get_legal_actions, generate_successor = getNumAgents, getLegalActions, generateSuccessor
    is_win, is_lose, get_score = isWin, isLose, getScore


class Method:
    """A method of a student's class. Each search gets an object of its own."""

    def __init__(self, kind: type, name: str) -> None:
        self._kind = kind
        self._name = name

    def of_object(self, depth: int) -> Callable[..., Any]:
        """The method of a new object, which searches this number of rounds deep."""
        takes = inspect.signature(self._kind).parameters
        made = self._kind(**({"depth": depth} if "depth" in takes else {}))
        made.index, made.depth = 0, depth
        made.evaluationFunction = made.evaluation_function = GameState.getScore
        method: Callable[..., Any] = getattr(made, self._name)
        return method


def walk(node: Node) -> Iterator[Node]:
    """`node` and all below it, each before its children."""
    yield node
    for child in node.children.values():
        yield from walk(child)


def load(file: str, name: str) -> Callable[..., Any] | Method:
    """Runs the file, and returns its function of this name, or its method: Class.method."""
    path = Path(file)
    module = ModuleType(path.stem if path.stem not in sys.stdlib_module_names else f"{path.stem}_as_search")
    module.__file__ = file
    sys.modules[module.__name__] = module
    try:
        exec(compile(path.read_bytes(), file, "exec"), module.__dict__)
    except SyntaxError as error:
        where = f"{path.name}, line {error.lineno}" if error.lineno else path.name
        raise BadFunction(f"{where}: {type(error).__name__}: {error.msg}") from None
    except BaseException as error:
        raise BadFunction(_error_text(error, file)) from error
    name, _, method = name.partition(".")
    what, many = ("class", "classes") if method else ("function", "functions")
    found = getattr(module, name, None)
    if found is None:
        kind: Callable[[object], bool] = inspect.isclass if method else inspect.isfunction
        own = [other for other, value in vars(module).items() if kind(value) and value.__module__ == module.__name__]
        there = f"it has {', '.join(own[:8])}" if own else f"it has no {many}"
        raise BadFunction(f"expected a {what} {name} in {path.name}; {there}{nearly(name, own)}")
    if not (inspect.isclass(found) if method else callable(found)):
        raise BadFunction(f"expected a {what} {name} in {path.name}, but it is of type {type(found).__name__}")
    if inspect.isclass(found) and not method:
        raise BadFunction(
            f"expected a function {name} in {path.name}, but it is a class: name its method, {name}.METHOD"
        )
    return _method(found, method, file) if method else found


def _method(kind: type, name: str, file: str) -> Method:
    own = [other for other in dir(kind) if not other.startswith("_") and callable(getattr(kind, other))]
    if name not in own:
        there = f"it has {', '.join(own[:8])}" if own else "it has no method"
        raise BadFunction(
            f"expected a method {name} in class {kind.__name__} of {Path(file).name}; {there}{nearly(name, own)}"
        )
    method = Method(kind, name)
    try:
        method.of_object(1)
    except BaseException as error:
        raise BadFunction(f"{kind.__name__}() failed: {_error_text(error, file)}") from error
    return method


def parameters_of(function: Callable[..., Any]) -> dict[str, str]:
    """The argument for each parameter of `function` after the first: name -> argument; the others have a default."""
    try:
        first, *rest = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise BadFunction("expected a function whose first parameter is the position: (state, ...)") from None
    if first.kind not in (first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD):
        raise BadFunction(f"expected a function whose first parameter is the position, got {first}")
    given = {}
    for parameter in rest:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        what = _PARAMETERS.get(parameter.name.replace("_", "").lower())
        if what == "depth" and parameter.default == 0:
            continue  # it counts plies from the root
        if what is not None:
            given[parameter.name] = what
        elif parameter.default is parameter.empty:
            raise BadFunction(f"unknown parameter {parameter.name}: expected {_KNOWN_PARAMETERS}, or give it a default")
    return given


def run(function: Callable[..., Any] | Method, file: str, question: dict[str, Any]) -> dict[str, Any]:
    """The result of `function` for a tree: value, move and events, or how it failed."""
    log, state, depth = _watched(question)
    try:
        call = prepared_call(function, state, depth)
        sys.setprofile(_CallFollower(log, file))
        returned = call()
    except BaseException as error:
        return {"failed": _error_text(error, file), "traceback": _frames(error, file), "events": log.events}
    finally:
        sys.setprofile(None)
    try:
        value, move = _only_move(returned) if log.agents else value_and_move(returned)
    except BadFunction as error:
        return {"failed": str(error), "events": log.events}
    created = {"created": sorted(log.created)} if log.agents else {}
    return {"value": value, "move": move, "events": log.events, **created}


def _watched(question: dict[str, Any]) -> tuple[SearchLog, WatchedTree, int]:
    """The log of a search of this tree, its root, and the depth to search."""
    drawn = read(question["tree"])
    log = SearchLog(drawn.root, question.get("agents", 0))
    state = (GameState if log.agents else WatchedTree)(Tree.at(drawn, drawn.root), log)
    return log, state, drawn.height if question["depth"] is None else question["depth"]


def run_timed(function: Callable[..., Any] | Method, file: str, question: dict[str, Any]) -> dict[str, Any]:
    """The nodes and seconds of `function` for a tree; unlike `run`, no other code follows its calls."""
    log, state, depth = _watched(question)
    try:
        call = prepared_call(function, state, depth)
        begun = perf_counter()
        call()
    except BaseException as error:
        return {"failed": _error_text(error, file)}
    return {"nodes": log.nodes, "seconds": perf_counter() - begun}


def run_in_game(function: Callable[..., Any] | Method, file: str, question: dict[str, Any]) -> dict[str, Any]:
    """The result of `function` for a position of a game: value, move and nodes, or how it failed."""
    from adsearch import games

    state = games.load(question["rules"], question["position"])
    if question["backwards"]:
        state = backwards(state)
    kind: Any = type(state)
    play, played = kind.play, 0

    def counted(position: Any, move: Any) -> Any:
        nonlocal played
        played += 1
        return play(position, move)

    call = prepared_call(function, state, question["depth"])
    # Only in this process, which runs nothing else; a wrapper around each position would be slower.
    kind.play = counted
    try:
        returned = call()
    except BaseException as error:
        return {"failed": _error_text(error, file)}
    finally:
        kind.play = play
    value, move = returned, None
    if isinstance(returned, tuple | list) and len(returned) == 2:
        value, move = returned if _is_number(returned[0]) else reversed(returned)
    try:
        if not _is_number(value):
            raise BadFunction(f"expected a value, or (value, move), got {_quoted(returned)}")
        text = None if move is None or move not in state.moves() else state.to_text(move)
        return {"value": _finite(value), "move": text, "nodes": played + 1}
    except BadFunction as error:
        return {"failed": str(error)}


def prepared_call(function: Callable[..., Any] | Method, state: State[Any], depth: int) -> Callable[[], Any]:
    """The call of `function` for `state`, with an argument for each of its parameters."""
    arguments: dict[str, Any] = {
        "depth": depth,
        "alpha": -inf,
        "beta": inf,
        "maximizing": state.turn != 1,
        "color": -1 if state.turn == 1 else 1,
        "seat": max(state.turn or 0, 0),
    }
    if isinstance(function, Method):
        agents = state.getNumAgents() if isinstance(state, GameState) else state.plies_a_round
        function = function.of_object(-(-depth // agents))
    given = {name: arguments[what] for name, what in parameters_of(function).items()}
    parameters = inspect.signature(function).parameters.values()
    by_place = [given.pop(each.name) for each in parameters if each.kind is each.POSITIONAL_ONLY and each.name in given]
    return lambda: function(state, *by_place, **given)


class _CallFollower:
    """Logs the returned values of the student's own functions that have a position as an argument."""

    def __init__(self, log: SearchLog, file: str) -> None:
        self._log = log
        self._file = file
        # For each call in progress: its node, and the number of events before the call.
        self._calls: list[tuple[str | None, int]] = []

    def __call__(self, frame: FrameType, event: str, returned: Any) -> None:
        code = frame.f_code
        if code.co_filename != self._file:
            return
        if event == "call":
            given = (frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount])
            path = next((state._tree.key for state in given if isinstance(state, WatchedTree)), None)
            self._calls.append((path, len(self._log.events)))
        elif event == "return" and self._calls:
            path, before = self._calls.pop()
            if path is None or len(self._log.events) == before:
                return  # it visited no node
            try:
                value, _ = value_and_move(returned)
            except BadFunction:
                return
            self._log.returned(path, value)


def value_and_move(returned: Any) -> tuple[Any, str | None]:
    """The value (a number, or one for each seat) and the move in a function's result, in either order."""
    value, move = returned, None
    if isinstance(returned, tuple | list) and len(returned) == 2 and not all(map(_is_number, returned)):
        value, move = returned
        if isinstance(value, str) or value is None:
            value, move = move, value
    if move is not None and not isinstance(move, str):
        raise BadFunction(f"expected a value, or (value, move), got {_quoted(returned)}")
    if _is_number(value):
        return _finite(value), move
    if isinstance(value, tuple | list) and value and all(map(_is_number, value)):
        return [_finite(number) for number in value], move
    hint = " (is a return missing?)" if returned is None else ""
    hint = " (only a move: return the value as well)" if isinstance(returned, str) else hint
    raise BadFunction(f"expected a value, or (value, move), got {_quoted(returned)}{hint}")


def _only_move(returned: Any) -> tuple[Any, str | None]:
    """The result of a method, which may be only a move."""
    if isinstance(returned, str):
        return None, returned
    if isinstance(returned, tuple | list):
        return value_and_move(returned)
    hint = " (is a return missing?)" if returned is None else ""
    raise BadFunction(f"expected a move, got {_quoted(returned)}{hint}")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _finite(value: Any) -> float:
    number = float(value)
    if not isfinite(number):
        raise BadFunction(f"expected a number as value, got {number}")
    return number


def _quoted(value: object) -> str:
    try:
        words = ascii(value)
    except Exception:
        words = f"a {type(value).__name__}"
    if " at 0x" in words:
        words = f"a {type(value).__name__}"
    return words if len(words) <= 60 else f"{words[:57]}..."


def _error_text(error: BaseException, file: str) -> str:
    """The error in words, with the line of the student's file."""
    name = Path(file).name
    lines = [at.lineno for at in traceback.extract_tb(error.__traceback__) if at.filename == file]
    where = f"{name}, line {lines[-1]}" if lines else name
    if isinstance(error, BadFunction):
        return str(error)
    if isinstance(error, SystemExit):
        return f"{where}: it ends the program (sys.exit)"
    if isinstance(error, RecursionError):
        return f"{where}: RecursionError: the recursion does not end; does it stop where the game is over?"
    if isinstance(error, MemoryError):
        return f"{where}: MemoryError: it needs more memory than allowed"
    if isinstance(error, EOFError):
        return f"{where}: it reads from the keyboard (input), which is not available here"
    if isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "adsearch":
        return f"{where}: {error.msg.partition(' (')[0]}: our searches are not available, write your own"
    if isinstance(error, ModuleNotFoundError):
        return f"{where}: there is no module {error.name!r} here: a search can import only Python's own modules"
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
    """Answer questions until the input ends."""
    file, name = sys.argv[1:]
    streams = claim()
    with os.fdopen(streams.lines, encoding="utf-8") as lines, os.fdopen(streams.answers, "w", encoding="utf-8") as out:

        def answer(document: dict[str, Any]) -> None:
            out.write(json.dumps(document, allow_nan=False) + "\n")
            out.flush()

        try:
            function = load(file, name)
            shape = function.of_object(1) if isinstance(function, Method) else function
            answer({"takes": sorted(parameters_of(shape).values())})
        except BadFunction as error:
            cause = error.__cause__
            answer({"failed": str(error), "traceback": _frames(cause, file) if cause else []})
            return
        for line in lines:
            question = json.loads(line)
            runner = run_in_game if "rules" in question else run_timed if "timed" in question else run
            answer(runner(function, file, question))


if __name__ == "__main__":
    main()
