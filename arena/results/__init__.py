"""Standings and ratings as tables: for Python and notebooks, and for the commands that print them.

    from arena.results import ratings, standings
    ratings("cs101", db="cs101.db")

A Python shell shows a table as text, a notebook shows it as HTML. All of it is computed from the recorded games at each
call.

    queries          `standings` and `ratings`: open the database, and make a table
    results_table    the table, as text (arena/pages/notebook.py: as HTML)
    ranking_table    rows and columns of ratings
    standings_table  rows and columns of standings
"""

from arena.results.queries import ratings, standings
from arena.results.results_table import ResultsTable

__all__ = ["ResultsTable", "ratings", "standings"]
