"""Who plays whom, and what follows from a result.

It may import `match`, `walls`, `ratings` and `players`. Start with `league.py`, which reads a tournament's description;
`formats/` pairs players, one file per format, and `tournament.py` is the schedule that a director plays.
"""
