"""The commands of the panel "Write an agent": a student's path from an empty file to an agent that wins.

Start at `new` and `check`; `climb_run` plays the games of `arena climb`, and `climb_screen` shows them.
"""
