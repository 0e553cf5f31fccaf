"""Agents as Kaggle's competitions have them: one function `agent(observation, configuration)` that returns a number."""

from __future__ import annotations

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
        return int(type(self).function(observation, configuration))


def of_module(names: dict[str, Any], module: str, wanted: str | None) -> type[KaggleAgent] | None:
    """An agent that plays by the last function of the module, or by the one of the name `wanted`; None if its
    parameters are not those of Kaggle."""
    functions = {name: value for name, value in names.items() if isinstance(value, FunctionType)}
    own = {name: value for name, value in functions.items() if value.__module__ == module}
    function = own.get(next(reversed(own), "") if wanted is None else wanted)
    if function is None or function.__code__.co_varnames[: function.__code__.co_argcount] not in _PARAMETERS:
        return None
    return type(function.__name__, (KaggleAgent,), {"function": staticmethod(function), "__module__": module})


def is_in(source: str) -> bool:
    """Whether a file with this text is such an agent, as far as can be seen without running it."""
    import ast

    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError):
        return False
    functions = [one for one in statements if isinstance(one, ast.FunctionDef)]
    classes = [one for one in statements if isinstance(one, ast.ClassDef)]
    is_class = any("Agent" in ast.unparse(base) for one in classes for base in one.bases)
    return not is_class and bool(functions) and tuple(arg.arg for arg in functions[-1].args.args) in _PARAMETERS
