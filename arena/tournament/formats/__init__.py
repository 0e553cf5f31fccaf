"""The tournament formats, a file each. A module is loaded only when its format is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from adsearch.errors import quote
from adsearch.plugins import BadPlugin, Plugins
from arena.errors import BadLeague

if TYPE_CHECKING:
    from arena.tournament.format import Format, InRounds

FORMATS: Final = Plugins("arena.tournament.formats", "arena.formats", "FORMAT")
FOR_TWO: Final = "round-robin"
"""The default for games of two players."""
FOR_SEVERAL: Final = "tables"
"""The default for games of more players, and of one."""
_NOT_FORMATS: Final = ("ladder", "imported")
"""What is recorded in place of a format, of games that no format pairs."""


def names() -> tuple[str, ...]:
    """The names of our formats."""
    return FORMATS.names()


def find(name: str) -> type[Format] | None:
    """The format of that name, ours or that of an installed package; None if there is none."""
    from arena.tournament.format import Format

    found = None if name in _NOT_FORMATS else FORMATS.find(name)
    if found is not None and not (isinstance(found, type) and issubclass(found, Format) and found.name == name):
        raise BadPlugin(f"{quote(name)} of the package {FORMATS.package(name)} is not a format of that name")
    return found


def ours(name: str) -> type[Format] | None:
    """Our format of that name; None if it is not one of ours. Other packages are not looked for."""
    return find(name) if name in names() else None


def every() -> list[type[Format]]:
    """All our formats."""
    return [found for name in names() if (found := ours(name)) is not None]


def in_all_records() -> dict[str, Any]:
    """The keys that tournaments of all formats record, with their defaults."""
    return {key: kind.defaults()[key] for kind in every() for key in kind.old_keys}


def with_key(key: str) -> list[str]:
    """The names of our formats that have this key."""
    return [kind.name for kind in every() if key in kind.own_keys()]


def default(seats: int) -> type[InRounds]:
    """The format of a game for that number of players if the description names none."""
    from arena.tournament.format import InRounds

    found = ours(FOR_TWO if seats == 2 else FOR_SEVERAL)
    assert found is not None
    assert issubclass(found, InRounds)
    return found


def recorded(name: str, settings: Mapping[str, Any]) -> Format | None:
    """The format of a recorded tournament. None for ladders and imported games, and in the database of a bundle, which
    has too few settings.

    BadLeague if it comes from a package that is not installed, or not in the recorded version: no other code is run."""
    package = settings.get("package", "")
    if package and (there := FORMATS.package(name)) != package:
        what = f"{there} is installed" if there else "it is not installed"
        raise BadLeague(f"the format {quote(name)} is that of the package {package}: {what}")
    found = find(name) if package else ours(name)
    if found is None or not set(found.own_keys()) <= set(settings):
        return None
    from msgspec import convert

    return convert({key: settings[key] for key in found.own_keys()}, found)
