"""The docs under /docs: the list of pages, the search, and each page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.pages import manual
from arena.web import links
from arena.web.drawn import Asked, Drawn, NotThere
from arena.web.pages import frame

if TYPE_CHECKING:
    from arena.web.site import Site


def index(_: Site, asked: Asked) -> Drawn:
    """The pages, or what words find in them."""
    around = frame.around(at=links.DOCS)
    return Drawn.page(manual.index(around, links.docs, words=asked.query.get("q", ""), search=links.DOCS))


def page(_: Site, asked: Asked) -> Drawn:
    """The page of that name, or the one that it is a part of now."""
    name = manual.page_called(asked.names["page"])
    if name is None:
        raise NotThere("The docs have no such page.")
    return Drawn.page(manual.page(name, frame.around(at=links.docs(name), above=((links.DOCS, "Learn"),)), links.docs))
