"""Usage errors on one line, in our words: what is wrong, and what to type instead. Typer itself prints five lines."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from typer import TyperException

_EXPECTED: Final = {
    "greater_than_equal": "at least {ge:,.10g}",
    "less_than_equal": "at most {le:,.10g}",
    "int_parsing": "a whole number",
    "float_parsing": "a number",
}
"""The expected value, by the error type of Pydantic, with which Typer validates options."""
_ALIKE: Final = 0.75
"""Smallest similarity of an option that is suggested for a typo, from 0 to 1."""
_FEW: Final = 8
"""Largest number of options that are listed in a message."""


def message(error: TyperException) -> str:
    """What is wrong, what to type instead, and the help command; empty if the help itself was shown."""
    problem = _problem(error)
    context = getattr(error, "ctx", None)
    return f"{problem} (help: {context.command_path} --help)" if problem and context else problem


def _problem(error: TyperException) -> str:
    param: Any = getattr(error, "param", None)
    where = f"{_name(param)}: " if param else ""
    if param and type(error).__name__ == "MissingParameter":
        value = f" {param.metavar}" if param.param_type_name == "option" and param.metavar else ""
        return f"missing {_name(param)}{value}{_example(error)}"
    if type(error).__name__ == "NoSuchOption":
        return _no_option(error)
    message = (_validation(error.__cause__) or error.message).rstrip(".").replace("'. Did", "'; did")
    if extra := re.fullmatch(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", message):
        return _unexpected(error, extra[1].split())
    if valueless := re.fullmatch("Option '(.*)' requires an argument", message):
        return f"{valueless[1]} needs a value"
    if choice := re.fullmatch("(.*) is not one of (.*)", message):
        among = choice[2].replace("'", "")
        return f"{where}expected one of {among}, got {choice[1]}"
    return where + message[:1].lower() + message[1:]


def _name(param: Any) -> str:
    """The long form of an option, or the metavar of an argument."""
    if param.param_type_name == "option":
        return str(max(param.opts, key=len))
    return str(param.metavar or param.name.upper())


def _no_option(error: Any) -> str:
    wrong, options = error.option_name, _options(error)
    if (name := wrong.removeprefix("--").upper()) in _arguments(error):
        return f"no option {wrong}; give {name} without it: {error.ctx.command_path} {name}"
    alike = [name for name in options if SequenceMatcher(None, wrong, name).ratio() >= _ALIKE]
    if alike:
        return f"no option {wrong}; did you mean {' or '.join(alike)}?"
    return f"no option {wrong}" + (f"; the options are {', '.join(options)}" if 0 < len(options) <= _FEW else "")


def _options(error: Any) -> list[str]:
    """The long names of the command's options, without --help."""
    params = error.ctx.command.params if error.ctx else ()
    names = [max(param.opts, key=len) for param in params if param.param_type_name == "option"]
    return [name for name in names if name != "--help"]


def _arguments(error: Any) -> list[str]:
    """The words in the metavars of the command's arguments, such as GAME and PLAYER."""
    params = error.ctx.command.params if error.ctx else ()
    return [
        word for param in params if param.param_type_name == "argument" for word in re.findall("[A-Z]+", _name(param))
    ]


def _unexpected(error: Any, words: list[str]) -> str:
    """Names arguments that the command does not take, and the option that takes the first one, if there is one."""
    from adsearch.games import catalog

    options = {name: param.metavar for param in error.ctx.command.params for name in param.opts} if error.ctx else {}
    word = words[0]
    problem = f"unexpected argument {' '.join(words)!r}"
    given = [*error.ctx.params.values()] if error.ctx else []
    if begun := next((str(one) for one in given if str(one).startswith("cmd:")), ""):
        return f"{problem}; write a command in quotes: '{begun} {' '.join(words)}'"
    if "--game" in options and catalog.begins_with_name(word):
        return f"{problem}; did you mean --game {word}?"
    if "--tournament" in options:
        return f"{problem}; did you mean --tournament {word}?"
    return problem + _example(error)


def _example(error: Any) -> str:
    """The first example in the help of the command, for the end of a message."""
    found = re.search(r"^Examples?: (arena [^;\n]*)", error.ctx.command.help or "", re.MULTILINE) if error.ctx else None
    return f"; for example: {found[1]}" if found else ""


def _validation(cause: Any) -> str:
    """The first error of a value's validation, in our words; empty for other errors."""
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
