"""The commands of the panel "Write an agent": create, test, measure and debug an agent.

Start at `new` and `check`; `climb_run` plays the games of `arena climb`, and `climb_screen` shows them.
"""
