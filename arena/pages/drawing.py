"""Draws every page that a browser shows, from a template and values, in the one frame of `templates/base.html`.

There is one style sheet, and scripts are ES modules. A page of a server loads them from the server. A file has the
sheet in it and its modules joined into one, and its Content-Security-Policy allows these two by their hashes and
nothing else but images in data URLs: it needs no network. All values are contained and escaped; trusted texts are the
sheet, the script, and what the filter `markup` is used on. Jinja2 is imported when the first page is drawn.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from adsearch.pictures import tree_drawing
from adsearch.pictures.boards import paper as board_sheet
from adsearch.pictures.boards.paper import SEATS
from adsearch.pictures.svg import contained
from arena.history import words
from arena.ratings import chart
from arena.results import figures

if TYPE_CHECKING:
    from jinja2 import Environment

_NOTHING: Final = "'none'"
_OWN_SERVER: Final = "'self'"
SHEET: Final = "style.css"
READER: Final = "reader.js"
"""The script that runs before a page is seen, so that it begins in the colours that its reader has chosen."""


class Document(Struct, frozen=True):
    """A whole page."""

    text: str
    policy: str
    """Its Content-Security-Policy, which also stands in the text; a server sends it as a header."""


class PageFrame(Struct, frozen=True, kw_only=True):
    """What stands around the content of a page: links above, a line below, and how it is with its server."""

    home: tuple[str, str] = ("", "arena")
    """The address and the text of the brand; without an address it is no link."""
    pages: Sequence[tuple[str, str]] = ()
    """The links above: the address and the text of each."""
    label: str = "Pages"
    """What these links are."""
    ends: Sequence[tuple[str, str]] = ()
    """The links at the end of the line above; the last is what a reader comes for."""
    above: Sequence[tuple[str, str]] = ()
    """The pages above this one: the address and the text of each."""
    find: str = ""
    """The address of the search."""
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
    """Its ES modules, by name."""
    static: str = ""
    """Where its server has the sheet and the modules; empty: the page is a file."""
    broad: bool = False
    """Whether its content is as wide as the window."""


@cache
def file(name: str) -> str:
    """The text of the style sheet, or of a module."""
    if name == SHEET:
        return _sheet()
    return resources.files(__package__).joinpath("scripts", name).read_text("utf-8")


@cache
def files() -> tuple[str, ...]:
    """The names of the sheet and of all modules."""
    return (SHEET, *sorted(each.name for each in resources.files(__package__).joinpath("scripts").iterdir()))


def draw(template: str, title: str, frame: PageFrame, **values: Any) -> Document:
    """The page of this template."""
    sheet = "" if frame.static else f"\n{_sheet()}"
    reader = f"\n{file(READER)}"
    script = "" if frame.static or not frame.modules else f"\n{_joined(tuple(frame.modules))}"
    policy = _policy(sheet, [] if frame.static else [reader, *filter(None, [script])])
    found = _environment().get_template(template)
    text = found.render(title=title, frame=frame, policy=policy, sheet=sheet, reader=reader, script=script, **values)
    return Document(text, policy)


def part(name: str, *values: Any) -> str:
    """A part of a page, as markup: the macro of this name in `templates/parts.html`."""
    return str(getattr(_environment().get_template("parts.html").module, name)(*values))


@cache
def _sheet() -> str:
    """The sheet of all pages. The colours of pictures are written once, where pictures are drawn; here the switch of
    light and dark is added to them."""
    own = resources.files(__package__).joinpath(SHEET).read_text("utf-8")
    pictures = (board_sheet, chart, tree_drawing)
    light = "\n".join(each.LIGHT for each in pictures)
    dark = "\n".join(each.DARK for each in pictures)
    seats = "\n".join(_of_seats(light, dark))
    chosen = f":root[data-theme=dark] {{\n{dark}\n}}"
    by_itself = f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{\n{dark}\n}} }}"
    return f"{own}\n@layer pictures {{\n{seats}\n{light}\n{chosen}\n{by_itself}\n}}\n"


_PIECE: Final = re.compile(rf"^\.board \.({'|'.join(SEATS)}) \{{(.*?)\}}", re.MULTILINE)
"""The rules of pieces in the sheet of boards: all else that is of a seat has their colours."""
_IN_NAMES: Final = re.compile("([:=,])(?=.)")
_COLOUR: Final = re.compile(r"(fill|stroke): (#\w+)")


def _of_seats(light: str, dark: str) -> Iterator[str]:
    """For the class of each seat its colours, that of its pieces and that of their edge."""
    in_the_dark = {kind: dict(_COLOUR.findall(rule)) for kind, rule in _PIECE.findall(dark)}
    for kind, rule in _PIECE.findall(light):
        by_day: dict[str, str] = dict(_COLOUR.findall(rule))
        by_day.setdefault("stroke", by_day["fill"])
        by_night = by_day | in_the_dark.get(kind, {})
        fill, edge = (f"light-dark({by_day[what]}, {by_night[what]})" for what in ("fill", "stroke"))
        yield f".of-{kind} {{ --seat: {fill}; --seat-edge: {edge}; }}"


_IMPORT: Final = re.compile(r'^import (\{.*?\}) from "\./(\w+\.js)";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (const (\w+))", re.MULTILINE)


@cache
def _joined(names: tuple[str, ...]) -> str:
    """These modules, and all that they import, as one module that imports nothing: a browser loads no module from a
    file. Each is a function that gives what it exports."""
    order: dict[str, str] = {}

    def add(name: str) -> None:
        text = file(name)
        for _, other in _IMPORT.findall(text):
            if other not in order:
                add(other)
        exported = ", ".join(found for _, found in _EXPORT.findall(text))
        text = _EXPORT.sub(r"\1", _IMPORT.sub(lambda found: f"const {found[1]} = {_called(found[2])};", text))
        order[name] = f"const {_called(name)} = (() => {{\n{text}return {{ {exported} }};\n}})();"

    for name in names:
        if name not in order:
            add(name)
    return "\n".join(order.values())


def _called(module: str) -> str:
    return f"{module.removesuffix('.js')}Module"


def _policy(sheet: str, scripts: Sequence[str]) -> str:
    """The Content-Security-Policy of a file with that style sheet and these scripts; of a page of a server, without."""
    runs = " ".join(map(_hash, scripts)) or _OWN_SERVER
    looks = _hash(sheet) if sheet else _OWN_SERVER
    rules = [f"default-src {_NOTHING}", f"style-src {looks}", f"script-src {runs}", "img-src data:"]
    rules += [f"connect-src {_OWN_SERVER}"] * (not sheet)
    return "; ".join([*rules, f"base-uri {_NOTHING}", f"form-action {_NOTHING if sheet else _OWN_SERVER}"])


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _contained(value: Any) -> Any:
    """What is written for a value, before it is escaped; of a moment also when it is, for the page's script."""
    if isinstance(value, words.Moment):
        from markupsafe import Markup

        return Markup('<time datetime="{}">{}</time>').format(value.instant.isoformat(timespec="seconds"), str(value))
    return contained(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _breaking(name: str) -> str:
    """The name of an agent, which can be broken before its options and before their values."""
    from markupsafe import Markup, escape

    return Markup(_IN_NAMES.sub(r"\1<wbr>", str(escape(contained(name)))))


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
        "breaking": _breaking,
    }
    return made
