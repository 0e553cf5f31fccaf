"""Reads settings from text ("depth=6,table=false"), using the type annotations of the parameters.

Searches and built-in agents have keyword parameters with types; `read_all` converts a text into keyword arguments.
Infinity and NaN are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from adsearch.errors import BadSetting, meant, one_of, quote

_WORDS: Final = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def kinds(hint: Any) -> list[Any]:
    """The types and Literal words that a text for a parameter of this type can have."""
    if get_origin(hint) in (Union, UnionType):
        return [kind for part in get_args(hint) for kind in kinds(part)]
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [hint] if hint in _WORDS else []


def expected(possible: Sequence[Any]) -> str:
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
    raise BadSetting(f"expected {expected(possible)}, got {quote(text)}")


def read_all(text: str, hints: Mapping[str, Any], *, example: str) -> dict[str, Any]:
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
            settings[name] = read(value, kinds(hints[name]))
        except BadSetting as error:
            raise BadSetting(f"{name}: {error}") from None
    return settings
