"""Checks an HTML page without a browser: markup, labels, headings, and links within the page.

Stricter than a browser: every element must be closed in the right place, and every element must have a text for screen
readers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VOID: Final = _names("br col hr img input link meta wbr")
HTML: Final = _names(
    "a abbr b body br wbr button caption code col colgroup dd details div dl dt em fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 head header hr html i img input label legend li link main meta nav noscript ol optgroup "
    "option output p pre progress q s script section select small span strong style sub summary sup svg table tbody td "
    "template tfoot th thead time title tr u ul"
)
SVG: Final = _names(
    "circle clippath defs desc ellipse g line lineargradient path pattern polygon polyline rect stop style svg symbol "
    "text title tspan use"
)
_WITHIN: Final = {
    "li": {"ol", "ul"},
    "tr": {"thead", "tbody", "tfoot"},
    "td": {"tr"},
    "th": {"tr"},
    "thead": {"table"},
    "tbody": {"table"},
    "caption": {"table"},
    "option": {"select", "optgroup"},
    "dt": {"dl", "div"},
    "dd": {"dl", "div"},
    "summary": {"details"},
    "legend": {"fieldset"},
    "figcaption": {"figure"},
}
"""Where an element must stand."""
_ONLY: Final = {
    "ol": {"li"},
    "ul": {"li"},
    "tr": {"td", "th"},
    "table": {"caption", "colgroup", "thead", "tbody", "tfoot"},
}
"""What alone an element may hold."""
_PHRASING: Final = _names("p h1 h2 h3 h4 h5 h6 span b i em strong q a button label caption summary output")
_BLOCKS: Final = _names("p div h1 h2 h3 h4 h5 h6 ol ul dl table pre section header footer main nav figure details")
_NAMED: Final = _names("a button title h1 h2 h3 h4 th caption option summary")
_REFERENCES: Final = ("for", "aria-labelledby", "aria-describedby", "aria-controls", "list")


@dataclass(slots=True)
class _Open:
    """An element that has begun."""

    name: str
    attributes: dict[str, str | None]
    line: int
    words: list[str] = field(default_factory=list)
    inside: list[str] = field(default_factory=list)
    """The names of its children."""


class _Checker(HTMLParser):
    """Reads a page once, noting what is wrong."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.wrong: list[str] = []
        self.stack: list[_Open] = []
        self.ids: dict[str, int] = {}
        self.references: list[tuple[str, int]] = []
        # The ids of what labels are for.
        self.labelled: set[str] = set()
        self.unlabelled: list[tuple[str, str]] = []
        self.headings: list[int] = []
        self.counts: dict[str, int] = {}
        self.doctype = False

    def fail(self, what: str) -> None:
        self.wrong.append(f"line {self.getpos()[0]}: {what}")

    def is_in(self, *names: str) -> bool:
        return any(each.name in names for each in self.stack)

    def handle_decl(self, decl: str) -> None:
        self.doctype = decl.lower() == "doctype html" and not self.counts

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.begin(tag, attrs)
        if not self.is_in("svg") and tag not in _VOID:
            self.fail(f"<{tag}/> closes itself")
        self.end()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.begin(tag, attrs)
        if tag in _VOID and not self.is_in("svg"):
            self.end()

    def begin(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        parent = self.stack[-1] if self.stack else None
        if tag not in (SVG if self.is_in("svg") else HTML):
            self.fail(f"no element is called {tag}")
        if parent is not None:
            parent.inside.append(tag)
            if parent.name in _ONLY and tag not in _ONLY[parent.name]:
                self.fail(f"<{tag}> in <{parent.name}>")
        if tag in _WITHIN and (parent is None or parent.name not in _WITHIN[tag]):
            self.fail(f"<{tag}> not in {sorted(_WITHIN[tag])}")
        if tag in _BLOCKS and any(each.name in _PHRASING for each in self.stack):
            self.fail(f"<{tag}> in a phrase")
        if tag in ("a", "button", "input", "select") and self.is_in("a", "button"):
            self.fail(f"<{tag}> in what is pressed itself")
        attributes = dict(attrs)
        if len(attributes) < len(attrs):
            self.fail(f"<{tag}> has an attribute twice")
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.stack.append(_Open(tag, attributes, self.getpos()[0]))
        self.check_attributes(tag, attributes)

    def check_attributes(self, tag: str, attributes: dict[str, str | None]) -> None:
        line = self.getpos()[0]
        for name, value in attributes.items():
            if name.startswith("on") or name == "style":
                self.fail(f"<{tag} {name}>")
            loads = name == "src" or (name == "href" and tag in ("link", "use"))
            is_ours = tag in ("script", "link") and (value or "").startswith("/static/")
            if loads and not is_ours and not (value or "").startswith(("#", "data:")):
                self.fail(f"<{tag} {name}={value!r}> asks for another file")
            if name in _REFERENCES:
                self.references += [(reference, line) for reference in (value or "").split()]
        if (id := attributes.get("id")) is not None:
            if id in self.ids or not id or " " in id:
                self.fail(f"the id {id!r} is there already, or is none")
            self.ids[id] = line
        if tag in ("a", "use") and (target := attributes.get("href") or "").startswith("#"):
            self.references.append((target[1:], line))
        if tag == "html" and not attributes.get("lang"):
            self.fail("no language")
        if tag == "th" and attributes.get("scope") not in ("row", "col", "rowgroup", "colgroup"):
            self.fail("<th> without a scope")
        if tag == "img" and "alt" not in attributes:
            self.fail("<img> without words")
        if tag == "label":
            self.labelled.add(attributes.get("for") or "")
        is_shown = tag in ("select", "textarea") or (tag == "input" and attributes.get("type") != "hidden")
        if is_shown and not self.is_in("label") and not attributes.get("aria-label"):
            self.unlabelled.append((attributes.get("id") or "", f"line {line}: <{tag}> without a label"))
        if tag == "button" and attributes.get("type") != ("submit" if self.is_in("form") else "button"):
            self.fail("<button> without a type")

    def handle_endtag(self, tag: str) -> None:
        if not self.stack or self.stack[-1].name != tag:
            self.fail(f"</{tag}> where {self.stack[-1].name if self.stack else 'nothing'} is open")
            return
        self.end()

    def end(self) -> None:
        closed = self.stack.pop()
        words = "".join(closed.words).strip()
        name, attributes = closed.name, closed.attributes
        if self.stack:
            self.stack[-1].words += closed.words
        if name == "svg" and not self.is_in("svg") and attributes.get("aria-hidden") != "true":
            named = attributes.get("aria-label") or closed.inside[:1] == ["title"]
            if attributes.get("role") != "img" or not named:
                self.fail("<svg> that is not told in words")
        if name in _NAMED and not words and not attributes.get("aria-label"):
            self.fail(f"<{name}> without words")
        if attributes.get("tabindex") == "0" and not (attributes.get("role") and attributes.get("aria-label")):
            self.fail(f"<{name} tabindex=0> is reached with keys, and nobody is told what it is")
        if name == "table" and "caption" not in closed.inside:
            self.fail("<table> without a caption")
        if re.fullmatch("h[1-6]", name):
            self.headings.append(int(name[1]))

    def handle_data(self, data: str) -> None:
        if not self.stack:
            if data.strip():
                self.fail(f"words outside of everything: {data.strip()[:20]!r}")
            return
        parent = self.stack[-1]
        parent.words.append(data)
        if parent.name in _ONLY and data.strip():
            self.fail(f"words in <{parent.name}>")
        if parent.name not in ("script", "style") and re.search("[&<]", data):
            self.fail(f"a bare & or <: {data[:40]!r}")

    def handle_entityref(self, name: str) -> None:
        self.stack[-1].words.append("&")
        if name not in ("amp", "lt", "gt", "quot"):
            self.fail(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.stack[-1].words.append("&")

    def handle_comment(self, data: str) -> None:
        self.fail("a comment: nobody reads it")

    def finish(self) -> None:
        """All has been read."""
        self.close()
        self.wrong += [f"line {each.line}: <{each.name}> is never closed" for each in self.stack]
        self.wrong += [f"line {line}: nothing has the id {id!r}" for id, line in self.references if id not in self.ids]
        self.wrong += [told for id, told in self.unlabelled if not id or id not in self.labelled]
        if not self.doctype:
            self.wrong.append("no doctype")
        for name in ("html", "head", "body", "h1", "main"):
            if self.counts.get(name, 0) != 1:
                self.wrong.append(f"expected one <{name}>, got {self.counts.get(name, 0)}")
        if self.headings[:1] != [1]:
            self.wrong.append("the first heading is not <h1>")
        for before, after in zip(self.headings, self.headings[1:], strict=False):
            if after > before + 1:
                self.wrong.append(f"<h{after}> comes after <h{before}>")


def wrong_with(text: str) -> list[str]:
    """What is wrong with this page, in the order of its lines as far as that is known."""
    checker = _Checker()
    checker.feed(text)
    checker.finish()
    return checker.wrong


def check_html(text: str) -> None:
    """Fails where something is wrong with this page."""
    text.encode("utf-8")
    assert not wrong_with(text), "\n".join(wrong_with(text)[:20])
