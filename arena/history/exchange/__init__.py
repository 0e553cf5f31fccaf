"""Games in files, for `arena data export` and `arena data import`: NDJSON, PGN, SGF, CSV, and plain lists of results.

NDJSON has everything; PGN has moves and clocks, for reading and for diffs; SGF is what Go programs read; CSV has
results and moves, for spreadsheets. Games that are exported and imported again have the same results. Every mistake in
a file is a BadImport with the line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from db.records import PastGame


class FileFormat(StrEnum):
    """The file format of exported games."""

    CSV = "csv"
    NDJSON = "ndjson"
    PGN = "pgn"
    SGF = "sgf"


def write(games: Iterable[PastGame], form: FileFormat, out: TextIO, *, most_seats: int = 2) -> int:
    """Writes the games and returns their number. `most_seats`: the largest number of seats of a game."""
    from arena.history.exchange import ndjson, pgn, sgf, spreadsheet

    if form is FileFormat.CSV:
        return spreadsheet.write(games, out, most_seats=most_seats)
    text_of = {FileFormat.NDJSON: ndjson.line, FileFormat.PGN: pgn.text, FileFormat.SGF: sgf.text}[form]
    count = 0
    for game in games:
        out.write(text_of(game))
        count += 1
    return count


def read(text: str, name: str, *, tournament: str | None = None) -> list[PastGame]:
    """The games of a file called `name`, in any of the formats; BadImport if the file cannot be imported.

    With `tournament`, all of them become games of that tournament. The default for a plain list is a tournament with
    the file's name."""
    from arena.history.exchange.checks import whole_file

    return whole_file(_read(text.removeprefix("\ufeff"), name), name, tournament=tournament)


def _read(text: str, name: str) -> Iterator[tuple[int, PastGame]]:
    from arena.history.exchange import ndjson, pgn, sgf, spreadsheet

    begun = text.lstrip()[:1]
    if begun == "{":
        return ndjson.read(text, name)
    if begun == "[":
        return pgn.read(text, name)
    if begun == "(" or name.lower().endswith(".sgf"):
        return sgf.read(text, name)
    return spreadsheet.read(text, name)
