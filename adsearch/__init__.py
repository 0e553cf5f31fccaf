"""Games and search algorithms. They use the standard library only (and OpenSpiel or PettingZoo, where one is asked
for), and no sockets, clocks, database or screen.

`games` has the rules of every game, all with the same interface, `State`. Each search algorithm is a module beside it;
`algorithms` finds them by name. `dialects` has algorithms as lectures write them, `pathfinding` the searches for one
player; `searches` finds searches of all kinds. `pictures` draws positions and trees; it is imported only when a picture
is drawn. Beside the algorithms, each with the name of its module, are:

    positions       state, path_state, wrapped (moves reversed, visits recorded)
    every search    searcher, terms, budget, result, registry, plugins, solving (which one solves a game)
                    form (compiled or interpreted)
    parts of some   table, ordering, garbage, features (weights of an evaluation)
    what they did   trace (events), trace_calls (calls, true bounds), notebook (how it is shown)
    measures        size, height, count
    strategies      cfr (equilibria of games with hidden information)
    of others       openspiel (games), openspiel_trial, pettingzoo (environments; imported by nothing here)
    texts           option (also settings), errors
"""

import importlib
from typing import TYPE_CHECKING, Any, Final

from adsearch.errors import AdsearchError, BadSearch
from adsearch.notebook import ShownInNotebook
from adsearch.option import Option
from adsearch.state import CHANCE, State

if TYPE_CHECKING:
    from adsearch.budget import Budget
    from adsearch.registry import algorithms, searches
    from adsearch.result import Result
    from adsearch.table import Table
    from adsearch.trace import Trace

__all__ = ["CHANCE", "AdsearchError", "Budget", "Option", "Result", "State", "Table", "Trace", "algorithms", "searches"]

_MODULES: Final = {
    "Budget": "budget",
    "Result": "result",
    "Table": "table",
    "Trace": "trace",
    "algorithms": "registry",
    "searches": "registry",
}
"""Names that are imported when they are first used, each with its module; so are these modules. An agent that does not
search starts in half the time without them."""

if not TYPE_CHECKING:  # type checkers know the names above, and report all others

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            value = globals()[name] = getattr(importlib.import_module(f"adsearch.{_MODULES[name]}"), name)
            return value
        if name in _MODULES.values():
            return importlib.import_module(f"adsearch.{name}")  # for `import adsearch` and `adsearch.trace.Backup`
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _draw_svg(state: State[Any], last: Any) -> str:
    from adsearch.pictures import boards  # imported here, because searches and agents do not need it

    return boards.draw(state, last)


def _draw_tree(trace: "Trace") -> str | None:
    from adsearch.pictures import tree_drawing  # imported here for the same reason

    try:
        return tree_drawing.of_trace(trace)
    except BadSearch:
        return None


State.draw_svg = _draw_svg
ShownInNotebook.draw_svg = _draw_tree
