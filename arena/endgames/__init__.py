"""Endgame tables: retrograde analysis of positions with few pieces, with NumPy; start at `retrograde`.

Only the command line imports this room. The tables are read in `adsearch/games/checkers_endgames.py`, which says what
is in them, so that agents and searches need no NumPy.
"""
