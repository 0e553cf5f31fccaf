"""The games, one file each: a subclass of `adsearch.state.State` with the rules, the texts and an evaluation.

Games import neither searches nor pictures. `catalog.py` finds a game by its name or path, as in
`games.start("connect4:rows=5,columns=6")`. To learn how a game is written, read `nap.py` first, the shortest.
"""

from adsearch.games.catalog import Game, find, load, names, start
from adsearch.state import CHANCE

__all__ = ["CHANCE", "Game", "find", "load", "names", "start"]
