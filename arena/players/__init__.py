"""From a player as people type it ("my_agent.py") to an entrant that a director can seat.

It may import `match` and `walls`. Start with `names.py`, which reads what was typed; `submissions.py` keeps every agent
under its hash, and `entrants.py` makes the entrant.
"""
