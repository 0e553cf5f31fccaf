"""Every search algorithm by its name, which is its module's.

    from adsearch import algorithms
    algorithms["pvs"].search(state, depth=8)

A module is imported only when it is asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Final

from adsearch.errors import BadSearch, meant, quote

_NAMES: Final = (
    *("minimax", "negamax", "alphabeta", "winning", "proof", "aspiration", "mtdf", "bisection", "pvs"),
    *("quiescence", "selective", "deepening"),
    *("expectiminimax", "expectimax", "maxn", "paranoid", "mcts", "iteration"),
)


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

    def __getitem__(self, name: str) -> ModuleType:
        if name not in _NAMES:
            raise KeyError(name)
        return self.find(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


algorithms: Final = Algorithms()
