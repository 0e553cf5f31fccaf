"""A description's keys, each read as what it must be: the tables of a TOML file, or the options of a command.

It stands between the text that a person wrote and the `League` that is made of it. Whatever is wrong is one BadLeague
that says where, what was expected and what came.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any, Final, NoReturn

from adsearch.errors import meant, nearly, one_of, quote
from arena.errors import BadLeague
from arena.match.clock import SECOND

MOST_LETTERS: Final = 64
"""No name is longer."""
_LARGEST_FILE: Final = 4 * 2**20
_MOST_BYTES: Final = 2**50
_SIZE: Final = re.compile(r"(?P<number>\d{1,12}(\.\d{1,3})?) *((?P<unit>[KMGTkmgt])(i?[Bb])?)?")
_AT_LINE: Final = re.compile(
    r"(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL
)


class Table:
    """Some keys and their values. Every reader says what it expects, and gives the default where the key is absent."""

    def __init__(self, keys: Mapping[str, Any], where: str) -> None:
        self._keys = keys
        # What every message begins with.
        self._where = where

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def fail(self, what: str, key: str = "") -> NoReturn:
        """BadLeague, which says where."""
        raise BadLeague(": ".join(part for part in (self._where, key, what) if part))

    def only(self, possible: Sequence[str], elsewhere: Mapping[str, str] | None = None) -> None:
        """No other keys than these; `elsewhere` tells of keys that are right in another place."""
        for key in self._keys:
            if key in possible:
                continue
            if elsewhere and key in elsewhere:
                self.fail(f"the key {quote(key)} does not belong here: {elsewhere[key]}")
            self.fail(f"no key {quote(key)}{meant(str(key), possible)}")

    def value(self, key: str) -> Any:
        """What the key has, whatever it is."""
        return self._keys.get(key)

    def text(self, key: str, default: str | None = None) -> str:
        """A text; without a default there must be one."""
        if key not in self._keys and default is not None:
            return default
        value = self._given(key, "a text")
        if not isinstance(value, str) or not value.strip():
            self.fail(f"expected a text, got {shown(value)}", key)
        return value.strip()

    def name(self, key: str, default: str) -> str:
        """A name that can be shown everywhere."""
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
        """A whole number within limits."""
        value = self._keys.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            self.fail(f"expected a whole number from {least} to {most}, got {shown(value)}", key)
        return value

    def optional_whole(self, key: str, least: int, most: int) -> int | None:
        """The same, or nothing."""
        return None if self._keys.get(key) is None else self.whole(key, least, most, 0)

    def number(self, key: str) -> float | None:
        """A number, or nothing."""
        value = self._keys.get(key)
        if value is None:
            return None
        if not _is_number(value) or abs(value) > 1e9:
            self.fail(f"expected a number, got {shown(value)}", key)
        return float(value)

    def seconds(self, key: str, least: float, most: float, default: int) -> int:
        """A time in seconds within limits, as nanoseconds; `default` is in nanoseconds."""
        if key not in self._keys:
            return default
        value = self._keys[key]
        if not _is_number(value) or not least <= value <= most:
            self.fail(f"expected a number of seconds from {least:.12g} to {most:.12g}, got {shown(value)}", key)
        return int(Decimal(str(value)) * SECOND)

    def size(self, key: str, least: int, default: int | None, *, zero: str) -> int | None:
        """A number of bytes: 1000000, "512M", "1.5G"; None for 0, which means `zero`."""
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
        """true or false."""
        value = self._keys.get(key, default)
        if not isinstance(value, bool):
            self.fail(f"expected true or false, got {shown(value)}", key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; one text alone is a list, too."""
        value = self._keys.get(key, [])
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list | tuple) or not all(isinstance(text, str) and text.strip() for text in listed):
            self.fail(f"expected a text or a list of texts, got {shown(value)}", key)
        return tuple(listed)

    def table(self, key: str) -> Table:
        """A table of its own: [limits]."""
        value = self._keys.get(key, {})
        if not isinstance(value, dict):
            self.fail(f"expected a table, [{key}], got {shown(value)}", key)
        return Table(value, f"{self._where}: [{key}]" if self._where else key)

    def tables(self, key: str) -> list[dict[str, Any]]:
        """A list of tables: [[agent]], any number of them."""
        value = self._keys.get(key, [])
        if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
            self.fail(f"expected tables, each beginning with [[{key}]], got {shown(value)}", key)
        return value

    def _given(self, key: str, expected: str) -> Any:
        if key not in self._keys:
            self.fail(f"expected {expected}, it is missing", key)
        return self._keys[key]


def read_toml(path: Path) -> dict[str, Any]:
    """The keys of a TOML file; BadLeague names the line of a mistake."""
    text = read_text(path, "a tournament's description")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.fullmatch(str(error))
        if found is None:
            raise BadLeague(f"{path}: {error}") from None
        what = found["what"][:1].lower() + found["what"][1:]
        line = found["line"] or text.count("\n") + (not text.endswith("\n"))
        at = f" (column {found['column']})" if found["column"] else ""
        raise BadLeague(f"{path}, line {line}: {what}{at}") from None
    except RecursionError:
        raise BadLeague(f"{path}: expected a few tables and lists, got hundreds inside one another") from None


def read_text(path: Path, what: str) -> str:
    """What is written in a file; BadLeague says why it cannot be read."""
    try:
        if path.is_file() and path.stat().st_size > _LARGEST_FILE:
            raise BadLeague(f"{path}: expected {what} of at most {_LARGEST_FILE} bytes, got {path.stat().st_size}")
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise BadLeague(f"{path}: expected {what} in UTF-8; byte {error.start + 1} is none of it") from None
    except (OSError, ValueError) as error:
        if isinstance(error, BadLeague):
            raise
        raise BadLeague(
            f"cannot read {what} from {quote(str(path))}: {getattr(error, 'strerror', None) or error}"
        ) from None


def what_is_wrong_with(name: object) -> str:
    """Why something is no name for an agent or a tournament; empty where it is one."""
    if not isinstance(name, str) or not name.strip():
        return f"expected a name, got {shown(name)}"
    if not name.isprintable() or name != name.strip():
        return f"expected a name of printable characters without blanks at its ends, got {quote(name)}"
    if len(name) > MOST_LETTERS:
        return f"expected a name of at most {MOST_LETTERS} characters, got {len(name)}: {quote(name)}"
    if "#" in name or "@" in name:
        return f"expected a name without '#' and '@', which number games and versions, got {quote(name)}"
    return ""


def folded(name: str) -> str:
    """What names that look the same have in common."""
    return unicodedata.normalize("NFKC", name).casefold()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def shown(value: object) -> str:
    """A value as its writer knows it."""
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
    """Some names for people, each on one short line."""
    return one_of([quote(name) for name in names], most=8)
