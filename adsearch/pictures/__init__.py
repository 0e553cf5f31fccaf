"""Pictures: positions and game trees as SVG; trees also as text and DOT.

The rest of adsearch does not import this package: `State.svg` loads `boards` when the first picture is drawn. Start
reading at `svg.py`. `boards/` draws positions, `tree_picture.py` collects the data of a tree, and `tree_drawing.py`
draws it.
"""
