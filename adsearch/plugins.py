"""Things that have a file each, found by name: ours in one folder, and those of packages that are installed.

    systems = Plugins("arena.ratings.systems", "arena.ratings", "SYSTEM")
    systems.names()            ours: a list of the folder, and nothing is loaded
    systems.find("glicko2")    loads one module; a name that is not ours is looked for in the entry points

A package cannot take the place of one of ours. Looking for entry points takes 35 to 130 ms, so that is done only for a
name that somebody has typed.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from adsearch.errors import AdsearchError, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.metadata import EntryPoint
    from types import ModuleType


class BadPlugin(AdsearchError):
    """What a package offers cannot be loaded."""


class Plugins:
    """All things of one kind."""

    def __init__(self, package: str, group: str, attribute: str) -> None:
        """`package`: the folder with ours, a module each; `group`: the entry points of other packages; `attribute`: the
        thing in its module."""
        self._package, self._group, self._attribute = package, group, attribute
        self._names: tuple[str, ...] = ()
        self._ours: dict[str, Any] = {}

    def names(self) -> tuple[str, ...]:
        """Ours, in alphabetical order. In a name there is "-" where the name of its module has "_"."""
        if not self._names:
            (folder,) = importlib.import_module(self._package).__path__
            files = (name.removesuffix(".py") for name in os.listdir(folder) if name.endswith(".py"))
            self._names = tuple(sorted(name.replace("_", "-") for name in files if self._has_one(name)))
        return self._names

    def find(self, name: str) -> Any:
        """The thing of that name; None if there is none. BadPlugin if that of a package cannot be loaded."""
        if name in self.names():
            if name not in self._ours:
                self._ours[name] = self._one_in(importlib.import_module(f"{self._package}.{name.replace('-', '_')}"))
            return self._ours[name]
        return next((_loaded(point) for point in self._offered() if point.name == name), None)

    def package(self, name: str) -> str:
        """The package that brings a thing, with its version; "" if it is ours, or if there is none."""
        return "" if name in self.names() else self.packages().get(name, "")

    def packages(self) -> dict[str, str]:
        """The things of packages by their names: which package brings each, with its version."""
        return {point.name: _package(point) for point in self._offered() if point.name not in self.names()}

    def _has_one(self, module: str) -> bool:
        """Whether the module of this name is one of ours, not a part of others."""
        return not module.startswith("_")

    def _one_in(self, module: ModuleType) -> Any:
        """Ours, in its module."""
        return getattr(module, self._attribute)

    def _offered(self) -> Iterable[EntryPoint]:
        from importlib.metadata import entry_points  # it loads slowly

        return entry_points(group=self._group)


def broken(groups: str) -> Iterator[BadPlugin]:
    """The things of packages that cannot be loaded, in all entry points whose group begins so: "arena."."""
    from importlib.metadata import distributions

    for point in (point for package in distributions() for point in package.entry_points):
        if point.group.startswith(groups):
            try:
                _loaded(point)
            except BadPlugin as error:
                yield error


def _loaded(point: EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:  # other people's code may raise anything
        raise BadPlugin(
            f"{quote(point.name)} of the package {_package(point)} cannot be loaded: {type(error).__name__}: {error}"
        ) from error


def _package(point: EntryPoint) -> str:
    return point.value if point.dist is None else f"{point.dist.name} {point.dist.version}"
