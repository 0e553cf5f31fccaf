"""Values that need no conversion are not converted, because that imports pydantic: a tenth of a listing's time.

Typer converts every value with pydantic, even if none was given or if the parameter is a text. Here such values are
used as they are. All others (numbers, enumerations, paths) are still converted by Typer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any


class _LazyParameter:
    """Takes the place of the object that converts a parameter's values; makes it only for a value that needs it."""

    def __init__(self, get_runtime_param: Callable[[], Any], annotation: Any) -> None:
        """`get_runtime_param` makes Typer's object; `annotation` is the parameter's type in the command's function."""
        self._get_runtime_param = get_runtime_param
        self._annotation = annotation

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value for the command's function."""
        if param.multiple or param.nargs != 1:
            if value is None:
                return None if param.nargs > 1 and not param.multiple else ()
            if not value or self._annotation == list[str]:
                return list(value)
        elif value is None or value is param.default or (type(value) is str and self._annotation is str):
            return value
        return self._get_runtime_param().coerce(value, param=param, ctx=ctx)


def convert_lazily(command: Any) -> None:
    """Converts the values of `command` and of its subcommands only if they need it."""
    for subcommand in getattr(command, "commands", {}).values():
        convert_lazily(subcommand)
    command.get_params = partial(_lazy_parameters, command.get_params)


def _lazy_parameters(get_params: Callable[[Any], list[Any]], ctx: Any) -> list[Any]:
    """The parameters of a command. They are changed at each call, because Typer adds --help only then."""
    return lazily(get_params(ctx))


def lazily(parameters: list[Any]) -> list[Any]:
    """These parameters, changed so that their values are converted only if they need it."""
    for parameter in parameters:
        # Without these two, in another version of Typer, values are converted as usual.
        original = getattr(parameter, "get_runtime_param", None)
        if original and hasattr(parameter, "type_descriptor") and getattr(original, "func", None) is not _LazyParameter:
            parameter.get_runtime_param = partial(_LazyParameter, original, parameter.type_descriptor.annotation)
    return parameters
