"""The commands of the panel "Play": games now, tournaments, and what can be played by whom.

Start at `play`; `run` plays tournaments, and `tournament_display` is their screen.
"""
