"""The cells that an agent marked with a move, as commands show them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from db.database import Database
from tests.kit.sample_commands import asked, document
from tests.kit.small_record import begun_game, finish


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with one game, whose players mark the same cells with each move."""
    with Database(str(tmp_path / "arena.db")) as database:
        finish(database, begun_game(database))
    return tmp_path / "arena.db"


@pytest.mark.parametrize("command", ["show", "replay"])
def test_marks_are_shown_as_text_with_the_rest_of_what_was_reported(file: Path, command: str) -> None:
    assert asked(file, command, "cs101-1").out.count("marks a1 good, c3 -0.5\n") == 12


def test_marks_are_a_field_of_json(file: Path) -> None:
    for move in document(file, "show", "cs101-1")["moves"]:
        assert move["marks"] == {"a1": "good", "c3": -0.5}


def test_marks_are_a_column_of_csv_as_text(file: Path) -> None:
    ended = asked(file, "show", "cs101-1", "--format", "csv")
    assert next(csv.DictReader(io.StringIO(ended.out, newline="")))["marks"] == "a1 good, c3 -0.5"
