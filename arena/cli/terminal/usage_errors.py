"""What somebody who mistyped a command is told: one line in our words, where Typer has five, its library its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from typer import TyperException

_EXPECTED: Final = {
    "greater_than_equal": "at least {ge:,.10g}",
    "less_than_equal": "at most {le:,.10g}",
    "int_parsing": "a whole number",
    "float_parsing": "a number",
}
"""What was expected, by the kinds of error that the library behind Typer's options tells."""


def message(error: TyperException) -> str:
    """What is wrong, where, and which help tells more; nothing if all help was shown instead."""
    problem = _problem(error)
    context = getattr(error, "ctx", None)
    return f"{problem} ({context.command_path} --help tells more)" if problem and context else problem


def _problem(error: TyperException) -> str:
    param = getattr(error, "param", None)
    where = f"{_name(param)}: " if param else ""
    if type(error).__name__ == "MissingParameter":
        return f"expected {_name(param)}, got nothing"
    if type(error).__name__ == "NoSuchOption":
        return _no_option(error)
    message = (_validation(error.__cause__) or error.message).rstrip(".").replace("'. Did", "'; did")
    if choice := re.fullmatch("(.*) is not one of (.*)", message):
        among = choice[2].replace("'", "")
        return f"{where}expected one of {among}, got {choice[1]}"
    return where + message[:1].lower() + message[1:]


def _name(param: Any) -> str:
    """An option as it is typed, an argument as the help names it."""
    if param.param_type_name == "option":
        return str(max(param.opts, key=len))
    return str(param.metavar or param.name.upper())


def _no_option(error: Any) -> str:
    likely = " or ".join(error.possibilities or ())
    return f"no option {error.option_name}" + (f"; did you mean {likely}?" if likely else "")


def _validation(cause: Any) -> str:
    """The first error of a value's validation, in our words, or nothing."""
    if type(cause).__name__ != "ValidationError":
        return ""
    first = cause.errors()[0]
    details = first.get("ctx", {})
    if first["type"] == "value_error":
        return str(details["error"])
    expected = _EXPECTED.get(first["type"], "")
    if not expected:
        return str(first["msg"])
    return f"expected {expected.format(**details)}, got {str(first['input'])!r}"
