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
            if value is not None and (not value or self._kind == list[str]):
                return list(value)
        elif value is None or value is param.default or (type(value) is str and self._kind is str):
            return value
        return self._typed().coerce(value, param=param, ctx=ctx)


def convert_lazily(command: Any) -> None:
    """Sets this for all parameters of `command`, and of its subcommands."""
    for inner in getattr(command, "commands", {}).values():
        convert_lazily(inner)
    for parameter in command.params:
        typed = getattr(parameter, "get_runtime_param", None)
        if typed is not None:
            parameter.get_runtime_param = partial(_Lazily, typed, parameter.type_descriptor.annotation)
