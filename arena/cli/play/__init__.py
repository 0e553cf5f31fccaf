"""Commands that play: single games, tournaments, and lists of games and built-in agents.

Start at `play`; `run` plays tournaments, and `tournament_display` shows them.
"""
