"""HTML documents that need no network; `element` and `words` come from adsearch.

All text is escaped, by `words` or as an attribute. The document's Content-Security-Policy forbids the browser to load
anything: only the one script and the one style sheet of `document` are allowed (by their hashes), and images in data
URLs. Any other script or style in the page is ignored. A page with `modules` or a form belongs to a server: it can also
load scripts from that server, connect to it, and send the form to it.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Final

from msgspec import Struct

from adsearch.pictures.html import element, words

__all__ = ["Document", "document", "element", "file", "words"]


_NOTHING: Final = "'none'"
_OWN_SERVER: Final = "'self'"


class Document(Struct, frozen=True):
    """A whole page."""

    text: str
    policy: str
    """Its Content-Security-Policy, which also stands in the text; a server sends it as a header."""


@cache
def file(name: str, package: str = __package__) -> str:
    """The text of a style sheet or script in `package`."""
    return resources.files(package).joinpath(name).read_text("utf-8")


def document(
    title: str,
    *body: str,
    styles: tuple[str, ...] = (),
    script: str = "",
    modules: tuple[str, ...] = (),
    form: bool = False,
) -> Document:
    """A whole page. `styles` and `script` must be trusted texts; they follow the style sheet of all pages.

    `modules`: addresses of ES modules on the page's own server. `form`: the page sends a form to its own server."""
    sheet = "\n".join(["", file("page.css"), *styles])
    script = f"\n{script}" if script else ""
    policy = _policy(sheet, script, modules=bool(modules), form=form)
    head = [
        '<meta charset="utf-8">',
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        element("title", words(title)),
        element("style", sheet),
        *(element("script", "", type="module", src=address) for address in modules),
    ]
    scripts = [element("script", script)] if script else []
    lines = ["<!doctype html>", '<html lang="en">', "<head>", *head, "</head>", "<body>", *body, *scripts]
    return Document("\n".join([*lines, "</body>", "</html>", ""]), policy)


def _policy(sheet: str, script: str, *, modules: bool, form: bool) -> str:
    """The Content-Security-Policy of a page with that style sheet and that script (empty: no script)."""
    runs = " ".join([_hash(script)] * bool(script) + [_OWN_SERVER] * modules) or _NOTHING
    rules = [f"default-src {_NOTHING}", f"style-src {_hash(sheet)}", f"script-src {runs}", "img-src data:"]
    rules += [f"connect-src {_OWN_SERVER}"] * modules
    return "; ".join([*rules, f"base-uri {_NOTHING}", f"form-action {_OWN_SERVER if form else _NOTHING}"])


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
