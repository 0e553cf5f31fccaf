"""The options that a UCI engine says it has, and what is wrong with the values that a user gives. Values only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from adsearch.errors import meant, one_of, quote

_KEYS: Final = ("type", "default", "min", "max", "var")
_TRUTHS: Final = ("true", "false")
_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class UciOption:
    """One line `option name ... type ...` of an engine."""

    name: str
    kind: str
    """check, spin, combo, button or string."""
    default: str = ""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()

    @classmethod
    def parse(cls, line: str) -> UciOption | None:
        """The option that this line declares; None if it cannot be read."""
        words = line.split()
        if words[:2] != ["option", "name"]:
            return None
        parts: list[tuple[str, list[str]]] = [("name", [])]
        for word in words[2:]:
            if word in _KEYS:
                parts.append((word, []))
            else:
                parts[-1][1].append(word)
        texts = {key: " ".join(value) for key, value in parts}
        if not texts["name"] or not texts.get("type"):
            return None
        choices = tuple(" ".join(value) for key, value in parts if key == "var")
        least, most = (integer(texts.get(key, "")) for key in ("min", "max"))
        return cls(texts["name"], texts["type"], texts.get("default", ""), least, most, choices)

    @property
    def expected(self) -> str:
        """The values that it takes, in words."""
        match self.kind:
            case "check":
                return "true or false"
            case "combo":
                return one_of(self.choices)
            case "spin":
                return (
                    "an integer" if None in (self.least, self.most) else f"an integer from {self.least} to {self.most}"
                )
            case "button":
                return "no value"
        return "text"

    def problem(self, value: str) -> str | None:
        """What is wrong with `value` for this option; None if it is valid."""
        expected = None
        if not value.isprintable():
            expected = "printable characters"
        elif not self._takes(value):
            expected = self.expected
        return None if expected is None else f"option {self.name}: expected {expected}, got {quote(value)}"

    def _takes(self, value: str) -> bool:
        match self.kind:
            case "check":
                return value in _TRUTHS
            case "combo":
                return value.lower() in [choice.lower() for choice in self.choices]
            case "spin":
                number = integer(value)
                low, high = self.least, self.most
                return number is not None and (low is None or low <= number) and (high is None or number <= high)
        return True

    def command(self, value: str) -> str:
        """The UCI command that sets it."""
        return f"setoption name {self.name}" + ("" if self.kind == "button" else f" value {value}")


def find_option(options: Mapping[str, UciOption], name: str) -> UciOption | None:
    """The option of that name in upper or lower case."""
    return next((option for option in options.values() if option.name.lower() == name.lower()), None)


def first_problem(options: Mapping[str, UciOption], wanted: Mapping[str, str]) -> str | None:
    """The first thing that is wrong with the values that a user wants to set; None if an engine with these options
    takes them all."""
    for name, value in wanted.items():
        option = find_option(options, name)
        if option is None:
            return f"the engine has no option {quote(name)}{meant(name, tuple(options))}"
        if (problem := option.problem(value)) is not None:
            return problem
    return None


def integer(text: str) -> int | None:
    """The integer of at most 18 digits that `text` is, else None."""
    return int(text) if _INTEGER.fullmatch(text) else None
