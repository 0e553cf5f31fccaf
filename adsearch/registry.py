"""The registry of the search algorithms: each by its name, which is its module's.

    from adsearch import algorithms
    algorithms["pvs"].search(state, depth=8)

A module is imported only when it is asked for. `height` and `count`, which measure a tree and find no move, are not
among them.
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
"""Arguments that the caller of the search gives, and no text."""

Search = Callable[..., Result[Any]]


class Algorithms(Mapping[str, ModuleType]):
    """The algorithms: name -> module, each with a function `search`."""

    def names(self) -> tuple[str, ...]:
        """Their names, in the order of a lecture."""
        return _NAMES

    def find(self, name: str) -> ModuleType:
        """The module of that name; BadSearch says which there are."""
        if name not in _NAMES:
            raise BadSearch(f"no algorithm {quote(name)}{meant(name, _NAMES)}")
        return importlib.import_module(f"adsearch.{name}")

    def configured(self, text: str) -> tuple[Search, dict[str, Any]]:
        """The search, and its options, that "alphabeta:table=true,ordering=true" names."""
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
