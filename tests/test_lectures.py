"""docs/search.md is true: every command in its tables of the lectures prints or writes what the table says."""

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.kit import shown_commands
from tests.kit.arena_program import arena
from tests.kit.places import EXAMPLES, ROOT

ROWS: Final = {"S0": 28, "S1": 35, "S2": 12, "S3": 25, "S4": 11}
"""How many figures, tables, algorithms, examples and claims each lecture has."""


SHOWN: Final = {
    command: output
    for _, block in shown_commands.blocks("console")
    for command, output in shown_commands.commands(block)
    if "..." not in output.splitlines()
}
"""The commands that pages show with all that they print: `test_docs.py` runs these."""


class Row(NamedTuple):
    """A row of a lecture's table."""

    lecture: str
    what: str
    commands: list[str]
    seen: list[str]
    """Texts that the commands print or write."""


def rows() -> list[Row]:
    """The rows of all tables."""
    found = []
    page = (ROOT / "docs" / "search.md").read_text("utf-8")
    for section in page.partition("\n## The lectures, row by row\n")[2].split("\n### ")[1:]:
        for line in section.splitlines():
            if line.startswith("| ") and not line.startswith("| what |"):
                what, commands, seen = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
                found.append(Row(section[:2], what, quoted(commands), quoted(seen)))
    return found


def quoted(cell: str) -> list[str]:
    """The texts in backticks."""
    return [text.replace(r"\|", "|") for text in re.findall("`([^`]+)`", cell)]


def squeezed(text: str) -> str:
    """The same with one space wherever there are several, and line breaks."""
    return " ".join(text.split())


def shown(command: str, folder: Path) -> str:
    """What a command prints in this folder."""
    if command in SHOWN:
        return SHOWN[command]
    program, *arguments = shlex.split(command)
    if program == "python":
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(arguments[1], {})
        return out.getvalue()
    assert program == "arena"
    ended = arena(*arguments, columns=120, cwd=folder)
    return ended.out + ended.err


def test_no_row_of_a_lecture_is_missing() -> None:
    lectures = [row.lecture for row in rows()]
    assert {lecture: lectures.count(lecture) for lecture in lectures} == ROWS


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row.lecture}: {row.what}") for row in rows()])
def test_the_commands_of_a_row_show_what_it_says(row: Row, tmp_path: Path) -> None:
    assert row.commands
    assert row.seen
    (tmp_path / "examples").symlink_to(EXAMPLES)
    printed = "".join(shown(command, tmp_path) for command in row.commands)
    printed += "".join(path.read_text("utf-8") for path in tmp_path.iterdir() if path.suffix in (".svg", ".html"))
    for text in row.seen:
        assert squeezed(text) in squeezed(printed), f"{text}\n{printed}"
