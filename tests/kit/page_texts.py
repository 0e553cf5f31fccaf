"""What a reader gets from a page, as lines of text: the page's facts, whatever markup and style say them.

Title, visible text in order, alternative texts and labels, targets of links, and the fields of forms. Of a picture its
title alone is kept. `python -m tests.kit.page_texts` writes the texts of every page again; with `--whole FOLDER` it
writes them into that folder in full, to compare two states of the code with `diff -r`.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from tests.kit.places import ROOT

TRUTHS: Final = ROOT / "tests" / "truths" / "page_texts"
_INLINE: Final = frozenset(
    [
        "a",
        "abbr",
        "b",
        "br",
        "wbr",
        "code",
        "em",
        "i",
        "label",
        "mark",
        "option",
        "q",
        "s",
        "small",
        "span",
        "strong",
        "sub",
        "time",
    ]
)
"""Elements that do not begin a line of their own."""
_TOLD: Final = ("title", "aria-label", "alt", "aria-current", "aria-keyshortcuts", "placeholder", "data-spent")
_FIELD: Final = ("name", "type", "value", "checked", "selected", "required", "pattern", "min", "max", "maxlength")
_FIELDS: Final = frozenset(["button", "input", "option", "select", "textarea"])
_UNSEEN: Final = frozenset(("script", "style", "defs"))
_VARIES: Final = (
    (re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?(?: [A-Z]{3,4}\b| UTC[+-]\d+)?)?"), "DATE"),
    (
        re.compile(r"\b\d+(?:\.\d+)?(?: (?:s|min|h|seconds?|minutes?|hours?|days?))? (?:old|ago)\b"),
        "AGE",
    ),
    (re.compile(r"\b(?:ai|at)_[\w-]{20,}"), "KEY"),
    (re.compile(rf"{re.escape(str(ROOT))}/\S*/(?=countdown\.py)|/\S*/(?=countdown\.py|hostile\.py)"), "FOLDER/"),
)
"""What differs from day to day, from machine to machine, or by chance."""
_SHORT: Final = 20
"""Lines of a page that is stored whole."""
_BEGIN: Final = 6
"""Lines of a longer page that are stored, with the hash of all."""
_LONGEST: Final = 300
"""Characters of a line that are stored."""


class _Reader(HTMLParser):
    """Reads a page once."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._line: list[str] = []
        self._unseen = 0
        # How deep it is in a picture, and whether in the picture's title.
        self._picture = 0
        self._titled = False

    def end_line(self) -> None:
        if line := " ".join("".join(self._line).split()):
            self.lines.append(line)
        self._line.clear()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in _UNSEEN
        if tag == "svg" or self._picture:
            self._begin_in_picture(tag, dict(attrs))
            return
        if tag not in _INLINE:
            self.end_line()
        self._line.append("".join(_told(tag, dict(attrs))))

    def _begin_in_picture(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        if tag == "svg" and not self._picture and attributes.get("aria-hidden") != "true":
            self.end_line()
            self._line.append("{picture} ")
        self._picture += tag == "svg"
        self._titled = tag == "title" and self._picture == 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self._picture:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in _UNSEEN
        if self._picture:
            self._titled = self._titled and tag != "title"
            self._picture -= tag == "svg"
        elif tag in _INLINE:
            return
        self.end_line()

    def handle_data(self, data: str) -> None:
        if not self._unseen and (self._titled or not self._picture):
            self._line.append(data)


def _told(tag: str, attributes: Mapping[str, str | None]) -> Iterator[str]:
    """What the attributes of an element tell a reader."""
    if tag == "a":
        yield f"[{attributes.get('href')}]"
    if tag == "form":
        yield f"{{form {attributes.get('method')} {attributes.get('action')} {attributes.get('enctype') or ''}}}"
    if tag in _FIELDS:
        fields = (f"{name}={attributes[name]}" for name in _FIELD if name in attributes)
        yield f"{{{' '.join([tag, *fields])}}}"
    if "hidden" in attributes:
        yield "{hidden}"
    if "data-stream" in attributes:
        yield f"{{stream {attributes['data-stream']}}}"
    if tag == "img":
        yield "{image}"
    yield from (f"{{{name}={attributes[name]}}}" for name in _TOLD if attributes.get(name))


def text_of(page: str) -> list[str]:
    """The lines of a page, without what varies."""
    reader = _Reader()
    reader.feed(page.partition("<head>")[2] or page)
    reader.close()
    reader.end_line()
    lines = reader.lines
    for varies, instead in _VARIES:
        lines = [varies.sub(instead, line) for line in lines]
    return [line.encode("utf-8", "replace").decode() for line in lines]


def stored(pages: Mapping[str, str]) -> str:
    """The texts of these pages, by name, as they are stored."""
    first: dict[str, str] = {}
    blocks = []
    for name, page in pages.items():
        text = "\n".join(_shortened(text_of(page)))
        blocks.append(f"== {name}\n{text if (same := first.setdefault(text, name)) == name else f'as {same}'}\n")
    return "".join(blocks)


def _shortened(lines: Sequence[str]) -> Iterator[str]:
    kept = lines if len(lines) <= _SHORT else lines[:_BEGIN]
    yield from (line if len(line) <= _LONGEST else f"{line[:_LONGEST]}… {_hash([line])}" for line in kept)
    if len(lines) > _SHORT:
        yield f"… {len(lines)} lines, {_hash(lines)}"


def _hash(lines: Sequence[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def main() -> None:
    """Writes the texts."""
    from tests.kit.every_page import GROUPS

    reader = argparse.ArgumentParser(description="Write the texts of every page.")
    reader.add_argument("--whole", metavar="FOLDER", type=Path, help="write them in full, into this folder")
    given = reader.parse_args()
    folder: Path = given.whole or TRUTHS
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in GROUPS.items():
        pages = make()
        if given.whole is None:
            (folder / f"{name}.txt").write_text(stored(pages), "utf-8")
            continue
        whole = ("\n".join([f"== {each}", *text_of(page), ""]) for each, page in pages.items())
        (folder / f"{name}.txt").write_text("".join(whole), "utf-8")


if __name__ == "__main__":
    main()
