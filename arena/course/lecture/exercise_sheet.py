"""An exercise as a picture to print (the task in words, the figures, and the answers or room for them), and the sheets
of a whole class.

`adsearch/pictures/tree_drawing.py` draws trees; this module adds the text above and below them. A sheet shows the alias
and never the seed, because the seed makes the key.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from adsearch.errors import quote
from adsearch.pictures import svg, tree_drawing
from adsearch.pictures.svg import split_style
from adsearch.pictures.tree_picture import Picture
from arena.course.aliases import numbered, slug
from arena.course.lecture import kinds
from arena.course.lecture.exercise import Figure, Worksheet
from arena.course.roster import Roster
from arena.errors import ArenaError, BadFolder, BadRoster
from arena.history import csv_cells
from arena.pages.drawing import PageFrame, draw

BLANK: Final = "_" * 24
_LEAST_WIDTH: Final = 640.0
_MARGIN: Final = 24.0
_LINE: Final = 20.0
_ANSWER: Final = 28.0
_LETTER: Final = 7.2
"""Approximate width of a letter of the task, in pixels."""
_FIXED: Final = 7.9
"""Width of a letter of a table or a program, in pixels."""
_COLUMNS: Final = 78
"""Width of a line in a terminal, in characters."""

_STYLE: Final = """
.sheet { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 14px; }
.sheet .paper { fill: #ffffff; }
.sheet .words { fill: #1f2328; }
.sheet .letters { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 13px; }
.sheet .title { font-size: 18px; font-weight: bold; }
""".strip()
_DARK: Final = """
.sheet .paper { fill: #0d1117; }
.sheet .words { fill: #e6edf3; }
""".strip()


def drawn(exercise: Worksheet, *, solved: bool) -> str:
    """The sheet, or the key, as SVG."""
    title = _title(exercise, solved)
    figures = [_figure(figure) for figure in (exercise.key if solved else exercise.sheet)]
    page = max([_LEAST_WIDTH, *(width + 2 * _MARGIN for _, width, _ in figures)])
    parts = [_text(title, _MARGIN + 14, "words title")]
    y = _MARGIN + 14 + 1.5 * _LINE

    def write(words: str) -> None:
        nonlocal y
        for line in textwrap.wrap(words, int((page - 2 * _MARGIN) / _LETTER), break_on_hyphens=False):
            parts.append(_text(line, y))
            y += _LINE

    write(exercise.task)
    for figure, width, height in figures:
        # A figure is an SVG element inside this SVG, at its place.
        parts.append(figure.replace("<svg ", f'<svg x="{svg.number((page - width) / 2)}" y="{svg.number(y)}" ', 1))
        y += height + _LINE
    if solved and exercise.note:
        write(exercise.note)
        y += _LINE / 2
    for question, answer in exercise.answers:
        write(f"{question}: {answer if solved else BLANK}")
        y += _ANSWER - _LINE
    described = " ".join(figure.description for figure in exercise.key if isinstance(figure, Picture))
    return svg.document(
        page,
        y,
        *parts,
        kind="sheet",
        title=title,
        description=f"{exercise.task} {described if solved else ''}".strip(),
        style=_STYLE,
        dark=_DARK,
    )


def as_text(exercise: Worksheet, *, solved: bool) -> str:
    """The sheet, or the key, for a terminal."""
    blocks = [_title(exercise, solved), _filled(exercise.task)]
    for figure in exercise.key if solved else exercise.sheet:
        blocks.append(figure if isinstance(figure, str) else tree_drawing.as_text(figure))
    if solved and exercise.note:
        blocks.append(_filled(exercise.note))
    answers = [f"{question}: {answer if solved else BLANK}" for question, answer in exercise.answers]
    return "\n\n".join([*blocks, "\n".join(map(_filled, answers))])


def _title(exercise: Worksheet, solved: bool) -> str:
    return f"{exercise.title}, solved" if solved else exercise.title


def _figure(figure: Figure) -> tuple[str, float, float]:
    """A figure as an SVG element, with its width and height."""
    if isinstance(figure, Picture):
        tree = tree_drawing.as_svg(figure)
        return tree, *_size_of(tree)
    lines = figure.split("\n")
    width, height = max(map(len, lines)) * _FIXED + 2 * _MARGIN, (len(lines) + 1) * _LINE
    # Browsers join spaces; no-break spaces keep the columns and the indent.
    texts = [_text(line.replace(" ", "\xa0"), (at + 1) * _LINE, "words letters") for at, line in enumerate(lines)]
    inside = "\n".join(texts)
    return f'<svg width="{svg.number(width)}" height="{svg.number(height)}">\n{inside}\n</svg>', width, height


def _filled(words: str) -> str:
    """`words` in lines for a terminal."""
    return textwrap.fill(words, _COLUMNS, break_on_hyphens=False)


def _text(words: str, y: float, kind: str = "words") -> str:
    return svg.element("text", svg.words(words), class_=kind, x=_MARGIN, y=y)


def _size_of(picture: str) -> tuple[float, float]:
    """The width and height attributes of an SVG."""
    width, height = re.findall(r' (?:width|height)="([0-9.]+)"', picture.partition(">")[0])
    return float(width), float(height)


# One worksheet for each student or team of a roster: the files for the class, made again exactly from the same seed.


INDEX: Final = "index.csv"


def class_files(
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
    found: dict[str, str] = {}
    for folder, solved in (("sheets", False), ("keys", True)):
        pictures = {alias: drawn(sheet, solved=solved) for alias, sheet in made.items()}
        found |= {f"{folder}/{names[alias]}.svg": picture for alias, picture in pictures.items()}
        found[f"{folder}.html"] = _page(f"{kind}: all {folder}", list(pictures.values()))
    return found | {INDEX: _index(roster, names, made)}


def check_folder(folder: Path) -> Path:
    """The real path of a folder that can be written; BadFolder unless it is new or empty."""
    place = Path(os.path.realpath(folder))
    if not place.parent.is_dir():
        raise BadFolder(f"expected a folder inside an existing folder, but there is no {quote(str(place.parent))}")
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        what = "has files already" if place.is_dir() else "is a file"
        raise BadFolder(f"expected a new or empty folder, but {quote(str(folder))} {what}; choose another name")
    return place


def write_class(made: Mapping[str, str], folder: Path) -> None:
    """Write the files into a new or empty folder; nothing is overwritten."""
    place = check_folder(folder)
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
    return draw("sheets.html", title, PageFrame(), sheets=[split_style(picture)[1] for picture in pictures]).text


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
