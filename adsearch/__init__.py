"""Games and search, pure: no sockets, clocks, database or screen, and nothing but the standard library.

`games` holds the rules of every game behind one interface, `State`; every search algorithm is a module beside it.
"""

from adsearch.errors import AdsearchError
from adsearch.option import Option
from adsearch.state import CHANCE, State

__all__ = ["CHANCE", "AdsearchError", "Option", "State"]
