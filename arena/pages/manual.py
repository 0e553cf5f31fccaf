"""The docs: the same pages in a terminal, on a server under /docs, and as a site of files.

They are Markdown in `docs/` of a clone, and lie beside this package where it was installed.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from arena.errors import ArenaError
from arena.pages.drawing import Document, PageFrame, draw

if TYPE_CHECKING:
    from markdown_it.token import Token

PAGES: Final = (
    *("first-evening", "agents", "languages", "games", "evening", "course", "ladder", "tournaments", "results"),
    *("search", "operation", "reference", "install"),
)
"""The pages in the order in which people need them."""
OLD_NAMES: Final = {
    old: new
    for new, names in {
        "first-evening": "student",
        "languages": "bring protocol",
        "games": "own-game openspiel",
        "course": "instructor",
        "ladder": "web",
        "tournaments": "cluster engines export",
        "results": "history ratings",
        "search": "concepts lectures pacman poker",
        "operation": "database security time",
        "reference": "json league sql",
        "install": "glossary",
    }.items()
    for old in names.split()
}
"""What pages were called in version 1, and where their contents are now."""
_HEADING: Final = re.compile(r"^(#{1,4}) (.+)$")
_FENCE: Final = re.compile(r"^(```|~~~)")
_LINK: Final = re.compile(r"^(?:([\w-]+)\.md)?(?:#([\w-]+))?$")
_MOST: Final = 12
"""Number of sections that a search finds."""


class Section(Struct, frozen=True):
    """A part of a page, from its heading to the next one."""

    page: str
    anchor: str
    """Empty: the beginning of the page."""
    heading: str
    text: str
    """With the heading, as Markdown."""

    @property
    def name(self) -> str:
        """How `arena docs` calls it."""
        return f"{self.page}#{self.anchor}" if self.anchor else self.page


def folder() -> Path:
    """Where the pages are."""
    package = Path(__file__).parent.parent
    installed = package / "docs"
    return installed if installed.is_dir() else package.parent / "docs"


def page_called(name: str) -> str | None:
    """The page that has or had this name, with or without ".md"."""
    name = name.lower().removeprefix("docs/").removesuffix(".md")
    return name if name in PAGES else OLD_NAMES.get(name)


@cache
def text(page: str) -> str:
    """The page as Markdown."""
    try:
        return (folder() / f"{page}.md").read_text("utf-8")
    except OSError as error:
        raise ArenaError(f"the page {page!r} of the docs cannot be read: {error}") from None


@cache
def sections(page: str) -> tuple[Section, ...]:
    """The parts of a page in order."""
    found: list[tuple[str, str, list[str]]] = []
    is_code = False
    for line in text(page).splitlines():
        is_code ^= bool(_FENCE.match(line))
        heading = None if is_code else _HEADING.match(line)
        if heading:
            found.append(("" if len(heading[1]) == 1 else anchor(heading[2]), _plain(heading[2]), []))
        if found:
            found[-1][2].append(line)
    return tuple(Section(page, at, name, "\n".join(lines).strip()) for at, name, lines in found)


def anchor(heading: str) -> str:
    """What a link to the heading has after its "#"."""
    return re.sub(r"[^\w\- ]", "", _plain(heading).lower()).replace(" ", "-")


def _plain(text: str) -> str:
    """Markdown without its signs."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "").replace("**", "")


def title(page: str) -> str:
    """The heading of the page."""
    return sections(page)[0].heading


def about(page: str) -> str:
    """The first sentence of the page."""
    paragraph = _plain(" ".join(sections(page)[0].text.partition("\n\n")[2].partition("\n\n")[0].split()))
    return paragraph.partition(". ")[0].removesuffix(".") + "." if paragraph else ""


def found(words: str) -> list[Section]:
    """The parts in which all these words are, the likeliest first: those with the words in a
    heading, or beside each other."""
    wanted = _wanted(words)
    phrase = re.compile(r"\b" + r"\s+".join(map(re.escape, words.lower().split())))
    ranked = []
    for place, part in enumerate(part for page in PAGES for part in sections(page)):
        heading, whole = part.heading.lower(), part.text.lower()
        if wanted and all(word.search(whole) for word in wanted):
            rank = 10 * sum(bool(word.search(heading)) for word in wanted)
            rank += sum(min(len(word.findall(whole)), 5) for word in wanted)
            rank += 20 * (len(wanted) > 1 and bool(phrase.search(whole)))
            ranked.append((-rank, place, part))
    return [part for _, _, part in sorted(ranked)[:_MOST]]


def excerpt(part: Section, words: str) -> str:
    """The line of the part that has most of the words, without the signs of Markdown."""
    lines = [_plain(line).strip(" |#>-") for line in part.text.splitlines()[1:]]
    wanted = _wanted(words)
    return max(
        lines, key=lambda line: (sum(bool(word.search(line.lower())) for word in wanted), bool(line)), default=""
    )


def _wanted(words: str) -> list[re.Pattern[str]]:
    """What begins with each of the words."""
    return [
        re.compile(r"\b" + re.escape(word) if word[0].isalnum() else re.escape(word)) for word in words.lower().split()
    ]


# In a browser.


def page(name: str, frame: PageFrame, address: Callable[[str], str]) -> Document:
    """A page of the docs. `address`: that of each page."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("js-default")  # no HTML in it
    tokens = reader.parse(text(name))
    content = tokens[next(at for at, token in enumerate(tokens) if token.type == "heading_close") + 1 :]
    for token in (inner for one in content for inner in one.children or ()):
        _adapt(token, address)
    content = list(_named_parts(content, title(name)))
    parts = [(part.anchor, part.heading) for part in sections(name) if part.text.startswith("## ")]
    return draw(
        "manual.html",
        title(name),
        frame,
        pages=[(address(one), title(one), one == name) for one in PAGES],
        parts=parts,
        content=reader.renderer.render(content, reader.options, {}),
        index="",
        words="",
        listed=[],
    )


def index(frame: PageFrame, address: Callable[[str], str], *, words: str = "", search: str = "") -> Document:
    """The list of all pages, or of what `words` find. `search`: the address of the search; empty: there is none."""
    parts = found(words)
    listed = [
        (address(part.page) + (f"#{part.anchor}" if part.anchor else ""), _named(part), excerpt(part, words))
        for part in parts
    ]
    return draw(
        "manual.html",
        "Learn",
        frame,
        pages=[],
        parts=[],
        content="",
        index=search,
        words=words,
        listed=listed if words else [(address(one), title(one), about(one)) for one in PAGES],
    )


def _named(part: Section) -> str:
    return f"{title(part.page)}: {part.heading}" if part.anchor else part.heading


_CODE: Final = ("fence", "code_block")


def _named_parts(tokens: Sequence[Token], heading: str) -> Iterator[Token]:
    """The tokens, with an id for each heading, and for tables and code a box that scrolls, also with the keyboard; a
    table's caption is the heading above it."""
    from markdown_it.token import Token

    labels = Counter[str]()
    is_empty = False  # whether the cell of a table's head is
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and after is not None:
            heading = _plain(after.content)
            token.attrSet("id", anchor(after.content))
        elif token.type == "th_open":
            is_empty = after is not None and not after.content
            token.tag = "td" if is_empty else "th"
            if not is_empty:
                token.attrSet("scope", "col")
        elif token.type == "th_close":
            token.tag = "td" if is_empty else "th"
        if token.type in ("table_open", *_CODE):
            is_code = token.type in _CODE
            label = f"{heading}: example" if is_code else heading
            labels[label] += 1
            box = Token("box_open", "div", 1, attrs={"class": "scrolls" if is_code else "wide", "role": "region"})
            box.attrSet("aria-label", label if labels[label] == 1 else f"{label} {labels[label]}")
            box.attrSet("tabindex", "0")
            yield box
        yield token
        if token.type in ("table_close", *_CODE):
            yield Token("box_close", "div", -1)
        if token.type == "table_open":
            words = Token("text", "", 0, content=heading)
            yield Token("caption_open", "caption", 1, attrs={"class": "unseen"})
            yield Token("inline", "", 0, content=heading, children=[words])
            yield Token("caption_close", "caption", -1)


def _adapt(token: Token, address: Callable[[str], str]) -> None:
    """Makes a link lead to the page at its address, and puts a picture into the page."""
    if token.type == "link_open":
        link = _LINK.match(str(token.attrGet("href")))
        name = page_called(link[1]) if link is not None and link[1] else ""
        token.attrs.clear()
        # What is in the sources alone, or on another server, is named without a link.
        if link is not None and name is not None:
            token.attrSet("href", (address(name) if name else "") + (f"#{link[2]}" if link[2] else ""))
    elif token.type == "image":
        picture = (folder() / str(token.attrGet("src"))).read_bytes()
        token.attrSet("src", f"data:image/svg+xml;base64,{b64encode(picture).decode()}")


def files() -> Iterator[tuple[str, str]]:
    """The name and the text of each file of a site with all pages; old names lead to the new pages."""

    def address(name: str) -> str:
        return f"{name or 'index'}.html"

    frame = PageFrame(home=("index.html", "arena"))
    yield "index.html", index(frame, address).text
    for name in PAGES:
        yield address(name), page(name, frame, address).text
    for old, new in OLD_NAMES.items():
        yield address(old), draw("moved.html", title(new), frame, to=address(new)).text
