"""Option: one setting of a game, with its default and its limits.

A game lists its options as values of this class; the catalogue reads them from text ("rows=5,columns=6").
Whatever an Option has read is within its limits.
"""

import re
from dataclasses import dataclass

from adsearch.errors import BadOption, nearly, quote

_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Option:
    """A whole number from `low` to `high`, one of the words in `choices`, or (with neither) free text."""

    name: str
    default: int | str
    about: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()
    """What each of the choices stands for, where that needs saying."""

    def __post_init__(self) -> None:
        if self.high is not None and self.low is None:
            raise BadOption(f"option {self.name}: expected a low limit beside the high one")

    @property
    def limits(self) -> str:
        """What may stand for the value, in words: "4..12", "one of face, fixed" or "text"."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.low is not None:
            return f"{self.low}..{'' if self.high is None else self.high}"
        return "text"

    def read(self, text: str) -> int | str:
        """The value that `text` stands for; BadOption where it is outside the limits."""
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
