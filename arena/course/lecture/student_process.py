"""Starts a student's function in a confined process, sends it trees, and reads its answers.

Whatever the function does, each question gets one answer: if the process is lost, the next question gets a new process,
at most three times. The program in that process is `function_runner.py`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from select import select
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import msgspec
from msgspec import Struct

from adsearch.errors import quote
from adsearch.games.tree import read
from agents.errors import one_line
from arena.course.lecture import function_runner, pacman_names
from arena.course.lecture.questions import Question, is_function_or_method
from arena.errors import ArenaError, BadPlayer
from arena.match.allowance import MEBIBYTE, Allowance, WallKind
from arena.players.player import split_path
from arena.walls import library, probe, seccomp
from arena.walls.agent_process import AgentProcess
from arena.walls.jail import Walls
from arena.walls.run_folder import RunFolder

_MODULES: Final = ("adsearch.games.tree", "adsearch.wrapped", "agents.streams")
_MEMORY: Final = 512 * MEBIBYTE
_LOADS_WITHIN: Final = 10.0
"""Timeout for loading the student's file, in seconds."""
_POLLS_EVERY: Final = 0.2
"""Polling interval, in seconds."""
_EXITS_WITHIN: Final = 1.0
"""Time for the process to exit after its output closed, in seconds."""
_MOST_LOST: Final = 3
"""Number of lost processes after which no new one is started."""


class StudentAnswer(Struct, frozen=True):
    """The result of a function for a tree."""

    value: float | tuple[float, ...] | None = None
    move: str | None = None
    events: tuple[tuple[int, float | tuple[float, ...] | None], ...] = ()
    """(node, None) when the function asked for a node's value, (node, value) when a call for the node returned. Nodes
    are numbered from the root, each before its children."""
    failed: str = ""
    """What went wrong, in words; empty if the function answered."""
    created: tuple[int, ...] = ()
    """The nodes whose positions it created, in order of their numbers."""
    traceback: tuple[str, ...] = ()
    """The student's own lines of the traceback, the innermost last."""
    tried: bool = True
    """Whether the function was called."""


class Cost(Struct, frozen=True):
    """What a search of a tree cost."""

    nodes: int = 0
    """The positions that it created with `play`, and the root."""
    seconds: float = 0.0
    failed: str = ""
    """What went wrong, in words; empty if the function answered."""


class GameAnswer(Struct, frozen=True):
    """The result of a function for a position of a game."""

    value: float | None = None
    move: str | None = None
    nodes: int = 0
    """The positions that it created with `play`, and the root."""
    failed: str = ""
    """What went wrong, in words; empty if the function answered."""


class _Loaded(Struct, frozen=True):
    """The first message of the process."""

    takes: tuple[str, ...] = ()
    failed: str = ""
    traceback: tuple[str, ...] = ()


_Answer = TypeVar("_Answer", StudentAnswer, Cost, GameAnswer)
_Message = TypeVar("_Message", StudentAnswer, Cost, GameAnswer, _Loaded)


class StudentProcess:
    """The process of one function, as a context manager."""

    def __init__(
        self, file: Path, function: str, *, walls: WallKind | None = None, seconds: float = 5.0, rules: str = ""
    ) -> None:
        """`walls`: the required kind, None for the strongest available; `seconds`: timeout for each tree or position;
        `rules`: the game for `search`, a user-supplied one with its absolute path."""
        # The kind of walls around the process.
        self.kind = probe.chosen(walls).kind
        # The end of the process's output.
        self.printed = ""
        self._file = file
        self._function = function
        self._seconds = seconds
        self._rules = rules
        self._folder = RunFolder()
        self._process: AgentProcess | None = None
        self._lost = 0
        self._loaded = _Loaded()

    def __enter__(self) -> Self:
        try:
            self._prepare()
        except BaseException:
            self._folder.remove()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self._end()
        finally:
            self._folder.remove()

    @property
    def takes_depth(self) -> bool:
        """Whether the function has a parameter for the depth."""
        return "depth" in self.loaded().takes

    def loaded(self) -> _Loaded:
        """The result of loading the file."""
        if self._process is None and not self._loaded.failed:
            self._start()
        return self._loaded

    def ask(self, question: Question) -> StudentAnswer:
        """The function's answer for this tree."""
        if self._lost >= _MOST_LOST:
            return StudentAnswer(failed=f"not tried: its process was lost {_MOST_LOST} times", tried=False)
        loaded = self.loaded()
        if loaded.failed or self._process is None:
            return StudentAnswer(failed=loaded.failed, traceback=loaded.traceback, tried=False)
        asked = {"tree": question.description, "depth": question.depth, "agents": question.agents}
        return self._answer(self._process, asked, StudentAnswer, lambda answer: _is_possible(answer, question))

    def cost(self, question: Question) -> Cost | None:
        """The cost of the function for this tree, which it has searched before; None if it fails this time."""
        if self._process is None:
            return None
        asked = {"tree": question.description, "depth": question.depth, "agents": question.agents, "timed": True}
        cost = self._answer(self._process, asked, Cost, lambda _: True)
        return None if cost.failed else cost

    def search(self, position: str, depth: int, *, backwards: bool = False) -> GameAnswer:
        """The function's answer for this position of the game, searched to this depth; `backwards`: it gets all moves
        in reverse order."""
        loaded = self.loaded()
        if loaded.failed or self._process is None:
            return GameAnswer(failed=loaded.failed)
        asked = {"rules": self._rules, "position": position, "depth": depth, "backwards": backwards}

        def is_possible(answer: GameAnswer) -> bool:
            return bool(answer.failed) or (answer.value is not None and isfinite(answer.value))

        return self._answer(self._process, asked, GameAnswer, is_possible)

    def _prepare(self) -> None:
        """Prepares the process: a Python with our games but without our searches."""
        place = self._folder.path / "library"
        place.mkdir()
        laid = library.lay_out(place, modules=_MODULES, rules=self._rules)
        program = shutil.copy(function_runner.__file__, place / "function_runner.py")
        for module in pacman_names.MODULES:
            shutil.copy(pacman_names.__file__, place / f"{module}.py")
        *python, _, _ = laid.command  # -m agents
        self._command = (*python, str(program), str(self._file), self._function)
        self._walls = Walls(
            self.kind,
            Allowance(memory=_MEMORY, threads=8),
            cpu=600,
            environment={"PYTHONPATH": ":".join(laid.path)},
            readable=(*laid.readable, str(self._file), *([rules[0]] if (rules := split_path(self._rules)) else [])),
            hidden=laid.hidden,
            filter=seccomp.compiled(self.kind),
        )

    def _start(self) -> None:
        try:
            process = AgentProcess.start(self._command, self._walls, self._folder.scratch)
        except OSError as error:
            raise ArenaError(f"judge: cannot start the process: {error.strerror or error}") from None
        self._process = process
        line, lost = self._next_line(process, _LOADS_WITHIN)
        if line is None:
            self._loaded = _Loaded(failed=f"while the file is loaded: {self._discard(lost)}")
            return
        self._loaded = _decoded(line, _Loaded) or _Loaded(failed=self._discard(_NOT_OURS))

    def _answer(
        self, process: AgentProcess, asked: dict[str, Any], kind: type[_Answer], is_possible: Callable[[_Answer], bool]
    ) -> _Answer:
        """The answer of the process to this question. `is_possible`: whether our own program can have written it."""
        process.write(msgspec.json.encode(asked) + b"\n")
        line, lost = self._next_line(process, self._seconds)
        answer = None if line is None else _decoded(line, kind)
        if answer is None or not is_possible(answer):
            return kind(failed=self._discard(lost or _NOT_OURS))
        return msgspec.structs.replace(answer, failed=one_line(answer.failed, most=250))

    def _next_line(self, process: AgentProcess, seconds: float) -> tuple[bytes | None, str]:
        """The next line of the process; None and the reason if none comes."""
        give_up = monotonic() + seconds
        closed: float | None = None
        while True:
            ended = process.confined.exit() is not None
            process.flush()
            while process.read():
                pass
            process.read_log()
            if (line := process.next_line()) is not None:
                return line, ""
            if ended:
                return None, f"its process {process.how_it_ended()[1]}"
            if (left := give_up - monotonic()) <= 0:
                return None, f"no answer within {seconds:g} s: is there an endless loop?"
            if process.stdout_ended:
                if closed is None:
                    closed = monotonic()
                elif monotonic() > closed + _EXITS_WITHIN:
                    return None, "its process closed its output"
            writers = [] if (writer := process.writer()) is None else [writer]
            end = [] if (descriptor := process.ended()) is None else [descriptor]
            select([*process.readers(), *end], writers, [], min(left, _POLLS_EVERY))

    def _discard(self, how: str) -> str:
        """Ends the process, which is lost."""
        self._lost += 1
        self._end()
        return how

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self.printed = self._process.log(2000) or self.printed
            self._process = None


_NOT_OURS: Final = "it wrote into the channel for answers; use only print for output"


def _decoded(line: bytes, message: type[_Message]) -> _Message | None:
    """The message of the process; None if our own program cannot have written it."""
    try:
        return msgspec.json.decode(line, type=message)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _is_possible(answer: StudentAnswer, question: Question) -> bool:
    """Whether our own program can have written this answer."""
    nodes = sum(1 for _ in function_runner.walk(read(question.description).root))
    if any(number not in range(nodes) for number in (*answer.created, *(number for number, _ in answer.events))):
        return False
    if question.agents and answer.value is None and answer.move is not None:
        return True
    numbers = answer.value if isinstance(answer.value, tuple) else () if answer.value is None else (answer.value,)
    return bool(answer.failed or numbers) and all(map(isfinite, numbers))


def file_and_function(text: str) -> tuple[Path, str]:
    """The file and function in "my_search.py:alphabeta", or "agents.py:Class.method"; the function is empty if none is
    named."""
    found = split_path(text)
    if found is None:
        raise BadPlayer(f"expected FILE.py:function, such as my_search.py:alphabeta, got {quote(text)}")
    given, function = found[0], found[1].removeprefix(":")
    if function and not is_function_or_method(function):
        raise BadPlayer(
            f"expected FILE.py:function or FILE.py:Class.method, got {quote(text)} ({quote(function)} is neither)"
        )
    path = Path(given).expanduser().absolute()
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise BadPlayer(f"expected a Python file, but {quote(given)} {what} (looked for {path})")
    return path, function
