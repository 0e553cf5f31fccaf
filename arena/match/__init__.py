"""One game, judged, and the plain values that describe it: clock, seeds, fixture, openings, schedule.

It imports no other room, and nothing in it reads a clock, opens a socket or draws a random number of its own,
so every rule can be tested in microseconds. Start with `match.py`, which holds all rules of refereeing; `clock.py` says
what a turn costs.
"""
