"""The form in which searches run: as the Python sources, or compiled from them.

`make fast`, or a wheel for this machine, brings the package `adsearch_compiled`: copies of the modules in `MODULES`,
compiled (`.ci/compiled.py`). A search runs there if nobody can tell the difference but by the time it takes: the same
nodes, values, moves and texts. Otherwise it steps aside and the Python sources run, for instance for a game, a
subclass, or a function that a student wrote, for a trace, and under a debugger. Nothing of the compiled package is
shown to the caller: positions go in as copies, and results have moves and numbers only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial, wraps
from importlib import import_module
from typing import Any, Final, Literal, TypeVar, cast

from adsearch.errors import AdsearchError

PACKAGE: Final = "adsearch_compiled"
MODULES: Final = (
    *("state", "terms", "budget", "table", "ordering", "searcher"),
    *("minimax", "negamax", "alphabeta", "aspiration", "mtdf", "bisection", "pvs", "quiescence", "selective"),
    *("deepening", "expectiminimax", "expectimax", "maxn", "paranoid", "mcts"),
    *("games.evaluation", "games.grid", "games.tictactoe", "games.connect4", "games.othello", "games.checkers"),
    *("games.chess_board", "games.chess_rules", "games.chess", "games.backgammon"),
)
"""The modules of adsearch that are compiled, each after those that it imports."""
GAMES: Final = {
    "games.tictactoe": "TicTacToe",
    "games.connect4": "Connect4",
    "games.othello": "Othello",
    "games.checkers": "Checkers",
    "games.chess": "Chess",
    "games.backgammon": "Backgammon",
}
INTERPRETED: Final = "adsearch=interpreted"
"""The value of Python's option -X with which a process searches as the sources say."""
AGAIN: Final = "; run `make fast` again"
"""What to do if there is a compiled form that cannot be used."""
SMALLEST_STACK: Final = 512 * 1024
"""Bytes of a thread's stack on which the deepest compiled search has room."""
_FOLDER: Final = __file__.removesuffix("form.py")

Form = Literal["compiled", "interpreted"]
F = TypeVar("F", bound=Callable[..., Any])


def form() -> Form:
    """The form in which this process searches, unless a search steps aside."""
    return "interpreted" if why_interpreted() else "compiled"


def prepared() -> Form:
    """The same, after everything is loaded that the searches and games which are loaded now need to run in it."""
    found = form()
    if found == "compiled":
        for module in MODULES:
            if f"adsearch.{module}" in sys.modules:
                compiled(module)
    return found


@cache
def why_interpreted() -> str:
    """Why this process searches in the interpreted form, and what to do; empty if it does not."""
    asked = sys._xoptions.get("adsearch", "compiled")
    if asked != "compiled":
        return f"Python was started with -X adsearch={asked}"
    try:
        package = import_module(PACKAGE)
    except ImportError:
        return "the searches are not compiled here: run `make fast` in a clone, or install the wheel for this system"
    if digest() != getattr(package, "DIGEST", 0):
        return f"what is compiled here is not made from these sources{AGAIN}"
    try:
        compiled("terms")
    except ImportError as error:
        return f"what is compiled here cannot be loaded ({error}){AGAIN}"
    return ""


@cache
def compiled(module: str) -> Any:
    """The compiled module of that name. It is loaded in a thread, because a signal such as Ctrl-C interrupts only the
    main one: a process with half a compiled module crashes later."""
    from _thread import allocate_lock, start_new_thread

    name = f"{PACKAGE}.{module}"
    wrong: list[Exception] = []
    loaded = allocate_lock()
    loaded.acquire()

    def load() -> None:
        try:
            import_module(name)
        except Exception as error:
            wrong.append(error)
        finally:
            loaded.release()

    try:
        start_new_thread(load, ())
    except RuntimeError:  # no thread can be started here
        load()
    loaded.acquire()
    if wrong:
        raise ImportError(str(wrong[0]))
    return sys.modules[name]


def digest() -> int | None:
    """A number for the sources that are compiled; None if they cannot be read."""
    from zlib import crc32

    number = 0
    with suppress(OSError):
        for module in (*MODULES, "form", "result", "errors"):
            with open(f"{_FOLDER}{module.replace('.', '/')}.py", "rb") as source:
                number = crc32(source.read(), number)
        return number
    return None


def in_either_form(search: F) -> F:
    """Decorator for a `search`, a function or a class method: it runs compiled, or steps aside."""
    search.__qualname__ = search.__name__  # Python's errors name a class method "search()" too
    positional = search.__code__.co_argcount

    @wraps(search)
    def chosen(*given: Any, **options: Any) -> Any:
        found = None
        if len(given) == positional and not why_interpreted():
            found = _compiled().search(search, given, options)
        return search(*given, **options) if found is None else found

    return cast("F", chosen)


def interpreted(search: Callable[..., Any]) -> Callable[..., Any]:
    """A `search` of adsearch that always runs as the sources say it."""
    source = search.__wrapped__  # type: ignore[attr-defined]
    owner = getattr(search, "__self__", None)
    return source if owner is None else partial(source, owner)


def copied(state: Any) -> Any:
    """The same position for compiled code, as benchmarks need it; None if there is none."""
    return None if why_interpreted() else _compiled().copied(state)


def breath() -> None:
    """Called by compiled searches now and then: signals and other threads have their turn."""


@cache
def _compiled() -> _Compiled:
    return _Compiled()


class _Compiled:
    """The compiled package, and when it can be used."""

    def __init__(self) -> None:
        from random import Random

        from adsearch.budget import Budget
        from adsearch.ordering import Ordering
        from adsearch.table import Table

        nothing = type(None)
        # The exact types of an option with which a search is the same in both forms.
        self.takes: dict[str, tuple[type, ...]] = {
            "depth": (int, nothing),
            "budget": (Budget, nothing),
            "trace": (nothing,),
            "evaluate": (nothing,),
            "rollout": (nothing,),
            "random": (Random, nothing),
            "simulations": (int, nothing),
            "table": (bool, Table),
            "ordering": (bool, Ordering),
            "quiescence": (bool,),
            "width": (int,),
            "exploration": (float, int),
            **dict.fromkeys(("alpha", "beta"), (float,)),
            **dict.fromkeys(("guess", "margin"), (float, nothing)),
            **dict.fromkeys(("algorithm", "fail", "pruning"), (str,)),
        }
        self.table, self.ordering = compiled("table").Table, compiled("ordering").Ordering
        self.games: dict[type, _Game] = {}
        # Of each module, and each class of it: what it has now, and what it had when it was found to be ours.
        self.seen: dict[str, list[tuple[Mapping[str, Any], dict[str, Any]]]] = {}

    def search(self, search: Callable[..., Any], given: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """The result of the compiled search; None if it steps aside."""
        if not self.can_take(options) or _is_watched():
            return None
        position = self.copied(given[-1])
        if position is None or not self.is_as_loaded():
            return None
        owner = given[0] if len(given) == 2 else search
        source = _ours(owner)
        if source not in MODULES:
            return None
        twin = getattr(compiled(source), owner.__name__)
        twin = twin.search if len(given) == 2 else twin
        table, ordering = options.get("table"), options.get("ordering")
        lent = dict(options)
        if not isinstance(table, bool | None):
            lent["table"] = own = self.table()
            own._half, own._young, own._old = table._half, table._young, table._old
        if not isinstance(ordering, bool | None):
            lent["ordering"] = arranged = self.ordering()
            arranged._killers, arranged._history = ordering._killers, ordering._history
        try:
            return twin(position, **lent)
        except (AdsearchError, TypeError) as error:
            if not _is_raised_here(error):
                raise  # by the caller's clock, or from a signal
            return None  # the sources say what is wrong
        finally:
            if not isinstance(table, bool | None):
                table._young, table._old = own._young, own._old

    def copied(self, state: Any) -> Any:
        """The same position for compiled code; None if its class is not one of ours."""
        kind = type(state)
        if kind not in self.games:
            source = _ours(kind)
            if source not in GAMES or kind.__name__ != GAMES[source]:
                return None
            self.games[kind] = _Game(kind, compiled(source))
        return self.games[kind].copied(state)

    def can_take(self, options: dict[str, Any]) -> bool:
        """Whether the compiled searches take these options."""
        if not all(type(value) in self.takes.get(name, ()) for name, value in options.items()):
            return False
        budget, table, ordering = options.get("budget"), options.get("table"), options.get("ordering")
        whole, real = self.takes["depth"], self.takes["guess"]
        if budget is not None and not (type(budget.nodes) in whole and type(budget.until) in real):
            return False
        # An attribute that only this object has, such as a method, would not be lent.
        known = {"_half", "_young", "_old", "_killers", "_history"}
        lent = [each for each in (table, ordering) if not isinstance(each, bool | None)]
        return all(vars(each).keys() <= known and type(vars(each).get("_half", 0)) is int for each in lent)

    def is_as_loaded(self) -> bool:
        """Whether nothing was replaced in the modules that are compiled, such as a weight or a method."""
        for name in (*MODULES, "result"):
            module = sys.modules.get(f"adsearch.{name}")
            if module is None:
                continue
            if name not in self.seen:
                if fingerprint(module) != sys.modules[PACKAGE].FINGERPRINTS[name]:
                    return False
                self.seen[name] = [(space, dict(space)) for space in _spaces(module)]
            if not all(space == before or _is_same(space, before) for space, before in self.seen[name]):
                return False
        return True


def _ours(thing: Any) -> str:
    """The module of adsearch that has this class or function by its name; empty if there is none."""
    module = str(getattr(thing, "__module__", ""))
    if not module.startswith("adsearch."):
        return ""
    found = getattr(sys.modules.get(module), getattr(thing, "__name__", ""), None)
    return module.removeprefix("adsearch.") if thing in (found, getattr(found, "__wrapped__", None)) else ""


def _is_raised_here(error: BaseException) -> bool:
    """Whether it was raised in a compiled module or in this one, not by a function that they called."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and at.tb_frame.f_code.co_filename.startswith((PACKAGE, __file__))


def _is_same(space: Mapping[str, Any], before: dict[str, Any]) -> bool:
    """Whether only names that Python itself sets have changed, such as __annotations__."""
    names = {name for name in {*space, *before} if not name.startswith("__")}
    return all(space.get(name, before) is before.get(name, space) for name in names)


def _spaces(module: Any) -> Iterator[Mapping[str, Any]]:
    """The names of a module, and of each class that it defines."""
    yield vars(module)
    for value in vars(module).values():
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield vars(value)


def fingerprint(module: Any) -> int:
    """A number for what a module and its classes have: where each function stands, and the value of each constant."""
    from zlib import crc32

    parts = [
        f"{name} {_described(space[name])}"
        for space in _spaces(module)
        for name in sorted(space)
        if not name.startswith("__")
    ]
    return crc32("\n".join(parts).encode())


def _described(value: Any) -> str:
    if isinstance(value, float | int | str | tuple | None):
        text = repr(value)
        return text if "{" not in text else "tables, which grow"
    for part in ("__func__", "fget", "__wrapped__"):
        value = getattr(value, part, value)
    code = getattr(value, "__code__", None)
    if code is not None and code.co_filename.startswith(_FOLDER):
        return f"{code.co_filename.removeprefix(_FOLDER)} {code.co_firstlineno}"
    names = (getattr(value, name, "") for name in ("__module__", "__qualname__", "__name__"))
    return " ".join([type(value).__name__, *map(str, names)])


def _is_watched() -> bool:
    """Whether a debugger, a profiler or the like follows the sources, or the stack is too small for compiled code."""
    from _thread import stack_size

    monitoring = getattr(sys, "monitoring", None)  # since Python 3.12
    return (
        sys.gettrace() is not None
        or sys.getprofile() is not None
        or (monitoring is not None and any(map(monitoring.get_tool, range(6))))
        or 0 < stack_size() < SMALLEST_STACK
    )


class _Game:
    """A game in both forms."""

    def __init__(self, kind: type, module: Any) -> None:
        self.twin = getattr(module, kind.__name__)
        self.slots = [name for each in kind.__mro__ for name in vars(each).get("__slots__", ()) if name != "board"]
        self.boards: tuple[Callable[..., Any], Callable[..., Any]] | None = None
        if hasattr(module, "board"):
            self.boards = sys.modules[kind.__module__].board, module.board

    def copied(self, state: Any) -> Any:
        """The same position for compiled searches; None if it is not made as ours are."""
        twin = self.twin()
        try:
            if self.boards:
                board = state.board
                size = (board.size,) if hasattr(board, "size") else (board.rows, board.columns, board.line)
                if board is not self.boards[0](*size):
                    return None
                twin.board = self.boards[1](*size)
            for name in self.slots:
                setattr(twin, name, getattr(state, name))
        except (AttributeError, TypeError, AdsearchError) as error:
            if not _is_raised_here(error):
                raise  # from a signal
            return None
        return twin
