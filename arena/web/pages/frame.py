"""The frame of the web's pages: links above, and below when the page was made.

A page that changes by itself says from which stream it hears of changes (`data-stream`), and marks each part that the
script replaces by the same part of a new page (`data-fresh`, with an id). The script writes into `#paused` while the
stream is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec.structs import replace

from arena.history.words import moment
from arena.pages.drawing import Document, PageFrame, draw
from arena.tournament import formats
from arena.web import links
from arena.web.page_values import hands_in, is_visitor, manages
from arena.web.results import Titled

_BRAND: Final = "arena"
_PLAY: Final = ((links.play(), "Play"),)
"""What only who has signed in can do."""


def drawn(
    template: str,
    title: str,
    *,
    of: Titled | None = None,
    at: str = "",
    made: datetime | None = None,
    json: str = "",
    stream: str = "",
    modules: Sequence[str] = (),
    broad: bool = False,
    above: Sequence[tuple[str, str]] = (),
    **values: Any,
) -> Document:
    """The page at the address `at`.

    `of`: its tournament. `json`: the address of the same as JSON. `stream`: from which it hears of changes. `modules`:
    its scripts, by default the one that reads the page again at changes. `broad`: whether it is as wide as the window.
    `above`: the pages that lead to it, of a page that no link of its frame leads to.
    """
    frame = replace(
        around(of, at=at, above=above),
        below="" if made is None else f"As of {moment(made)}.",
        json=json,
        stream=stream,
        modules=modules or ("page.js",) * bool(stream),
        broad=broad,
    )
    return draw(template, title, frame, **values)


def around(of: Titled | None = None, *, at: str, above: Sequence[tuple[str, str]] = ()) -> PageFrame:
    """The frame of a page that changes no more; the arguments as in `drawn`."""
    return PageFrame(
        home=(links.HOME, _BRAND),
        pages=tuple(_ways(of)),
        ends=tuple(_ends(of)),
        find=links.FIND,
        at=at,
        of="" if of is None else of.title,
        static=links.STATIC,
        above=above,
    )


def alone(
    template: str, title: str, *, stream: str = "", modules: Sequence[str] = (), broad: bool = False, **values: Any
) -> Document:
    """The page of a server that has no other pages to lead to; the arguments as in `drawn`."""
    around = PageFrame(home=("", _BRAND), stream=stream, modules=modules, static=links.STATIC, broad=broad)
    return draw(template, title, around, **values)


def _ends(of: Titled | None) -> Iterator[tuple[str, str]]:
    """What a reader comes for: an instructor manages, a student hands in while that is possible, a visitor signs in."""
    if is_visitor.get():
        yield links.ME, "Sign in"
        return
    yield links.ME, "My page"
    managed = of.title if of is not None and of.is_managed else manages.get()
    if managed:
        yield links.manage(managed), "Manage"
    elif hands_in.get()():
        yield links.SUBMIT, "Hand in"


def _ways(of: Titled | None) -> Iterator[tuple[str, str]]:
    """The links above a page; of a tournament's page to its other pages."""
    yield links.HOME, "Home"
    if of is None:
        yield from _PLAY * (not is_visitor.get())
        yield links.TV, "TV"
        yield links.DOCS, "Learn"
        return
    yield links.tournament(of.title), of.title
    yield links.crosstable(of.title), "Crosstable"
    if (format := formats.ours(of.format)) is not None and format.has_bracket:
        yield links.bracket(of.title), "Bracket"
    yield links.games(of.title), "Games"
    if of.beside is not None:
        what, title = of.beside
        yield links.tournament(title), what
    yield from _PLAY * (not is_visitor.get())
    yield links.tv(of.title), "TV"
    yield links.DOCS, "Learn"
