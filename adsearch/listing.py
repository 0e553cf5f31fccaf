"""Every search algorithm by its name, which is its module's.

    from adsearch import algorithms
    algorithms["pvs"].search(state, depth=8)

A module is imported only when it is asked for. `height` and `count`, which measure a tree and find no move, are not
among them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from adsearch.errors import BadSearch, meant, one_of, quote
from adsearch.result import Result

_NAMES: Final = (
    *("minimax", "negamax", "alphabeta", "winning", "proof", "aspiration", "mtdf", "bisection", "pvs"),
    *("quiescence", "selective", "deepening"),
    *("expectiminimax", "expectimax", "maxn", "paranoid", "mcts", "iteration"),
)


_CALLERS: Final = ("state", "depth", "budget", "trace", "return")
"""Arguments that are not for a text to give, but for whoever calls the search."""

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
        name, _, settings = text.partition(":")
        search: Search = self.find(name).search
        hints = get_type_hints(search)
        known = {option: hint for option, hint in hints.items() if option not in _CALLERS and _kinds(hint)}
        options: dict[str, Any] = {}
        for setting in settings.split(",") if settings else ():
            option, equals, value = setting.partition("=")
            if not equals:
                raise BadSearch(f"{name}: expected an option such as table=true, got {quote(setting)}")
            if option not in known:
                raise BadSearch(f"{name}: no option {quote(option)}{meant(option, tuple(known))}")
            if option in options:
                raise BadSearch(f"{name}: option {option} is given twice")
            options[option] = _read(f"{name}: {option}", value, _kinds(known[option]))
        return search, options

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


def _kinds(hint: Any) -> list[Any]:
    """What a text for an argument with this type may stand for: types, and the words of a Literal."""
    if get_origin(hint) in (Union, UnionType):
        return [kind for part in get_args(hint) for kind in _kinds(part)]
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [hint] if hint in (bool, int, float) else []


def _read(where: str, text: str, kinds: Sequence[Any]) -> Any:
    """The value that `text` stands for."""
    if text in kinds:
        return text
    if bool in kinds and text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        if kind in kinds:
            try:
                return kind(text)
            except ValueError:
                pass
    names = {bool: "true or false", int: "a whole number", float: "a number"}
    expected = one_of([names.get(kind) or str(kind) for kind in kinds])
    raise BadSearch(f"{where}: expected {expected}, got {quote(text)}")


algorithms: Final = Algorithms()
