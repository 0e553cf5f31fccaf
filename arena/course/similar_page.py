"""The page with similar sources side by side: the pairs in a table, then the code of both with equal parts marked.

Pure. All code on it comes from students, so everything is escaped, long lines are cut, and the page has no script. A
part has the same number and colour on both sides; each number is a link to the part on the other side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from arena.course.roster import replace_unprintable
from arena.course.similar import ComparedFile, Place, SimilarPair, Source
from arena.pages.drawing import PageFrame, draw
from arena.results.columns import Cell, Column, Listing

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


class CodePiece(Struct, frozen=True):
    """Some letters of a line."""

    text: str
    part: int = 0
    """The number of the equal part that they belong to; 0: of none."""
    begins: bool = False
    """Whether the part begins in this line."""


class CodeLine(Struct, frozen=True):
    """A line of code; or in place of lines that are not shown, what is left out."""

    number: int = 0
    pieces: Sequence[CodePiece] = ()
    gap: str = ""


def page(pairs: Sequence[SimilarPair], tournament: str, shown_as: Callable[[Source], str]) -> str:
    """The page; `shown_as` gives the name of a source."""
    return draw(
        "similar.html",
        f"Similar sources: {tournament}",
        PageFrame(),
        pairs=_listing(pairs, shown_as),
        sections=[_section(number, pair, shown_as) for number, pair in enumerate(pairs[:_MOST_PAIRS], 1)],
        colours=_COLOURS,
    ).text


def _listing(pairs: Sequence[SimilarPair], shown_as: Callable[[Source], str]) -> Listing[tuple[int, SimilarPair]]:
    def names(row: tuple[int, SimilarPair]) -> Cell:
        number, pair = row
        text = replace_unprintable(f"{shown_as(pair.one)} and {shown_as(pair.other)}")
        return Cell(text=text, href=f"#pair-{number}" if number <= _MOST_PAIRS else None)

    columns: list[Column[tuple[int, SimilarPair]]] = [
        Column("pair", "Pair", value=names, heads=True),
        Column("kind", "What they share", value=lambda row: str(row[1].kind), kind="kind"),
        Column("share", "Share", value=lambda row: f"{row[1].share:.0%}", number=True),
        Column("other_share", "Of other", value=lambda row: f"{row[1].other_share:.0%}", number=True),
        Column("tokens", "Tokens", value=lambda row: f"{row[1].tokens:,}", number=True),
        Column("longest", "Longest", value=lambda row: f"{row[1].longest:,}", number=True),
    ]
    return Listing(caption="All pairs", columns=columns, rows=[*enumerate(pairs, 1)])


def _section(number: int, pair: SimilarPair, shown_as: Callable[[Source], str]) -> dict[str, Any]:
    """What is shown of a pair."""
    count = "1 part" if len(pair.parts) == 1 else f"{len(pair.parts)} parts"
    said = [f"{pair.kind}; {pair.tokens:,} tokens in {count}"]
    parts = sorted(pair.parts, key=lambda part: (part.one.file, part.one.start))
    if pair.same_files:
        said.append(f"equal files: {', '.join(pair.same_files)}")
    one, other = f"pair-{number}-one-", f"pair-{number}-other-"
    ones, others = [part.one for part in parts], [part.other for part in parts]
    return {
        "id": f"pair-{number}",
        "title": replace_unprintable(f"{number}. {shown_as(pair.one)} and {shown_as(pair.other)}"),
        "text": replace_unprintable("; ".join(said)),
        "sides": [
            _side(pair.one, shown_as(pair.one), pair.share, ones) | {"mine": one, "its": other},
            _side(pair.other, shown_as(pair.other), pair.other_share, others) | {"mine": other, "its": one},
        ],
    }


def _side(source: Source, name: str, share: float, places: Sequence[Place]) -> dict[str, Any]:
    """The code of one source."""
    by_file: dict[str, _Marked] = defaultdict(list)
    for number, place in enumerate(places, 1):
        by_file[place.file].append((number, place))
    room = _MOST_LINES
    files = []
    for each in source.files:
        if marked := sorted(by_file[each.name], key=lambda one: one[1].start):
            lines = [*_lines(each, marked, room)]
            room -= len(lines)
            files.append((replace_unprintable(each.name), lines))
    title = name if name == source.title else f"{name} ({source.title})"
    return {
        "title": replace_unprintable(title),
        "name": replace_unprintable(name),
        "share": f"{share:.0%}",
        "files": files,
    }


def _lines(source: ComparedFile, marked: _Marked, room: int) -> Iterator[CodeLine]:
    """The lines with equal parts and some around them; at most `room`."""
    wanted = sorted(
        {line for _, place in marked for line in range(place.lines[0] - _AROUND, place.lines[1] + _AROUND + 1)}
    )
    texts = source.text.split("\n")
    begins = [0]
    for text in texts:
        begins.append(begins[-1] + len(text) + 1)
    last = count = 0
    for line in wanted:
        if not 1 <= line <= len(texts):
            continue
        if count >= room:
            yield CodeLine(gap="⋯ the rest is not shown")
            return
        if line > last + 1:
            count += 1
            yield CodeLine(gap=f"⋯ {line - last - 1} lines")
        count += 1
        yield CodeLine(line, [*_pieces(texts[line - 1], begins[line - 1], marked, line)])
        last = line
    if last < len(texts) and 0 < count < room:
        yield CodeLine(gap=f"⋯ {len(texts) - last} lines")


def _pieces(text: str, begin: int, marked: _Marked, line: int) -> Iterator[CodePiece]:
    """One line, which begins at the place `begin` of the file, with the equal parts in it."""
    shown = text[:_LONGEST_LINE]
    at = 0
    for number, place in marked:
        if not place.lines[0] <= line <= place.lines[1]:
            continue
        start = min(max(place.start - begin, 0), len(shown))
        end = min(place.end - begin, len(shown))
        yield CodePiece(shown[at:start])
        yield CodePiece(shown[start:end], number, line == place.lines[0])
        at = max(end, start)
    yield CodePiece(shown[at:] + "…" * (len(text) > len(shown)))
