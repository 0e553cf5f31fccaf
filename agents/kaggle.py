"""Agents as Kaggle's competitions have them: one function `agent(observation, configuration)` that returns a number."""

from __future__ import annotations

import ast
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

    __getattr__ = dict.__getitem__


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
    """An agent that plays by the last function of the module, if its parameters are those of Kaggle, or by the one of
    the name `wanted`; None if there is no such function."""
    functions = {name: value for name, value in names.items() if isinstance(value, FunctionType)}
    own = {name: value for name, value in functions.items() if value.__module__ == module}
    function = own.get(next(reversed(own), "") if wanted is None else wanted)
    if function is None:
        return None
    parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
    if parameters not in _PARAMETERS and (wanted is None or len(parameters) not in (1, 2)):
        return None
    return type(function.__name__, (KaggleAgent,), {"function": staticmethod(function), "__module__": module})


def is_in(source: str) -> bool:
    """Whether a file with this text is such an agent, as far as can be seen without running it."""
    statements = _statements(source)
    functions = [one for one in statements if isinstance(one, ast.FunctionDef)]
    classes = [one for one in statements if isinstance(one, ast.ClassDef)]
    is_class = any("Agent" in ast.unparse(base) for one in classes for base in one.bases)
    return not is_class and bool(functions) and tuple(arg.arg for arg in functions[-1].args.args) in _PARAMETERS


def last_function(source: str) -> str:
    """The name of the last function in a file with this text, which Kaggle plays; empty if it has none."""
    return next((one.name for one in reversed(_statements(source)) if isinstance(one, ast.FunctionDef)), "")


def _statements(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except (SyntaxError, ValueError):
        return []
