"""The registry of search algorithms; an algorithm has the name of its module.

    from adsearch import algorithms
    algorithms["pvs"].search(state, depth=8)

A module is imported only when it is used. `height` and `count` are not included: they measure a tree and find no move.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, Final, get_type_hints

from adsearch import settings
from adsearch.errors import BadSearch, BadSetting, meant, quote
from adsearch.result import Result

_NAMES: Final = (
    *("minimax", "negamax", "alphabeta", "winning", "proof", "aspiration", "mtdf", "bisection", "pvs"),
    *("quiescence", "selective", "deepening"),
    *("expectiminimax", "expectimax", "maxn", "paranoid", "mcts", "iteration"),
)


_CALLERS: Final = ("state", "depth", "budget", "trace", "return")
"""Parameters of a search that are not options, because they cannot be given as text."""

Search = Callable[..., Result[Any]]


class Algorithms(Mapping[str, ModuleType]):
    """The algorithms: name -> module, each with a function `search`."""

    def names(self) -> tuple[str, ...]:
        """The algorithms' names, in the order of the lecture."""
        return _NAMES

    def find(self, name: str) -> ModuleType:
        """The module of that name; BadSearch lists the names."""
        if name not in _NAMES:
            raise BadSearch(f"no algorithm {quote(name)}{meant(name, _NAMES)}")
        return importlib.import_module(f"adsearch.{name}")

    def configured(self, text: str) -> tuple[Search, dict[str, Any]]:
        """The search function and the options in a text such as "alphabeta:table=true,ordering=true"."""
        name, _, options = text.partition(":")
        search: Search = self.find(name).search
        hints = get_type_hints(search)
        known = {option: hint for option, hint in hints.items() if option not in _CALLERS and settings.kinds(hint)}
        try:
            return search, settings.read_all(options, known, example="table=true")
        except BadSetting as error:
            raise BadSearch(f"{name}: {error}") from None

    def __repr__(self) -> str:
        return f"<algorithms: {', '.join(_NAMES)}>"

    def __getitem__(self, name: str) -> ModuleType:
        if name not in _NAMES:
            raise KeyError(name)
        return self.find(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


algorithms: Final = Algorithms()
