"""HTML elements: what notebooks show of searches and games, and what the arena's pages are made of.

A notebook asks an object for its `_repr_html_`; those methods use this module. All text is escaped. A picture is shown
as an image, so that its style does not change the rest of the notebook, and on its own background, so that it can be
read in light and in dark notebooks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final

from adsearch.pictures.svg import embedded, number, words

__all__ = ["element", "image", "table", "words"]

_VOID: Final = frozenset({"br", "col", "hr", "img", "input", "link", "meta"})


def element(name: str, *inside: str, **attributes: str | int | bool) -> str:
    """An element; `inside` is markup. `class_` is the attribute class, `aria_label` is aria-label; True gives an
    attribute without a value, False omits it."""
    written = "".join([_attribute(key, value) for key, value in attributes.items() if value is not False])
    return f"<{name}{written}>" if name in _VOID else f"<{name}{written}>{''.join(inside)}</{name}>"


@lru_cache(4096, typed=True)
def _attribute(key: str, value: str | int | bool) -> str:
    """An attribute as markup. Cached, because tables repeat the same few attributes."""
    return f" {key.strip('_').replace('_', '-')}" + ("" if value is True else f'="{words(str(value))}"')


def image(picture: str) -> str:
    """An SVG document as an image of its full size, in a box that scrolls sideways; ValueError if it is not one."""
    inner = embedded(picture)
    style = f"max-width: none; width: {number(inner.width)}px; height: {number(inner.height)}px"
    return element("div", element("img", src=inner.address, alt=inner.title, style=style), style="overflow-x: auto")


def table(caption: str, titles: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Collection[str] = ()) -> str:
    """A table of texts, in a box that scrolls if it is long. The columns in `numbers` are right-aligned."""
    sides = ["text-align: right" if title in numbers else "text-align: left" for title in titles]
    head = (element("th", words(title), scope="col", style=side) for title, side in zip(titles, sides, strict=True))
    lines = (
        element("tr", *(element("td", words(cell), style=side) for cell, side in zip(row, sides, strict=True)))
        for row in rows
    )
    inside = [element("caption", words(caption)), element("thead", element("tr", *head)), element("tbody", *lines)]
    return element("div", element("table", *inside), style="overflow: auto; max-height: 60em")
