"""Option: one option of a game, with its default and its limits.

A game lists its options as objects of this class; the catalogue reads their values from text ("rows=5,columns=6").
`Option.read` returns only valid values.
"""

import re
from dataclasses import dataclass

from adsearch.errors import BadOption, nearly, quote

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Option:
    """An integer from `low` to `high`, one of the words in `choices`, or (with neither) any text."""

    name: str
    default: int | str
    about: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    """An explanation for each of the choices; can be empty."""

    def __post_init__(self) -> None:
        if self.high is not None and self.low is None:
            raise BadOption(f"option {self.name}: expected a lower limit (low), got only an upper limit (high)")

    @property
    def limits(self) -> str:
        """The allowed values as text: "4..12", "one of face, fixed" or "text"."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.low is not None:
            return f"{self.low}..{'' if self.high is None else self.high}"
        return "text"

    def read(self, text: str) -> int | str:
        """The value of `text`; BadOption if it is not allowed."""
        value: int | str = text.strip()
        if self.low is not None:
            if not _WHOLE_NUMBER.fullmatch(str(value)):
                raise BadOption(f"{self.name} must be a whole number, {self.limits}, got {quote(text)}")
            value = int(value)
            if value < self.low or (self.high is not None and value > self.high):
                raise BadOption(f"{self.name} must be {self.limits}, got {value}")
        elif self.choices and value not in self.choices:
            raise BadOption(f"{self.name} must be {self.limits}, got {quote(text)}{nearly(text, self.choices)}")
        return value
