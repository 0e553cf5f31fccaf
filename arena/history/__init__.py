"""What was played, shown again: in words, as JSON, in files and as pages.

It may import `match`, `ratings` and `players`. Start with `replay.py`, a game step by step; `pages/` makes HTML of it,
`exchange/` reads and writes games in files, and `verify.py` checks whether the record can be true.
`recorded_rules.py` alone loads the rules that a record names.
"""
