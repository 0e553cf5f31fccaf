"""The page with similar sources side by side: the pairs in a table, then the code of both with equal parts marked.

Pure. All code on it comes from students, so everything is escaped, long lines are cut, and the page has no script. A
part has the same number and colour on both sides; each number is a link to the part on the other side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from arena.course.roster import replace_unprintable
from arena.course.similar.comparison import Pair, Place
from arena.course.similar.sources import Source, SourceFile
from arena.pages.drawing import Frame, draw
from arena.pages.html import element, words

_MOST_PAIRS: Final = 50
"""Pairs with their code on the page; the table has all."""
_MOST_LINES: Final = 2_000
"""Lines of code for each side of a pair."""
_LONGEST_LINE: Final = 200
_AROUND: Final = 3
"""Lines shown before and after an equal part."""
_COLOURS: Final = 6

_Marked = list[tuple[int, Place]]
"""The equal parts of one side, with their numbers."""


def page(pairs: Sequence[Pair], tournament: str, shown_as: Callable[[Source], str]) -> str:
    """The page; `shown_as` gives the name of a source."""
    title = f"Similar sources: {tournament}"
    shown = pairs[:_MOST_PAIRS]
    body = [
        element(
            "p",
            "This is evidence, never a verdict. Read the code, and hear both sides, before you decide. "
            "Keep this page private: it has the code and the names of students.",
        ),
        _table(pairs, shown_as) if pairs else element("p", "No two agents are similar."),
        *(_section(number, pair, shown_as) for number, pair in enumerate(shown, 1)),
    ]
    if len(pairs) > len(shown):
        body.append(element("p", f"The code of the first {len(shown)} pairs is shown."))
    return draw("plain.html", title, Frame(), styles=("similar.css",), heading="", body="\n".join(body)).text


def _table(pairs: Sequence[Pair], shown_as: Callable[[Source], str]) -> str:
    titles = ("Pair", "What they share", "Share", "Of other", "Tokens", "Longest")
    head = [
        element("th", title, scope="col", class_="" if place < 2 else "number") for place, title in enumerate(titles)
    ]
    rows = []
    for number, pair in enumerate(pairs, 1):
        names = _name(f"{shown_as(pair.one)} and {shown_as(pair.other)}")
        link = element("a", names, href=f"#pair-{number}") if number <= _MOST_PAIRS else names
        figures = (f"{pair.share:.0%}", f"{pair.other_share:.0%}", f"{pair.tokens:,}", f"{pair.longest:,}")
        cells = [element("td", figure, class_="number") for figure in figures]
        rows.append(element("tr", element("th", link, scope="row"), element("td", pair.kind, class_="kind"), *cells))
    note = (
        "Share: the part of the first student's own code that the second has too; then the same of the second student. "
        "Longest: tokens of the longest equal part. Code that the course handed out does not count."
    )
    table = element("table", element("thead", element("tr", *head)), element("tbody", *rows))
    return element("div", table, class_="wide", tabindex=0, role="region", aria_label="All pairs") + element(
        "p", note, class_="faint"
    )


def _section(number: int, pair: Pair, shown_as: Callable[[Source], str]) -> str:
    count = "1 part" if len(pair.parts) == 1 else f"{len(pair.parts)} parts"
    told = [f"{pair.kind}; {pair.tokens:,} tokens in {count}"]
    parts = sorted(pair.parts, key=lambda part: (part.one.file, part.one.start))
    if pair.same_files:
        told.append(f"equal files: {', '.join(pair.same_files)}")
    sides = [
        _side(f"pair-{number}", mine, its, source, name, share, marked)
        for mine, its, source, name, share, marked in (
            ("one", "other", pair.one, shown_as(pair.one), pair.share, [part.one for part in parts]),
            ("other", "one", pair.other, shown_as(pair.other), pair.other_share, [part.other for part in parts]),
        )
    ]
    heading = element("h2", _name(f"{number}. {shown_as(pair.one)} and {shown_as(pair.other)}"))
    about = element("p", _name("; ".join(told)))
    return element("section", heading, about, element("div", *sides, class_="sides"), id=f"pair-{number}")


def _side(pair: str, mine: str, its: str, source: Source, name: str, share: float, places: Sequence[Place]) -> str:
    """The code of one source. `mine`, `its`: the words for this side and the other one in the addresses of parts."""
    by_file: dict[str, _Marked] = defaultdict(list)
    for number, place in enumerate(places, 1):
        by_file[place.file].append((number, place))
    room = _MOST_LINES
    files = []
    for each in source.files:
        if marked := sorted(by_file[each.name], key=lambda one: one[1].start):
            lines = _lines(each, marked, room, (f"{pair}-{mine}-", f"#{pair}-{its}-"))
            room -= len(lines)
            files.append(element("h4", _name(each.name)) + element("pre", "\n".join(lines)))
    title = element("h3", _name(name if name == source.title else f"{name} ({source.title})"), f": {share:.0%}")
    code = "".join(files) or element("p", "no equal parts of code")
    label = f"Code of {replace_unprintable(name)}"
    return element("div", title, element("div", code, class_="code", tabindex=0, role="region", aria_label=label))


def _name(text: str) -> str:
    """A name of a student, an agent or a file, as markup on one line."""
    return words(replace_unprintable(text))


def _lines(source: SourceFile, marked: _Marked, room: int, addresses: tuple[str, str]) -> list[str]:
    """The lines with equal parts and some around them, as markup; at most `room`."""
    wanted = sorted(
        {line for _, place in marked for line in range(place.lines[0] - _AROUND, place.lines[1] + _AROUND + 1)}
    )
    texts = source.text.split("\n")
    begins = [0]
    for text in texts:
        begins.append(begins[-1] + len(text) + 1)
    lines: list[str] = []
    last = 0
    for line in wanted:
        if not 1 <= line <= len(texts):
            continue
        if len(lines) >= room:
            lines.append("⋯ the rest is not shown")
            break
        if line > last + 1:
            lines.append(element("span", f"⋯ {line - last - 1} lines", class_="faint"))
        begin = begins[line - 1]
        lines.append(
            element("span", f"{line:4} ", class_="faint") + _line(texts[line - 1], begin, marked, line, addresses)
        )
        last = line
    if lines and last < len(texts) and len(lines) < room:
        lines.append(element("span", f"⋯ {len(texts) - last} lines", class_="faint"))
    return lines


def _line(text: str, begin: int, marked: _Marked, line: int, addresses: tuple[str, str]) -> str:
    """One line, which begins at the place `begin` of the file, with the equal parts in it marked."""
    shown = text[:_LONGEST_LINE]
    markup = []
    at = 0
    for number, place in marked:
        if not place.lines[0] <= line <= place.lines[1]:
            continue
        start = min(max(place.start - begin, 0), len(shown))
        end = min(place.end - begin, len(shown))
        markup.append(words(shown[at:start]))
        if line == place.lines[0]:
            mine, its = addresses
            markup.append(element("a", str(number), id=f"{mine}{number}", href=f"{its}{number}"))
        markup.append(element("mark", words(shown[start:end]), class_=f"part-{number % _COLOURS}"))
        at = max(end, start)
    return "".join([*markup, words(shown[at:]), "…" * (len(text) > len(shown))])
