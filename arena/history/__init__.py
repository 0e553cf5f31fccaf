"""Recorded games as text, JSON, files and HTML pages.

It may import `match`, `ratings` and `players`. Start with `replay.py`, which replays a game step by step. `pages/`
makes HTML of it, `exchange/` reads and writes games in files, and `verify.py` checks a database for contradictions.
Only `recorded_rules.py` loads the rules that a recorded game names.
"""
