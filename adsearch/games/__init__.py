"""The games: each is a subclass of `adsearch.state.State` with the rules, the texts and an evaluation, in a file of its
name. Parts of longer games are in files beside it, such as `chess_rules.py` and `words_board.py`.

Games import neither searches nor pictures. `catalog.py` finds a game by its name or path, as in
`games.start("connect4:rows=5,columns=6")`. To learn how a game is written, read `nap.py` first, the shortest.
"""

from adsearch.games.catalog import Game, find, load, looks, names, start
from adsearch.state import CHANCE

__all__ = ["CHANCE", "Game", "find", "load", "looks", "names", "start"]
