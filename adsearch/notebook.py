"""What a notebook shows instead of text, for objects of searches. It is drawn by `pictures`, which no search imports.

`adsearch/__init__.py` sets the function that draws.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar


class ShownInNotebook:
    """An object that a notebook shows as HTML."""

    draw_html: ClassVar[Callable[[Any], str]]
    """The object as HTML. Set in `adsearch/__init__.py`."""

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return ShownInNotebook.draw_html(self)
