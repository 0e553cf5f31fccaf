"""Commands for authors of agents: create an agent, test it, measure it.

Start at `new` and `check`; `climb_run` plays the games of `arena climb`, and `climb_screen` shows them.
"""
