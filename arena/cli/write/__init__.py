"""Commands for authors of agents: create an agent, test it, measure it.

Start at `new` and `check`.
"""
