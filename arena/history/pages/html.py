"""HTML, as far as our pages need it: elements, and a document that asks no network for anything.

It knows nothing of what is shown. All text goes in through `words` or as an attribute, which escape it. A document's
policy lets the browser load nothing, run the one script and apply the one style sheet that were given here, and show
pictures that stand in the page itself; whatever else comes to stand in it does nothing.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Final

from adsearch.pictures.svg import words

__all__ = ["document", "element", "file", "words"]

_VOID: Final = frozenset({"br", "col", "hr", "img", "input", "link", "meta"})


def element(name: str, *inside: str, **attributes: str | int | bool) -> str:
    """An element; `inside` is markup already. An attribute class_ is class, and aria_label aria-label; True is an
    attribute without a value, and False is none."""
    written = "".join(
        f" {key.strip('_').replace('_', '-')}" + ("" if value is True else f'="{words(str(value))}"')
        for key, value in attributes.items()
        if value is not False
    )
    return f"<{name}{written}>" if name in _VOID else f"<{name}{written}>{''.join(inside)}</{name}>"


@cache
def file(name: str, package: str = __package__) -> str:
    """A style sheet or script that lies in `package`."""
    return resources.files(package).joinpath(name).read_text("utf-8")


def document(title: str, *body: str, styles: tuple[str, ...] = (), script: str = "") -> str:
    """A whole page. `styles` and `script` are texts of ours; what all pages look like comes first."""
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
    """The Content-Security-Policy of a page with that style sheet and that script, empty if it has none."""
    runs = _hash(script) if script else "'none'"
    return (
        f"default-src 'none'; style-src {_hash(sheet)}; script-src {runs}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
