"""Agents as Kaggle's competitions have them: one function `agent(observation, configuration)` that returns a number."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar, Final

from adsearch import State
from agents.agent import Agent, Clock
from agents.errors import BadAgent

_PARAMETERS: Final = (("observation", "configuration"), ("obs", "config"))
_GAMES: Final = ("Connect4", "TicTacToe")
"""ConnectX, and the other game whose moves Kaggle numbers by column or cell."""


class Struct(dict[str, Any]):
    """What the function is given: its values are keys and attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name}") from None


class KaggleAgent(Agent):
    """Plays what the function returns: in Connect-4 a column, in tic-tac-toe a cell, each counted from 0."""

    function: ClassVar[Callable[..., Any]]

    def begin(self, state: State[Any], seat: int) -> None:  # noqa: ARG002
        if type(state).__name__ not in _GAMES:
            raise BadAgent("a Kaggle agent plays connect4 and tictactoe; for another game write a class")

    def choose(self, state: State[Any], clock: Clock) -> Any:
        board: Any = state.board  # type: ignore[attr-defined]
        marks = [number % 3 for row in state.array(0) for number in row]  # -1, the other seat, is 2
        observation = Struct(
            board=marks,
            mark=self.seat + 1,
            step=sum(map(bool, marks)),
            remainingOverageTime=clock.left,
        )
        configuration = Struct(
            columns=board.columns,
            rows=board.rows,
            inarow=board.line,
            actTimeout=clock.budget,
            timeout=clock.budget,
            agentTimeout=clock.left,
            episodeSteps=1000,
        )
        function = type(self).function
        return int(function(*(observation, configuration)[: function.__code__.co_argcount]))


def of_module(names: dict[str, Any], module: str, wanted: str | None) -> type[KaggleAgent] | None:
    """An agent that plays by the last function of the module with the parameters of Kaggle, or by the one of the name
    `wanted`; None if there is no such function."""
    own = [value for value in names.values() if isinstance(value, FunctionType) and value.__module__ == module]
    if wanted is None:
        fitting = [one for one in own if _parameters(one) in _PARAMETERS]
    else:
        fitting = [one for one in own if one.__name__ == wanted and len(_parameters(one)) in (1, 2)]
    if not fitting:
        return None
    function = fitting[-1]
    return type(function.__name__, (KaggleAgent,), {"function": staticmethod(function), "__module__": module})


def _parameters(function: FunctionType) -> tuple[str, ...]:
    return function.__code__.co_varnames[: function.__code__.co_argcount]


# Files, as far as can be seen without running them.


def is_in(source: bytes) -> bool:
    """Whether a file with this text is such an agent."""
    statements = _statements(source)
    classes = [one for one in statements if isinstance(one, ast.ClassDef)]
    is_class = any("Agent" in ast.unparse(base) for one in classes for base in one.bases)
    return not is_class and any(map(_fits, statements))


def function_in(source: bytes) -> str | None:
    """The name of the last function with the parameters of Kaggle in a file with this text, or of the last one; empty
    if it has none; None if it is no program."""
    statements = _statements(source)
    if not statements:
        return None
    functions = [one for one in statements if isinstance(one, ast.FunctionDef)]
    return next((one.name for one in [*filter(_fits, reversed(functions)), *reversed(functions)]), "")


def _fits(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef) and tuple(arg.arg for arg in statement.args.args) in _PARAMETERS


def _statements(source: bytes) -> list[ast.stmt]:
    try:
        return parsed(source).body
    except (SyntaxError, ValueError, RecursionError):
        return []


# What is around the agent in a notebook.

PLACE: Final = "/kaggle_simulations/agent"
"""The folder of an agent, as it is on Kaggle."""
_ENVIRONMENTS: Final = "kaggle_environments"
_COMMAND: Final = re.compile(rb"^[!%].*$", re.MULTILINE)
"""A line of a notebook that is not Python."""


def parsed(source: bytes, path: str = "") -> ast.Module:
    """The program, without the commands of a notebook; SyntaxError if it is none."""
    try:
        return ast.parse(source, path)
    except SyntaxError:
        return ast.parse(_COMMAND.sub(b"", source), path)


def alone(source: bytes, path: str) -> ast.Module:
    """The program at `path` without the games that a notebook plays to try its agent. Files of Kaggle's folder are
    those beside it. SyntaxError if it is no program."""
    program = parsed(source, path)
    tried = {one.name for one in program.body if isinstance(one, ast.FunctionDef) and _fits(one)}
    foreign = set[str]()
    kept: list[ast.stmt] = []
    for statement in program.body:
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
            inside = [*ast.walk(statement)]
            named = {one.id for one in inside if isinstance(one, ast.Name)}
            imported = [alias for one in inside if _is_foreign(one) for alias in one.names]  # type: ignore[attr-defined]
            if imported or named & (foreign | tried if isinstance(statement, ast.Expr) else foreign):
                foreign |= {(alias.asname or alias.name).partition(".")[0] for alias in imported}
                foreign |= {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
                continue
        kept.append(statement)
    program.body = kept
    for node in ast.walk(program):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(PLACE):
            node.value = os.path.dirname(path) + node.value.removeprefix(PLACE)
    return program


def _is_foreign(node: ast.AST) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] == _ENVIRONMENTS for alias in node.names)
    return isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == _ENVIRONMENTS
