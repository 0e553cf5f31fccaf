"""Games in files: written by `arena export`, read by `arena import`, in three forms, and plain lists of results.

ndjson holds everything; pgn moves and clocks, for reading and for diffs; csv results and moves, for spreadsheets. What
was exported and is imported again are the same games with the same results. Whatever is wrong in a file is a BadImport
that names the line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from db.records import PastGame


class FileFormat(StrEnum):
    """In which form games are written."""

    CSV = "csv"
    NDJSON = "ndjson"
    PGN = "pgn"


def write(games: Iterable[PastGame], form: FileFormat, out: TextIO, *, most_seats: int = 2) -> int:
    """Writes the games; how many there were. None of them has more than `most_seats` seats."""
    from arena.history.exchange import ndjson, pgn, spreadsheet

    if form is FileFormat.CSV:
        return spreadsheet.write(games, out, most_seats=most_seats)
    text_of = ndjson.line if form is FileFormat.NDJSON else pgn.text
    count = 0
    for game in games:
        out.write(text_of(game))
        count += 1
    return count


def read(text: str, name: str, *, tournament: str | None = None) -> list[PastGame]:
    """The games of a file called `name`, whatever its form; BadImport where it cannot be used.

    All of them become games of `tournament`, if it is given. Plain lists are otherwise one called like the file."""
    from arena.history.exchange.checks import whole_file

    return whole_file(_read(text.removeprefix("\ufeff"), name), name, tournament=tournament)


def _read(text: str, name: str) -> Iterator[tuple[int, PastGame]]:
    from arena.history.exchange import ndjson, pgn, spreadsheet

    begun = text.lstrip()[:1]
    if begun == "{":
        return ndjson.read(text, name)
    if begun == "[":
        return pgn.read(text, name)
    return spreadsheet.read(text, name)
