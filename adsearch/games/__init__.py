"""The games, a file each: a subclass of `adsearch.state.State` with the rules, the texts and an evaluation.

They import nothing of the searches or the pictures. `catalog.py` finds a game by its name or path, as in
`games.start("connect4:rows=5,columns=6")`; to see what a game is made of, start with `nap.py`, the shortest.
"""

from adsearch.games.catalog import Game, find, load, names, start
from adsearch.state import CHANCE

__all__ = ["CHANCE", "Game", "find", "load", "names", "start"]
