"""Keeps commands from importing pydantic for values that need no conversion: it takes a tenth of a listing's time.

Typer converts every value with pydantic, even if none was given or if the parameter is a text. Values that need it
(numbers, enumerations, paths) are still converted by Typer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any


class _Lazily:
    """Converts a parameter's value as Typer does, if it has to be converted."""

    def __init__(self, typed: Callable[[], Any], kind: Any) -> None:
        self._typed = typed
        self._kind = kind

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value for the command's function."""
        if param.multiple or param.nargs != 1:
            if value is None:
                return None if param.nargs > 1 and not param.multiple else ()
            if not value or self._kind == list[str]:
                return list(value)
        elif value is None or value is param.default or (type(value) is str and self._kind is str):
            return value
        return self._typed().coerce(value, param=param, ctx=ctx)


def convert_lazily(command: Any) -> None:
    """Sets this for all parameters of `command`, and of its subcommands."""
    for inner in getattr(command, "commands", {}).values():
        convert_lazily(inner)
    command.get_params = partial(_parameters, command.get_params)


def _parameters(all_of: Callable[[Any], list[Any]], ctx: Any) -> list[Any]:
    """The parameters of a command; Typer adds --help to them here."""
    return lazily(all_of(ctx))


def lazily(parameters: list[Any]) -> list[Any]:
    """Sets this for these parameters."""
    for parameter in parameters:
        typed = parameter.get_runtime_param
        if getattr(typed, "func", None) is not _Lazily:
            parameter.get_runtime_param = partial(_Lazily, typed, parameter.type_descriptor.annotation)
    return parameters
