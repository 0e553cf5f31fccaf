"""Standings and ratings as tables: for Python and notebooks, and for the commands that print them.

    from arena.results import ratings, standings
    ratings("cs101", db="cs101.db")

A Python shell shows a table as text, a notebook shows it as HTML. All of it is computed from the recorded games at each
call.

    columns          a listing, declared once: every way to show it comes from its columns
    standings_table  the columns of standings (ranking_table: of ratings), and the table as text; as HTML it is in
                     arena/pages/notebook.py
    listings         the other tables of pages
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.results.ranking_table import ratings, standings
    from arena.results.standings_table import ResultsTable

__all__ = ["ResultsTable", "ratings", "standings"]


def __getattr__(name: str) -> Any:
    """What `__all__` names is imported when it is asked for: listings that read no database start without it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arena.results import ranking_table

    return getattr(ranking_table, name)
