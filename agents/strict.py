"""Strict states: notices mistakes that an agent makes with positions, and names the line and the cure.

`arena check` (by `python -m agents --strict`) and `arena replay --debug` host an agent with `StrictPlayer`; a
tournament never imports this module. While it is the agent's turn, the class of the positions is patched, so that it
sees how the agent's files use it. Moves, positions and exceptions stay the same, and only a mistake that is certain is
reported.
"""

from __future__ import annotations

import ast
import dis
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from opcode import opmap
from pathlib import Path
from time import perf_counter
from types import CodeType, FrameType
from typing import Any, Final

import msgspec

import adsearch
import agents
from adsearch import State, games
from agents import hosting
from agents.player import Make, Player
from agents.protocol import Move, Ready, Resign, Start, Turn
from agents.streams import Log

MISTAKE: Final = "mistake: "
"""The start of a line in the log that holds a mistake, as JSON."""
_LEGAL_WITHIN: Final = 0.005
"""Seconds in a turn for tests of moves. After them only the first move of each line is tested."""
_MOST_PLAYED: Final = 20_000
"""Number of plays in a turn after which nothing more is noticed in it. With the limits above and below, a turn takes at
most about 20 ms longer, whatever the agent does, so that a check's times stay those of a tournament."""
_MOST_ASSIGNED: Final = 5_000
"""The same for assignments to attributes, those of the game's own code included."""
_MOST_REPORTED: Final = 10
"""The largest number of mistakes that are reported in a game."""
_LONGEST: Final = 60
"""The longest code that is shown, in characters."""
_PATCHED: Final = ("play", "__setattr__")
_NO_MOVE: Final = object()
_STORES: Final = (opmap["STORE_ATTR"], opmap["DELETE_ATTR"])
_THROWS_AWAY: Final = opmap["POP_TOP"]
"""Fills the code between a call and the next instruction."""

_LIBRARIES: Final = tuple(
    Path(folder).resolve() for folder in (sys.prefix, sys.base_prefix, *adsearch.__path__, *agents.__path__)
)
"""Folders whose files are not the agent's, also where the agent's folder contains them."""


class Mistake(msgspec.Struct, frozen=True):
    """A mistake with positions."""

    place: str
    """File and line, such as "my_agent.py, line 7"; empty if they are not known."""
    what: str
    cure: str
    expected: str = ""
    got: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.what}" if self.place else self.what


Report = Callable[[Mistake], None]


def mistakes_in(log: str) -> list[Mistake]:
    """The mistakes in an agent's log, each once."""
    found: dict[Mistake, None] = {}
    for line in log.split("\n"):
        if line.startswith(MISTAKE):
            with suppress(msgspec.DecodeError):  # the agent's own line, or one that was cut
                found[msgspec.json.decode(line.removeprefix(MISTAKE), type=Mistake)] = None
    return [*found]


def _log(mistake: Mistake) -> None:
    # Not sys.stderr, which the agent can replace.
    print(MISTAKE + msgspec.json.encode(mistake).decode(), file=sys.__stderr__, flush=True)


class StrictPlayer(Player):
    """Hosts an agent as `Player` does, and reports its mistakes with positions."""

    def __init__(self, make: Make, *, name: str = "", log: Log | None = None, report: Report = _log) -> None:
        super().__init__(make, name=name, log=log)
        file = getattr(sys.modules.get(getattr(make, "__module__", "")), "__file__", None)
        self._folder = Path(file).resolve().parent if file else None
        self._report = report
        self._strict: _StrictGame | None = None

    def _start(self, start: Start) -> Ready:
        game, _ = games.find(start.rules)
        self._strict = _StrictGame(game.state, self._folder, self._report)
        with self._strict.turn():
            return super()._start(start)

    def _turn(self, turn: Turn, arrived: int) -> Move | Resign:
        if self._strict is None:
            return super()._turn(turn, arrived)
        with self._strict.turn():
            return super()._turn(turn, arrived)

    def _followed(self, turn: Turn) -> State[Any]:
        state = super()._followed(turn)
        if self._strict is not None:
            self._strict.given(state)
        return state


class _StrictGame:
    """One game: the class of its positions notices mistakes in each turn of the agent."""

    def __init__(self, kind: type[State[Any]], folder: Path | None, report: Report) -> None:
        """`folder`: where the agent's files are; None for an agent without a file, of which nothing is noticed."""
        self._kind = kind
        self._report = report
        game_file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        self._files = _AgentFiles(folder, () if game_file is None else (game_file,))
        # Instructions that were looked at, each with its code object, so that no other object gets the same id.
        self._looked_at: dict[tuple[int, int], CodeType] = {}
        self._reported: set[tuple[str, str]] = set()
        # In this turn: the instructions whose move was tested, the time for tests, and what was counted.
        self._tested: set[tuple[int, int]] = set()
        self._seconds = 0.0
        self._plays = self._assignments = 0
        # The position that `choose` got in this turn, and its description before.
        self._given: tuple[State[Any], str] | None = None
        self._assigned_any = False

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Inside, mistakes are noticed."""
        kind = self._kind
        if self._files.folder is None:
            yield
            return
        own = {name: vars(kind)[name] for name in _PATCHED if name in vars(kind)}
        self._tested.clear()
        self._seconds = 0.0
        self._plays = self._assignments = 0
        self._given = None
        patches = (self._strict_play(kind.play, own), self._strict_assignment(kind.__setattr__, own))
        for name, patch in zip(_PATCHED, patches, strict=True):
            setattr(kind, name, patch)
        try:
            yield
        finally:
            for name, patch in zip(_PATCHED, patches, strict=True):
                _restore(kind, name, patch, own)
            self._compare()

    def _strict_play(self, play: Callable[..., Any], own: dict[str, Any]) -> Callable[..., Any]:
        files, kind = self._files, self._kind

        def strict(state: State[Any], move: Any = _NO_MOVE, *more: Any, **named: Any) -> Any:
            if move is _NO_MOVE:
                return play(state, **named)
            frame = sys._getframe(1)
            if files[frame.f_code.co_filename] and type(state) is kind:
                self._played(state, move, frame)
            self._plays += 1
            if self._plays == _MOST_PLAYED:
                _restore(kind, "play", strict, own)
            return play(state, move, *more, **named)

        return strict

    def _strict_assignment(self, assign: Callable[..., None], own: dict[str, Any]) -> Callable[..., None]:
        files, kind = self._files, self._kind

        def strict(state: State[Any], name: str, value: Any) -> None:
            frame = sys._getframe(1)
            if files[frame.f_code.co_filename] and type(state) is kind:
                self._assigned(state, name, frame)
            self._assignments += 1
            if self._assignments == _MOST_ASSIGNED:
                _restore(kind, "__setattr__", strict, own)
            assign(state, name, value)

        return strict

    # What the agent's code does.

    def _played(self, state: State[Any], move: Any, frame: FrameType) -> None:
        """A line of the agent has called `play`."""
        code, at = frame.f_code, frame.f_lasti
        site = id(code), at
        if site in self._tested and self._seconds > _LEGAL_WITHIN:
            return
        self._tested.add(site)
        if site not in self._looked_at:
            self._looked_at[site] = code
            if unused := self._files.unused(code, at):
                self._add_unused(frame, *unused)
        before = perf_counter()
        with suppress(Exception):  # the agent's object, or user-supplied rules: what follows is not certain
            moves = state.moves()
            if move not in moves:
                self._add_illegal(frame, move, moves)
        self._seconds += perf_counter() - before

    def _add_unused(self, frame: FrameType, call: str, child: str) -> None:
        name = call.partition(".play(")[0]
        cure = "play(m) makes a new position and leaves this one as it is"
        if child:
            cure += f": go on with {child}"
        elif name.isidentifier():
            cure += f": write {name} = {call}, or child = {call} to keep both positions"
        what = f"never used: nothing reads {child}" if child else "thrown away"
        self._add(
            frame,
            f"the result of {_short(call)} is {what}",
            f"{name if name.isidentifier() else 'state'}.{cure}",
        )

    def _add_illegal(self, frame: FrameType, move: Any, moves: tuple[Any, ...]) -> None:
        if moves:
            what = "this is not a legal move there"
            cure = "play does not check its move: play only moves of state.moves() of the same position"
        else:
            what = "the game is over there"
            cure = "test state.turn is None before you play on: then the game is over"
        self._add(
            frame,
            f"play({_short(repr(move))}): {what}",
            cure,
            expected=f"one of state.moves(): {hosting.listed(moves)}" if moves else "no move",
            got=_short(repr(move)),
        )

    def _assigned(self, state: State[Any], name: str, frame: FrameType) -> None:
        """An attribute of a position is assigned while a line of the agent runs."""
        code, at = frame.f_code, frame.f_lasti
        site = id(code), at
        if site in self._looked_at:
            return
        self._looked_at[site] = code
        # Not `pickle.loads` and its like, which assign the attributes of new positions.
        given = self._given is not None and state is self._given[0]
        if given or code.co_code[at] in _STORES:
            self._assigned_any = True
            self._add(
                frame,
                f"the attribute {name} of a position is assigned",
                "a position never changes: state.play(m) makes a new one; keep your own values in self",
            )

    def given(self, state: State[Any]) -> None:
        """Notes the position that `choose` gets."""
        self._given = state, _described(state)

    def _compare(self) -> None:
        """Reports it if that position is another one now, for example because a list in it was changed."""
        state, before = self._given or (None, "")
        if state is not None and not self._assigned_any and (after := _described(state)) != before:
            self._add(
                None,
                "choose changed the position `state`",
                "never change a state: state.play(move) returns a new one",
                expected=before,
                got=after,
            )

    def _add(self, frame: FrameType | None, what: str, cure: str, *, expected: str = "", got: str = "") -> None:
        """Reports a mistake; one of each kind for a line."""
        place = "" if frame is None else self._files.place(frame.f_code.co_filename, frame.f_lineno)
        if (place, cure) not in self._reported and len(self._reported) < _MOST_REPORTED:
            self._reported.add((place, cure))
            self._report(Mistake(place, what, cure, expected, got))


class _AgentFiles(dict[str, bool]):
    """Whether a file, by the name in its code, is the agent's."""

    def __init__(self, folder: Path | None, others: tuple[str, ...]) -> None:
        """`others`: files in that folder that are not the agent's, such as the game's."""
        super().__init__()
        self.folder = folder
        if folder is not None and any(folder.is_relative_to(place) for place in _LIBRARIES[2:]):
            self.folder = None  # a built-in agent
        self._others = {Path(other).resolve() for other in others}
        # For each file, the calls of `play` that are a statement or its value, by the place of their last character.
        self._calls: dict[str, dict[tuple[int | None, int | None], str]] = {}

    def __missing__(self, file: str) -> bool:
        if file.startswith("<"):  # code without a file, such as the __init__ of a dataclass: it may be the game's
            self[file] = False
            return False
        path = Path(file).resolve()
        libraries = (place for place in _LIBRARIES if self.folder and not self.folder.is_relative_to(place))
        self[file] = (
            self.folder is not None
            and path.is_relative_to(self.folder)
            and path not in self._others
            and not any(path.is_relative_to(place) for place in libraries)
        )
        return self[file]

    def place(self, file: str, line: int) -> str:
        """A line in words."""
        assert self.folder is not None
        return f"{Path(file).resolve().relative_to(self.folder)}, line {line}"

    def unused(self, code: CodeType, at: int) -> tuple[str, str] | None:
        """The call at this instruction, if nothing can use its result: it is a whole statement `... .play(...)`, or
        `name = ... .play(...)` in a function that never reads this name. The name is then the second value."""
        # First without the file, which takes long to parse if it contains a large table.
        child = _unread(code, at)
        if child is None:
            return None
        file = code.co_filename
        if file not in self._calls:
            self._calls[file] = {}
            with suppress(OSError, ValueError, SyntaxError, RecursionError):
                for node in ast.walk(ast.parse(Path(file).read_bytes())):
                    call = node.value if isinstance(node, ast.Expr | ast.Assign) else None
                    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "play":
                        self._calls[file][call.end_lineno, call.end_col_offset] = ast.unparse(call)
        _, last, _, column = [*code.co_positions()][at // 2]
        call_text = self._calls[file].get((last, column))
        return None if call_text is None else (call_text, child)


def _unread(code: CodeType, at: int) -> str | None:
    """Where the result of the call at this instruction goes, if nothing reads it: the name of a variable, or "" if it
    is thrown away. None if it can be read. A name such as `_` says that it is not used on purpose."""
    instructions = [*dis.get_instructions(code)]
    following = next(each for each in instructions if each.offset > at)
    if following.opcode == _THROWS_AWAY:
        return ""
    if not following.opname.startswith("STORE_FAST"):
        return None
    name = _names(following)[0]
    is_read = any(
        name in _names(each)[each.opname.startswith("STORE_") :] for each in instructions if "LOAD_" in each.opname
    )
    return None if is_read or name.startswith("_") else name


def _names(instruction: dis.Instruction) -> tuple[str, ...]:
    """The variables of an instruction. From Python 3.13 on it can have two, as STORE_FAST_LOAD_FAST: the first is set,
    the second is read."""
    value = instruction.argval
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


def _restore(kind: type, name: str, patch: object, own: dict[str, Any]) -> None:
    """Gives the class its own method back, unless the agent has put another one in the place of `patch`; `own`: those
    that it defined itself."""
    if vars(kind).get(name) is not patch:
        return
    if name in own:
        setattr(kind, name, own[name])
    else:
        delattr(kind, name)


def _described(state: State[Any]) -> str:
    """The position and whose turn it is."""
    try:
        return f"{state.position()!r} with {state.turn} to move"
    except Exception as error:  # user-supplied rules, in a position that the agent has changed
        return f"a position that raises {type(error).__name__}"


def _short(code: str) -> str:
    return code if len(code) <= _LONGEST else f"{code[: _LONGEST - 3]}..."
