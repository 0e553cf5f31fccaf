"""SVG, as far as our pictures need it: elements, and a document that reads in light and dark.

It knows nothing of what is drawn. All text goes in through `element` and `words`, which escape it, so what comes out
is well-formed whatever the labels are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from html import escape, unescape

_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold, not even escaped."""
_STYLE = re.compile(r"<style>(.*?)</style>\n?", re.DOTALL)


def element(name: str, *inside: str, **attributes: str | float) -> str:
    """An element; `inside` is markup already. An attribute class_ is class, and stroke_width stroke-width."""
    written = "".join([_attribute(key, value) for key, value in attributes.items() if value != ""])
    return f"<{name}{written}>{''.join(inside)}</{name}>" if inside else f"<{name}{written}/>"


def words(text: str) -> str:
    """`text` as markup that shows it, in an attribute too."""
    return escape(_UNPRINTABLE.sub("\ufffd", text))


@lru_cache(4096)
def _attribute(key: str, value: str | float) -> str:
    """An attribute as it is written. Pictures of boards repeat the same few; made anew they cost most of the time."""
    return f' {key.strip("_").replace("_", "-")}="{words(value if isinstance(value, str) else number(value))}"'


def number(value: float) -> str:
    """A coordinate."""
    return f"{round(value, 1):.10g}"


def pair(x: float, y: float) -> str:
    """A place in a path or a polygon."""
    return f"{number(x)},{number(y)}"


def polygon(kind: str, corners: Iterable[tuple[float, float]]) -> str:
    """A polygon of that class."""
    return element("polygon", class_=kind, points=" ".join(pair(*corner) for corner in corners))


def width_of(text: str, size: float) -> float:
    """About how wide `text` is at that font size: measured on wide letters, for it must not touch its neighbour."""
    return sum(0.36 if letter in " ,.:;!|'()[]ijl" else 1.0 if ord(letter) > 0x2E80 else 0.62 for letter in text) * size


def document(
    width: float, height: float, *body: str, kind: str, title: str, description: str, style: str, dark: str
) -> str:
    """A whole picture. `title` and `description` are what someone hears who does not see it.

    `style` and, for dark surroundings, `dark` are its style sheets. Their rules begin with the class `kind`, which the
    picture has, for inside a page they are in force everywhere; the class `paper` is what it is drawn on.
    """
    sheet = f"{style}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{words(kind)}" role="img" width="{number(width)}" '
            f'height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}">',
            element("title", words(title)),
            element("desc", words(description)),
            element("style", words(f"\n{sheet}\n")),
            element("rect", class_="paper", width=width, height=height, rx=8),
            *body,
            "</svg>\n",
        ]
    )


def split_style(picture: str) -> tuple[str, str]:
    """The style sheet of a picture, as CSS, and the picture without it: a page of many boards needs the sheet once."""
    sheets = _STYLE.findall(picture)
    return unescape("\n".join(sheets)).strip(), _STYLE.sub("", picture)
