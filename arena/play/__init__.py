"""The processes that play games: the director, the referee and their crew, on this machine.

It may import `match` and `walls`. Start with `director.py`, which plays what a schedule gives it; `referee.py` is the
process that judges, `control.py` what the two say to each other, and `crew.py` starts, watches and ends all processes.
"""
