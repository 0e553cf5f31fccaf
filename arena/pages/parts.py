"""Parts of the pages that no template draws yet: links, tables that scroll in a box, facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from arena.pages.html import element, words

_LONG: Final = 100
"""A table with more rows scrolls in a box, below its headings."""


def link(href: str, text: str, *, current: bool = False, aria_label: str | bool = False, kind: str = "") -> str:
    """A link; `text` is escaped. `kind`: its class."""
    page = "page" if current else False
    return element("a", words(text), href=href, aria_current=page, aria_label=aria_label, class_=kind or False)


def linked(text: str, href: str | None, *, aria_label: str | bool = False) -> str:
    """A link; only the text if there is no such page."""
    return words(text) if href is None else link(href, text, aria_label=aria_label)


def table(caption: str, columns: Sequence[tuple[str, str]], rows: Sequence[str], *, kind: str = "") -> str:
    """A table in a box that scrolls if it is too wide. `columns`: the heading of each, as markup, and its class."""
    head = element("tr", *(element("th", heading, scope="col", class_=kind or False) for heading, kind in columns))
    inside = element(
        "table",
        element("caption", words(caption), class_="unseen"),
        element("thead", head),
        element("tbody", *rows),
        class_=kind or False,
    )
    return box(caption, inside, long=len(rows) > _LONG)


def box(label: str, inside: str, *, long: bool = False) -> str:
    """Markup in a box that scrolls sideways, with the keyboard too. A `long` one has at most the window's height."""
    return element("div", inside, class_="wide long" if long else "wide", role="region", aria_label=label, tabindex=0)


def facts(values: Mapping[str, str]) -> str:
    """A list of facts: the name and the value of each."""
    pairs = (element("div", element("dt", name), element("dd", words(value))) for name, value in values.items())
    return element("dl", *pairs, class_="facts")


def name(agent: str, href: str, *, status: str = "", place: int | None = None, person: str = "") -> str:
    """The first cell of a line, with an agent's name, and below it the `person` behind it. The style sheet cuts long
    names; `title` has the full name."""
    number = "" if place is None else element("small", str(place)) + " "
    full = f"{agent} ({person})" if person else agent
    return element("th", number, link(href, agent), status, behind(person), scope="row", class_="name", title=full)


def behind(person: str) -> str:
    """A faint line with the person behind an agent; empty without one."""
    return element("span", words(person), class_="person") if person else ""


def cell(inside: str, kind: str = "") -> str:
    """A cell; `inside` is markup."""
    return element("td", inside, class_=kind or False)


def figure(text: str, kind: str = "") -> str:
    """A cell with a number."""
    return cell(words(text), f"number {kind}".rstrip())
