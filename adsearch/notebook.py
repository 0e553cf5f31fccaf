"""What a notebook shows of an object instead of text: HTML once `arena` is imported, before that SVG.

Neither is made here. `adsearch/__init__.py` sets the function that draws, which no search imports; `arena/__init__.py`
sets the function that writes HTML.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar


class ShownInNotebook:
    """An object that a notebook shows; where it gives None, the notebook shows the next best."""

    draw_svg: ClassVar[Callable[[Any], str | None]]
    """The object as SVG; None if it cannot be drawn. Set in `adsearch/__init__.py`."""
    write_html: ClassVar[Callable[[Any], str | None]] = lambda _: None
    """The object as HTML. Set in `arena/__init__.py`; None before that."""

    def _repr_html_(self) -> str | None:
        """What a notebook shows."""
        return ShownInNotebook.write_html(self)

    def _repr_svg_(self) -> str | None:
        """What a notebook shows if there is no HTML."""
        return ShownInNotebook.draw_svg(self)
