"""One worksheet for each student or team of a roster: the files for the class, made again exactly from the same seed.

`files` is pure; `write` puts the files into a new folder, completely or not at all. A sheet shows the alias and never
the seed, because the seed makes the key.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from adsearch.errors import quote
from adsearch.pictures.svg import split_style
from arena.course.aliases import numbered
from arena.course.lecture import exercise_sheet, kinds
from arena.course.lecture.worksheet import Worksheet
from arena.course.report.addresses import slug
from arena.course.roster import Roster
from arena.errors import ArenaError, BadFolder, BadRoster
from arena.history import csv_cells
from arena.pages.drawing import Frame, draw

INDEX: Final = "index.csv"


def files(
    kind: str, roster: Roster, *, seed: int, depth: int | None = None, width: int | None = None
) -> dict[str, str]:
    """Path -> text: a sheet and a key for each student or team, one page with all sheets and one with all keys, to
    print, and the index."""
    for student in roster.students:
        if not student.alias:
            raise BadRoster(f"{roster.file}, line {student.line}: expected an alias, which names the sheet")
    aliases = dict.fromkeys(roster.team(student)[0].alias for student in roster.students)
    names = numbered(aliases, slug, "{}-{}")
    made = {alias: kinds.make(kind, seed=seed, student=alias, depth=depth, width=width) for alias in aliases}
    drawn: dict[str, str] = {}
    for folder, solved in (("sheets", False), ("keys", True)):
        pictures = {alias: exercise_sheet.drawn(sheet, solved=solved) for alias, sheet in made.items()}
        drawn |= {f"{folder}/{names[alias]}.svg": picture for alias, picture in pictures.items()}
        drawn[f"{folder}.html"] = _page(f"{kind}: all {folder}", list(pictures.values()))
    return drawn | {INDEX: _index(roster, names, made)}


def check(folder: Path) -> Path:
    """The real path of a folder that can be written; BadFolder unless it is new or empty."""
    place = Path(os.path.realpath(folder))
    if not place.parent.is_dir():
        raise BadFolder(f"expected a folder inside an existing folder, but there is no {quote(str(place.parent))}")
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        what = "has files already" if place.is_dir() else "is a file"
        raise BadFolder(f"expected a new or empty folder, but {quote(str(folder))} {what}; choose another name")
    return place


def write(made: Mapping[str, str], folder: Path) -> None:
    """Write the files into a new or empty folder; nothing is overwritten."""
    place = check(folder)
    begun = place.with_name(f".{place.name}-{secrets.token_hex(4)}.part")
    try:
        for name, text in made.items():
            file = begun / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8", newline="")
        begun.rename(place)
    except OSError as error:
        raise ArenaError(f"cannot write {quote(str(folder))}: {error.strerror}") from None
    finally:
        shutil.rmtree(begun, ignore_errors=True)


def _page(title: str, pictures: list[str]) -> str:
    """A page with all pictures, each on a page of its own when it is printed."""
    return draw("sheets.html", title, Frame(), sheets=[split_style(picture)[1] for picture in pictures]).text


def _index(roster: Roster, names: Mapping[str, str], made: Mapping[str, Worksheet]) -> str:
    """A table for the instructor: each student with the files and the answers."""
    questions = list(dict.fromkeys(question for sheet in made.values() for question, _ in sheet.answers))
    rows = []
    for student in roster.students:
        alias = roster.team(student)[0].alias
        name, answers = names[alias], dict(made[alias].answers)
        cells = [alias, student.id, student.name, student.group, f"sheets/{name}.svg", f"keys/{name}.svg"]
        rows.append([*cells, *(answers.get(question, "") for question in questions)])
    return csv_cells.text(rows, titles=("alias", "id", "name", "group", "sheet", "key", *questions))
