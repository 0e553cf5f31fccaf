"""Pictures: positions and game trees as SVG, and trees as text and DOT too.

It imports the rest of adsearch, and nothing there imports it: `State.svg` loads `boards` when a picture is first asked
for. Start reading at `svg.py`; then `boards/` draws positions, `tree_picture.py` collects what is to be shown of a tree
and `tree_drawing.py` draws it.
"""
