"""Games and search, pure: no sockets, clocks, database or screen, and nothing but the standard library.

`games` holds the rules of every game behind one interface, `State`; every search algorithm is a module beside it, and
`algorithms` lists them by name. `pictures` draws positions and trees, and is imported only when one is asked for.
"""

from typing import Any

from adsearch.budget import Budget
from adsearch.errors import AdsearchError
from adsearch.option import Option
from adsearch.registry import algorithms
from adsearch.result import Result
from adsearch.state import CHANCE, State
from adsearch.table import Table
from adsearch.trace import Trace

__all__ = ["CHANCE", "AdsearchError", "Budget", "Option", "Result", "State", "Table", "Trace", "algorithms"]


def _draw_svg(state: State[Any], last: Any) -> str:
    from adsearch.pictures import boards  # not above: searches and agents never need it

    return boards.draw(state, last)


State.draw_svg = _draw_svg
