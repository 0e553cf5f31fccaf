"""What commands write takes the place of an earlier file of its kind, and of nothing else."""

from pathlib import Path

import pytest

from arena.cli.terminal.files import read_file, write_file
from arena.errors import ArenaError

PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"></svg>\n'


@pytest.mark.parametrize("before", [None, "", "<svg>an earlier one</svg>", "half a picture"])
def test_a_file_of_its_kind_is_replaced(before: str | None) -> None:
    if before is not None:
        Path("board.svg").write_text(before)
    write_file("board.svg", PICTURE)
    assert Path("board.svg").read_text() == PICTURE


def test_a_table_is_known_by_its_columns() -> None:
    Path("nodes").write_text("id,name\n1,ann\n")
    write_file("nodes", "id,name\n")
    assert Path("nodes").read_text() == "id,name\n"


@pytest.mark.parametrize("before", ["from agents import Agent\n", "id;name\n", "SQLite format 3\0"])
def test_anything_else_stays(before: str) -> None:
    Path("mine").write_text(before)
    with pytest.raises(ArenaError, match="'mine' already exists and is a different kind of file: choose another name"):
        write_file("mine", PICTURE)
    assert Path("mine").read_text() == before
    assert [path.name for path in Path().iterdir()] == ["mine"]


def test_what_cannot_be_read_is_told_with_what_was_expected() -> None:
    with pytest.raises(ArenaError, match=r"expected a roster, cannot read 'none\.csv': No such file"):
        read_file("none.csv", "a roster")
    with pytest.raises(ArenaError, match=r"expected a roster, cannot read '\.': Is a directory"):
        read_file(".", "a roster")
