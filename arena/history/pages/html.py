"""HTML documents that need no network; `element` and `words` come from adsearch.

All text is escaped, by `words` or as an attribute. The document's Content-Security-Policy forbids the browser to load
anything: only the one script and the one style sheet of `document` are allowed (by their hashes), and images in data
URLs. Any other script or style in the page is ignored.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import resources

from adsearch.pictures.html import element, words

__all__ = ["document", "element", "file", "words"]


@cache
def file(name: str, package: str = __package__) -> str:
    """The text of a style sheet or script in `package`."""
    return resources.files(package).joinpath(name).read_text("utf-8")


def document(title: str, *body: str, styles: tuple[str, ...] = (), script: str = "") -> str:
    """A whole page. `styles` and `script` must be trusted texts; they follow the style sheet of all pages."""
    sheet = "\n".join(["", file("page.css"), *styles])
    script = f"\n{script}" if script else ""
    head = [
        '<meta charset="utf-8">',
        element("meta", http_equiv="Content-Security-Policy", content=_policy(sheet, script)),
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        element("title", words(title)),
        element("style", sheet),
    ]
    scripts = [element("script", script)] if script else []
    lines = ["<!doctype html>", '<html lang="en">', "<head>", *head, "</head>", "<body>", *body, *scripts]
    return "\n".join([*lines, "</body>", "</html>", ""])


def _policy(sheet: str, script: str) -> str:
    """The Content-Security-Policy of a page with that style sheet and that script (empty: no script)."""
    runs = _hash(script) if script else "'none'"
    return (
        f"default-src 'none'; style-src {_hash(sheet)}; script-src {runs}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
