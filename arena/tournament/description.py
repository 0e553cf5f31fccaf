"""Readers for the keys of a description, each checked for its type: the tables of a TOML file, or a command's options.

`league.py` makes a `League` of what is read here. Every mistake is a BadLeague that says where the mistake is, what
was expected and what came.
"""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from enum import EnumType
from functools import cache
from math import isfinite
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NoReturn,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from adsearch.errors import meant, nearly, one_of, quote
from arena.errors import BadClock, BadLeague
from arena.match.allowance import Seconds, Share, Size, Whole
from arena.match.clock import SECOND, TimeControl

Fields = TypeVar("Fields")
MOST_LETTERS: Final = 64
"""Longest name, in characters."""
_LARGEST_FILE: Final = 4 * 2**20
_MOST_BYTES: Final = 2**50
_SIZE: Final = re.compile(r"(?P<number>\d{1,12}(\.\d{1,3})?) *((?P<unit>[KMGTkmgt])(i?[Bb])?)?")
_DURATION: Final = re.compile(r"(?P<number>\d{1,9}(\.\d{1,3})?) *(?P<unit>[smhd])?")
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 24 * 3600}
_LONGEST: Final = 30 * 24 * 3600
_BARE_TIME: Final = re.compile(r"= *\d{4}-\d\d-\d\d \d")
"""A time without seconds is not a value in TOML."""
_AT_LINE: Final = re.compile(
    r"(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL
)


class Table:
    """Some keys and their values. Every reader checks one key, and returns the default if the key is absent."""

    def __init__(self, keys: Mapping[str, Any], where: str) -> None:
        self._keys = keys
        self.where = where
        """The start of every message: the file; empty for the arguments of a command."""

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def fail(self, what: str, key: str = "") -> NoReturn:
        """Raises BadLeague with the place in front of the message."""
        raise BadLeague(": ".join(part for part in (self.where, key, what) if part))

    def only(self, possible: Sequence[str], elsewhere: Mapping[str, str] | None = None) -> None:
        """Refuses all keys but these; `elsewhere` says where to put keys that belong in another table."""
        for key in self._keys:
            if key in possible:
                continue
            if elsewhere and key in elsewhere:
                self.fail(f"the key {quote(key)} does not belong here: {elsewhere[key]}")
            self.fail(f"unknown key {quote(key)}{meant(str(key), possible)}")

    def value(self, key: str) -> Any:
        """The key's value, unchecked; None if it is absent."""
        return self._keys.get(key)

    def text(self, key: str, default: str | None = None) -> str:
        """A string; without a default the key must be there."""
        if key not in self._keys and default is not None:
            return default
        value = self._given(key, "a string")
        if not isinstance(value, str) or not value.strip():
            self.fail(f"expected a string, got {shown(value)}", key)
        return value.strip()

    def name(self, key: str, default: str) -> str:
        """A name for an agent or a tournament; see `what_is_wrong_with`."""
        name = self._keys.get(key, default)
        if wrong := what_is_wrong_with(name):
            self.fail(wrong, key)
        return str(name)

    def word(self, key: str, possible: Iterable[str], default: str) -> str:
        """One of these words."""
        words = [str(word) for word in possible]
        value = self._keys.get(key, str(default))
        if value not in words:
            hint = nearly(value, words) if isinstance(value, str) else ""
            self.fail(f"expected {' or '.join(map(repr, words))}, got {shown(value)}{hint}", key)
        return str(value)

    def whole(self, key: str, least: int, most: int, default: int) -> int:
        """A whole number from `least` to `most`."""
        value = self._keys.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            self.fail(f"expected a whole number from {least} to {most}, got {shown(value)}", key)
        return value

    def number(self, key: str) -> float | None:
        """A number; None if the key is absent."""
        value = self._keys.get(key)
        if value is None:
            return None
        if not _is_number(value) or abs(value) > 1e9:
            self.fail(f"expected a number, got {shown(value)}", key)
        return float(value)

    def share(self, key: str, default: float) -> float:
        """A number of at least 0, as a part of something."""
        value = self._keys.get(key, default)
        if not _is_number(value) or not 0 <= value <= 1000:
            self.fail(f"expected a number from 0 to 1000, such as {default}, got {shown(value)}", key)
        return float(value)

    def seconds(self, key: str, least: float, most: float, default: int) -> int:
        """A time of `least` to `most` seconds, returned in nanoseconds; `default` is in nanoseconds."""
        if key not in self._keys:
            return default
        value = self._keys[key]
        if not _is_number(value) or not least <= value <= most:
            self.fail(f"expected a number of seconds from {least:.12g} to {most:.12g}, got {shown(value)}", key)
        return int(Decimal(str(value)) * SECOND)

    def duration(self, key: str, default: timedelta) -> timedelta:
        """A time of at most 30 days: a number of seconds, or a text such as "90s", "5m", "2h" or "1d"."""
        if key not in self._keys:
            return default
        value = self._keys[key]
        found = _DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
        number, unit = (float(found["number"]), found["unit"] or "s") if found else (value, "s")
        if not _is_number(number) or not 0 <= number * _UNITS[unit] <= _LONGEST:
            self.fail(f"expected a time such as '90s', '5m' or '2h', at most 30 days, got {shown(value)}", key)
        return timedelta(seconds=number * _UNITS[unit])

    def size(self, key: str, least: int, default: int | None, *, zero: str) -> int | None:
        """A number of bytes: 1000000, "512M", "1.5G"; None for 0. `zero` says what 0 means, for the error message."""
        if key not in self._keys:
            return default
        value = self._keys[key]
        found = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
        if found:
            size = int(
                float(found["number"]) * 1024 ** ("kmgt".index(found["unit"].lower()) + 1 if found["unit"] else 0)
            )
        else:
            size = value if isinstance(value, int) and not isinstance(value, bool) else -1
        if size != 0 and not least <= size <= _MOST_BYTES:
            expected = f"a size from {least // 1024**2}M to {_MOST_BYTES // 1024**4}T, such as '512M' or '1.5G'"
            self.fail(f"expected {expected}, or 0 for {zero}; got {shown(value)}", key)
        return size or None

    def flag(self, key: str, default: bool) -> bool:
        """A boolean."""
        value = self._keys.get(key, default)
        if not isinstance(value, bool):
            self.fail(f"expected true or false, got {shown(value)}", key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; a single string is a list of one."""
        value = self._keys.get(key, [])
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list | tuple) or not all(isinstance(text, str) and text.strip() for text in listed):
            self.fail(f"expected a string or a list of strings, got {shown(value)}", key)
        return tuple(listed)

    def clock(self, default: str) -> str:
        """The key `clock`, as `TimeControl` writes it."""
        given = self.value("clock")
        is_number = isinstance(given, int | float) and not isinstance(given, bool)
        text = str(given) if is_number else self.text("clock", default)
        try:
            return str(TimeControl.parse(text)) if text else ""
        except BadClock as error:
            self.fail(str(error), "clock")

    def read(self, default: Fields) -> Fields:
        """`default` with the values of its fields that are keys here, each checked as the type of the field says. A
        field whose type does not say how it is written stays as it is."""
        types = _types(type(default))  # type: ignore[arg-type]
        fields = {name: getattr(default, name) for name in types}
        given = {name: self._as(name, types[name], fields[name]) for name in types if name in self}
        return type(default)(**fields | given)

    def _as(self, key: str, kind: Any, default: Any) -> Any:
        """The value of a key that is there, as a field of that kind."""
        kind, *checks = (kind.__origin__, *kind.__metadata__) if get_origin(kind) is Annotated else (kind,)
        # Of a Literal, "| None" makes a Union of the module typing.
        is_union = get_origin(kind) in (UnionType, Union)
        kinds = [one for one in get_args(kind) if one is not NoneType] if is_union else [kind]
        is_optional = len(kinds) < len(get_args(kind))
        match [*checks, *kinds][0]:
            case Whole(least, most, unlimited):
                return None if (found := self.whole(key, least, most, 0)) == unlimited else found
            case Seconds(least, most):
                return self.seconds(key, least, most, 0)
            case Share():
                return self.share(key, default)
            case Size(least, zero):
                return self.size(key, least, None, zero=zero) or (None if is_optional else 0)
            case word if get_origin(word) is Literal:
                return self.word(key, get_args(word), "")
            case word if isinstance(word, EnumType):
                return word(self.word(key, word, ""))
            case words if get_origin(words) is tuple:
                return self.texts(key)
            case flag if flag is bool:
                return self.flag(key, default)
            case _:
                return default

    def table(self, key: str) -> Table:
        """A table below this one: [limits]."""
        value = self._keys.get(key, {})
        if not isinstance(value, dict):
            self.fail(f"expected a table, [{key}], got {shown(value)}", key)
        return Table(value, f"{self.where}: [{key}]" if self.where else key)

    def tables(self, key: str) -> list[dict[str, Any]]:
        """An array of tables: [[agent]]."""
        value = self._keys.get(key, [])
        if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
            self.fail(f"expected tables, each starting with [[{key}]], got {shown(value)}", key)
        return value

    def _given(self, key: str, expected: str) -> Any:
        if key not in self._keys:
            self.fail(f"missing; expected {expected}", key)
        return self._keys[key]


@cache
def _types(kind: Any) -> dict[str, Any]:
    """The types of a Struct's or a dataclass's fields."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: hint for name, hint in hints.items() if get_origin(hint) is not ClassVar}


def read_toml(path: Path, what: str = "a tournament's description") -> dict[str, Any]:
    """The keys of a TOML file; BadLeague says in which line a mistake is. `what`: for a file that cannot be read."""
    text = read_text(path, what)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.fullmatch(str(error))
        if found is None:
            raise BadLeague(f"{path}: {error}") from None
        what = found["what"][:1].lower() + found["what"][1:]
        line = found["line"] or text.count("\n") + (not text.endswith("\n"))
        at = f" (column {found['column']})" if found["column"] else ""
        is_time = _BARE_TIME.search(text.split("\n")[int(line) - 1]) if found["line"] else None
        hint = "; write the time in quotes" if is_time else ""
        raise BadLeague(f"{path}, line {line}: {what}{at}{hint}") from None
    except RecursionError:
        raise BadLeague(f"{path}: tables and lists are nested too deeply") from None


def read_text(path: Path, what: str, most: int = _LARGEST_FILE) -> str:
    """The text of a file; BadLeague says why it cannot be read. `what` describes the file in the message."""
    try:
        if path.is_file() and path.stat().st_size > most:
            raise BadLeague(f"{path}: expected {what} of at most {most} bytes, got {path.stat().st_size}")
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise BadLeague(f"{path}: expected {what} in UTF-8; byte {error.start + 1} is not UTF-8") from None
    except (OSError, ValueError) as error:
        if isinstance(error, BadLeague):
            raise
        raise BadLeague(
            f"cannot read {what} from {quote(str(path))}: {getattr(error, 'strerror', None) or error}"
        ) from None


def what_is_wrong_with(name: object) -> str:
    """Why something is not a name for an agent or a tournament; empty if it is a name."""
    if not isinstance(name, str) or not name.strip():
        return f"expected a name, got {shown(name)}"
    if not name.isprintable() or name != name.strip():
        return f"expected a name of printable characters without spaces at either end, got {quote(name)}"
    if len(name) > MOST_LETTERS:
        return f"expected a name of at most {MOST_LETTERS} characters, got {len(name)}: {quote(name)}"
    if "#" in name or "@" in name:
        return f"expected a name without '#' and '@' (they mark games and versions), got {quote(name)}"
    return ""


def folded(name: str) -> str:
    """The name without differences of case and of Unicode form (NFKC): names that look the same are equal."""
    return unicodedata.normalize("NFKC", name).casefold()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def with_keys(text: str, keys: dict[str, str | int]) -> str | None:
    """The text of a TOML file with these values of keys above its tables; all else stays as it is, comments too. None
    if the file is written in a way that this cannot change.

    A key that is not set is set where a comment shows it ("# rounds = 1"), else below the key `game`."""
    wanted = tomllib.loads(text) | keys
    first_table = re.search(r"^[ \t]*\[", text, re.MULTILINE)
    end = first_table.start() if first_table else len(text)
    above, below = text[:end], text[end:]
    for key, value in reversed(keys.items()):
        line = f"{key} = {json.dumps(value)}"
        for start in (key, f"# {key}"):
            set_there = rf"^{start}[ \t]*=[ \t]*(\w+|\"[^\"\n]*\"|'[^'\n]*')"
            above, found = re.subn(set_there, line, above, count=1, flags=re.MULTILINE)
            if found:
                break
        else:
            above = re.sub(r"^(game[ \t]*=[^\n]*\n)", rf"\g<1>{line}\n", above, count=1, flags=re.MULTILINE)
    try:
        return above + below if tomllib.loads(above + below) == wanted else None
    except tomllib.TOMLDecodeError:
        return None


def shown(value: object) -> str:
    """A value as TOML writes it, shortened for a message."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, int) and abs(value) >= 10**30:
        return "a number of more than 30 digits"
    return quote(value) if isinstance(value, str) else str(value)[:MOST_LETTERS]


def listing(names: Iterable[str]) -> str:
    """At most eight of the names, for a message."""
    return one_of([quote(name) for name in names], most=8)
