"""The games, one file each, and the catalogue that finds them by name.

from adsearch import games
state = games.start("connect4:rows=5,columns=6")
"""

from adsearch.games.catalog import Game, find, load, names, start
from adsearch.state import CHANCE

__all__ = ["CHANCE", "Game", "find", "load", "names", "start"]
