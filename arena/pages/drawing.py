"""Draws every page that a browser shows, from a template and values, in the one frame of `templates/base.html`.

A page needs no network. Its Content-Security-Policy forbids the browser to load anything: only the one style sheet and
the one script in the page are allowed (by their hashes), and images in data URLs. A page of a server can also load the
server's ES modules, connect to it, and send forms to it. All values are contained and escaped; trusted texts are the
sheet, the script, and what the filter `markup` is used on. Jinja2 is imported when the first page is drawn.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from adsearch.pictures.svg import contained
from arena.history import words
from arena.results import figures

if TYPE_CHECKING:
    from jinja2 import Environment

_NOTHING: Final = "'none'"
_OWN_SERVER: Final = "'self'"


class Document(Struct, frozen=True):
    """A whole page."""

    text: str
    policy: str
    """Its Content-Security-Policy, which also stands in the text; a server sends it as a header."""


class Frame(Struct, frozen=True, kw_only=True):
    """What stands around the content of a page: links above, a line below, and how it is with its server."""

    pages: Sequence[tuple[str, str]] = ()
    """The links above: the address and the text of each."""
    label: str = "Pages"
    """What these links are."""
    at: str = ""
    """The address of the page itself."""
    of: str = ""
    """What the page is a part of; it follows the page's title."""
    below: str = ""
    """A sentence below the page."""
    json: str = ""
    """The address of the same as JSON."""
    stream: str = ""
    """The address of the stream from which the page hears of changes."""
    modules: Sequence[str] = ()
    """The addresses of its ES modules, on its own server."""
    script: str = ""
    """The script of a page that is a file; a trusted text."""
    form: bool = False
    """Whether it sends a form to its own server."""


@cache
def file(name: str) -> str:
    """The text of a style sheet or script, such as "styles/page.css"."""
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def draw(template: str, title: str, frame: Frame, *, styles: Sequence[str] = (), **values: Any) -> Document:
    """The page of this template. `styles`: the names of its style sheets, or style sheets of pictures as text; they
    follow the sheet of all pages."""
    sheet = "\n".join(["", file("styles/page.css"), *(_sheet(style) for style in styles)])
    script = f"\n{frame.script}" if frame.script else ""
    policy = _policy(sheet, script, modules=bool(frame.modules), form=frame.form)
    found = _environment().get_template(template)
    text = found.render(title=title, frame=frame, policy=policy, sheet=sheet, script=script, **values)
    return Document(text, policy)


def part(name: str, *values: Any) -> str:
    """A part of a page, as markup: the macro of this name in `templates/parts.html`."""
    return str(getattr(_environment().get_template("parts.html").module, name)(*values))


def _sheet(style: str) -> str:
    return file(f"styles/{style}") if style.endswith(".css") else style


def _policy(sheet: str, script: str, *, modules: bool, form: bool) -> str:
    """The Content-Security-Policy of a page with that style sheet and that script (empty: no script)."""
    runs = " ".join([_hash(script)] * bool(script) + [_OWN_SERVER] * modules) or _NOTHING
    rules = [f"default-src {_NOTHING}", f"style-src {_hash(sheet)}", f"script-src {runs}", "img-src data:"]
    rules += [f"connect-src {_OWN_SERVER}"] * modules
    return "; ".join([*rules, f"base-uri {_NOTHING}", f"form-action {_OWN_SERVER if form else _NOTHING}"])


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _contained(value: Any) -> Any:
    """What is written for a value, before it is escaped."""
    return contained(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    made = Environment(
        loader=FileSystemLoader(str(resources.files(__package__).joinpath("templates"))),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=_contained,
    )
    made.filters |= {
        "moment": words.moment,
        "counted": words.counted,
        "share": figures.share,
        "markup": Markup,
    }
    return made
