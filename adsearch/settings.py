"""Settings as people write them ("depth=6"), read by the type of the argument that they are for.

The searches and the built-in agents take their settings by keyword, each with a type; whoever reads a text for one asks
here what may stand for a value of that type. Numbers are finite.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from adsearch.errors import BadSetting, one_of, quote

_WORDS: Final = {bool: "true or false", int: "a whole number", float: "a number"}


def kinds(hint: Any) -> list[Any]:
    """What a text for an argument with this type may stand for: types, and the words of a Literal."""
    if get_origin(hint) in (Union, UnionType):
        return [kind for part in get_args(hint) for kind in kinds(part)]
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [hint] if hint in _WORDS else []


def expected(possible: Sequence[Any]) -> str:
    """The same in words."""
    return one_of([_WORDS.get(kind) or str(kind) for kind in possible])


def read(text: str, possible: Sequence[Any]) -> Any:
    """The value that `text` stands for; BadSetting says what was expected."""
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
    raise BadSetting(f"expected {expected(possible)}, got {quote(text)}")
