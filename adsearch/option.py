"""Values from text, checked: an option of a game with its default and limits, and the settings of searches and built-in
agents ("depth=6,table=false").

A game lists its options as objects of this class; the catalogue reads their values from text ("rows=5,columns=6").
`Option.read` returns only valid values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from types import UnionType
from typing import Any, Final, Literal, NamedTuple, Union, get_args, get_origin

from adsearch.errors import BadOption, BadSetting, meant, nearly, one_of, quote

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")
_HALVES = re.compile(r"-?[0-9]{1,9}(\.[05]0*)?")


class Option(NamedTuple):
    """An integer (`halves`: or a half more) from `low` to `high`, one of the words in `choices`, or (with neither) any
    text."""

    name: str
    default: float | str
    about: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    """An explanation for each of the choices; can be empty."""
    halves: bool = False
    """Whether numbers such as 7.5 are allowed too."""

    def default_value(self) -> float | str:
        """The default; BadOption if the option has an upper limit only."""
        if self.high is not None and self.low is None:
            raise BadOption(f"option {self.name}: expected a lower limit (low), got only an upper limit (high)")
        return self.default

    @property
    def limits(self) -> str:
        """The allowed values as text: "4..12", "one of face, fixed" or "text"."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.low is not None:
            return f"{self.low}..{'' if self.high is None else self.high}"
        return "text"

    def read(self, text: str) -> float | str:
        """The value of `text`, an int if it is whole; BadOption if it is not allowed."""
        value: float | str = text.strip()
        if self.low is not None:
            if not (_HALVES if self.halves else _WHOLE_NUMBER).fullmatch(str(value)):
                kind = "a multiple of 0.5" if self.halves else "a whole number"
                raise BadOption(f"{self.name} must be {kind}, {self.limits}, got {quote(text)}")
            value = float(value)
            value = int(value) if value.is_integer() else value
            if value < self.low or (self.high is not None and value > self.high):
                raise BadOption(f"{self.name} must be {self.limits}, got {value}")
        elif self.choices and value not in self.choices:
            raise BadOption(f"{self.name} must be {self.limits}, got {quote(text)}{nearly(text, self.choices)}")
        return value


# Reads settings from text ("depth=6,table=false"), using the type annotations of the parameters.


_WORDS: Final = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def setting_kinds(hint: Any) -> list[Any]:
    """The types and Literal words that a text for a parameter of this type can have."""
    if get_origin(hint) in (Union, UnionType):
        return [kind for part in get_args(hint) for kind in setting_kinds(part)]
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [hint] if hint in _WORDS else []


def expected_setting(possible: Sequence[Any]) -> str:
    """These types and words as text, for a message."""
    return one_of([_WORDS.get(kind) or str(kind) for kind in possible])


def read(text: str, possible: Sequence[Any]) -> Any:
    """The value of `text`; BadSetting says what was expected."""
    if text in possible:
        return text
    if bool in possible and text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        if kind in possible:
            try:
                value = kind(text)
            except ValueError:
                continue
            if isfinite(value):
                return value
    if str in possible and text:
        return text
    raise BadSetting(f"expected {expected_setting(possible)}, got {quote(text)}")


def read_settings(text: str, hints: Mapping[str, Any], *, example: str) -> dict[str, Any]:
    """The settings in `text`, such as "depth=6,table=false", by name; `hints`: the allowed names and their types.

    BadSetting says what is wrong and shows `example`, a valid setting."""
    settings: dict[str, Any] = {}
    for setting in text.split(",") if text else ():
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise BadSetting(f"expected an option such as {example}, got {quote(setting)}")
        if name not in hints:
            raise BadSetting(f"no option {quote(name)}{meant(name, tuple(hints))}")
        if name in settings:
            raise BadSetting(f"option {name} is given twice")
        try:
            settings[name] = read(value, setting_kinds(hints[name]))
        except BadSetting as error:
            raise BadSetting(f"{name}: {error}") from None
    return settings
