"""Pictures: positions and game trees as SVG; trees also as text and DOT.

The rest of adsearch does not import this package: `State.svg` loads `boards` when the first picture is drawn. Start
reading at `svg.py`. `boards/` draws positions, `tree_picture.py` collects the data of a tree, and `tree_drawing.py`
draws it. In a notebook, `game_tree(state)` and `search_tree(state, trace, result)` draw a tree.
"""

from adsearch.pictures.tree_drawing import as_svg
from adsearch.pictures.tree_picture import Picture, game_tree, search_tree

__all__ = ["Picture", "game_tree", "search_tree"]

Picture.draw_svg = as_svg
