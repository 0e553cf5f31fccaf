"""The frame of the web's pages: links above, and below when the page was made.

A page that changes by itself says from which stream it hears of changes (`data-stream`), and marks each part that the
script replaces by the same part of a new page (`data-fresh`, with an id). The script writes into `#paused` while the
stream is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from arena.history.pages import html
from arena.history.pages.html import Document, element, words
from arena.history.words import moment
from arena.results.pages import parts
from arena.web import links

if TYPE_CHECKING:
    from arena.web.results import Titled

STYLE: Final = html.file("web.css", __package__)
_HOME: Final = "Ladders and tournaments"


def page(
    title: str,
    *body: str,
    heading: str = "",
    of: Titled | None = None,
    at: str = "",
    made: datetime | None = None,
    json: str = "",
    stream: str = "",
    modules: Sequence[str] = ("page.js",),
    styles: Sequence[str] = (),
    scripted: bool = False,
    form: bool = False,
) -> Document:
    """The page at the address `at`, with `title` as its heading, or the markup `heading`.

    `of`: its tournament. `json`: the address of the same as JSON. `stream`: from which it hears of changes, with its
    scripts `modules`. `styles`: the style sheets of its pictures. `scripted`: whether it has scripts without a stream.
    `form`: whether it has a form.
    """
    full = title if of is None or title == of.title else f"{title} · {of.title}"
    return html.document(
        full,
        element("a", "Skip to the content", href="#content", class_="skip"),
        element("header", navigation(of, at)),
        element(
            "main",
            element("h1", heading or words(title)),
            element("p", "", id="paused", class_="notice", role="status"),
            *body,
            id="content",
            tabindex=-1,
            data_stream=stream or False,
        ),
        element("footer", *_below(made, json), class_="faint"),
        styles=(*styles, parts.STYLE, STYLE),
        modules=tuple(map(links.static, modules)) if stream or scripted else (),
        form=form,
    )


def navigation(of: Titled | None, at: str) -> str:
    """The links above a page; of a tournament's page also to its other pages. `at`: the page that has them."""
    ways = element("ul", *(element("li", parts.link(to, text, current=to == at)) for to, text in _ways(of)))
    return element("nav", ways, aria_label="Pages")


def _ways(of: Titled | None) -> Iterator[tuple[str, str]]:
    yield links.HOME, _HOME
    if of is None:
        yield links.TV, "TV"
        yield links.ME, "My page"
        return
    yield links.tournament(of.title), of.title
    yield links.crosstable(of.title), "Crosstable"
    if of.format == "knockout":
        yield links.bracket(of.title), "Bracket"
    yield links.games(of.title), "Games"
    yield links.tv(of.title), "TV"
    yield links.ME, "My page"


def _below(made: datetime | None, json: str) -> Iterator[str]:
    if made is not None:
        yield words(f"As of {moment(made)}. ")
    if json:
        yield parts.link(json, "This page as JSON")
