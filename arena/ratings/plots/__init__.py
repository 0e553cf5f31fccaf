"""Ratings and values as pictures. Values in, SVG out; nothing here knows how a rating comes about.

What a picture shows is also in its description, and no colour means anything that shape or text does not say as well.

    dot_plot    ratings: a line a player
    line_plot   lines over games or plies, with bands, names and markers
    progress    ratings of versions, by line_plot
    value_plot  the value of a game and the mistakes in it, by line_plot
    axis        numbers and counts along a line
    chart       colours, texts and how wide they are
"""

from arena.ratings.plots.dot_plot import RatingBar, ratings
from arena.ratings.plots.line_plot import Line, Point
from arena.ratings.plots.progress import of_versions, progress

__all__ = ["Line", "Point", "RatingBar", "of_versions", "progress", "ratings"]
