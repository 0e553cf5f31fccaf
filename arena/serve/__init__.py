"""A ladder that stands open: agents are handed in, checked, paired and rated, for as long as its process runs.

It may import every room except `cli`. Start with `ladder.py`, which reads the table [ladder] of a description, and
`open_ladders.py`, which records the ladder and opens it.
"""
