"""A page that says what is wrong, in the frame of the other pages."""

from __future__ import annotations

from arena.pages.drawing import Document
from arena.pages.html import element, words
from arena.web.pages import frame


def page(title: str, text: str) -> Document:
    """The page."""
    return frame.page(title, element("p", words(text)))
