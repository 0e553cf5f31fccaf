"""Writes SVG: elements, and documents with a light and a dark style.

All text goes through `element` and `words`, which escape it, so that the result is well-formed for any labels.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from functools import lru_cache
from html import escape, unescape
from typing import NamedTuple
from unicodedata import category

_NAMESPACE = "http://www.w3.org/2000/svg"
_SIDE, _LONGEST_SIDE = 300.0, 100_000.0
"""Size of a picture that does not give one, and the largest size, in pixels."""
_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_RUN = re.compile(f"[{_RIGHT_TO_LEFT}][\\w'-]*(?: [{_RIGHT_TO_LEFT}][\\w'-]*)*")
"""Words of scripts that are read from right to left: Hebrew, Arabic, Syriac and others."""
_MOST_MARKS = 4
"""Accents on one letter. A hundred of them would cover the lines above."""
_STYLE = re.compile(r"<style>(.*?)</style>\n?", re.DOTALL)


def element(name: str, *inside: str, **attributes: str | float) -> str:
    """An SVG element; `inside` is markup. The keyword class_ becomes class, and stroke_width becomes stroke-width."""
    written = "".join([_attribute(key, value) for key, value in attributes.items() if value != ""])
    return f"<{name}{written}>{''.join(inside)}</{name}>" if inside else f"<{name}{written}/>"


def words(text: str) -> str:
    """`text` escaped for elements and attributes, and contained."""
    return escape(contained(text))


def contained(text: str) -> str:
    """`text` so that it cannot affect the text around it: unprintable characters and those that control text direction
    are replaced, and right-to-left words are isolated."""
    return text if text.isascii() and text.isprintable() else _contained(text)


@lru_cache(4096)
def _contained(text: str) -> str:
    kept: list[str] = []
    marks = 0
    for letter in text:
        marks = marks + 1 if category(letter) in ("Mn", "Me") else 0
        if marks <= _MOST_MARKS:
            kept.append(letter if letter.isprintable() or letter in "\t\n\r\xa0" else "\ufffd")
    return _RUN.sub("\N{FIRST STRONG ISOLATE}\\g<0>\N{POP DIRECTIONAL ISOLATE}", "".join(kept))


@lru_cache(4096)
def _attribute(key: str, value: str | float) -> str:
    """An attribute as markup. Cached, because boards repeat the same few attributes."""
    return f' {key.strip("_").replace("_", "-")}="{words(value if isinstance(value, str) else number(value))}"'


@lru_cache(4096)
def number(value: float) -> str:
    """A coordinate. Cached, because pictures are in tenths of a small range."""
    return f"{round(value, 1):z.10g}"


def pair(x: float, y: float) -> str:
    """A point in a path or a polygon."""
    return f"{number(x)},{number(y)}"


def polygon(kind: str, corners: Iterable[tuple[float, float]]) -> str:
    """A polygon of that class."""
    return element("polygon", class_=kind, points=" ".join(pair(*corner) for corner in corners))


def width_of(text: str, size: float) -> float:
    """The approximate width of `text` at that font size, rather too wide than too narrow."""
    return sum(0.36 if letter in " ,.:;!|'()[]ijl" else 1.0 if ord(letter) > 0x2E80 else 0.62 for letter in text) * size


def document(
    width: float,
    height: float,
    *body: str,
    kind: str,
    title: str,
    description: str,
    style: str,
    dark: str,
    board: str = "",
) -> str:
    """A whole SVG document. A screen reader reads `title` and `description`.

    `style` and, for dark mode, `dark` are its style sheets. Their rules start with the picture's class `kind`, because
    inside a page they would apply to the whole page. The background has the class `paper`. `board`: the part of the
    picture that is the board (x, y, width and height), for a tree of boards.
    """
    part = f' data-board="{words(board)}"' if board else ""
    sheet = f"{style}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"
    return "\n".join(
        [
            f'<svg xmlns="{_NAMESPACE}" class="{words(kind)}" role="img" width="{number(width)}" '
            f'height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}"{part}>',
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


class Embedded(NamedTuple):
    """An untrusted picture as an image: browsers run no scripts and load nothing in it, and its styles stay inside."""

    address: str
    """The whole picture as a data: URI."""
    title: str
    width: float
    height: float


def embedded(picture: str) -> Embedded:
    """The picture as an image; ValueError if it is not an SVG document."""
    from xml.etree import ElementTree

    try:
        root = ElementTree.fromstring(picture)
    except (ElementTree.ParseError, UnicodeEncodeError) as error:
        raise ValueError(f"not an SVG document: {error}") from None
    if root.tag != f"{{{_NAMESPACE}}}svg":
        raise ValueError(f'not an SVG document: expected <svg xmlns="{_NAMESPACE}">, got <{root.tag}>')
    address = f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"
    title = root.findtext(f"{{{_NAMESPACE}}}title", "").strip()
    return Embedded(address, title, *_size(root.get("width", ""), root.get("height", ""), root.get("viewBox", "")))


def _size(width: str, height: str, box: str) -> tuple[float, float]:
    """The size of the picture from its attributes, with limits."""
    for sides in ((width.removesuffix("px"), height.removesuffix("px")), tuple(box.replace(",", " ").split()[2:])):
        try:
            across, down = map(float, sides)
        except ValueError:
            continue
        if 1 <= across <= _LONGEST_SIDE and 1 <= down <= _LONGEST_SIDE:
            return across, down
    return _SIDE, _SIDE


def framed(picture: str) -> str:
    """An SVG document that shows the picture as an image; ValueError if it is not an SVG document."""
    inner = embedded(picture)
    width, height = number(inner.width), number(inner.height)
    image = element("image", width=width, height=height, href=inner.address)
    return (
        f'<svg xmlns="{_NAMESPACE}" role="img" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        f"{element('title', words(inner.title))}\n{image}\n</svg>\n"
    )
