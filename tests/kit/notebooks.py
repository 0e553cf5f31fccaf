"""What a notebook shows, without Jupyter: each value's own HTML or SVG, which must be well-formed."""

from __future__ import annotations

from html import escape
from typing import Any
from xml.etree.ElementTree import fromstring

from tests.kit.html_validity import check_html


def check_shown(value: Any) -> str:
    """The markup by which a notebook shows `value`; fails if it is not well-formed."""
    if hasattr(value, "_repr_html_"):
        markup: str = value._repr_html_()
        check_html(
            '<!doctype html><html lang="en"><head><title>A notebook</title></head>'
            f"<body><main><h1>A cell</h1>{markup}</main></body></html>"
        )
        return markup
    if hasattr(value, "_repr_svg_"):
        picture: str = value._repr_svg_()
        fromstring(picture)
        return picture
    return f"<pre>{escape(repr(value))}</pre>"
