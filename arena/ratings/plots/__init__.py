"""SVG plots of ratings and of values. Values in, SVG out.

The description of each plot has its data as text, and colour is never the only difference between two things.

    dot_plot    ratings: one line per player
    line_plot   lines over versions, games or plies, with error bands, names and markers
    progress    ratings of versions, with line_plot
    value_plot  the value of a game and the mistakes in it, with line_plot
    axis        axes and their ticks
    chart       style sheet, texts and their widths
"""

from arena.ratings.plots.dot_plot import RatingBar, ratings
from arena.ratings.plots.line_plot import Line, Point
from arena.ratings.plots.progress import of_versions, progress

__all__ = ["Line", "Point", "RatingBar", "of_versions", "progress", "ratings"]
