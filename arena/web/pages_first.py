"""Pages until there are better ones."""

from __future__ import annotations

from arena.history.pages.html import Document, document, element, words
from arena.web.drawn import Asked, Drawn
from arena.web.site import Site


def home(site: Site, _: Asked) -> Drawn:
    """The front page."""
    return Drawn.page(document(site.served, element("h1", words(site.served))))


def message(title: str, text: str) -> Document:
    """A page that says what is wrong."""
    return document(title, element("h1", words(title)), element("p", words(text)))
