"""The frame of the pages of a report: links above, the time of the report below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.course.report.pages import addresses
from arena.history.pages import html
from arena.history.pages.html import element, words
from arena.history.words import moment
from arena.results.pages import parts

if TYPE_CHECKING:
    from arena.results.report import Report


def frame(report: Report, at: str, title: str, *body: str, style: str = "") -> str:
    """The page at `at`, with links above `body` and the time of the report below. `style`: the style sheet of its
    pictures."""
    up = addresses.up(at)
    ways = [(addresses.FRONT, report.title), (addresses.GAMES, "All games")]
    nav = element(
        "nav",
        element("ul", *(element("li", parts.link(f"{up}{page}", text, current=page == at)) for page, text in ways)),
        aria_label="This report",
    )
    made = f"As of {moment(report.made)}. Made by arena report."
    return html.document(
        title if at == addresses.FRONT else f"{title} · {report.title}",
        element("header", nav),
        element("main", element("h1", words(title)), *body),
        element("footer", words(made), class_="faint"),
        styles=(style, parts.STYLE),
    ).text
