"""SVG plots of ratings and of values. Values in, SVG out.

The description of each plot has its data as text, and colour is never the only difference between two things.

    dot_plot    ratings: one line per player, with marks for a ranking
    line_plot   lines over versions, games or plies: ratings of versions, the value of a game with its mistakes
    chart       style sheet, texts and their widths, axes
"""

from arena.ratings.plots.dot_plot import RatingBar, ratings
from arena.ratings.plots.line_plot import PlottedLine, Point, of_versions, progress

__all__ = ["PlottedLine", "Point", "RatingBar", "of_versions", "progress", "ratings"]
