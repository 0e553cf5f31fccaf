"""Option: one option of a game, with its default and its limits.

A game lists its options as objects of this class; the catalogue reads their values from text ("rows=5,columns=6").
`Option.read` returns only valid values.
"""

import re
from typing import NamedTuple

from adsearch.errors import BadOption, nearly, quote

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
