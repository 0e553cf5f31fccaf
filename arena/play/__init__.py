"""The processes that play games on this machine: the director, the referee and the players.

This package can import `match` and `walls`. Start with `director.py`, which plays the games of a schedule. `referee.py`
is the process that judges, `control.py` has their messages, and `crew.py` starts, watches and ends all processes.
"""
