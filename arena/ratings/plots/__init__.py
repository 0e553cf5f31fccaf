"""Ratings as pictures: who stands where and how sure that is, and how the versions of an agent got on.

Values in, SVG out, for pages and reports; nothing here knows how a rating comes about. What a picture shows is also
told in words, and no colour means anything that shape or text does not say as well.

    dot_plot    ratings: a line a player
    line_plot   progress: a line a version, over games or dates
    axis        numbers, counts and dates along a line
    chart       colours, texts and how wide they are
"""

from arena.ratings.plots.dot_plot import Bar, ratings
from arena.ratings.plots.line_plot import Across, Line, Point, progress

__all__ = ["Across", "Bar", "Line", "Point", "progress", "ratings"]
