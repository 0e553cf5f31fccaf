"""Algorithms as lectures write them, for study: the same values as alpha-beta, but other visits and returned values.

Each module reads like its lecture and shares nothing with the others. They have no table and no move ordering, and no
agent plays with them; `adsearch.registry` lists them apart from the other algorithms.
"""
