"""The registry of searches, in families; a search has the name of its module.

    from adsearch import algorithms
    algorithms["pvs"].search(state, depth=8)

`algorithms` are the searches that agents play with. `dialects` are algorithms as lectures write them: for study only.
`pathfinding` are the searches for one player alone: from a start to a goal.
`searches` finds a search of any family by name. A module is imported only when it is used. `size`, `height` and `count`
are not included: they measure a tree and find no move.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, Final, get_type_hints

from adsearch.errors import BadSearch, BadSetting, meant, quote
from adsearch.option import read_settings, setting_kinds
from adsearch.result import Result

_CALLERS: Final = ("state", "depth", "budget", "trace", "return")
"""Parameters of a search that are not options, because they cannot be given as text."""

_OTHER_NAMES: Final = {
    "star1": "expectiminimax:pruning=star1",
    "star2": "expectiminimax:pruning=star2",
    "minimax_ab": "alphabeta",
    "ab": "alphabeta",
    "a*": "astar",
    "bfs": "breadth_first",
    "dfs": "depth_first",
    "ucs": "uniform_cost",
    "dijkstra": "uniform_cost",
}
"""What other books call a search: only for error messages, and only names that are not similar to ours."""

Search = Callable[..., Result[Any]]


class Family(Mapping[str, ModuleType]):
    """Searches by name, in the order of the lecture: name -> module, each with a function `search`."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        """`modules`: the name of each search and of its module."""
        self._modules = dict(modules)

    @classmethod
    def of(cls, package: str, *names: str) -> Family:
        """The searches of these names, each a module of `package`."""
        return cls({name: f"{package}.{name}" for name in names})

    def names(self) -> tuple[str, ...]:
        """The names of the searches."""
        return tuple(self._modules)

    def find(self, name: str) -> ModuleType:
        """The module of that name; BadSearch lists the names."""
        if name not in self._modules:
            ours = _OTHER_NAMES.get(name.lower(), "")
            known = ours.partition(":")[0] in self._modules
            hint = f"; did you mean '{ours}'?" if known else meant(name, self.names())
            raise BadSearch(f"no algorithm {quote(name)}{hint}")
        return importlib.import_module(self._modules[name])

    def configured(self, text: str) -> tuple[Search, dict[str, Any]]:
        """The search function and the options in a text such as "alphabeta:table=true,ordering=true"."""
        name, _, options = text.partition(":")
        search: Search = self.find(name).search
        hints = get_type_hints(search)
        known = {option: hint for option, hint in hints.items() if option not in _CALLERS and setting_kinds(hint)}
        try:
            return search, read_settings(options, known, example="table=true")
        except BadSetting as error:
            raise BadSearch(f"{name}: {error}") from None

    def __or__(self, other: Family) -> Family:
        """The searches of both families."""
        return Family(self._modules | other._modules)

    def __repr__(self) -> str:
        return f"<algorithms: {', '.join(self._modules)}>"

    def __getitem__(self, name: str) -> ModuleType:
        if name not in self._modules:
            raise KeyError(name)
        return self.find(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


algorithms: Final = Family.of(
    "adsearch",
    *("minimax", "negamax", "alphabeta", "winning", "proof", "aspiration", "mtdf", "bisection", "pvs"),
    *("quiescence", "selective", "deepening", "parallel"),
    *("expectiminimax", "expectimax", "maxn", "paranoid", "mcts", "iteration"),
)
dialects: Final = Family.of(
    "adsearch.dialects", "negamax_bounds", "negascout", "alphabeta_strict", "alphabeta_strict_soft"
)
pathfinding: Final = Family.of("adsearch.pathfinding", "depth_first", "breadth_first", "uniform_cost", "astar")
searches: Final = algorithms | dialects | pathfinding
