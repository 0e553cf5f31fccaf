"""The templates: all can be read, all attributes are quoted, and it is counted where texts are trusted."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from arena.pages.drawing import _environment
from tests.kit.places import ROOT

TEMPLATES = sorted((ROOT / "arena" / "pages" / "templates").glob("*.html"))
TRUSTED = {
    "manual.html": {"content": 1},  # Markdown of the docs, read without HTML
    "base.html": {"sheet": 1, "reader": 1, "script": 1},
    "feedback.html": {"board": 1, "shared": 1},
    "live.html": {"drawn.state": 2, "drawn.last": 1},
    "macros.html": {"cell.picture": 1},
    "parts.html": {"drawn.seats": 1, "drawn.board": 1, "drawn.moves": 1, "one.picture": 1},
    "opponents.html": {"picture": 1},
    "play.html": {f"drawn.{part}": 1 for part in ("state", "said", "last", "choices", "tools", "side")},
    "replay.html": {"board": 2, "step.board": 1, "shared": 1},
    "search.html": {"tree": 1},
    "sheets.html": {"sheet": 1},
    "tv.html": {f"drawn.{part}": 1 for part in ("state", "moves", "last")}
    | {f"side.{part}": 1 for part in ("soon", "standings", "upset", "results", "waiting")},
}
"""What is written as it is: pictures in SVG, the sheet and the script of a page, parts that `drawing.part` drew."""


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_every_template_can_be_read(template: Path) -> None:
    _environment().get_template(template.name)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_texts_are_trusted_only_where_it_is_said(template: Path) -> None:
    found = re.findall(r"\{\{-? ([\w.]+)[^}]*\| (?:markup|safe)", template.read_text("utf-8"))
    assert Counter(found) == TRUSTED.get(template.name, {})


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_attributes_are_quoted_and_none_is_a_style(template: Path) -> None:
    text = template.read_text("utf-8")
    assert not re.search(r"[a-z]=\{\{|\sstyle=|\son[a-z]+=", text)
